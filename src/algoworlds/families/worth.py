"""What items are worth that are sold in lots: the prices of the relaxed problem, by which a patient person ranks lots."""

from collections.abc import Sequence

_TURNS, _STEP = 200, 2_000
"""How often items are bid for, and by how much at first."""

Lot = tuple[Sequence[int], int]
"""The places of the items that a lot holds, and its price."""


def worth(count: int, lots: Sequence[Lot]) -> list[int]:
    """A price for every item, large in sum, such that no lot costs less than what it holds.

    An item rises while no lot gives it for less than its items are worth and falls while several do, in ever smaller
    steps (a subgradient ascent of the relaxed cover); at the end a lot that is too cheap brings its items down.
    """
    prices = [min((price // len(items) for items, price in lots if at in items), default=0) for at in range(count)]
    for turn in range(1, _TURNS + 1):
        bids = _bids(prices, lots)
        prices = [each + _STEP * (1 - bid) // turn for each, bid in zip(prices, bids, strict=True)]
    for items, price in lots:
        excess = sum(prices[at] for at in items) - price
        for at in items if excess > 0 else ():
            prices[at] -= -(-excess // len(items))
    return prices


def _bids(prices: list[int], lots: Sequence[Lot]) -> list[int]:
    """For every item, how many lots hold it and cost less than what they hold."""
    bids = [0] * len(prices)
    for items, price in lots:
        if price < sum(prices[at] for at in items):
            for at in items:
                bids[at] += 1
    return bids

"""What items are worth that are sold in lots: the prices of the relaxed problem, by which a patient person ranks lots."""

from collections.abc import Sequence

import numpy as np

_TURNS, _STEP = 200, 2_000
"""How often items are bid for, and by how much at first."""

Lot = tuple[Sequence[int], int]
"""The places of the items that a lot holds, and its price."""


def worth(count: int, lots: Sequence[Lot]) -> list[int]:
    """A price for every item, large in sum, such that no lot costs less than what it holds.

    An item rises while no lot gives it for less than its items are worth and falls while several do, in ever smaller
    steps (a subgradient ascent of the relaxed cover); at the end a lot that is too cheap brings its items down.
    """
    prices = _bidden(count, lots)
    for items, price in lots:
        excess = sum(prices[at] for at in items) - price
        for at in items if excess > 0 else ():
            prices[at] -= -(-excess // len(items))
    return prices


def _bidden(count: int, lots: Sequence[Lot]) -> list[int]:
    """What items come to by bidding: an item's bids are the lots that hold it and cost less than what they hold."""
    least = [min((price // len(items) for items, price in lots if at in items), default=0) for at in range(count)]
    prices, asked = np.array(least, np.int64), np.array([price for _, price in lots], np.int64)
    holds = np.zeros((len(lots), count), np.int64)
    for lot, (items, _) in enumerate(lots):
        holds[lot, list(items)] = 1
    for turn in range(1, _TURNS + 1):
        bids = (asked < holds @ prices) @ holds
        prices += _STEP * (1 - bids) // turn
    return prices.tolist()  # type: ignore[no-any-return]

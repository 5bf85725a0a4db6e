"""What items are worth that are sold in lots: the prices of the relaxed problem, by which a patient person ranks lots."""

from collections.abc import Sequence

import numpy as np

from algoworlds.core.kernel import kernel

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
    """What items come to by bidding, from the least that a lot asks for each of them if it shares its price out evenly."""
    prices = [0] * count
    for items, price in sorted(lots, key=lambda lot: lot[1] // len(lot[0]), reverse=True):
        for at in items:
            prices[at] = price // len(items)
    item = np.array([at for items, _ in lots for at in items], np.int64)
    first = np.cumsum([0, *(len(items) for items, _ in lots)], dtype=np.int64)
    asked = np.array([price for _, price in lots], np.int64)
    return _bid(np.array(prices, np.int64), asked, first, item).tolist()  # type: ignore[no-any-return]


@kernel
def _bid(prices, asked, first, item):  # type: ignore[no-untyped-def]
    """p(v) <- p(v) + STEP (1 - b(v)) / turn, turn by turn; b(v) lots hold v and cost less than what they hold."""
    for turn in range(1, _TURNS + 1):
        bids = np.zeros(len(prices), np.int64)
        for lot in range(len(asked)):
            held = 0
            for at in range(first[lot], first[lot + 1]):
                held += prices[item[at]]
            for at in range(first[lot], first[lot + 1] if asked[lot] < held else first[lot]):
                bids[item[at]] += 1
        for v in range(len(prices)):
            prices[v] += _STEP * (1 - bids[v]) // turn
    return prices

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
    item = np.array([at for items, _ in lots for at in items], np.int64)
    first = np.cumsum([0, *(len(items) for items, _ in lots)], dtype=np.int64)
    return _bid(count, np.array([price for _, price in lots], np.int64), first, item).tolist()  # type: ignore[no-any-return]


@kernel
def _bid(count, asked, first, item):  # type: ignore[no-untyped-def]
    """p(v) <- p(v) + STEP (1 - b(v)) / turn, turn by turn; b(v) lots hold v and cost less than what they hold.

    At first p(v) is the least that a lot asks for v if it shares its price out evenly.
    """
    prices, offered = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for lot in range(len(asked)):
        for v in item[first[lot] : first[lot + 1]]:
            share = asked[lot] // (first[lot + 1] - first[lot])
            prices[v] = min(prices[v], share) if offered[v] else share
            offered[v] = True
    for turn in range(1, _TURNS + 1):
        bids = np.zeros(count, np.int64)
        for lot in range(len(asked)):
            held = 0
            for at in range(first[lot], first[lot + 1]):
                held += prices[item[at]]
            for at in range(first[lot], first[lot + 1] if asked[lot] < held else first[lot]):
                bids[item[at]] += 1
        for v in range(count):
            prices[v] += _STEP * (1 - bids[v]) // turn
    for lot in range(len(asked)):
        items = item[first[lot] : first[lot + 1]]
        excess = prices[items].sum() - asked[lot]
        if excess > 0:
            prices[items] += -excess // len(items)
    return prices

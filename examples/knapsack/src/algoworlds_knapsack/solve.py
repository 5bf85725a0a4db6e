"""Construction: item by item, forward, over the exact weight so far and whether the item's crate is open.

    F[i](w, 0) = F[i-1](w, 0)                                                      nothing of this crate is taken yet
    F[i](w, 1) = max { F[i-1](w, 1), F[i-1](w - a_i, 1) + v_i, F[i-1](w - t_k - a_i, 0) + v_i }

Crates are processed in roster order, the items of a crate in roster order; after the last item of a crate both columns are
merged, F(w, 0) <- max { F(w, 0), F(w, 1) }. NumPy computes all weights w at once. Where a recurrence does not fit arrays,
write a loop and decorate it with `algoworlds.core.kernel.kernel`.

Counting contract. Per item, one state for every (w, column) that is reached before it, and one check whether the item still
fits; one transition for every way to leave or take it that fits; one update for every value that is set or raised. At the end
of a crate, one transition for every w that its open column reaches, and updates as before. One reconstruction per item.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, require_memory
from algoworlds.core.work import Solution
from algoworlds_knapsack.instance import CrateKnapsack

NONE = -INFINITY
"""The value of a weight that no packing has."""
LEFT, TAKEN, OPENED, TIE = 0, 1, 2, 4
"""How a value arises: the item is left, taken from an open crate, or taken and opens its crate. TIE: in several ways."""


class Item(NamedTuple):
    """One item, the tare of its crate, and whether it is the last item of the crate."""

    name: str
    weight: int
    value: int
    tare: int
    last: bool


def solve(instance: CrateKnapsack) -> Solution[tuple[str, ...]]:
    """The best packing, its value, its uniqueness, and the counted work."""
    items = _items_by_crate(instance)
    require_memory((2 * len(items) + 64) * (instance.capacity + 1))
    F = np.full((2, instance.capacity + 1), NONE)
    F[0, 0] = 0
    counts, chosen, merged = np.zeros(5, np.int64), [], []
    for item in items:
        F, how = _add_item(F, item, counts)
        chosen.append(how)
        merged.append(_close_crate(F, counts) if item.last else None)
    best = int(F[0].max())
    optima = min(2, int(np.count_nonzero(F[0] == best)))
    taken, tied = _trace(items, chosen, merged, int(F[0].argmax()))
    counts[4] = len(items)
    return Solution.from_kernel(best, tuple(sorted(taken)), 2 if tied else optima, counts)


def _items_by_crate(instance: CrateKnapsack) -> list[Item]:
    groups = {crate: [item for item in instance.item if (crate, item) in instance.weight] for crate in instance.crate}
    return [
        Item(item, instance.weight[crate, item], instance.value[item], instance.tare[crate], item == items[-1])
        for crate, items in groups.items()
        for item in items
    ]


def _add_item(F: NDArray[np.int64], item: Item, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """F[i] from F[i-1], and how every value of the open column arises."""
    reached = F != NONE
    G, how = F.copy(), np.full(F.shape[1], LEFT, np.int8)
    states, transitions = np.count_nonzero(reached), np.count_nonzero(reached)
    for column, step, mark in ((1, item.weight, TAKEN), (0, item.tare + item.weight, OPENED)):
        fitting = reached[column, : max(0, F.shape[1] - step)]
        offered = np.where(fitting, F[column, : len(fitting)] + item.value, NONE)
        transitions += np.count_nonzero(fitting)
        counts[3] += _offer(G[1, step:], how[step:], offered, mark)
    counts[:3] += states, transitions, states
    return G, how


def _offer(values: NDArray[np.int64], how: NDArray[np.int8], offered: NDArray[np.int64], mark: int) -> int:
    """Replace `values` where `offered` is better, mark ties, and return how many values were set or raised."""
    better, equal = offered > values, (offered == values) & (offered != NONE)
    how[equal] |= TIE
    how[better] = mark
    values[better] = offered[better]
    return int(np.count_nonzero(better))


def _close_crate(F: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Merge the open column into the other, in place; returns which of them every value came from."""
    how = np.full(F.shape[1], LEFT, np.int8)
    counts[1] += np.count_nonzero(F[1] != NONE)
    counts[3] += _offer(F[0], how, F[1], TAKEN)
    F[1] = NONE
    return how


def _trace(
    items: list[Item], chosen: list[NDArray[np.int8]], merged: list[NDArray[np.int8] | None], w: int
) -> tuple[list[str], bool]:
    """The items of the packing of weight w, and whether there was a tie on the way back."""
    taken, tied, opened = [], False, False
    for item, how, end in zip(reversed(items), reversed(chosen), reversed(merged), strict=True):
        if end is not None:
            opened, tied = bool(end[w] & TAKEN), tied or bool(end[w] & TIE)
        if not opened:
            continue
        mark, tied = how[w] & ~TIE, tied or bool(how[w] & TIE)
        if mark != LEFT:
            taken.append(item.name)
            w -= item.weight + (item.tare if mark == OPENED else 0)
            opened = mark == TAKEN
    return taken, tied

"""Construction: item by item, forward, over the exact weight so far and whether the item's crate is open.

    F[i](w, 0) = F[i-1](w, 0)                                                      nothing of this crate is taken yet
    F[i](w, 1) = max { F[i-1](w, 1), F[i-1](w - a_i, 1) + v_i, F[i-1](w - t_k - a_i, 0) + v_i }

Crates in roster order, inside them items in roster order; behind the last item of a crate both columns become one,
F(w, 0) <- max { F(w, 0), F(w, 1) }. NumPy takes all weights w at once, so the recurrence reads as it is written; where a
recurrence does not fit arrays, write a loop and decorate it with `algoworlds.core.kernel.kernel`.

Counting contract. Per item, one state for every (w, column) that is reached before it, and one check whether the item still
fits; one transition for every way to keep or take it that fits; one update for every value that is set or raised. At the end
of a crate one transition for every w that its open column reaches, and updates as before. One reconstruction per item.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, exact, within_memory
from algoworlds.core.work import Solution
from algoworlds_knapsack.instance import CrateKnapsack

NONE = -INFINITY
"""No packing has this weight."""
SHUT, OPEN, OPENS, TIE = 0, 1, 2, 4
"""How a value came about: the item stays, comes with the crate open already, comes and opens it. TIE: in several ways."""


class Item(NamedTuple):
    """One item, with its crate's tare and whether the crate ends with it."""

    name: str
    weight: int
    value: int
    tare: int
    last: bool


def solve(instance: CrateKnapsack) -> Solution[tuple[str, ...]]:
    """The best packing, its value, whether there is only one, and the work it took."""
    exact(instance)
    items = _in_crates(instance)
    within_memory((2 * len(items) + 64) * (instance.capacity + 1))
    F = np.full((2, instance.capacity + 1), NONE)
    F[0, 0] = 0
    counts, chosen, merged = np.zeros(5, np.int64), [], []
    for each in items:
        F, how = _with(F, each, counts)
        chosen.append(how)
        merged.append(_shut(F, counts) if each.last else None)
    best = int(F[0].max())
    at = int(F[0].argmax())
    optima = min(2, int(np.count_nonzero(F[0] == best)))
    taken, tied = _trace(items, chosen, merged, at)
    counts[4] = len(items)
    return Solution.of(best, tuple(sorted(taken)), 2 if tied else optima, counts)


def _in_crates(instance: CrateKnapsack) -> list[Item]:
    groups = {crate: [item for item in instance.item if (crate, item) in instance.weight] for crate in instance.crate}
    return [
        Item(item, instance.weight[crate, item], instance.value[item], instance.tare[crate], item == items[-1])
        for crate, items in groups.items()
        for item in items
    ]


def _with(F: NDArray[np.int64], item: Item, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """F[i] from F[i-1], and how every value of the open column came about."""
    reached = F != NONE
    G, how = F.copy(), np.full(F.shape[1], SHUT, np.int8)
    states, transitions = np.count_nonzero(reached), np.count_nonzero(reached)
    for column, step, mark in ((1, item.weight, OPEN), (0, item.tare + item.weight, OPENS)):
        fitting = reached[column, : max(0, F.shape[1] - step)]
        offered = np.where(fitting, F[column, : len(fitting)] + item.value, NONE)
        transitions += np.count_nonzero(fitting)
        counts[3] += _offer(G[1, step:], how[step:], offered, mark)
    counts[:3] += states, transitions, states
    return G, how


def _offer(kept: NDArray[np.int64], how: NDArray[np.int8], offered: NDArray[np.int64], mark: int) -> int:
    """Take what is better, mark what is as good, and say how many values were set or raised."""
    better, equal = offered > kept, (offered == kept) & (offered != NONE)
    how[equal] |= TIE
    how[better] = mark
    kept[better] = offered[better]
    return int(np.count_nonzero(better))


def _shut(F: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Make one column of both, in place; says which one every value came from."""
    how = np.full(F.shape[1], SHUT, np.int8)
    counts[1] += np.count_nonzero(F[1] != NONE)
    counts[3] += _offer(F[0], how, F[1], OPEN)
    F[1] = NONE
    return how


def _trace(
    items: list[Item], chosen: list[NDArray[np.int8]], merged: list[NDArray[np.int8] | None], w: int
) -> tuple[list[str], bool]:
    """The items of the packing that ends at weight w, and whether it met a tie on its way back."""
    taken, tied, opened = [], False, False
    for item, how, end in zip(reversed(items), reversed(chosen), reversed(merged), strict=True):
        if end is not None:
            opened, tied = bool(end[w] & OPEN), tied or bool(end[w] & TIE)
        if not opened:
            continue
        mark, tied = how[w] & ~TIE, tied or bool(how[w] & TIE)
        if mark != SHUT:
            taken.append(item.name)
            w -= item.weight + (item.tare if mark == OPENS else 0)
            opened = mark == OPEN
    return taken, tied

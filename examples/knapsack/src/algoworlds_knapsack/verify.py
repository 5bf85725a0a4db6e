"""Verification: crate by crate, backward, over all loads of a crate and the remaining room.

    H[k](r) = max over sets S of items of crate k that fit into r of  v(S) + H[k+1](r - a(S) - t_k [S not empty])

It shares nothing with the construction: whole crates instead of items, sets instead of an open bit, remaining room instead
of weight so far, "at most" instead of "exactly", and it counts optimal ways (up to two) instead of marking ties.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, require_memory
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds_knapsack.instance import CrateKnapsack

MAX_ITEMS = 12
"""The most items that a crate may hold, because all of its loads are listed."""

Load = tuple[int, int, tuple[str, ...]]
"""The weight of a set of items and its crate, its value, and the items."""


def verify(instance: CrateKnapsack) -> Solution[tuple[str, ...]]:
    """Best value, packing and uniqueness, computed independently of the construction."""
    crates = [_loads(instance, crate) for crate in instance.crate]
    require_memory(8 * (len(crates) + 8) * (instance.capacity + 1))
    H = [np.zeros(instance.capacity + 1, np.int64)]
    ways = np.ones(instance.capacity + 1, np.int64)
    for loads in reversed(crates):
        best, ways = _best_loads(H[0], ways, loads)
        H.insert(0, best)
    return Solution.from_kernel(H[0][-1], _follow(H, crates, instance.capacity), ways[-1])


def _loads(instance: CrateKnapsack, crate: str) -> list[Load]:
    """Every set of items of `crate` that fits into the van."""
    contents = [item for item in instance.item if (crate, item) in instance.weight]
    if len(contents) > MAX_ITEMS:
        raise TooLarge(f"a crate holds {len(contents)} items, too many to list all of its loads: at most {MAX_ITEMS}")
    loads: list[Load] = [(0, 0, ())]
    for size in range(1, len(contents) + 1):
        for items in combinations(contents, size):
            weight = instance.tare[crate] + sum(instance.weight[crate, item] for item in items)
            loads.append((weight, sum(instance.value[item] for item in items), items))
    return [load for load in loads if load[0] <= instance.capacity]


def _best_loads(
    H: NDArray[np.int64], ways: NDArray[np.int64], loads: list[Load]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """H[k] and the number of ways to attain it, from H[k+1] and its ways, for all room at once."""
    best, count = np.full(len(H), -INFINITY), np.zeros(len(H), np.int64)
    for weight, value, _ in loads:
        room = len(H) - weight
        offered, here, here_ways = H[:room] + value, best[weight:], count[weight:]  # views: writing to them writes to the whole
        here_ways[offered == here] += ways[:room][offered == here]
        better = offered > here
        here_ways[better], here[better] = ways[:room][better], offered[better]
    return best, np.minimum(count, 2)


def _follow(H: list[NDArray[np.int64]], crates: list[list[Load]], room: int) -> tuple[str, ...]:
    """A packing that attains the value: from every crate the first load that H allows."""
    taken: list[str] = []
    for k, loads in enumerate(crates):
        weight, _, items = next(load for load in loads if load[0] <= room and H[k][room] == load[1] + H[k + 1][room - load[0]])
        taken, room = [*taken, *items], room - weight
    return tuple(sorted(taken))

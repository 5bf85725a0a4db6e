"""Verification algorithm of Authorization Planning: reverse suffix recurrence over the clearance still owed.

    G[v](q) = p(v) + eta[code(v)] + min over (v, w) in E[i] of h(v, w) + G[w](q - z(v) mod M)

G[v](q) is the least cost of v and everything after it with clearances that add up to q. It differs from the
construction in direction, in the state (residue owed instead of collected), in the order (first the cheapest continuation
of every owed residue, then the package itself) and in uniqueness: optimal completions are counted, saturating at MAX_COUNTED.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.relation import group_pairs
from algoworlds.core.work import Solution
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning


class Process(NamedTuple):
    """Packages by stage and slot, after a stage 0 that holds only the free start; openings lead out of it.

    Stage i has size[i] packages, and the transitions out of it are entry[i] .. entry[i+1]-1.
    """

    size: NDArray[np.int64]
    fee: NDArray[np.int64]
    clear: NDArray[np.int64]
    entry: NDArray[np.int64]
    source: NDArray[np.int64]
    goal: NDArray[np.int64]
    toll: NDArray[np.int64]


def verify(instance: AuthorizationPlanning) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, computed independently of the construction algorithm."""
    packages, M = list(group_pairs(instance.stage, instance.base_price).values()), instance.modulus
    size = np.array([1, *map(len, packages)], np.int64)
    require_memory(int(size.max()) * (len(size) * (4 * M + 16) + 2 * 16 * M))  # slots and fees, two layers of values and counts
    next_slot = np.zeros((len(size), size.max(), M), np.int32)
    value, optima, slots = _suffixes(_process(instance, packages, size), instance.policy[0], next_slot)
    if optima == 0:
        return Solution.infeasible()
    return Solution.from_kernel(value, tuple(here[slot] for here, slot in zip(packages, slots[1:], strict=True)), optima)


def _process(instance: AuthorizationPlanning, packages: list[list[str]], size: NDArray[np.int64]) -> Process:
    surcharge = np.array(instance.policy[1], np.int64)[id_positions(instance, "policy_code", "policy_code")]
    slot = {package: at for here in packages for at, package in enumerate(here)}
    slots = np.fromiter(map(slot.__getitem__, instance.package), np.int64)
    openings = np.array([slot[v] for v in chain(*packages[:1]) if (instance.stage[0], v) in instance.opening], np.int64)
    start = np.zeros_like(openings)
    entering = np.bincount(id_positions(instance, "handoff", "stage"), minlength=len(instance.stage))
    return Process(
        size=size,
        fee=_by_slot(size, column_values(instance, "base_price") + surcharge),
        clear=_by_slot(size, column_values(instance, "clearance")),
        entry=np.cumsum([0, len(openings), *entering[1:]], dtype=np.int64),
        source=np.concatenate([start, slots[id_positions(instance, "handoff", "predecessor")]]),
        goal=np.concatenate([openings, slots[id_positions(instance, "handoff", "successor")]]),
        toll=np.concatenate([start, column_values(instance, "handoff")]),
    )


def _by_slot(size: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values in order of stages as a table with a row per stage, after a zero for the start."""
    table = np.zeros((len(size), size.max()), np.int64)
    table[np.arange(size.max()) < size[:, None]] = [0, *values]
    return table


@kernel
def _suffixes(a, owed, next_slot):  # type: ignore[no-untyped-def]
    """G[v](q) = p(v) + eta[code(v)] + min over (v, w) of h(v, w) + G[w](q - z(v)); after the last stage only q = 0 is met."""
    d, widest, M = next_slot.shape
    G, G_rest = np.zeros((widest, M), np.int64), np.zeros((widest, M), np.int64)
    ways, ways_rest = np.zeros((widest, M), np.int64), np.zeros((widest, M), np.int64)
    for i in range(d - 1, -1, -1):
        G_rest[:] = INFINITY
        ways_rest[:] = 0
        if i == d - 1:
            G_rest[:, 0] = 0
            ways_rest[:, 0] = 1
        else:
            for e in range(a.entry[i], a.entry[i + 1]):
                v, w = a.source[e], a.goal[e]
                G_w, ways_w, G_v, ways_v, next_v = G[w], ways[w], G_rest[v], ways_rest[v], next_slot[i, v]
                for q in range(M):
                    if ways_w[q] > 0:
                        total = a.toll[e] + G_w[q]
                        if total < G_v[q]:
                            G_v[q], ways_v[q], next_v[q] = total, ways_w[q], w
                        elif total == G_v[q]:
                            ways_v[q] = min(ways_v[q] + ways_w[q], MAX_COUNTED)
        for v in range(a.size[i]):
            for rest in range(M):
                q = (rest + a.clear[i, v]) % M
                ways[v, q] = ways_rest[v, rest]
                if ways_rest[v, rest] > 0:
                    G[v, q] = a.fee[i, v] + G_rest[v, rest]
    best, optima = G[0, owed], ways[0, owed]
    slots = np.zeros(d, np.int64)
    for i in range(d - 1 if optima > 0 else 0):
        owed = (owed - a.clear[i, slots[i]]) % M
        slots[i + 1] = next_slot[i, slots[i], owed]
    return best, optima, slots

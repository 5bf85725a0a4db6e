"""Verification algorithm of Authorization Planning: reverse suffix recurrence over the clearance still owed.

    G[v](q) = p(v) + eta[code(v)] + min over (v, w) in E[i] of h(v, w) + G[w](q - z(v) mod M)

G[v](q) is the least cost of v and everything after it with clearances that add up to q. It differs from the
construction in direction, state (owed instead of collected residue), order (first the cheapest continuation of every
owed residue, then the package itself) and uniqueness: optimal completions are counted, saturating at two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.model.kernel import INFINITY, exact, kernel, table_size
from algoworlds.model.work import Solution


class Process(NamedTuple):
    """Packages by stage and slot: stage i has size[i] of them, and its incoming transitions are entry[i] .. entry[i+1]-1."""

    size: NDArray[np.int64]
    fee: NDArray[np.int64]
    clear: NDArray[np.int64]
    may_open: NDArray[np.bool_]
    entry: NDArray[np.int64]
    source: NDArray[np.int64]
    goal: NDArray[np.int64]
    toll: NDArray[np.int64]


def verify(instance: AuthorizationPlanning) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    exact(instance)
    if not instance.stage:
        return Solution(0, (), 1) if instance.required_clearance == 0 else Solution(None, None, 0)
    offered = list(instance.offered.values())
    widest = max(map(len, offered))
    table_size(len(offered) * widest * instance.modulus)
    next_slot = np.zeros((len(offered), widest, instance.modulus), np.int32)
    value, optima, slots = _suffixes(_process(instance, offered), instance.required_clearance, next_slot)
    if optima == 0:
        return Solution(None, None, 0)
    return Solution(int(value), tuple(here[slot] for here, slot in zip(offered, slots, strict=True)), int(optima))


def _process(instance: AuthorizationPlanning, offered: list[list[str]]) -> Process:
    shape = (len(offered), max(map(len, offered)))
    fee, clear, may_open = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape[1], np.bool_)
    adjustment = instance.adjustment
    slot = {package: at for here in offered for at, package in enumerate(here)}
    for i, (stage, here) in enumerate(zip(instance.stage, offered, strict=True)):
        for at, package in enumerate(here):
            fee[i, at] = instance.base_price[stage, package] + adjustment[instance.policy_code[stage, package]]
            clear[i, at] = instance.clearance[stage, package]
    for _, package in instance.opening:
        may_open[slot[package]] = True
    entering: dict[str, list[tuple[int, int, int]]] = {stage: [] for stage in instance.stage}
    for (stage, u, w), cost in instance.handoff.items():
        entering[stage].append((slot[u], slot[w], cost))
    flat = np.array([row for rows in entering.values() for row in rows], np.int64).reshape(-1, 3).T.copy()
    return Process(
        size=np.array([len(here) for here in offered], np.int64),
        fee=fee,
        clear=clear,
        may_open=may_open,
        entry=np.array([0, *np.cumsum([len(rows) for rows in entering.values()])], np.int64),
        source=flat[0],
        goal=flat[1],
        toll=flat[2],
    )


@kernel
def _suffixes(a, owed, next_slot):  # type: ignore[no-untyped-def]
    """G[v](q) = p(v) + eta[code(v)] + min over (v, w) of h(v, w) + G[w](q - z(v)); after the last stage only q = 0 is met."""
    d, widest, M = next_slot.shape
    G, G_rest = np.zeros((widest, M), np.int64), np.zeros((widest, M), np.int64)
    ways, ways_rest = np.zeros((widest, M), np.int8), np.zeros((widest, M), np.int8)
    for i in range(d - 1, -1, -1):
        G_rest[:] = INFINITY
        ways_rest[:] = 0
        if i == d - 1:
            G_rest[:, 0] = 0
            ways_rest[:, 0] = 1
        else:
            for e in range(a.entry[i + 1], a.entry[i + 2]):
                v, w = a.source[e], a.goal[e]
                G_w, ways_w, G_v, ways_v, next_v = G[w], ways[w], G_rest[v], ways_rest[v], next_slot[i, v]
                for q in range(M):
                    if ways_w[q] > 0:
                        total = a.toll[e] + G_w[q]
                        if total < G_v[q]:
                            G_v[q], ways_v[q], next_v[q] = total, ways_w[q], w
                        elif total == G_v[q]:
                            ways_v[q] = 2
        for v in range(a.size[i]):
            for rest in range(M):
                q = (rest + a.clear[i, v]) % M
                ways[v, q] = ways_rest[v, rest]
                if ways_rest[v, rest] > 0:
                    G[v, q] = a.fee[i, v] + G_rest[v, rest]
    best, optima, first = INFINITY, 0, 0
    for v in range(a.size[0]):
        if a.may_open[v] and ways[v, owed] > 0:
            if G[v, owed] < best:
                best, optima, first = G[v, owed], ways[v, owed], v
            elif G[v, owed] == best:
                optima = 2
    slots = np.zeros(d, np.int64)
    if optima > 0:
        v = first
        for i in range(d):
            slots[i] = v
            owed = (owed - a.clear[i, v]) % M
            v = next_slot[i, v, owed]
    return best, optima, slots

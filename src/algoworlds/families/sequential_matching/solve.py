"""Construction algorithm of Sequential Matching: forward dynamic program over used right participants and the last match.

    D[S + t, t] = c[|S|+1, t] + min over j in S of { D[S, j] + h[j, t] }

The left participants are processed in their order, so |S| tells who comes next. A state (S + t, t) has predecessors in
S alone: it is computed once, when S is expanded.

Counting contract. Subsets S by rising mask (bit j is the j-th right participant), last matches j and next matches t in
roster order. One state per reached (S, j), complete matchings included; per state one check of membership in S per right
participant, one check of compatibility per right participant outside S, and one transition per compatible one; one update
whenever the minimum of a target, scanned over j, is set or lowered. The first left participant: one check of compatibility
per right participant, one transition and one update per compatible one. One reconstruction per left participant.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, max_choices, read_choice, require_memory
from algoworlds.core.relation import group_pairs
from algoworlds.core.work import Solution
from algoworlds.families.sequential_matching.instance import SequentialMatching

TIE = max_choices(np.int8)
"""Marks a stored predecessor with a tie; written out because `store_min` would be slower here."""


class Arrays(NamedTuple):
    """The instance in the paper's letters: compatibility, pair costs and handoff costs."""

    E: NDArray[np.bool_]
    c: NDArray[np.int64]
    h: NDArray[np.int64]


_PAIRS = ("participant", "pair", "member")
"""The tables that say which pair joins whom."""


def solve(instance: SequentialMatching) -> Solution[tuple[str, ...]]:
    """The optimal matching, its value, whether it is unique, and the work it took."""
    if not instance.per_side:
        return Solution(0, (), 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    if optima == 0:
        return Solution.infeasible(counts)
    pair_of, n = instance.derived(_pairs_by_ends, reads=_PAIRS), instance.per_side
    decision = sorted(pair_of[instance.participant[i], instance.participant[n + j]] for i, j in enumerate(chosen))
    return Solution.from_kernel(value, tuple(decision), optima, counts)


def prepare(instance: SequentialMatching) -> tuple[Arrays, NDArray[np.int8]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    n = instance.per_side
    require_memory((8 + 1) * n << n)  # values and predecessors
    c, minutes = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    c.flat[instance.derived(_cell_indices, reads=("per_side", *_PAIRS))] = list(instance.pair_cost.values())
    minutes[~np.eye(n, dtype=np.bool_)] = list(instance.handoff.values())
    a = Arrays(E=np.array(list(instance.compatible.values())).reshape(n, n), c=c, h=instance.rate * minutes)
    return a, np.empty((1 << n, n), np.int8)


def _pairs_by_ends(instance: SequentialMatching) -> dict[tuple[str, str], str]:
    """The pair that joins a left and a right participant."""
    position = {person: at for at, person in enumerate(instance.participant)}
    joined = group_pairs(instance.pair, ((pair, person) for person, pair in instance.member))
    return {(min(both, key=position.__getitem__), max(both, key=position.__getitem__)): pair for pair, both in joined.items()}


def _cell_indices(instance: SequentialMatching) -> list[int]:
    """The index of each pair in a flat table of left by right participants."""
    position, n = {person: at for at, person in enumerate(instance.participant)}, instance.per_side
    return [position[left] * n + position[right] - n for left, right in instance.derived(_pairs_by_ends, reads=_PAIRS)]


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[S + t, t] = c[|S|+1, t] + min over j in S of { D[S, j] + h[j, t] }; D[{j}, j] = c[1, j]."""
    n = len(a.c)
    D = np.full((1 << n, n), INFINITY)
    states = transitions = updates = 0
    checks = n
    for j in range(n):
        if a.E[0, j]:
            D[1 << j, j] = a.c[0, j]
            transitions += 1
            updates += 1
    last, so_far, free = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for S in range(1, 1 << n):
        reached = outside = 0
        for j in range(n):
            if S >> j & 1 == 0:
                free[outside] = j
                outside += 1
            elif D[S, j] < INFINITY:
                last[reached], so_far[reached] = j, D[S, j]
                reached += 1
        if reached == 0:
            continue
        i = n - outside
        states += reached
        checks += reached * (n + outside)
        for f in range(outside):
            t = free[f]
            if not a.E[i, t]:
                continue
            transitions += reached
            best, via = INFINITY, 0
            for k in range(reached):
                value = so_far[k] + a.h[last[k], t]
                if value < best:
                    updates += 1
                    best, via = value, last[k]
                elif value == best:
                    via |= TIE
            D[S | 1 << t, t] = best + a.c[i, t]
            pred[S | 1 << t, t] = via
    S = (1 << n) - 1
    best, j, optima = INFINITY, 0, 0
    for t in range(n):
        if D[S, t] < best:
            best, j, optima = D[S, t], t, 1
        elif D[S, t] == best and best < INFINITY:
            optima = 2
    chosen = np.zeros(n, np.int64)
    if optima == 0:
        return best, chosen, optima, (states, transitions, checks, updates, 0)
    for i in range(n - 1, 0, -1):
        chosen[i] = j
        via, ways = read_choice(pred, (S, j))
        optima = max(optima, ways)
        S ^= 1 << j
        j = via
    chosen[0] = j
    return best, chosen, optima, (states, transitions, checks, updates, n)

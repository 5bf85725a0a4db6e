"""Verification algorithm of Sequential Matching: suffixes in reverse, conditioned on their first right participant.

    G[T, t] = c[n-|T|+1, t] + min over u in T - t of { h[t, u] + G[T - t, u] }

G[T, t] is the least cost of matching the last |T| left participants to exactly T with t first. It differs from the
construction in direction, in the state, and in uniqueness: suffixes are counted, saturating at MAX_COUNTED. No predecessor
is stored; the matching is read from the table, first pair first.
"""

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.sequential_matching.instance import SequentialMatching


def verify(instance: SequentialMatching) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, independent of the construction algorithm."""
    size = instance.per_side
    if size == 0:
        return Solution(0, (), 1)
    require_memory((8 + 1) * size << size)  # values and counts
    price, names = _prices(instance)
    value, ways, chosen = _suffixes(price, _moves(instance))
    if ways == 0:
        return Solution.infeasible()
    return Solution.from_kernel(value, tuple(sorted(names[i, int(j)] for i, j in enumerate(chosen))), ways)


def _prices(instance: SequentialMatching) -> tuple[NDArray[np.int64], dict[tuple[int, int], str]]:
    """The cost of matching left i with right j, INFINITY if incompatible; and the ids of the pairs."""
    position = {person: at % instance.per_side for at, person in enumerate(instance.participant)}
    price = np.full((instance.per_side, instance.per_side), INFINITY)
    names = {}
    lefts = set(instance.participant[: instance.per_side])
    right_of = {pair: person for person, pair in instance.member if person not in lefts}
    for left, pair in instance.member:
        if left in lefts and instance.compatible[left, right_of[pair]]:
            cell = position[left], position[right_of[pair]]
            price[cell], names[cell] = instance.pair_cost[pair], pair
    return price, names


def _moves(instance: SequentialMatching) -> NDArray[np.int64]:
    position = {person: at for at, person in enumerate(instance.participant[instance.per_side :])}
    moves = np.zeros((len(position), len(position)), np.int64)
    for (before, after), minutes in instance.handoff.items():
        moves[position[before], position[after]] = minutes * instance.rate
    return moves


@kernel
def _suffixes(price, move):  # type: ignore[no-untyped-def]
    """G[T, t] = c[n-|T|+1, t] + min over u in T - t of { h[t, u] + G[T - t, u] }; G[{t}, t] = c[n, t]."""
    n = len(price)
    everyone = (1 << n) - 1
    G, ways = np.full((1 << n, n), INFINITY), np.zeros((1 << n, n), np.int8)
    member = np.empty(n, np.int64)
    for T in range(1, 1 << n):
        size = 0
        for t in range(n):
            if T & (1 << t):
                member[size] = t
                size += 1
        for at in range(size):
            t = member[at]
            own, rest = price[n - size, t], T - (1 << t)
            if own == INFINITY:
                continue
            best, count = INFINITY, 0
            if rest == 0:
                best, count = np.int64(0), 1
            for other in range(size):
                u = member[other]
                if ways[rest, u] == 0:  # no suffix, or u = t
                    continue
                total = move[t, u] + G[rest, u]
                if total < best:
                    best, count = total, int(ways[rest, u])
                elif total == best:
                    count = min(count + int(ways[rest, u]), MAX_COUNTED)
            if count > 0:
                G[T, t], ways[T, t] = own + best, count
    value, optima = INFINITY, 0
    for t in range(n):
        if ways[everyone, t] > 0 and G[everyone, t] < value:
            value, optima = G[everyone, t], int(ways[everyone, t])
        elif ways[everyone, t] > 0 and G[everyone, t] == value:
            optima = min(optima + int(ways[everyone, t]), MAX_COUNTED)
    chosen = np.zeros(n, np.int64)
    if optima > 0:
        T, left = everyone, value
        for i in range(n):
            for t in range(n):
                joint = move[chosen[i - 1], t] if i > 0 else 0
                if ways[T, t] > 0 and joint + G[T, t] == left:
                    chosen[i], T, left = t, T - (1 << t), G[T, t] - price[i, t]
                    break
    return value, optima, chosen

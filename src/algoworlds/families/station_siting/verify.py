"""Verification algorithm of Station Siting: top-down with at most H ones, tabulated from the last zone backward.

    G[i](o, F) = max over options x with o + |F| + x <= H of w[i](x, F) + G[i+1](o + left, Fx);  G[n] = 0

F is the frontier of the choices that a demand can still reach, |F| its ones, o the ones among all older choices, so that
H - o - |F| is the capacity left; `left` is the choice that drops out of F. The worth w[i](x, F) of a choice, demands
included, is tabulated for all frontiers by doubling. Nothing saturates. It differs from the construction in direction,
in the resource (ones used instead of zeros needed) and in uniqueness: completions are counted, saturating at MAX_COUNTED.
"""

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.station_siting.instance import StationSiting


def verify(instance: StationSiting) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, computed independently of the construction algorithm."""
    n, position = len(instance.zone), {zone: at for at, zone in enumerate(instance.zone)}
    reach = max((abs(position[need[0]] - position[need[2]]) for need in instance.need.values()), default=0)
    require_memory(((n + 2 * 9) * (n - reach + 1) + 3 * 8 << reach) + 4 * 8 * n * reach)  # choices, two layers, worths
    choice = np.zeros((n, (n - reach + 1) << reach), np.int8)
    value, optima, options = _backward(*_worths(instance, position, reach), min(n, instance.limit), choice)
    offered = {(position[zone], option): site for (zone, site), option in instance.option.items()}
    decision = tuple(sorted(offered[i, int(x)] for i, x in enumerate(options)))
    return Solution.from_kernel(value + instance.grant, decision, optima)


def _worths(instance: StationSiting, position: dict[str, int], reach: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Net worth of options alone, and of two options `distance + 1` zones apart: `joint[i, distance, x, earlier]`."""
    alone, joint = np.zeros((len(position), 2), np.int64), np.zeros((len(position), reach, 2, 2), np.int64)
    for (zone, site), option in instance.option.items():
        alone[position[zone], option] = -instance.cost[zone, site]
    for from_zone, from_site, to_zone, to_site, reward in instance.need.values():
        ends = (from_zone, from_site), (to_zone, to_site)
        (there, earlier), (here, x) = sorted((position[end[0]], instance.option[end]) for end in ends)
        joint[here, here - there - 1, x, earlier] += reward
    return alone, joint


@kernel
def _backward(alone, joint, limit, choice):  # type: ignore[no-untyped-def]
    """G[i](o, F) = max over x with o + |F| + x <= H of w[i](x, F) + G[i+1](o + left, Fx); G[n] = 0."""
    n, size = choice.shape
    reach = joint.shape[1]
    mask = (1 << reach) - 1
    ones = np.zeros(1 << reach, np.int64)
    for F in range(1, 1 << reach):
        ones[F] = ones[F >> 1] + (F & 1)
    w = np.zeros((2, 1 << reach), np.int64)
    G, G_later = np.zeros(size, np.int64), np.zeros(size, np.int64)
    ways, ways_later = np.ones(size, np.int8), np.ones(size, np.int8)
    for i in range(n - 1, -1, -1):
        G, G_later, ways, ways_later = G_later, G, ways_later, ways
        held = min(i, reach)
        for x in range(2):  # worth by frontier: every further choice in it doubles the table
            w[x, 0] = alone[i, x]
            for distance in range(held):
                w[x, 0] += joint[i, distance, x, 0]
            for distance in range(held):
                more = joint[i, distance, x, 1] - joint[i, distance, x, 0]
                for F in range(1 << distance):
                    w[x, F + (1 << distance)] = w[x, F] + more
        for o in range(i - held + 1):
            for F in range(1 << held):
                best, count, pick = -INFINITY, 0, 0
                room = limit - o - ones[F]
                for x in range(2):
                    if x > room:
                        continue
                    longer = 2 * F + x
                    after = ((o + (longer >> reach)) << reach) + (longer & mask)
                    total = w[x, F] + G_later[after]
                    if total > best:
                        best, count, pick = total, int(ways_later[after]), x
                    elif total == best:
                        count = min(count + int(ways_later[after]), MAX_COUNTED)
                at = (o << reach) + F
                G[at], ways[at], choice[i, at] = best, count, pick
    options = np.zeros(n, np.int64)
    o, F = 0, 0
    for i in range(n):
        options[i] = choice[i, (o << reach) + F]
        longer = 2 * F + options[i]
        o, F = o + (longer >> reach), longer & mask
    return G[0], ways[0], options

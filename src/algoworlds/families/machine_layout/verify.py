"""Verification algorithm of Machine Layout: the layout is built from the first slot by choosing the next machine.

    G[S] = min over a not in S of A[a,p] + p (flow of a to S - flow of a to the rest) + G[S + a],   p = |S|

It differs from the construction in direction (from all machines placed back to none), in the charge and in uniqueness.
No cut occurs: on a line F (q - p) = F q - F p, so every machine pays its position p = 0, 1, ... times the flow to earlier
machines minus the flow to later ones. Optimal completions are counted, saturating at MAX_COUNTED.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.machine_layout.instance import MachineLayout


class Floor(NamedTuple):
    """Fees by position and machine, each machine's total flow, and its flow to every subset of the low and high machines."""

    fee: NDArray[np.int64]
    total: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def verify(instance: MachineLayout) -> Solution[dict[str, str]]:
    """Optimal value, decision and uniqueness, computed independently of the construction algorithm."""
    machines, slots = instance.machine, _slots_by_distance(instance)
    n = len(machines)
    require_memory((10 << n) + (4 * 8 * n << (n + 1) // 2))  # values, counts and choices; flows to half the machines, twice
    value, optima, order = _backward(_floor(instance, slots), np.empty(1 << n, np.int8))
    slot = {machines[a]: slots[p] for p, a in enumerate(order)}
    return Solution.from_kernel(value, {a: slot[a] for a in machines}, optima)


def _slots_by_distance(instance: MachineLayout) -> list[str]:
    """The slots by their distance from one end of the largest distance."""
    if len(instance.slot) < 2:
        return list(instance.slot)
    end = max(instance.distance, key=instance.distance.__getitem__)[1]
    away = {end: 0}
    for (s, t), distance in instance.distance.items():
        if end in (s, t):
            away[s if t == end else t] = distance
    return sorted(away, key=away.__getitem__)


def _floor(instance: MachineLayout, slots: list[str]) -> Floor:
    machines = instance.machine
    n, half = len(machines), len(machines) // 2
    flow = np.zeros((n, n), np.int64)
    for a, one in enumerate(machines):
        for b, other in enumerate(machines):
            flow[a, b] = instance.flow.get((one, other), instance.flow.get((other, one), 0))
    fee = np.array([instance.adjustment[a, s] for s in slots for a in machines], np.int64).reshape(n, n)
    return Floor(fee, flow.sum(axis=0), _subset_sums(flow[:half]), _subset_sums(flow[half:]))


def _subset_sums(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of every subset of the rows, by binary number."""
    sums = np.zeros((1, rows.shape[1]), np.int64)
    for row in rows:
        sums = np.concatenate((sums, sums + row))
    return sums


@kernel
def _backward(floor, choice):  # type: ignore[no-untyped-def]
    """G[S] = min over a not in S of A[a,p] + p (flow to S - flow to the rest) + G[S + a]; G[everything] = 0."""
    n, everything = len(floor.total), len(choice) - 1
    half = n // 2
    G = np.empty(everything + 1, np.int64)
    ways = np.empty(everything + 1, np.int8)
    G[everything], ways[everything] = 0, 1
    for S in range(everything - 1, -1, -1):
        p, rest = 0, S
        while rest:
            rest &= rest - 1
            p += 1
        low, high = S & ((1 << half) - 1), S >> half
        best, count, pick = INFINITY, 0, -1
        for a in range(n):
            after = S | 1 << a
            if after == S:
                continue
            earlier = floor.low[low, a] + floor.high[high, a]
            later = floor.total[a] - earlier
            total = floor.fee[p, a] + p * (earlier - later) + G[after]
            if total < best:
                best, count, pick = total, int(ways[after]), a
            elif total == best:
                count = min(count + int(ways[after]), MAX_COUNTED)
        G[S], ways[S], choice[S] = best, count, pick
    order = np.zeros(n, np.int64)
    S = 0
    for p in range(n):
        order[p] = choice[S]
        S |= 1 << order[p]
    return G[0], ways[0], order

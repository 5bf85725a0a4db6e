"""Construction algorithm of Fleet Dispatch: forward dynamic program over load vectors.

    D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }

Jobs are processed in roster order. A load vector has a mixed-radix number, whose digit for a vehicle is the rank of its
load among the loads it can reach: the load itself when loads are small, and few digits when they are not. The loads of
all vehicles add up to the load of the jobs placed, so the vehicle with most loads takes what the others leave and has no
digit (radix 1). `numbered` says what the numbers mean, `steps` and `parted` move between them.

Counting contract. Layers in job order; in a layer, states by rising number (the last vehicle that has a digit varies
fastest); per state, vehicles in roster order. One state per reached load vector, terminal layer included; one check
of eligibility per vehicle; per eligible vehicle one check of capacity and one transition; one update whenever a
stored value is set or lowered; one reconstruction per job.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.core.places import numbers
from algoworlds.core.ties import choices, least, lower, recall
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

MOST = choices(np.int8)
"""Vehicles that a predecessor can name."""

FINEST = 2**12
"""What a load of a vehicle is reckoned with before the tables are known: a million loads reach the limit."""


class Arrays(NamedTuple):
    """The instance in the paper's letters, and the numbers of load vectors.

    Vehicle v carries `load[v, k]` at digit k < `radix[v]`; job j then moves the number on by `shift[v, k, j]`. The
    vehicle `rest` carries what the others leave.
    """

    lam: NDArray[np.int64]
    C: NDArray[np.int64]
    f: NDArray[np.int64]
    E: NDArray[np.bool_]
    r: NDArray[np.int64]
    radix: NDArray[np.int64]
    stride: NDArray[np.int64]
    load: NDArray[np.int64]
    shift: NDArray[np.int64]
    rest: int


def solve(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """The optimal assignment, its value, whether it is unique, and the work it took."""
    if len(instance.vehicle) >= MOST:
        raise TooLarge(f"Fleet Dispatch is solved for fewer than {MOST} vehicles")
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    decision = {job: instance.vehicle[v] for job, v in zip(instance.job, chosen.tolist(), strict=True)}
    return Solution.of(value + instance.offset, decision, optima, counts)


def prepare(instance: FleetDispatch) -> tuple[Arrays, NDArray[np.int8], NDArray[np.unsignedinteger]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors and for digits."""
    r = np.array([instance.route_cost.get(pair, 0) for pair in instance.eligible], np.int64).reshape(len(instance.vehicle), -1)
    a = instance.frame(_digits, "load", "capacity", "eligible")._replace(f=numbers(instance, "activation"), r=r)
    P = int(a.radix.prod())
    return a, np.empty((len(instance.job), P), np.int8), np.empty((P, len(a.C)), np.min_scalar_type(a.radix.max()))


def _digits(instance: FleetDispatch) -> Arrays:
    """What loads, capacities and eligibility say, at no cost: the loads that vehicles can reach, numbered."""
    V, lam, reachable = len(instance.vehicle), numbers(instance, "load"), _reachable(instance)
    radix = [len(loads) for loads in reachable]
    rest, width = radix.index(max(radix)), max(radix)
    radix[rest] = 1
    stride = [prod(radix[v + 1 :]) for v in range(V)]
    within_memory((len(lam) + 24 + 4 * V) * prod(radix) + 8 * V * width * (len(lam) + 2))  # predecessors, layers, digits; loads
    sizes, size = np.unique(lam, return_inverse=True)
    load, shift = np.zeros((V, width), np.int64), np.zeros((V, width, len(sizes)), np.int64)
    for v, loads in enumerate(reachable):
        rank = {each: k for k, each in enumerate(loads)}
        load[v, : radix[v]] = loads[: radix[v]]
        for k, each in enumerate(loads[: radix[v]] if v != rest else ()):
            shift[v, k] = [stride[v] * (rank.get(each + more, k) - k) for more in sizes.tolist()]
    E, free = numbers(instance, "eligible").astype(np.bool_).reshape(V, -1), np.zeros(0, np.int64)
    fixed = np.array(radix, np.int64), np.array(stride, np.int64), load, shift.take(size, axis=2), rest
    return Arrays(lam, numbers(instance, "capacity"), free, E, free, *fixed)


def _reachable(instance: FleetDispatch) -> list[list[int]]:
    """The loads that each vehicle can carry, in rising order; refused as soon as their combinations are too many."""
    carried = {v: {0} for v in instance.vehicle}
    for j, lam in instance.load.items():
        for v, loads in carried.items():
            if len(loads) <= instance.capacity[v] and instance.eligible[v, j]:  # or it carries any load by now
                loads |= {load + lam for load in loads if load + lam <= instance.capacity[v]}
        *others, most = sorted(map(len, carried.values()))
        within_memory(prod(others) + most * FINEST)
    return [sorted(loads) for loads in carried.values()]


@inline
def numbered(a, digit):  # type: ignore[no-untyped-def]
    """Fill in the digits of every number of a load vector; what all vehicles but `rest` carry there."""
    carried = np.zeros(len(digit), np.int64)
    for v in range(len(a.C)):
        for first in range(0, len(digit), a.radix[v] * a.stride[v]):
            for k in range(a.radix[v]):
                for s in range(first + k * a.stride[v], first + (k + 1) * a.stride[v]):
                    digit[s, v] = k
                    carried[s] += a.load[v, k]
    return carried


@inline
def steps(a, i, able, step, cost):  # type: ignore[no-untyped-def]
    """Find all able vehicles but `rest`; how far job i moves on a number by their digits (0: no room), and what it costs."""
    count = 0
    for v in range(len(a.C)):
        if a.E[v, i] and v != a.rest:
            able[count], count = v, count + 1
            for k in range(a.radix[v]):
                step[v, k] = a.shift[v, k, i] if a.load[v, k] + a.lam[i] <= a.C[v] else 0
                cost[v, k] = a.r[v, i] + (a.f[v] if k == 0 else 0)
    return count


@inline
def parted(a, s, i, v):  # type: ignore[no-untyped-def]
    """The number of l - lambda_i e_v, where l has the number s."""
    k = s // a.stride[v] % a.radix[v]
    for before in range(k):
        if a.shift[v, before, i] == (k - before) * a.stride[v]:
            return s - a.shift[v, before, i]
    return s


@kernel
def construct(a, pred, digit):  # type: ignore[no-untyped-def]
    """D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }."""
    (m, n), P, rest = a.r.shape, len(digit), a.rest
    D, D_next = np.full(P, INFINITY), np.full(P, INFINITY)
    D[0] = 0
    states = transitions = checks = updates = placed = 0
    carried = numbered(a, digit)
    able, step, cost = np.zeros(m, np.uint32), np.zeros(a.load.shape, np.int64), np.zeros(a.load.shape, np.int64)
    for i in range(n):
        others, before, pred_i = steps(a, i, able, step, cost), states, pred[i]
        D_next[:] = INFINITY
        for s in range(P):
            if D[s] < INFINITY:
                states += 1
                for v in able[:others]:
                    further = step[v, digit[s, v]]
                    if further > 0 and lower(D_next, pred_i, s + further, D[s] + cost[v, digit[s, v]], v):
                        updates += 1
                ell = placed - carried[s]
                value = D[s] + a.r[rest, i] + (a.f[rest] if ell == 0 else 0)
                if a.E[rest, i] and ell + a.lam[i] <= a.C[rest] and lower(D_next, pred_i, s, value, rest):
                    updates += 1
        eligible = others + int(a.E[rest, i])
        transitions += (states - before) * eligible
        checks += (states - before) * (m + eligible)
        placed += a.lam[i]
        D, D_next = D_next, D
    states += int(np.count_nonzero(D < INFINITY))
    best, s, optima = least(D)
    chosen = np.zeros(n, np.int64)
    for i in range(n - 1 if optima else -1, -1, -1):
        chosen[i], ways = recall(pred[i], s)
        optima = max(optima, ways)
        s = parted(a, s, i, chosen[i])
    return best, chosen, optima, (states, transitions, checks, updates, n if optima else 0)

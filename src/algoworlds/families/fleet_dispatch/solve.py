"""Construction algorithm of Fleet Dispatch: forward dynamic program over load vectors.

    D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }

Jobs are processed in roster order. A load vector has a mixed-radix number, whose digit for a vehicle is the rank of its
load among the loads it can reach: the load itself when loads are small, and few digits when they are not. The loads of
all vehicles add up to the load of the jobs placed, so the vehicle with most loads takes what the others leave and has no
digit (radix 1). `numbered` says what the numbers mean, `steps` and `parted` move between them.

All ways to a load vector open the same vehicles, so that their activation decides between no two of them. It is added at the
end, to the cheapest routes of every open set: these serve whatever activation costs, and whatever is added to all routes of
a job.

Counting contract. Layers in job order; in a layer, states by rising number (the last vehicle that has a digit varies
fastest); per state, vehicles in roster order. One state per reached load vector, terminal layer included; one check
of eligibility per vehicle; per eligible vehicle one check of capacity and one transition; one update whenever a
stored value is set or lowered; one reconstruction per job.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.core.places import numbers
from algoworlds.core.ties import choices, lower, recall
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

MOST = choices(np.int8)
"""Vehicles that a predecessor can name."""

FINEST = 2**12
"""What a load of a vehicle is reckoned with before the tables are known: a million loads reach the limit."""


_ROUTES = ("vehicle", "eligible", "route_cost")
_LOADS = ("vehicle", "load", "capacity", "eligible")
"""What routes, and the numbers of load vectors, are computed from."""


class Arrays(NamedTuple):
    """The instance in the paper's letters, but for what activation costs, and the numbers of load vectors and of open sets.

    Vehicle v carries `load[v, k]` at digit k < `radix[v]`, which counts `stride[v]` times, and adds `bit[v]` to the set if it
    carries anything. The vehicle `rest` carries what the others leave, at most the last of its loads.
    """

    r: NDArray[np.int64]
    lam: NDArray[np.int64]
    E: NDArray[np.bool_]
    radix: NDArray[np.int64]
    stride: NDArray[np.int64]
    load: NDArray[np.int64]
    bit: NDArray[np.int64]
    rest: int


def solve(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """The optimal assignment, its value, whether it is unique, and the work it took."""
    if len(instance.vehicle) >= MOST:
        raise TooLarge(f"Fleet Dispatch is solved for fewer than {MOST} vehicles")
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    least, r = instance.derived(_routes, reads=_ROUTES)
    opened, routes, ways, chosen, counts = instance.derived(_open_sets, r.tobytes(), reads=("job", *_LOADS))
    values = (routes + opened @ numbers(instance, "activation")).tolist()
    if not values:
        return Solution.infeasible(counts)
    at = values.index(min(values))
    decision = {job: instance.vehicle[v] for job, v in zip(instance.job, chosen[at].tolist(), strict=True)}
    optima = 2 if values.count(values[at]) > 1 else ways[at]
    return Solution.of(values[at] + least + instance.offset, decision, optima, counts)


def _open_sets(instance: FleetDispatch, routes: bytes) -> tuple[Any, ...]:
    """What the recurrence finds wherever routes differ as these do."""
    r = np.frombuffer(routes, np.int64).reshape(len(instance.vehicle), -1).copy()  # kernels take writable arrays
    return construct(*_prepared(instance, r))[1:]  # type: ignore[no-any-return]


def prepare(instance: FleetDispatch) -> tuple[Arrays, NDArray[np.int8], NDArray[np.unsignedinteger]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors and for digits."""
    return _prepared(instance, instance.derived(_routes, reads=_ROUTES)[1])


def _prepared(instance: FleetDispatch, r: NDArray[np.int64]) -> tuple[Arrays, NDArray[np.int8], NDArray[np.unsignedinteger]]:
    a = Arrays(r, *instance.derived(_digits, reads=_LOADS))
    P = int(a.radix.prod())
    return a, np.empty((len(instance.job), P), np.int8), np.empty((P, len(a.radix)), np.min_scalar_type(a.radix.max()))


def _routes(instance: FleetDispatch) -> tuple[int, NDArray[np.int64]]:
    """What the cheapest routes of all jobs cost together, and by vehicle and job how much dearer a route is."""
    r = np.array([instance.route_cost.get(pair, 0) for pair in instance.eligible], np.int64).reshape(len(instance.vehicle), -1)
    return sum(r.min(axis=0).tolist()), r - r.min(axis=0)


def _digits(instance: FleetDispatch) -> tuple[Any, ...]:
    """What loads, capacities and eligibility say: the loads that vehicles can reach, numbered."""
    V, lam, reachable = len(instance.vehicle), numbers(instance, "load"), _reachable(instance)
    radix, n = list(map(len, reachable)), len(lam)
    rest, width = radix.index(max(radix)), max(radix)
    radix[rest] = 1
    stride, P = [prod(radix[v + 1 :]) for v in range(V)], prod(radix)  # predecessors, layers, sets, digits; loads; open sets
    within_memory((n + 32 + 4 * V) * P + 16 * V * width + (n + V + 25) * min(2 * P, 2**V))
    load = np.array([loads + [0] * (width - len(loads)) for loads in reachable], np.int64)
    bit = np.where(np.array(radix) > 1, 1 << (np.array(radix) > 1).cumsum(), np.arange(V) == rest)
    E = numbers(instance, "eligible").astype(np.bool_).reshape(V, -1)
    return lam, E, np.array(radix, np.int64), np.array(stride, np.int64), load, bit, rest


def _reachable(instance: FleetDispatch) -> list[list[int]]:
    """The loads that each vehicle can carry, in rising order; refused as soon as their combinations are too many."""
    carried, eligible = [(v, most, {0}) for v, most in instance.capacity.items()], instance.eligible
    for j, lam in instance.load.items():
        for v, most, loads in carried:
            if len(loads) <= most and eligible[v, j]:  # or it carries any load by now
                loads.update([load + lam for load in loads if load + lam <= most])
        *others, largest = sorted([len(loads) for _, _, loads in carried])
        within_memory(prod(others) + largest * FINEST)
    return [sorted(loads) for _, _, loads in carried]


@inline
def numbered(a, digit):  # type: ignore[no-untyped-def]
    """Fill in the digits of every number of a load vector; what all vehicles but `rest` carry there, and which do."""
    carried = np.zeros(len(digit), np.int64)
    for v in range(len(a.radix)):
        for first in range(0, len(digit), a.radix[v] * a.stride[v]):
            for k in range(a.radix[v]):
                for s in range(first + k * a.stride[v], first + (k + 1) * a.stride[v]):
                    digit[s, v] = k
                    carried[s] += a.load[v, k]
    return carried


@inline
def steps(a, i, able, step):  # type: ignore[no-untyped-def]
    """Find all able vehicles but `rest`, and how far job i moves on a number by their digits (0: no room)."""
    count = 0
    for v in range(len(a.radix)):
        if a.E[v, i] and v != a.rest:
            able[count], count, to = v, count + 1, 0
            for k in range(a.radix[v]):
                while to < a.radix[v] and a.load[v, to] < a.load[v, k] + a.lam[i]:
                    to += 1
                step[v, k] = (to - k) * a.stride[v] if to < a.radix[v] else 0
    return count


@inline
def parted(a, s, i, v, k):  # type: ignore[no-untyped-def]
    """The number of l - lambda_i e_v, where l has the number s and its digit for v is k."""
    return s - (k - np.searchsorted(a.load[v, :k], a.load[v, k] - a.lam[i])) * a.stride[v]


@kernel
def construct(a, pred, digit):  # type: ignore[no-untyped-def]
    """D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] }; at last the first best l of every set {v: l_v > 0}."""
    (m, n), P, rest = a.r.shape, len(digit), a.rest
    D, D_next = np.full(P, INFINITY), np.full(P, INFINITY)
    D[0] = 0
    states = transitions = checks = updates = placed = 0
    carried = numbered(a, digit)
    able, step = np.zeros(m, np.uint32), np.zeros(a.load.shape, np.int64)
    for i in range(n):
        others, before, pred_i, r_i = steps(a, i, able, step), states, pred[i], a.r[:, i].copy()
        full = placed + a.lam[i] - a.load[rest, -1] if a.E[rest, i] else INFINITY  # what the others carry at least if it fits
        D_next[:] = INFINITY
        for s in range(P):
            known = D[s]
            if known < INFINITY:
                states += 1
                for at in range(others):
                    v = able[at]
                    further = step[v, digit[s, v]]
                    if further > 0 and lower(D_next, pred_i, s + further, known + r_i[v], v):
                        updates += 1
                if carried[s] >= full and lower(D_next, pred_i, s, known + r_i[rest], rest):
                    updates += 1
        eligible = others + int(a.E[rest, i])
        transitions += (states - before) * eligible
        checks += (states - before) * (m + eligible)
        placed += a.lam[i]
        D, D_next = D_next, D
    cheapest, first = np.full(a.bit.sum() + 1, INFINITY), np.zeros(a.bit.sum() + 1, np.int64)
    for s in range(P):
        if D[s] < INFINITY:
            states, opened = states + 1, int(carried[s] < placed)
            for v in range(m):
                opened += a.bit[v] if digit[s, v] > 0 else 0
            lower(cheapest, first, opened, D[s], s)
    sets = np.flatnonzero(cheapest < INFINITY)
    sets = sets[np.argsort(first[sets] << 2)]  # without the mark of a tie
    chosen, used, optima = np.zeros((len(sets), n), np.int8), np.zeros((len(sets), m), np.bool_), np.zeros(len(sets), np.int8)
    for at in range(len(sets)):
        s, optima[at] = recall(first, sets[at])
        for i in range(n - 1, -1, -1):
            v, ways = recall(pred[i], s)
            chosen[at, i], used[at, v], optima[at] = v, True, max(optima[at], ways)
            s = parted(a, s, i, v, digit[s, v])
    return D.min(), used, cheapest[sets], optima, chosen, (states, transitions, checks, updates, n if len(sets) else 0)

"""Construction algorithm of Fleet Dispatch: forward dynamic program over load vectors.

    D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }

Jobs are processed in roster order. A load vector is numbered in mixed radix: the digit of a vehicle is the rank of its
load among the loads it can reach, so that large loads need few digits. All loads add up to the load of the jobs placed, so
the vehicle with most loads (`rest`) takes what the others leave and needs no digit (radix 1).

The kernel leaves f out of the recurrence: all ways to a load vector open the same vehicles, so f decides between no two of
them, and is added to the cheapest routes of every open set. Nor does the cheapest route of every job decide anything. So one
run of the kernel serves all guesses at these costs. With f inside, admission at level 3 runs it twice as often and takes 1.7
times as long.

Counting contract. Layers in job order; in a layer, states by rising number (the last vehicle that has a digit varies
fastest); per state, vehicles in roster order. One state per reached load vector, terminal layer included; one check
of eligibility per vehicle; per eligible vehicle one check of capacity and one transition; one update whenever a
stored value is set or lowered; one reconstruction per job.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values
from algoworlds.core.kernel import INFINITY, kernel, read_choice, require_memory, store_min
from algoworlds.core.work import Solution
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

BYTES_PER_LOAD = 2**12
"""Assumed memory per load of one vehicle while loads are still being counted: a million loads reach the limit."""


class Arrays(NamedTuple):
    """The instance in the paper's letters, without f, and the numbering of load vectors and open sets.

    Vehicle v carries `load[v, k]` at digit k < `radix[v]`; the digit has the place value `stride[v]`, and `bit[v]` is in the
    number of an open set that holds v. The vehicle `rest` carries what the others leave, at most the last of its loads.
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
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    least, extra = instance.derived(_extra_routes, reads=("vehicle", "job", "eligible", "route_cost"))
    reads = ("vehicle", "job", "load", "capacity", "eligible")
    opened, routes, ways, chosen, counts = instance.derived(_open_sets, extra, reads=reads)
    values = (routes + opened @ column_values(instance, "activation")).tolist()
    if not values:
        return Solution.infeasible(counts)
    value = min(values)
    at = values.index(value)
    decision = {job: instance.vehicle[v] for job, v in zip(instance.job, chosen[at].tolist(), strict=True)}
    optima = 2 if values.count(value) > 1 else ways[at]
    return Solution.from_kernel(value + least + instance.offset, decision, optima, counts)


def _extra_routes(instance: FleetDispatch) -> tuple[int, tuple[int, ...]]:
    """The cheapest routes of all jobs together; by vehicle and job, how much more a route costs than the job's cheapest."""
    r = np.array([instance.route_cost.get(pair, 0) for pair in instance.eligible], np.int64).reshape(len(instance.vehicle), -1)
    return int(r.min(axis=0).sum()), tuple((r - r.min(axis=0)).ravel().tolist())


def _open_sets(instance: FleetDispatch, extra: tuple[int, ...]) -> tuple[Any, ...]:
    """What `construct` says of every open set if routes cost `extra`."""
    return construct(*_prepare(instance, extra))[1:]  # type: ignore[no-any-return]


def prepare(instance: FleetDispatch) -> tuple[Arrays, NDArray[np.int8], NDArray[np.unsignedinteger]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors and for digits."""
    return _prepare(instance, _extra_routes(instance)[1])


def _prepare(instance: FleetDispatch, r: Sequence[int]) -> tuple[Arrays, NDArray[np.int8], NDArray[np.unsignedinteger]]:
    numbering = instance.derived(_number_loads, reads=("vehicle", "load", "capacity", "eligible"))
    a = Arrays(np.array(r, np.int64).reshape(len(instance.vehicle), -1), *numbering)
    P = int(a.radix.prod())
    return a, np.empty((len(instance.job), P), np.int8), np.empty((P, len(a.radix)), np.min_scalar_type(a.radix.max()))


def _number_loads(instance: FleetDispatch) -> tuple[Any, ...]:
    """The fields of `Arrays` from `lam` on, which do not depend on costs."""
    V, lam, reachable = len(instance.vehicle), column_values(instance, "load"), _reachable_loads(instance)
    radix = list(map(len, reachable))
    rest, width = radix.index(max(radix)), max(radix)
    radix[rest] = 1
    stride, P = [prod(radix[v + 1 :]) for v in range(V)], prod(radix)
    n, sets = len(lam), min(2 * P, 2**V)  # predecessors, two layers, carried loads, digits; steps; open sets
    require_memory((n + 32 + 4 * V) * P + 16 * V * width + (n + V + 25) * sets)
    load = np.array([loads + [0] * (width - len(loads)) for loads in reachable], np.int64)
    E = column_values(instance, "eligible").astype(np.bool_).reshape(V, -1)
    has_digit = np.array(radix) > 1
    bit = np.where(has_digit, 1 << has_digit.cumsum(), np.arange(V) == rest)
    return lam, E, np.array(radix, np.int64), np.array(stride, np.int64), load, bit, rest


def _reachable_loads(instance: FleetDispatch) -> list[list[int]]:
    """The loads that each vehicle can carry, rising; raises TooLarge as soon as their combinations are too many."""
    carried, eligible = [(v, most, {0}) for v, most in instance.capacity.items()], instance.eligible
    for j, lam in instance.load.items():
        for v, most, loads in carried:
            if len(loads) <= most and eligible[v, j]:  # with more loads than that, every load is reached already
                loads.update([load + lam for load in loads if load + lam <= most])
        *others, largest = sorted([len(loads) for _, _, loads in carried])
        require_memory(prod(others) + largest * BYTES_PER_LOAD)
    return [sorted(loads) for _, _, loads in carried]


@kernel
def fill_digits(a, digit):  # type: ignore[no-untyped-def]
    """Write the digits of every load vector into `digit`; return what all vehicles but `rest` carry together."""
    carried = np.zeros(len(digit), np.int64)
    for v in range(len(a.radix)):
        for first in range(0, len(digit), a.radix[v] * a.stride[v]):
            for k in range(a.radix[v]):
                for s in range(first + k * a.stride[v], first + (k + 1) * a.stride[v]):
                    digit[s, v] = k
                    carried[s] += a.load[v, k]
    return carried


@kernel
def fill_steps(a, i, able, step):  # type: ignore[no-untyped-def]
    """Per eligible vehicle v but `rest` and digit k: how far job i moves the number; 0 if there is no room."""
    count = 0
    for v in range(len(a.radix)):
        if a.E[v, i] and v != a.rest:
            able[count], count, to = v, count + 1, 0
            for k in range(a.radix[v]):
                while to < a.radix[v] and a.load[v, to] < a.load[v, k] + a.lam[i]:
                    to += 1
                step[v, k] = (to - k) * a.stride[v] if to < a.radix[v] else 0
    return count


@kernel
def open_set(a, digits, is_rest_open):  # type: ignore[no-untyped-def]
    """The number of the set {v: l_v > 0} of a load vector with these digits."""
    number = a.bit[a.rest] if is_rest_open else 0
    for v in range(len(digits)):
        number += a.bit[v] if digits[v] > 0 else 0
    return number


@kernel
def construct(a, pred, digit):  # type: ignore[no-untyped-def]
    """D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] }; at last the first best l of every set {v: l_v > 0}."""
    (m, n), P, rest = a.r.shape, len(digit), a.rest
    D, D_next = np.full(P, INFINITY), np.full(P, INFINITY)
    D[0] = 0
    states = transitions = checks = updates = placed = 0
    carried = fill_digits(a, digit)
    able, step = np.zeros(m, np.uint32), np.zeros(a.load.shape, np.int64)
    for i in range(n):
        others, before, pred_i, r_i = fill_steps(a, i, able, step), states, pred[i], a.r[:, i].copy()
        fits_rest = placed + a.lam[i] - a.load[rest, -1] if a.E[rest, i] else INFINITY  # least that the others must carry
        for s in range(P):
            D_s = D[s]
            if D_s < INFINITY:
                states, D[s] = states + 1, INFINITY  # so that the layer can be reused as D_next
                for at in range(others):
                    v = able[at]
                    further = step[v, digit[s, v]]
                    if further > 0 and store_min(D_next, pred_i, s + further, D_s + r_i[v], v):
                        updates += 1
                if carried[s] >= fits_rest and store_min(D_next, pred_i, s, D_s + r_i[rest], rest):
                    updates += 1
        eligible = others + int(a.E[rest, i])
        transitions += (states - before) * eligible
        checks += (states - before) * (m + eligible)
        placed += a.lam[i]
        D, D_next = D_next, D
    cheapest, first = np.full(a.bit.sum() + 1, INFINITY), np.zeros(a.bit.sum() + 1, np.int64)
    for s in range(P):
        if D[s] < INFINITY:
            states += 1
            store_min(cheapest, first, open_set(a, digit[s], carried[s] < placed), D[s], s)
    sets = np.flatnonzero(cheapest < INFINITY)
    sets = sets[np.argsort(first[sets] << 2)]  # by load vector, without the tie bit
    chosen, opened, ways = np.zeros((len(sets), n), np.int8), np.zeros((len(sets), m), np.bool_), np.zeros(len(sets), np.int8)
    for at in range(len(sets)):
        s, ways[at] = read_choice(first, sets[at])
        for i in range(n - 1, -1, -1):
            v, tied = read_choice(pred[i], s)
            chosen[at, i], opened[at, v], ways[at], k = v, True, max(ways[at], tied), digit[s, v]
            s -= (k - np.searchsorted(a.load[v, :k], a.load[v, k] - a.lam[i])) * a.stride[v]  # the number of l - lambda_i e_v
    return D.min(), opened, cheapest[sets], ways, chosen, (states, transitions, checks, updates, n if len(sets) else 0)

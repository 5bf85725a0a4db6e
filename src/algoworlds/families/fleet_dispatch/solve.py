"""Construction algorithm of Fleet Dispatch: forward dynamic program over load vectors.

    D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }

Jobs are processed in roster order. A load vector has a mixed-radix number, whose digit for a vehicle is the rank of its
load among the loads it can reach: the load itself when loads are small, and few digits when they are not. The loads of
all vehicles add up to the load of the jobs placed, so the vehicle with most loads takes what the others leave and has no
digit (radix 1). `following` walks through the load vectors that are reached in the order of their numbers, `joined` and
`parted` move between the numbers.

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
from algoworlds.core.ties import choices, least, lower, recall
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

MOST = choices(np.int8)
"""Vehicles that a predecessor can name."""

FINEST = 2**12
"""What a load of a vehicle is reckoned with before the tables are known: a million loads reach the limit."""


class Digits(NamedTuple):
    """What loads, capacities and eligibility say: see `Arrays`."""

    radix: NDArray[np.int64]
    stride: NDArray[np.int64]
    load: NDArray[np.int64]
    shift: NDArray[np.int64]
    rest: int


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
    decision = {job: instance.vehicle[v] for job, v in zip(instance.job, chosen, strict=True)}
    return Solution.of(value + instance.offset, decision, optima, counts)


def prepare(instance: FleetDispatch) -> tuple[Arrays, NDArray[np.int8]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    V, J, digits = instance.vehicle, instance.job, instance.frame(_digits, "load", "capacity", "eligible")
    a = Arrays(
        lam=np.array([instance.load[j] for j in J], np.int64),
        C=np.array([instance.capacity[v] for v in V], np.int64),
        f=np.array([instance.activation[v] for v in V], np.int64),
        E=np.array([[instance.eligible[v, j] for j in J] for v in V], np.bool_),
        r=np.array([[instance.route_cost.get((v, j), 0) for j in J] for v in V], np.int64),
        **digits._asdict(),
    )
    return a, np.empty((len(J), int(digits.radix.prod())), np.int8)


def _digits(instance: FleetDispatch) -> Digits:
    """The loads that vehicles can reach, numbered."""
    V, J = instance.vehicle, instance.job
    reachable = _reachable(instance)
    radix = [len(loads) for loads in reachable]
    rest, width = radix.index(max(radix)), max(radix)
    radix[rest] = 1
    stride = [prod(radix[v + 1 :]) for v in range(len(V))]
    within_memory((len(J) + 2 * 8) * prod(radix) + 8 * len(V) * width * (len(J) + 1))  # predecessors, two layers, digits
    load, shift = np.zeros((len(V), width), np.int64), np.zeros((len(V), width, len(J)), np.int64)
    for v, loads in enumerate(reachable):
        rank = {each: k for k, each in enumerate(loads)}
        load[v, : radix[v]] = loads[: radix[v]]
        for k, each in enumerate(loads[: radix[v]] if v != rest else ()):
            shift[v, k] = [stride[v] * (rank.get(each + instance.load[j], k) - k) for j in J]
    return Digits(np.array(radix, np.int64), np.array(stride, np.int64), load, shift, rest)


def _reachable(instance: FleetDispatch) -> list[list[int]]:
    """The loads that each vehicle can carry, in rising order; refused as soon as their combinations are too many."""
    carried = {v: {0} for v in instance.vehicle}
    for j, lam in instance.load.items():
        for v, loads in carried.items():
            if instance.eligible[v, j]:
                loads |= {load + lam for load in loads if load + lam <= instance.capacity[v]}
        *others, most = sorted(map(len, carried.values()))
        within_memory(prod(others) + most * FINEST)
    return [sorted(loads) for loads in carried.values()]


@inline
def following(a, digit, ell, further):  # type: ignore[no-untyped-def]
    """Make digits and loads those of the load vector whose number is so much larger."""
    v = len(digit) - 1
    while further > 0:
        k, further = digit[v] + further, 0
        while k >= a.radix[v]:  # sooner than a division: reached load vectors lie close together
            k, further = k - a.radix[v], further + 1
        more = a.load[v, k] - a.load[v, digit[v]]
        digit[v] = k
        ell[v] += more
        ell[a.rest] -= more
        v -= 1


@inline
def joined(a, s, digit, i, v):  # type: ignore[no-untyped-def]
    """The number of l + lambda_i e_v, where l has the number s."""
    return s + a.shift[v, digit[v], i]


@inline
def parted(a, s, i, v):  # type: ignore[no-untyped-def]
    """The number of l - lambda_i e_v, where l has the number s."""
    k = s // a.stride[v] % a.radix[v]
    for before in range(k):
        if a.shift[v, before, i] == (k - before) * a.stride[v]:
            return s - a.shift[v, before, i]
    return s


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }."""
    m, n = a.r.shape
    P = pred.shape[1]
    D, D_next = np.full(P, INFINITY), np.full(P, INFINITY)
    D[0] = 0
    states = transitions = checks = updates = placed = 0
    digit, ell = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for i in range(n):
        able, pred_i = int(np.count_nonzero(a.E[:, i])), pred[i]
        D_next[:] = INFINITY
        digit[:], ell[:], before = 0, 0, 0
        ell[a.rest] = placed
        for s in range(P):
            if D[s] < INFINITY:
                following(a, digit, ell, s - before)
                before, states = s, states + 1
                transitions += able
                checks += m + able
                for v in range(m):
                    if a.E[v, i] and ell[v] + a.lam[i] <= a.C[v]:
                        value = D[s] + a.r[v, i] + (a.f[v] if ell[v] == 0 else 0)
                        if lower(D_next, pred_i, joined(a, s, digit, i, v), value, v):
                            updates += 1
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

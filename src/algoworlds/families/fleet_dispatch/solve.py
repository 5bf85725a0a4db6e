"""Construction algorithm of Fleet Dispatch: forward dynamic program over mixed-radix load vectors.

    D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }

Jobs are processed in roster order. A vehicle's digit is the rank of its load among the loads it can reach, which is
the load itself when loads are small, and keeps every instance solvable when they are not. The loads of all vehicles
add up to the load of the jobs placed, so the vehicle with most loads needs no digit (radix 1): its load is implied.

Counting contract. Layers in job order; in a layer, states by rising index (the last vehicle that has a digit varies
fastest); per state, vehicles in roster order. One state per reached load vector, terminal layer included; one check
of eligibility per vehicle; per eligible vehicle one check of capacity and one transition; one update whenever a
stored value is set or lowered; one reconstruction per job.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

TIE = 64
"""Marks a stored predecessor that another transition equals."""

FINEST = 2**12
"""What a load of a vehicle is reckoned with before the tables are known: a million loads reach the limit."""


class Arrays(NamedTuple):
    """The instance in the paper's letters, with `step[v, k, j]` the digit after job j joins load digit k (-1: no room)."""

    lam: NDArray[np.int64]
    C: NDArray[np.int64]
    f: NDArray[np.int64]
    E: NDArray[np.bool_]
    r: NDArray[np.int64]
    radix: NDArray[np.int64]
    level: NDArray[np.int64]
    step: NDArray[np.int64]
    implied: int


def solve(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """The optimal assignment, its value, whether it is unique, and the work it took."""
    if len(instance.vehicle) >= TIE:
        raise TooLarge(f"Fleet Dispatch is solved for fewer than {TIE} vehicles")
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    if optima == 0:
        return Solution.infeasible(counts)
    decision = {job: instance.vehicle[v] for job, v in zip(instance.job, chosen, strict=True)}
    return Solution.of(value + instance.offset, decision, optima, counts)


def prepare(instance: FleetDispatch) -> tuple[Arrays, NDArray[np.int8]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    V, J = instance.vehicle, instance.job
    reachable = _reachable(instance)
    radix = np.array([len(loads) for loads in reachable], np.int64)
    implied, width = int(radix.argmax()), int(radix.max())
    radix[implied] = 1
    P = prod(map(int, radix))
    within_memory((len(J) + 2 * 8) * P + 8 * len(V) * width * (len(J) + 1))  # predecessors, two layers, digits
    level = np.zeros((len(V), width), np.int64)
    step = np.full((len(V), width, len(J)), -1, np.int64)
    for v, loads in enumerate(reachable):
        rank = {load: k for k, load in enumerate(loads)}
        level[v, : len(loads)] = loads
        for k, load in enumerate(loads):
            step[v, k] = [rank.get(load + instance.load[j], -1) for j in J]
    a = Arrays(
        lam=np.array([instance.load[j] for j in J], np.int64),
        C=np.array([instance.capacity[v] for v in V], np.int64),
        f=np.array([instance.activation[v] for v in V], np.int64),
        E=np.array([[instance.eligible[v, j] for j in J] for v in V], np.bool_),
        r=np.array([[instance.route_cost.get((v, j), 0) for j in J] for v in V], np.int64),
        radix=radix,
        level=level,
        step=step,
        implied=implied,
    )
    return a, np.empty((len(J), P), np.int8)


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


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i+1](l + lambda[i+1] e_v) <- min { itself, D[i](l) + r[v,i+1] + f_v [l_v = 0] }."""
    m, n = a.r.shape
    P = pred.shape[1]
    stride = np.ones(m, np.int64)
    for v in range(m - 1, 0, -1):
        stride[v - 1] = stride[v] * a.radix[v]
    D, D_next = np.full(P, INFINITY), np.full(P, INFINITY)
    D[0] = 0
    states = transitions = checks = updates = placed = 0
    digit = np.zeros(m, np.int64)
    for i in range(n):
        able = int(np.count_nonzero(a.E[:, i]))
        D_next[:] = INFINITY
        digit[:] = 0
        for s in range(P):
            if D[s] < INFINITY:
                states += 1
                checks += m + able
                transitions += able
                for v in range(m):
                    if not a.E[v, i]:
                        continue
                    load, k = digit[v], a.step[v, digit[v], i]
                    if v == a.implied:
                        load = placed
                        for w in range(m):
                            load -= a.level[w, digit[w]]
                        k = 0 if load + a.lam[i] <= a.C[v] else -1
                    if k < 0:
                        continue
                    t = s + (k - digit[v]) * stride[v]
                    value = D[s] + a.r[v, i] + (a.f[v] if load == 0 else 0)
                    if value < D_next[t]:
                        updates += 1
                        D_next[t] = value
                        pred[i, t] = v
                    elif value == D_next[t]:
                        pred[i, t] |= TIE
            for v in range(m - 1, -1, -1):  # the next load vector
                digit[v] += 1
                if digit[v] < a.radix[v]:
                    break
                digit[v] = 0
        placed += a.lam[i]
        D, D_next = D_next, D
    best, at, optima = INFINITY, 0, 0
    for s in range(P):
        if D[s] < INFINITY:
            states += 1
        if D[s] < best:
            best, at, optima = D[s], s, 1
        elif D[s] == best and best < INFINITY:
            optima = 2
    chosen = np.zeros(n if optima > 0 else 0, np.int64)
    for i in range(len(chosen) - 1, -1, -1):
        v = pred[i, at] & ~TIE
        if pred[i, at] & TIE:
            optima = 2
        chosen[i] = v
        if v != a.implied:  # undo the step: the digit whose step leads here
            k = (at // stride[v]) % a.radix[v]
            before = 0
            while a.step[v, before, i] != k:
                before += 1
            at -= (k - before) * stride[v]
    return best, chosen, optima, (states, transitions, checks, updates, len(chosen))

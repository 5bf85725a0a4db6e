"""Construction algorithm of Transit Routing: stage by stage, each leg scans its predecessor lines by transfer cost.

    D[i](l(e), (r + rho(e)) mod M) <- min { itself, D[i-1](lambda, r) + tau(e) + C(lambda, l(e)) }

The predecessors of every line are sorted once by rising transfer cost, equal costs by roster. With m(r) the least value
of the layer before at residue r, a scan may stop as soon as m(r) + tau(e) + C(lambda, l(e)) exceeds the stored value:
no line further down can improve or even equal it. Equality does not stop a scan, so that no tie is missed.

Counting contract. Layers in stage order; in a layer, residues r of the layer before in rising order; per residue the
stage's legs in roster order; per leg the predecessor lines in sorted order. One state per reached (line, residue),
terminal layer included; per line met in a scan one check of the bound and, unless it stops the scan, one check whether
the line is reached there; per reached line (and per leg of the first stage) one transition and one check of its value
against the stored one; one update whenever a stored value is set or lowered; one reconstruction per stage. A residue
that no line reaches costs nothing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.relation import grouped
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.transit_routing.instance import TransitRouting

TIE = 2**30
"""Marks a stored predecessor that another transition equals."""


class Arrays(NamedTuple):
    """The instance in the paper's letters; the legs of stage i are first[i] .. first[i+1]-1.

    Row l of `order` lists the predecessor lines of l by rising transfer cost, row l of `C` those costs. The order is
    unsigned because that spares every look-up a test for a negative index.
    """

    tau: NDArray[np.int64]
    rho: NDArray[np.int64]
    line: NDArray[np.int64]
    first: NDArray[np.int64]
    order: NDArray[np.uint32]
    C: NDArray[np.int64]
    M: int
    target: int


def solve(instance: TransitRouting) -> Solution[tuple[str, ...]]:
    """The optimal route, its value, whether it is unique, and the work it took."""
    if not instance.station:
        return Solution.infeasible() if instance.target else Solution(0, (), 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    legs = [leg for _, leg in instance.time]
    return Solution.of(value, tuple(legs[e] for e in chosen), optima, counts)


def prepare(instance: TransitRouting) -> tuple[Arrays, NDArray[np.int32]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    d, p, M = len(instance.station), len(instance.line), instance.modulus
    within_memory((4 * d + 2 * 8) * max(p, 1) * M)  # predecessors, two layers of values
    if len(instance.time) * p >= TIE:
        raise TooLarge(f"Transit Routing is solved for fewer than {TIE:,} pairs of a leg and a line")
    return _arrays(instance), np.empty((d, M, p), np.int32)


def _arrays(instance: TransitRouting) -> Arrays:
    place = {line: at for at, line in enumerate(instance.line)}
    legs = grouped(instance.station, instance.time)
    into = np.array(list(instance.transfer.values()), np.int64).reshape(len(place), len(place)).T
    order = np.argsort(into, axis=1, kind="stable")
    return Arrays(
        tau=np.array(list(instance.time.values()), np.int64),
        rho=np.array(list(instance.residue.values()), np.int64),
        line=np.array([place[line] for line in instance.membership.values()], np.int64),
        first=np.cumsum([0, *map(len, legs.values())], dtype=np.int64),
        order=np.ascontiguousarray(order, np.uint32),
        C=np.ascontiguousarray(np.take_along_axis(into, order, axis=1)),
        M=instance.modulus,
        target=instance.target,
    )


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i](l(e), (r + rho(e)) mod M) <- min { itself, D[i-1](lambda, r) + tau(e) + C(lambda, l(e)) }."""
    d, M, p = pred.shape
    D, D_next = np.full((M, p), INFINITY), np.full((M, p), INFINITY)
    states = transitions = checks = updates = 0
    for e in range(a.first[0], a.first[1]):
        transitions += 1
        checks += 1
        if a.tau[e] < D[a.rho[e], a.line[e]]:
            updates += 1
            D[a.rho[e], a.line[e]] = a.tau[e]
            pred[0, a.rho[e], a.line[e]] = e * p
        elif a.tau[e] == D[a.rho[e], a.line[e]]:
            pred[0, a.rho[e], a.line[e]] |= TIE
    for i in range(1, d):
        D_next[:] = INFINITY
        for r in range(M):
            least = INFINITY
            for lam in range(p):
                if D[r, lam] < INFINITY:
                    states += 1
                    least = min(least, D[r, lam])
            if least == INFINITY:
                continue
            for e in range(a.first[i], a.first[i + 1]):
                to, tau = a.line[e], a.tau[e]
                s = r + a.rho[e]
                if s >= M:
                    s -= M
                best, back = D_next[s, to], pred[i, s, to]
                for at in range(p):
                    checks += 1
                    if least + tau + a.C[to, at] > best:
                        break
                    checks += 1
                    lam = a.order[to, at]
                    if D[r, lam] == INFINITY:
                        continue
                    transitions += 1
                    checks += 1
                    value = D[r, lam] + tau + a.C[to, at]
                    if value < best:
                        updates += 1
                        best, back = value, np.int32(e * p + lam)
                    elif value == best:
                        back |= TIE
                D_next[s, to], pred[i, s, to] = best, back
        D, D_next = D_next, D
    best, last, optima = INFINITY, 0, 0
    for r in range(M):
        for lam in range(p):
            if D[r, lam] < INFINITY:
                states += 1
    for lam in range(p):
        if D[a.target, lam] < best:
            best, last, optima = D[a.target, lam], lam, 1
        elif D[a.target, lam] == best and best < INFINITY:
            optima = 2
    chosen = np.zeros(d if optima else 0, np.int64)
    r, lam = a.target, last
    for i in range(len(chosen) - 1, -1, -1):
        if pred[i, r, lam] & TIE:
            optima = 2
        e = (pred[i, r, lam] & ~TIE) // p
        lam = (pred[i, r, lam] & ~TIE) % p
        chosen[i] = e
        r = (r - a.rho[e]) % M
    return best, chosen, optima, (states, transitions, checks, updates, len(chosen))

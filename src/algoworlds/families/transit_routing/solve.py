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

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.core.places import numbers, places
from algoworlds.core.ties import choices, least, lower, mark, recall
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.transit_routing.instance import TransitRouting

MOST = choices(np.int32)
"""Pairs of a leg and a line that a predecessor can name."""


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
    legs = places(instance, "time", "leg")[chosen]
    return Solution.of(value, tuple(map(instance.leg.__getitem__, legs.tolist())), optima, counts)


def prepare(instance: TransitRouting) -> tuple[Arrays, NDArray[np.int32]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    d, p, M = len(instance.station), len(instance.line), instance.modulus
    within_memory((4 * d + 2 * 8) * max(p, 1) * M)  # predecessors, two layers of values
    if len(instance.time) * p >= MOST:
        raise TooLarge(f"Transit Routing is solved for fewer than {MOST:,} pairs of a leg and a line")
    return _arrays(instance), np.empty((d, M, p), np.int32)


def _first(instance: TransitRouting) -> NDArray[np.int64]:
    """Where the legs of every stage start."""
    legs = np.bincount(places(instance, "time", "station"), minlength=len(instance.station))
    return np.concatenate([[0], np.cumsum(legs)])


def _predecessors(instance: TransitRouting) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The predecessors of every line by rising transfer cost, and these costs."""
    p = len(instance.line)
    into = np.array(list(instance.transfer.values()), np.int64).reshape(p, p).T
    order = np.argsort(into, axis=1, kind="stable")
    return np.ascontiguousarray(order, np.uint32), np.ascontiguousarray(np.take_along_axis(into, order, axis=1))


def _arrays(instance: TransitRouting) -> Arrays:
    order, C = instance.derived(_predecessors, reads=("line", "transfer"))
    return Arrays(
        tau=numbers(instance, "time"),
        rho=numbers(instance, "residue"),
        line=places(instance, "membership", "line"),
        first=instance.derived(_first, reads=("station", "time.station")),
        order=order,
        C=C,
        M=instance.modulus,
        target=instance.target,
    )


@inline
def turned(r, rho, M):  # type: ignore[no-untyped-def]
    """(r + rho) mod M."""
    return r + rho - M if r + rho >= M else r + rho


@inline
def reached(D_r):  # type: ignore[no-untyped-def]
    """How many lines are reached at a residue r, and m(r), the least of their values."""
    lines, m = 0, INFINITY
    for value in D_r:
        if value < INFINITY:
            lines += 1
            m = min(m, value)
    return lines, m


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i](l(e), (r + rho(e)) mod M) <- min { itself, D[i-1](lambda, r) + tau(e) + C(lambda, l(e)) }."""
    d, M, p = pred.shape
    D, D_next = np.full((M, p), INFINITY), np.full((M, p), INFINITY)
    states = transitions = stops = scanned = updates = 0
    for e in range(a.first[0], a.first[1]):
        transitions += 1
        if lower(D, pred[0], (a.rho[e], a.line[e]), a.tau[e], e * p):
            updates += 1
    for i in range(1, d):
        D_next[:] = INFINITY
        for r in range(M):
            D_r = D[r]
            lines, m = reached(D_r)
            states += lines
            if lines == 0:
                continue
            for e in range(a.first[i], a.first[i + 1]):
                to, tau, s = a.line[e], a.tau[e], turned(r, a.rho[e], M)
                best, back = D_next[s, to], pred[i, s, to]
                for at in range(p):
                    if m + tau + a.C[to, at] > best:
                        stops += 1
                        break
                    scanned += 1
                    lam = a.order[to, at]
                    if D_r[lam] == INFINITY:
                        continue
                    transitions += 1
                    value = D_r[lam] + tau + a.C[to, at]
                    if value < best:
                        updates += 1
                        best, back = value, np.int32(e * p + lam)
                    elif value == best:
                        back |= mark(pred)
                D_next[s, to], pred[i, s, to] = best, back
        D, D_next = D_next, D
    states += int(np.count_nonzero(D < INFINITY))
    checks = stops + 2 * scanned + transitions  # of the bound; of the bound and of reachedness; of a value
    best, lam, optima = least(D[a.target])
    chosen, r = np.zeros(d if optima else 0, np.int64), a.target
    for i in range(len(chosen) - 1, -1, -1):
        back, ways = recall(pred[i], (r, lam))
        optima = max(optima, ways)
        chosen[i], lam = back // p, back % p
        r = (r - a.rho[chosen[i]]) % M
    return best, chosen, optima, (states, transitions, checks, updates, len(chosen))

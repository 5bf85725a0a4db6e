"""Construction algorithm of Transit Routing: stage by stage, each leg scans its predecessor lines by transfer cost.

    D[i](l(e), (r + rho(e)) mod M) <- min { itself, D[i-1](lambda, r) + tau(e) + C(lambda, l(e)) }

The predecessors of every line are sorted once by rising transfer cost, equal costs by roster. With m(r) the least value
of the layer before at residue r, a scan stops as soon as m(r) + tau(e) + C(lambda, l(e)) exceeds the stored value:
no later line can improve or equal it. Equality does not stop a scan, so that no tie is missed.

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

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, kernel, layer_min, max_choices, read_choice, require_memory, store_min, tie_bit
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.transit_routing.instance import TransitRouting

MAX_PAIRS = max_choices(np.int32)
"""A stored predecessor encodes a leg and a line as one number below this."""


class Arrays(NamedTuple):
    """The instance in the paper's letters; the legs of stage i are first[i] .. first[i+1]-1.

    Row l of `order` lists the predecessor lines of l by rising transfer cost, row l of `C` those costs. `order` is unsigned:
    then no look-up tests for a negative index.
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
    """The optimal route, its value, its uniqueness, and the counted work."""
    if not instance.station:
        return Solution.infeasible() if instance.target else Solution(0, (), 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    legs = id_positions(instance, "time", "leg")[chosen]
    return Solution.from_kernel(value, tuple(map(instance.leg.__getitem__, legs.tolist())), optima, counts)


def prepare(instance: TransitRouting) -> tuple[Arrays, NDArray[np.int32]]:
    """The arguments of `construct`: the instance as arrays, and an array for predecessors."""
    d, p, M = len(instance.station), len(instance.line), instance.modulus
    require_memory((4 * d + 2 * 8) * max(p, 1) * M)  # predecessors, two layers of values
    if len(instance.time) * p >= MAX_PAIRS:
        raise TooLarge(f"Transit Routing is solved for fewer than {MAX_PAIRS:,} pairs of a leg and a line")
    order, C = instance.derived(_predecessors, reads=("line", "transfer"))
    arrays = Arrays(
        tau=column_values(instance, "time"),
        rho=column_values(instance, "residue"),
        line=id_positions(instance, "membership", "line"),
        first=instance.derived(_first_legs, reads=("station", "time.station")),
        order=order,
        C=C,
        M=M,
        target=instance.target,
    )
    return arrays, np.empty((d, M, p), np.int32)


def _first_legs(instance: TransitRouting) -> NDArray[np.int64]:
    """The index of the first leg of every stage, and the number of legs."""
    legs = np.bincount(id_positions(instance, "time", "station"), minlength=len(instance.station))
    return np.concatenate([[0], np.cumsum(legs)])


def _predecessors(instance: TransitRouting) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The predecessors of every line by rising transfer cost, and these costs."""
    p = len(instance.line)
    into = np.array(list(instance.transfer.values()), np.int64).reshape(p, p).T
    order = np.argsort(into, axis=1, kind="stable")
    return np.ascontiguousarray(order, np.uint32), np.ascontiguousarray(np.take_along_axis(into, order, axis=1))


@kernel
def add_residue(r, rho, M):  # type: ignore[no-untyped-def]
    """(r + rho) mod M."""
    return r + rho - M if r + rho >= M else r + rho


@kernel
def count_reached(D_r):  # type: ignore[no-untyped-def]
    """The number of lines reached at residue r, and m(r), the least of their values."""
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
        if store_min(D, pred[0], (a.rho[e], a.line[e]), a.tau[e], e * p):
            updates += 1
    for i in range(1, d):
        D_next[:] = INFINITY
        for r in range(M):
            D_r = D[r]
            lines, m = count_reached(D_r)
            states += lines
            if lines == 0:
                continue
            for e in range(a.first[i], a.first[i + 1]):
                to, tau, s = a.line[e], a.tau[e], add_residue(r, a.rho[e], M)
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
                        back |= tie_bit(pred)
                D_next[s, to], pred[i, s, to] = best, back
        D, D_next = D_next, D
    states += int(np.count_nonzero(D < INFINITY))
    checks = stops + 2 * scanned + transitions  # bound; bound and reachedness; value
    best, lam, optima = layer_min(D[a.target])
    chosen, r = np.zeros(d if optima else 0, np.int64), a.target
    for i in range(len(chosen) - 1, -1, -1):
        back, ways = read_choice(pred[i], (r, lam))
        optima = max(optima, ways)
        chosen[i], lam = back // p, back % p
        r = (r - a.rho[chosen[i]]) % M
    return best, chosen, optima, (states, transitions, checks, updates, len(chosen))

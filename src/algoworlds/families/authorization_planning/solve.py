"""Construction algorithm of Authorization Planning: forward dynamic program over (last package, residue).

    D[i+1](v, (r + z(v)) mod M) <- min { itself, D[i](u, r) + p(v) + eta[code(v)] + h(u, v) }   for (u, v) in E[i]

Counting contract. Stages in order; in a stage, packages u in roster order; per package its successors v in roster
order, and per successor the residues r rising. One state per reached (package, residue), last stage included; one
transition per opening, and per authorized transition and reached residue of its predecessor; one check per transition
that is not an opening (whether its residue wraps at M) and per package of the last stage (whether it meets R); one update
whenever a stored value is set or lowered; one reconstruction per stage.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, kernel, layer_min, read_choice, require_memory, store_min
from algoworlds.core.work import Solution
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning


class Process(NamedTuple):
    """What depends on ids alone: packages by stage, openings, and sorted transitions."""

    first: NDArray[np.int64]
    opens: NDArray[np.int64]
    out: NDArray[np.int64]
    to: NDArray[np.int64]
    row: NDArray[np.int64]
    """The position of every transition in the table of handoffs."""


class Arrays(NamedTuple):
    """The instance in the paper's letters, packages numbered stage by stage.

    Stage i owns the packages first[i] .. first[i+1]-1; package u owns the transitions out[u] .. out[u+1]-1.
    """

    first: NDArray[np.int64]
    opens: NDArray[np.int64]
    price: NDArray[np.int64]
    """p(v) + eta[code(v)]"""
    z: NDArray[np.int64]
    out: NDArray[np.int64]
    to: NDArray[np.int64]
    h: NDArray[np.int64]
    M: int
    R: int


def solve(instance: AuthorizationPlanning) -> Solution[tuple[str, ...]]:
    """The optimal plan, its value, its uniqueness, and the counted work."""
    if not instance.stage:
        return Solution.infeasible() if instance.policy[0] else Solution(0, (), 1)
    value, chosen, optima, counts = construct(*prepare(instance))
    package = id_positions(instance, "base_price", "package")[chosen]
    return Solution.from_kernel(value, tuple(map(instance.package.__getitem__, package.tolist())), optima, counts)


def prepare(instance: AuthorizationPlanning) -> tuple[Arrays, NDArray[np.int32]]:
    """The arguments of `construct`: the instance as arrays, and an array for predecessors."""
    process = instance.derived(_process, reads=("stage", "package", "base_price.package", "opening", "handoff.successor"))
    width, M = int(np.diff(process.first).max(initial=0)), instance.modulus
    require_memory((4 * len(instance.package) + 2 * 8 * width) * M)  # predecessors, two layers of values
    R, adjustments = instance.policy
    eta = np.array(adjustments, np.int64)[id_positions(instance, "policy_code", "policy_code")]
    arrays = Arrays(
        first=process.first,
        opens=process.opens,
        price=column_values(instance, "base_price") + eta,
        z=column_values(instance, "clearance"),
        out=process.out,
        to=process.to,
        h=column_values(instance, "handoff")[process.row],
        M=M,
        R=R,
    )
    return arrays, np.empty((len(instance.package), M), np.int32)


def _process(instance: AuthorizationPlanning) -> Process:
    number = np.argsort(id_positions(instance, "base_price", "package"))
    u, v = (number[id_positions(instance, "handoff", end)] for end in ("predecessor", "successor"))
    row = np.argsort(len(number) * u + v, kind="stable")
    size = np.bincount(id_positions(instance, "base_price", "stage"), minlength=len(instance.stage))
    return Process(
        first=np.concatenate([[0], np.cumsum(size)]),
        opens=np.flatnonzero([key in instance.opening for key in instance.base_price]),
        out=np.concatenate([[0], np.cumsum(np.bincount(u, minlength=len(number)))]),
        to=v[row],
        row=row,
    )


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i+1](v, (r + z(v)) mod M) <- min { itself, D[i](u, r) + p(v) + eta[code(v)] + h(u, v) }."""
    d, M = len(a.first) - 1, a.M
    width = (a.first[1:] - a.first[:-1]).max()
    D, D_next = np.full((width, M), INFINITY), np.full((width, M), INFINITY)
    states = transitions = checks = updates = 0
    for v in a.opens:
        transitions += 1
        updates += 1
        D[v, a.z[v]] = a.price[v]
    for i in range(d - 1):
        D_next[:] = INFINITY
        for u in range(a.first[i], a.first[i + 1]):
            D_u = D[u - a.first[i]]
            for r in range(M):
                if D_u[r] < INFINITY:
                    states += 1
            for e in range(a.out[u], a.out[u + 1]):
                v = a.to[e]
                D_v, pred_v, z_v = D_next[v - a.first[i + 1]], pred[v], a.z[v]
                step = a.price[v] + a.h[e]
                t = z_v - 1  # (r + z(v)) mod M, by counting
                for r in range(M):
                    t += 1
                    if t == M:
                        t = 0
                    if D_u[r] == INFINITY:
                        continue
                    transitions += 1
                    checks += 1
                    if store_min(D_v, pred_v, np.uint64(t), D_u[r] + step, u):  # unsigned: no test for a negative index
                        updates += 1
        D, D_next = D_next, D
    final = D[: a.first[d] - a.first[d - 1]]
    states += int(np.count_nonzero(final < INFINITY))
    checks += len(final)
    best, last, optima = layer_min(final[:, a.R])
    chosen = np.zeros(d if optima else 0, np.int64)
    v, r = a.first[d - 1] + last, a.R
    for i in range(len(chosen) - 1, -1, -1):
        chosen[i] = v
        if i > 0:
            u, ways = read_choice(pred, (v, r))
            optima = max(optima, ways)
            v, r = u, (r - a.z[v]) % M
    return best, chosen, optima, (states, transitions, checks, updates, len(chosen))

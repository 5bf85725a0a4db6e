"""Construction algorithm of Evidence-Joined Routing: relaxation of (node, residue) states in topological order.

    D(v, (r + rho_e) mod M) <- min { itself, D(u, r) + kappa_e }   for every arc e = (u, v)

Counting contract. Tail nodes in topological order; per node its arcs in roster order, per arc the residues r rising.
One state per reached (node, residue); per arc and residue one check whether the tail's state is reached and, if it is,
one transition and one check whether the residue wraps at M; one update whenever a stored value is set or lowered; one
reconstruction per arc of the path.
"""

from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, kernel, max_choices, read_choice, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

TIE = max_choices(np.int32)
"""Marks a stored predecessor that another transition equals; the inner loop does by hand what `store_min` does, for speed."""


class Graph(NamedTuple):
    """Positions of nodes in a topological order; arcs by tail and then by roster: their rows in `ends`, and their ends."""

    position: NDArray[np.int64]
    row: NDArray[np.int64]
    out: NDArray[np.int64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]


class Arrays(NamedTuple):
    """The graph with nodes in topological order; node u owns the arcs out[u] .. out[u+1]-1."""

    out: NDArray[np.int64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    kappa: NDArray[np.int64]
    rho: NDArray[np.int64]
    s: int
    t: int
    R: int


def solve(instance: EvidenceJoinedRouting) -> Solution[tuple[str, ...]]:
    """The optimal path, its cost, its uniqueness, and the counted work."""
    value, chosen, optima, counts = construct(*prepare(instance))
    arcs = id_positions(instance, "ends", "arc")[_graph(instance).row[chosen]]
    return Solution.from_kernel(value, tuple(map(instance.arc.__getitem__, arcs.tolist())), optima, counts)


def prepare(instance: EvidenceJoinedRouting) -> tuple[Arrays, NDArray[np.int32]]:
    """The arguments of `construct`: the graph as arrays, and an array for predecessors."""
    require_memory((4 + 8) * len(instance.node) * instance.modulus)  # predecessors, values
    graph, (R,), (component,) = _graph(instance), instance.required.values(), instance.component
    T = np.array([instance.tariff[component, name] for name in instance.tariff_class], np.int64)
    kappa = column_values(instance, "freight", "quantity") * T[id_positions(instance, "exception", "tariff_class")]
    arrays = Arrays(
        out=graph.out,
        tail=graph.tail,
        head=graph.head,
        kappa=kappa[graph.row],
        rho=column_values(instance, "freight", "residue")[graph.row],
        s=int(graph.position[instance.node.index(instance.source)]),
        t=int(graph.position[instance.node.index(instance.target)]),
        R=R,
    )
    return arrays, np.empty((len(instance.node), instance.modulus), np.int32)


def _graph(instance: EvidenceJoinedRouting) -> Graph:
    return instance.derived(_sorted_graph, reads=("node", "arc", "ends"))


def _sorted_graph(instance: EvidenceJoinedRouting) -> Graph:
    tail, head, arc = (id_positions(instance, "ends", column) for column in ("tail", "head", "arc"))
    before: dict[int, list[int]] = {node: [] for node in range(len(instance.node))}
    for u, v in zip(tail.tolist(), head.tolist(), strict=True):
        before[v].append(u)
    position = np.argsort(list(TopologicalSorter(before).static_order()))
    row = np.lexsort((arc, position[tail]))
    out = np.concatenate([[0], np.cumsum(np.bincount(position[tail], minlength=len(position)))])
    return Graph(position, row, out, position[tail[row]], position[head[row]])


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D(v, (r + rho_e) mod M) <- min { itself, D(u, r) + kappa_e }."""
    n_V, M = pred.shape
    D = np.full((n_V, M), INFINITY)
    D[a.s, 0] = 0
    pred[a.s, 0] = -1
    states = transitions = checks = updates = 0
    for u in range(n_V):
        D_u = D[u]
        for r in range(M):
            if D_u[r] < INFINITY:
                states += 1
        for e in range(a.out[u], a.out[u + 1]):
            v, kappa = a.head[e], a.kappa[e]
            D_v, pred_v = D[v], pred[v]
            checks += M
            q = a.rho[e] - 1  # (r + rho_e) mod M, by counting
            for r in range(M):
                q += 1
                if q == M:
                    q = 0
                if D_u[r] == INFINITY:
                    continue
                transitions += 1
                checks += 1
                k = np.uint64(q)  # unsigned: no test for a negative index
                value = D_u[r] + kappa
                if value < D_v[k]:
                    updates += 1
                    D_v[k] = value
                    pred_v[k] = e
                elif value == D_v[k]:
                    pred_v[k] |= TIE
    chosen = np.zeros(n_V, np.int64)
    if D[a.t, a.R] == INFINITY:
        return INFINITY, chosen[:0], 0, (states, transitions, checks, updates, 0)
    optima, length, v, r = 1, 0, a.t, a.R
    while pred[v, r] >= 0:
        e, ways = read_choice(pred, (v, r))
        optima = max(optima, ways)
        chosen[length] = e
        length += 1
        v, r = a.tail[e], (r - a.rho[e]) % M
    return D[a.t, a.R], chosen[:length][::-1].copy(), optima, (states, transitions, checks, updates, length)

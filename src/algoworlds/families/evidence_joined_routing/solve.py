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

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.ties import choices, recall
from algoworlds.core.work import Solution
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

TIE = choices(np.int32)
"""Marks a stored predecessor that another transition equals; written out where `lower` would cost time."""


class Graph(NamedTuple):
    """The arcs by the topological places of their tails: their ends, and where they and their classes are listed."""

    place: dict[str, int]
    arcs: list[str]
    ends: NDArray[np.int64]
    filed: NDArray[np.int64]
    chi: NDArray[np.int64]


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
    """The optimal path, its cost, whether it is unique, and the work it took."""
    value, chosen, optima, counts = construct(*prepare(instance))
    arcs = instance.frame(_graph).arcs
    return Solution.of(value, tuple(arcs[e] for e in chosen), optima, counts)


def prepare(instance: EvidenceJoinedRouting) -> tuple[Arrays, NDArray[np.int32]]:
    """The kernel's arguments: the graph as arrays, and room for predecessors."""
    within_memory((4 + 8) * len(instance.node) * instance.modulus)  # predecessors, values
    return _arrays(instance), np.empty((len(instance.node), instance.modulus), np.int32)


def _graph(instance: EvidenceJoinedRouting) -> Graph:
    """The arcs sorted by their tails, those of one tail by the roster."""
    before: dict[str, list[str]] = {node: [] for node in instance.node}
    for tail, head in instance.ends.values():
        before[head].append(tail)
    place = {node: at for at, node in enumerate(TopologicalSorter(before).static_order())}
    number = {name: at for at, name in enumerate(instance.tariff_class)}
    arcs, listed = [arc for _, arc in instance.ends], {arc: at for at, (_, arc) in enumerate(instance.ends)}
    ends = np.array([[place[u], place[v]] for u, v in instance.ends.values()], np.int64).reshape(-1, 2).T
    roster = np.array([listed[arc] for arc in instance.arc], np.int64)
    filed = roster[np.argsort(ends[0, roster], kind="stable")]
    chi = np.array([number[name] for name in instance.exception.values()], np.int64)
    return Graph(place, [arcs[at] for at in filed.tolist()], ends[:, filed], filed, chi)


def _arrays(instance: EvidenceJoinedRouting) -> Arrays:
    graph, (R,), (component,) = instance.frame(_graph), instance.required.values(), instance.component
    (tail, head), place = graph.ends, graph.place
    T = np.array([instance.tariff[component, name] for name in instance.tariff_class], np.int64)
    Q, rho = np.array(list(instance.freight.values()), np.int64).reshape(-1, 2).T
    return Arrays(
        out=np.cumsum([0, *np.bincount(tail, minlength=len(place))], dtype=np.int64),
        tail=tail,
        head=head,
        kappa=(Q * T[graph.chi])[graph.filed],
        rho=rho[graph.filed],
        s=place[instance.source],
        t=place[instance.target],
        R=R,
    )


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
            q = a.rho[e] - 1  # (r + rho_e) mod M, kept up by counting
            for r in range(M):
                q += 1
                if q == M:
                    q = 0
                if D_u[r] == INFINITY:
                    continue
                transitions += 1
                checks += 1
                k = np.uint64(q)  # an index that needs no look at its sign
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
        e, ways = recall(pred, (v, r))
        optima = max(optima, ways)
        chosen[length] = e
        length += 1
        v, r = a.tail[e], (r - a.rho[e]) % M
    return D[a.t, a.R], chosen[:length][::-1].copy(), optima, (states, transitions, checks, updates, length)

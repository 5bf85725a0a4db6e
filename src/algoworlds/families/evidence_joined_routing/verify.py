"""Verification algorithm of Evidence-Joined Routing: Dijkstra's algorithm on the expanded state graph.

The state graph is treated as any graph with nonnegative lengths, without layers or a topological order; its states are
settled by distance from an indexed binary heap. Optima are counted afterwards: they are the paths of tight arcs, followed
backward from the target, up to MAX_COUNTED.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting


class Graph(NamedTuple):
    """Arcs grouped by tail (leaving) and by head (entering), nodes in roster order."""

    leave: NDArray[np.int64]
    leaving: NDArray[np.int64]
    enter: NDArray[np.int64]
    entering: NDArray[np.int64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    length: NDArray[np.int64]
    turn: NDArray[np.int64]


def verify(instance: EvidenceJoinedRouting) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, computed independently of the construction algorithm."""
    n, M, (owed,) = len(instance.node), instance.modulus, instance.required.values()
    require_memory((8 + 4 + 4) * n * M)  # distances, heap and positions in it
    rate = {name: rate for (_, name), rate in instance.tariff.items()}
    rates = np.fromiter(map(rate.__getitem__, instance.exception.values()), np.int64)
    tail, head = id_positions(instance, "ends", "tail"), id_positions(instance, "ends", "head")
    graph = Graph(
        leave=np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=n))]),
        leaving=np.argsort(tail, kind="stable"),
        enter=np.concatenate([[0], np.cumsum(np.bincount(head, minlength=n))]),
        entering=np.argsort(head, kind="stable"),
        tail=tail,
        head=head,
        length=column_values(instance, "freight", "quantity") * rates,
        turn=column_values(instance, "freight", "residue"),
    )
    start, goal = instance.node.index(instance.source), instance.node.index(instance.target) * M + owed
    value, optima, path = _dijkstra(graph, n, M, start, goal)
    arcs = [arc for _, arc in instance.ends]
    return Solution.from_kernel(value, tuple(arcs[e] for e in path), optima)


@kernel
def _rise(heap, where, distance, at):  # type: ignore[no-untyped-def]
    """Sift up the state at heap position `at`."""
    state = heap[at]
    while at > 0:
        above = (at - 1) >> 1
        if distance[heap[above]] <= distance[state]:
            break
        heap[at] = heap[above]
        where[heap[at]] = at
        at = above
    heap[at] = state
    where[state] = at


@kernel
def _sink(heap, where, distance, size):  # type: ignore[no-untyped-def]
    """Sift down the state at the top of the heap."""
    state, at = heap[0], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and distance[heap[below + 1]] < distance[heap[below]]:
            below += 1
        if distance[heap[below]] >= distance[state]:
            break
        heap[at] = heap[below]
        where[heap[at]] = at
        at = below
    heap[at] = state
    where[state] = at


@kernel
def _dijkstra(g, n, M, start, goal):  # type: ignore[no-untyped-def]
    """distance(v, q) = least length of a path from the start that ends in node v with residue q."""
    distance = np.full(n * M, INFINITY)
    heap, where = np.zeros(n * M, np.int32), np.full(n * M, -1, np.int32)
    distance[start * M] = 0
    heap[0] = start * M
    where[start * M] = 0
    size = 1
    while size > 0:
        state = np.int64(heap[0])
        if distance[state] > distance[goal]:
            break  # every state that can be tight has been settled
        size -= 1
        heap[0] = heap[size]
        if size > 0:
            _sink(heap, where, distance, size)
        u, r = state // M, state % M
        for at in range(g.leave[u], g.leave[u + 1]):
            e = g.leaving[at]
            q = r + g.turn[e]
            if q >= M:
                q -= M
            after = g.head[e] * M + q
            reach = distance[state] + g.length[e]
            if reach < distance[after]:
                if distance[after] == INFINITY:
                    heap[size] = after
                    where[after] = size
                    size += 1
                distance[after] = reach
                _rise(heap, where, distance, where[after])
    path = np.zeros(n, np.int64)
    if distance[goal] == INFINITY:
        return INFINITY, 0, path[:0]
    steps, state = 0, goal
    while state != start * M:
        v, q = state // M, state % M
        tight = -1
        for at in range(g.enter[v], g.enter[v + 1]):
            e = g.entering[at]
            before = g.tail[e] * M + (q - g.turn[e]) % M
            if distance[before] < INFINITY and distance[before] + g.length[e] == distance[state]:
                tight = e
        path[steps] = tight
        steps += 1
        state = g.tail[tight] * M + (q - g.turn[tight]) % M
    return distance[goal], _count_paths(g, M, distance, start, goal), path[:steps][::-1].copy()


@kernel
def _count_paths(g, M, distance, start, goal):  # type: ignore[no-untyped-def]
    """How many paths of tight arcs lead to the goal, by depth-first search backward; nodes do not recur on a path."""
    waiting, size, optima = np.empty(len(g.tail) + 1, np.int64), 1, 0
    waiting[0] = goal
    while size > 0 and optima < MAX_COUNTED:
        size -= 1
        state = waiting[size]
        optima += state == start * M
        v, q = state // M, state % M
        for at in range(g.enter[v], g.enter[v + 1]):
            e = g.entering[at]
            before = g.tail[e] * M + (q - g.turn[e]) % M
            if distance[before] < INFINITY and distance[before] + g.length[e] == distance[state]:
                waiting[size] = before
                size += 1
    return optima

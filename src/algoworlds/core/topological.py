"""Topological order: the nodes of a graph such that every arc leads onward, in the order in which `graphlib` gives them.

Both see nodes as they are listed, each followed by those with an arc into it; who waits for nobody comes first, and then, for
every node in its turn, whoever waited for it alone.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]


def topological(count: int, tail: Array, head: Array) -> list[int]:
    """The nodes 0 .. count-1 in order, given the ends of the arcs; without those that a cycle holds back."""
    entering = np.argsort(head, kind="stable")
    tail, head = tail[entering], head[entering]
    waits, ends = np.bincount(head, minlength=count), np.cumsum(np.bincount(tail, minlength=count)).tolist()
    after, left, order = head[np.argsort(tail, kind="stable")].tolist(), waits.tolist(), _sources(waits, tail, head)
    for node in order:
        for each in after[ends[node - 1] if node else 0 : ends[node]]:
            left[each] -= 1
            if not left[each]:
                order.append(each)
    return order


def _sources(waits: Array, tail: Array, head: Array) -> list[int]:
    """The nodes that no arc enters, as they are seen first."""
    seen = np.arange(len(waits)) + np.cumsum(waits) - waits
    np.minimum.at(seen, tail, head + 1 + np.arange(len(tail)))
    sources = np.flatnonzero(waits == 0)
    return sources[np.argsort(seen[sources], kind="stable")].tolist()  # type: ignore[no-any-return]

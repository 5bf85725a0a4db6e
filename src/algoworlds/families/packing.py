"""Triples of three groups that share no item: packed in turn, so that they save most together, or nearly so."""

from collections.abc import Mapping, Sequence

import numpy as np

from algoworlds.core.kernel import kernel

Triple = tuple[int, ...]
"""Items of the first, second and third group: numbers below n, from n, and from 2n on."""


def packed(triples: Sequence[Triple]) -> list[Triple]:
    """The triples in turn that share no item with those taken before."""
    taken: list[Triple] = []
    for triple in triples:
        if not any(set(triple) & set(other) for other in taken):
            taken.append(triple)
    return taken


def most(n: int, saving: Mapping[Triple, int], beside: Triple = ()) -> int:
    """The most that triples save together which share no item, neither with each other nor with the one beside.

    What triples save is not negative.
    """
    fitting = sorted(triple for triple in saving if not set(triple) & set(beside))
    place = {item: at for at, item in enumerate(item for item in range(n, 3 * n) if item not in beside)}
    first = np.searchsorted(np.array([triple[0] for triple in fitting], np.int64), np.arange(n + 1))
    bits = np.array([1 << place[b] | 1 << place[c] for _, b, c in fitting], np.int64)
    saved = np.array([saving[triple] for triple in fitting], np.int64)
    return int(_pack(first, bits, saved, np.full(1 << len(place), -1, np.int64)))


def nearly(n: int, saving: Mapping[Triple, int], least: int) -> list[list[Triple]]:
    """Every set of triples that share no item and save at least so much together."""
    ranked = sorted(saving)
    first = np.searchsorted(np.array([triple[0] for triple in ranked], np.int64), np.arange(n + 1))
    bits = np.array([1 << (b - n) | 1 << (c - n) for _, b, c in ranked], np.int64)
    rest = _rests(first, bits, np.array([saving[triple] for triple in ranked], np.int64), 1 << (2 * n))
    grown: list[tuple[int, int, list[Triple]]] = [(0, 0, [])]  # what is covered, what is saved, by which triples
    for a in range(n):
        ways = [*grown]
        for covered, saved, taken in grown:
            for at in range(first[a], first[a + 1]):
                if covered & bits[at] == 0:
                    ways.append((covered | int(bits[at]), saved + saving[ranked[at]], [*taken, ranked[at]]))
        grown = [way for way in ways if way[1] + rest[a + 1, way[0]] >= least]
    return [taken for _, _, taken in grown]


@kernel
def _rests(first, bits, saved, size):  # type: ignore[no-untyped-def]
    """R(a, S) = max { R(a + 1, S), saved by e + R(a + 1, S + e) : e holds a, e and S disjoint }."""
    n = len(first) - 1
    R = np.zeros((n + 1, size), np.int32)
    for a in range(n - 1, -1, -1):
        for S in range(size):  # a slice would take the compiler ten times as long
            R[a, S] = R[a + 1, S]
        for at in range(first[a], first[a + 1]):
            for S in range(size):
                if S & bits[at] == 0:
                    R[a, S] = max(R[a, S], saved[at] + R[a + 1, S | bits[at]])
    return R


@kernel
def _pack(first, bits, saved, D):  # type: ignore[no-untyped-def]
    """D(S + e) <- max { D(S + e), D(S) + saved by e : e holds a }, a by a; D(S) is -1 where no triples cover exactly S."""
    D[0] = 0
    for a in range(len(first) - 1):
        for S in range(len(D) - 1, -1, -1):  # downwards, so that an item of the first group is used once
            if D[S] >= 0:
                for at in range(first[a], first[a + 1]):
                    if S & bits[at] == 0:
                        D[S | bits[at]] = max(D[S | bits[at]], D[S] + saved[at])
    return D.max()

"""Triples of three groups that share no item: packed in turn, or so that they save most together."""

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

"""Triples of three groups that share no item: packed in turn, so that they save most together, or nearly so."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel
from algoworlds.core.stream import Stream

Triple = tuple[int, ...]
"""Items of the first, second and third group: numbers below n, from n, and from 2n on."""
Numbers = NDArray[np.int64]
_WORD = np.uint64(2**64 - 1)
"""The largest word that a stream draws."""
Turn = tuple[int, int, int]
"""Which triple rises; by how much its best basket stays behind the goal; per cent of what it lacks."""


def largest(triples: Sequence[Triple], times: int, stream: Stream) -> list[Triple]:
    """The first of the largest baskets of so many: shuffled triples taken in turn that share no item with those before."""
    mask = np.array([sum(1 << item for item in triple) for triple in triples], np.int64)
    return [triples[e] for e in _largest(mask, _picks(len(triples), times, stream))]


def _picks(count: int, times: int, stream: Stream) -> Numbers:
    """What a stream draws for shuffles of so many items, a row each: words that fall evenly on the places that are left."""
    bound = np.tile(np.arange(count, 1, -1, dtype=np.uint64), times)
    last = _WORD - (_WORD % bound + np.uint64(1)) % bound
    drawn = stream.words(len(bound))
    while len(unfair := np.flatnonzero(drawn > last)):
        drawn = np.append(np.delete(drawn, unfair[0]), stream.words(1))
    return (drawn % bound).astype(np.int64).reshape(times, -1)


def most(n: int, triples: Numbers, saved: Numbers) -> int:
    """The most that triples, a row each, save together which share no item; what they save is not negative."""
    return int(_pack(n, triples, saved, -1))


def risen(n: int, triples: Numbers, saved: Numbers, goal: int, turns: Sequence[Turn], ceiling: int) -> Numbers:
    """What triples save that rise in turn, by a share of what the best basket around them lacks of the goal, to the ceiling."""
    return _rise(n, triples, saved, goal, np.array(turns, np.int64), ceiling)  # type: ignore[no-any-return]


def nearly(n: int, saving: Mapping[Triple, int], least: int) -> list[list[Triple]]:
    """Every set of triples that share no item and save at least so much together."""
    ranked = sorted(saving)
    first = np.searchsorted(np.array([triple[0] for triple in ranked], np.int64), np.arange(n + 1))
    bits = np.array([1 << (b - n) | 1 << (c - n) for _, b, c in ranked], np.int64)
    rest = _rests(first, bits, np.array([saving[triple] for triple in ranked], np.int64), 1 << (2 * n))
    offers = [(held, saving[triple], triple) for held, triple in zip(bits.tolist(), ranked, strict=True)]
    grown: list[tuple[int, int, list[Triple]]] = [(0, 0, [])]  # what is covered, what is saved, by which triples
    for a in range(n):
        ways = [*grown]
        for covered, saved, taken in grown:
            for held, more, triple in offers[first[a] : first[a + 1]]:
                if covered & held == 0:
                    ways.append((covered | held, saved + more, [*taken, triple]))
        beyond = rest[a + 1, [covered for covered, _, _ in ways]].tolist()
        grown = [way for way, more in zip(ways, beyond, strict=True) if way[1] + more >= least]
    return [taken for _, _, taken in grown]


@kernel
def _largest(mask, picks):  # type: ignore[no-untyped-def]
    """Shuffled from the last place to the second, as by Fisher and Yates, and packed from the first."""
    m, size = len(mask), 0
    best, basket = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for row in range(len(picks)):
        order, taken, covered = np.arange(m), 0, 0
        for at in range(m - 1):
            last, pick = m - 1 - at, picks[row, at]
            order[last], order[pick] = order[pick], order[last]
        for at in range(m):
            e = order[at]
            if mask[e] & covered == 0:
                basket[taken] = e
                taken += 1
                covered |= mask[e]
        if taken > size:
            best, basket, size = basket, best, taken
    return best[:size]


@kernel
def _rests(first, bits, saved, size):  # type: ignore[no-untyped-def]
    """R(a, S) = max { R(a + 1, S), saved by e + R(a + 1, S + e) : e holds a, e and S disjoint }."""
    n = len(first) - 1
    R = np.zeros((n + 1, size), np.int32)
    for a in range(n - 1, -1, -1):
        for S in range(size):  # a slice would take the compiler ten times as long
            R[a, S] = R[a + 1, S]
        for at in range(first[a], first[a + 1]):
            low = bits[at] & ((1 << n) - 1)  # the item of the second group; that of the third is the rest
            high = bits[at] - low
            for C in range(0, size, 2 * high):
                for B in range(C, C + high, 2 * low):
                    for S in range(B, B + low):
                        R[a, S] = max(R[a, S], saved[at] + R[a + 1, S | bits[at]])
    return R


@kernel
def _pack(n, triples, saved, beside):  # type: ignore[no-untyped-def]
    """D(S + e) <- max { D(S + e), D(S) + saved by e : e holds a }, a by a; D(S) is -1 where no triples cover exactly S.

    The sets that are covered lie by how many triples cover them, from first[k] on, and the largest of them come first, so that
    an item of the first group is used once.
    """
    place, left = np.full(3 * n, -1), 0
    for v in range(n, 3 * n):
        if beside < 0 or (triples[beside, 1] != v and triples[beside, 2] != v):
            place[v] = left
            left += 1
    first, held, ways = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64), 1
    for k in range(n + 1):  # of the second group and of the third, k items each
        first[k + 1] = first[k] + ways * ways
        ways = ways * (left // 2 - k) // (k + 1)
    D, covered = np.full(1 << left, -1), np.zeros(first[n + 1], np.int64)
    D[0], held[0], best = 0, 1, 0
    for a in range(n):
        for k in range(a, -1, -1):
            for e in range(len(triples)):
                b, c = place[triples[e, 1]], place[triples[e, 2]]
                if triples[e, 0] != a or b < 0 or c < 0 or (beside >= 0 and triples[beside, 0] == a):
                    continue
                bits = 1 << b | 1 << c
                for at in range(first[k], first[k] + held[k]):
                    S = covered[at]
                    if S & bits == 0:
                        if D[S | bits] < 0:
                            covered[first[k + 1] + held[k + 1]] = S | bits
                            held[k + 1] += 1
                        D[S | bits] = max(D[S | bits], D[S] + saved[e])
                        best = max(best, D[S | bits])
    return best


@kernel
def _rise(n, triples, saved, goal, turns, ceiling):  # type: ignore[no-untyped-def]
    """S(e) <- min { ceiling, S(e) + share of (goal - margin - S(e) - D(beside e)) if that is positive }: what e saves."""
    risen = saved.copy()
    for e, margin, share in turns:
        lack = goal - risen[e] - _pack(n, triples, risen, e) - margin
        risen[e] = min(ceiling, risen[e] + share * max(0, lack) // 100)
    return risen

"""Triples of three groups that share no item: packed in turn, so that they save most together, or nearly so."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.draw import below, shuffle
from algoworlds.core.kernel import kernel
from algoworlds.core.stream import Stream

Numbers = NDArray[np.int64]
Triples = NDArray[np.int64]
"""A row each: an item of the first, second and third group, which are numbers below n, from n, and from 2n on."""


def masks(triples: Triples) -> Numbers:
    """The items of every triple, as a set of bits."""
    return (1 << triples).sum(axis=1)  # type: ignore[no-any-return]


def largest(triples: Triples, times: int, stream: Stream) -> Numbers:
    """The first of the largest baskets of so many: shuffled triples taken in turn that share no item with those before."""
    mask = masks(triples)
    return stream.spent_by(times * (len(mask) - 1), lambda words: _largest(words, mask, times))


def most(n: int, triples: Triples, saved: Numbers) -> int:
    """The most that triples save together which share no item; what they save is not negative."""
    return int(_pack(n, triples, _by_first(triples), saved, -1, 0))


def risen(
    n: int, triples: Triples, saved: Numbers, goal: int, shares: Sequence[int], most: tuple[int, int], stream: Stream
) -> Numbers:
    """What triples save that rise in turn: by some per cent of what the best basket around them lacks of the goal.

    For every share all of them take turns in random order. By how much its best basket is to stay behind is drawn for each;
    the most that it is, and the most that a triple saves, are given.
    """
    order, each = _by_first(triples), np.array(shares)
    words = 2 * len(shares) * len(triples)
    return stream.spent_by(words, lambda given: _rise(given, n, triples, order, saved, goal, each, most))


def nearly(n: int, triples: Triples, saved: Numbers, least: int) -> Numbers:
    """Every set of triples that share no item and save at least so much together, a row each: 1 for a triple in it, else 0."""
    ranked = np.lexsort(triples.T[::-1])
    first = np.searchsorted(triples[ranked, 0], np.arange(n + 1))
    bits = masks(triples[ranked, 1:] - n)
    rest = _rests(first, bits, saved[ranked], 1 << (2 * n))
    taken = _grown(first, bits, saved[ranked], rest, least)
    baskets = np.zeros((len(taken), len(triples)), np.int64)
    at, a = np.nonzero(taken >= 0)
    baskets[at, ranked[taken[at, a]]] = 1
    return baskets


def _by_first(triples: Triples) -> Numbers:
    """Triples in the order of their items of the first group."""
    return np.argsort(triples[:, 0], kind="stable")


@kernel
def _largest(words, mask, times):  # type: ignore[no-untyped-def]
    """Shuffled time after time, and packed from the first."""
    m, size, used = len(mask), 0, np.zeros(1, np.int64)
    best, basket = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for _ in range(times):
        order, taken, covered = np.arange(m), 0, 0
        shuffle(words, used, order)
        for e in order:
            if mask[e] & covered == 0:
                basket[taken] = e
                taken += 1
                covered |= mask[e]
        if taken > size:
            best, basket, size = basket, best, taken
    return best[:size], used[0]


@kernel
def _grown(first, bits, saved, rest, least):  # type: ignore[no-untyped-def]
    """Item by item of the first group, all sets that can still save enough: without it, and with each triple that fits.

    A set is a row of what it takes for each item: a triple, or -1 for none.
    """
    n = len(first) - 1
    taken, covered, total = np.full((1, n), -1), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for a in range(n):
        room, count = len(taken) * (1 + first[a + 1] - first[a]), 0
        ways, onto, sums = np.empty((room, n), np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
        for at in range(len(taken)):
            if total[at] + rest[a + 1, covered[at]] >= least:
                ways[count], onto[count], sums[count] = taken[at], covered[at], total[at]
                count += 1
        for at in range(len(taken)):
            for e in range(first[a], first[a + 1]):
                if covered[at] & bits[e] == 0 and total[at] + saved[e] + rest[a + 1, covered[at] | bits[e]] >= least:
                    ways[count], onto[count], sums[count] = taken[at], covered[at] | bits[e], total[at] + saved[e]
                    ways[count, a] = e
                    count += 1
        taken, covered, total = ways[:count], onto[:count], sums[:count]
    return taken


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
def _pack(n, triples, ranked, saved, beside, least):  # type: ignore[no-untyped-def]
    """D(S + e) <- max { D(S + e), D(S) + saved by e : e holds a }, a by a; the most that D comes to beside a triple.

    It is known to be at least the least: sets S are left alone from which it cannot rise further, even if every item that
    is left gets the most that a triple saves with it. Ranked triples come in the order of a.
    """
    out = triples[beside]
    place, left = np.zeros(3 * n, np.int64), 0
    for v in range(n, 3 * n):
        place[v] = left
        left += beside < 0 or (v != out[1] and v != out[2])
    first, rest = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    bits, gain, offers = np.zeros(len(ranked), np.int64), np.zeros(len(ranked), np.int64), 0
    for e in ranked:
        a, b, c = triples[e, 0], triples[e, 1], triples[e, 2]
        if beside < 0 or (a != out[0] and b != out[1] and c != out[2]):
            bits[offers], gain[offers], rest[a] = 1 << place[b] | 1 << place[c], saved[e], max(rest[a], saved[e])
            offers += 1
            first[a + 1] = offers
    for a in range(n):
        first[a + 1] = max(first[a], first[a + 1])
        rest[n - 1 - a] += rest[n - a]
    room = 1
    for k in range(1, left // 2 + 1):  # as many of the second group as of the third, k by k
        room = room * (left // 2 + k) // k
    number, S, sets = np.full(1 << left, -1, np.int32), np.zeros(room, np.int64), 1
    D, D_before = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for a in range(n):
        known = sets
        D_before[:known] = D[:known]
        for s in range(known):
            for at in range(first[a], first[a + 1] if D_before[s] + rest[a] > least else first[a]):
                if S[s] & bits[at] == 0:
                    total, to = D_before[s] + gain[at], number[S[s] | bits[at]]
                    if to < 0:
                        to, sets = sets, sets + 1
                        number[S[s] | bits[at]], S[to] = to, S[s] | bits[at]
                    D[to] = max(D[to], total)
                    least = max(least, total)
    return least


@kernel
def _rise(words, n, triples, ranked, saved, goal, shares, most):  # type: ignore[no-untyped-def]
    """S(e) <- min { ceiling, S(e) + share of (goal - margin - S(e) - D(beside e)) if that is positive }: what e saves."""
    risen, around = saved.copy(), np.zeros(len(saved), np.int64)  # and D(beside e) when it was last asked: it never falls
    order, margin, used = np.empty(len(saved), np.int64), np.empty(len(saved), np.int64), np.zeros(1, np.int64)
    for share in shares:
        order[:] = np.arange(len(order))
        shuffle(words, used, order)
        for at in range(len(order)):
            margin[at] = 1 + below(words, used, most[0])
        for e, behind in zip(order, margin):  # noqa: B905 - not known to the compiler
            around[e] = _pack(n, triples, ranked, risen, e, around[e])
            lack = goal - behind - risen[e] - around[e]
            risen[e] = min(most[1], risen[e] + share * max(0, lack) // 100)
    return risen, used[0]

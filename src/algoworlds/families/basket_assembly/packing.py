"""Packings (sets of triples that share no item): random ones, the best one, and all that are nearly as good."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel, random_below, shuffle_in_place
from algoworlds.families.declare import Stream

IntArray = NDArray[np.int64]
Triples = NDArray[np.int64]
"""One row per triple: its items of the three groups, numbered 0 to n-1, n to 2n-1 and 2n to 3n-1."""


def triple_masks(triples: Triples) -> IntArray:
    """The items of each triple as bits."""
    return (1 << triples).sum(axis=1)  # type: ignore[no-any-return]


def largest_random_packing(triples: Triples, times: int, stream: Stream) -> IntArray:
    """The largest (first of equals) of `times` packings, each made of shuffled triples taken in turn where they fit."""
    mask = triple_masks(triples)
    return stream.run_with_words(times * (len(mask) - 1), lambda words: _largest_packing(words, mask, times))


def max_saving(n: int, triples: Triples, saved: IntArray) -> int:
    """The largest total saving of a packing; savings must not be negative."""
    return int(_pack(n, triples, _by_first(triples), saved, -1, 0))


def raise_savings(
    n: int, triples: Triples, saved: IntArray, goal: int, shares: Sequence[int], most: tuple[int, int], stream: Stream
) -> IntArray:
    """Raise the savings of all triples, in random order once per share, towards `goal`.

    A triple rises by `share` percent of what the best packing that holds it lacks of `goal` minus a random margin. `most`
    bounds the margin and the saving of a triple.
    """
    order, percents = _by_first(triples), np.array(shares)
    count = 2 * len(shares) * len(triples)
    return stream.run_with_words(count, lambda words: _raise(words, n, triples, order, saved, goal, percents, most))


def near_optimal_packings(n: int, triples: Triples, saved: IntArray, least: int) -> IntArray:
    """All packings that save at least `least`, one row each: 1 for a triple in it, else 0."""
    ranked = np.lexsort(triples.T[::-1])
    first = np.searchsorted(triples[ranked, 0], np.arange(n + 1))
    bits = triple_masks(triples[ranked, 1:] - n)
    bound = _best_remaining(first, bits, saved[ranked], 1 << (2 * n))
    taken = _enumerate(first, bits, saved[ranked], bound, least)
    baskets = np.zeros((len(taken), len(triples)), np.int64)
    at, a = np.nonzero(taken >= 0)
    baskets[at, ranked[taken[at, a]]] = 1
    return baskets


def _by_first(triples: Triples) -> IntArray:
    """The triples ordered by their item of the first group."""
    return np.argsort(triples[:, 0], kind="stable")


@kernel
def _largest_packing(words, mask, times):  # type: ignore[no-untyped-def]
    """Shuffle and pack `times` times; return the largest packing and the number of words used."""
    m, size, used = len(mask), 0, np.zeros(1, np.int64)
    best, basket = np.zeros(m, np.int64), np.zeros(m, np.int64)
    for _ in range(times):
        order, taken, covered = np.arange(m), 0, 0
        shuffle_in_place(words, used, order)
        for e in order:
            if mask[e] & covered == 0:
                basket[taken] = e
                taken += 1
                covered |= mask[e]
        if taken > size:
            best, basket, size = basket, best, taken
    return best[:size], used[0]


@kernel
def _enumerate(first, bits, saved, bound, least):  # type: ignore[no-untyped-def]
    """Extend packings item by item of the first group, without it or by a triple that holds it, while they can reach `least`.

    A packing is a row with one entry per item of the first group: a triple, or -1 for none.
    """
    n = len(first) - 1
    taken, covered, total = np.full((1, n), -1), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for a in range(n):
        room, count = len(taken) * (1 + first[a + 1] - first[a]), 0
        rows, onto, sums = np.empty((room, n), np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
        for at in range(len(taken)):
            if total[at] + bound[a + 1, covered[at]] >= least:
                rows[count], onto[count], sums[count] = taken[at], covered[at], total[at]
                count += 1
        for at in range(len(taken)):
            for e in range(first[a], first[a + 1]):
                if covered[at] & bits[e] == 0 and total[at] + saved[e] + bound[a + 1, covered[at] | bits[e]] >= least:
                    rows[count], onto[count], sums[count] = taken[at], covered[at] | bits[e], total[at] + saved[e]
                    rows[count, a] = e
                    count += 1
        taken, covered, total = rows[:count], onto[:count], sums[:count]
    return taken


@kernel
def _best_remaining(first, bits, saved, size):  # type: ignore[no-untyped-def]
    """R(a, S) = max { R(a + 1, S), saving of e + R(a + 1, S + e) : e holds a, e and S disjoint }."""
    n = len(first) - 1
    R = np.zeros((n + 1, size), np.int32)
    for a in range(n - 1, -1, -1):
        for S in range(size):  # a slice takes ten times as long to compile
            R[a, S] = R[a + 1, S]
        for at in range(first[a], first[a + 1]):
            low = bits[at] & ((1 << n) - 1)  # the bit of the second group; the other bit is the third group's
            high = bits[at] - low
            for C in range(0, size, 2 * high):
                for B in range(C, C + high, 2 * low):
                    for S in range(B, B + low):
                        R[a, S] = max(R[a, S], saved[at] + R[a + 1, S | bits[at]])
    return R


@kernel
def _pack(n, triples, ranked, saved, beside, least):  # type: ignore[no-untyped-def]
    """D(S + e) <- max { D(S + e), D(S) + saving of e : e holds a }, a by a; the maximum beside triple `beside`.

    The maximum is known to be at least `least`: a set S is not extended if it cannot exceed that even with the best triple
    of every remaining item. `ranked` orders the triples by a.
    """
    out = triples[beside]
    position, left = np.zeros(3 * n, np.int64), 0
    for v in range(n, 3 * n):
        position[v] = left
        left += beside < 0 or (v != out[1] and v != out[2])
    first, rest = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    bits, gain, offers = np.zeros(len(ranked), np.int64), np.zeros(len(ranked), np.int64), 0
    for e in ranked:
        a, b, c = triples[e, 0], triples[e, 1], triples[e, 2]
        if beside < 0 or (a != out[0] and b != out[1] and c != out[2]):
            bits[offers], gain[offers], rest[a] = 1 << position[b] | 1 << position[c], saved[e], max(rest[a], saved[e])
            offers += 1
            first[a + 1] = offers
    for a in range(n):
        first[a + 1] = max(first[a], first[a + 1])
        rest[n - 1 - a] += rest[n - a]
    room = 1
    for k in range(1, left // 2 + 1):  # binomial(left, left / 2): sets with equally many items b and c
        room = room * (left // 2 + k) // k
    number, S, sets = np.full(1 << left, -1, np.int32), np.zeros(room, np.int64), 1
    D, D_before = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for a in range(n):
        reached = sets
        D_before[:reached] = D[:reached]
        for s in range(reached):
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
def _raise(words, n, triples, ranked, saved, goal, shares, most):  # type: ignore[no-untyped-def]
    """S(e) <- min { ceiling, S(e) + share * max(0, goal - margin - S(e) - D(beside e)) }, the saving of e."""
    raised, around = saved.copy(), np.zeros(len(saved), np.int64)  # the last known D(beside e), which never falls
    order, margin, used = np.empty(len(saved), np.int64), np.empty(len(saved), np.int64), np.zeros(1, np.int64)
    for share in shares:
        order[:] = np.arange(len(order))
        shuffle_in_place(words, used, order)
        for at in range(len(order)):
            margin[at] = 1 + random_below(words, used, most[0])
        for e, behind in zip(order, margin):  # noqa: B905 - Numba does not support strict
            around[e] = _pack(n, triples, ranked, raised, e, around[e])
            lack = goal - behind - raised[e] - around[e]
            raised[e] = min(most[1], raised[e] + share * max(0, lack) // 100)
    return raised, used[0]

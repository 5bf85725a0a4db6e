"""How often patient searches meet each of some baskets: the width of the basins in which these lie.

Two searches take turns, both from random baskets: descents that put in one triple, evict what overlaps it and refill by
saving; and walks that drop a part of the basket and refill by savings that chance has blurred.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from algoworlds.core.kernel import inline, kernel
from algoworlds.core.stream import Stream
from algoworlds.families.packing import Triple

RUNS, LENGTH = 30, 2_000
"""How many searches are made, and how many baskets each one looks at."""
_STALE = 150
"""Baskets without a gain after which a walk starts anew."""


def met(saving: Mapping[Triple, int], baskets: Sequence[Sequence[Triple]], stream: Stream) -> list[int]:
    """By how many of the searches each basket is met; all baskets save at least as much as the least of them."""
    mask = np.array([sum(1 << item for item in triple) for triple in saving], np.int64)
    saved = np.array(list(saving.values()), np.int64)
    name = dict(zip(saving, (stream.below(1 << 62) for _ in saving), strict=True))
    wanted = np.array([sum(name[triple] for triple in basket) % 2**62 for basket in baskets], np.int64)
    floor = min(sum(saving[triple] for triple in basket) for basket in baskets)
    names, ranked = np.array(list(name.values()), np.int64), np.argsort(-saved, kind="stable")
    return [int(each) for each in _met(mask, saved, ranked, names, wanted, floor, stream.below(1 << 31), RUNS, LENGTH)]


@inline
def _next(x):  # type: ignore[no-untyped-def]
    """The next of a sequence of numbers below 2^31, of which the upper bits look random."""
    return (x * 1_103_515_245 + 12_345) & 2_147_483_647


@inline
def _ahead(count):  # type: ignore[no-untyped-def]
    """Factors and terms by which any of the numbers after x is found at once: the k-th is factor[k] x + term[k]."""
    factor, term = np.ones(count + 1, np.int64), np.zeros(count + 1, np.int64)
    for k in range(1, count + 1):
        factor[k] = factor[k - 1] * 1_103_515_245 & 2_147_483_647
        term[k] = _next(term[k - 1])
    return factor, term


@inline
def _drawn(ahead, k, x):  # type: ignore[no-untyped-def]
    """The upper bits of the k-th number after x."""
    factor, term = ahead
    return (factor[k] * x + term[k] & 2_147_483_647) >> 8


@inline
def _shuffle(order, x):  # type: ignore[no-untyped-def]
    for last in range(len(order) - 1, 0, -1):
        x = _next(x)
        pick = (x >> 8) % (last + 1)
        order[last], order[pick] = order[pick], order[last]
    return x


@inline
def _fill(mask, order, covered, z, size):  # type: ignore[no-untyped-def]
    """Every triple in turn that fits is taken."""
    for e in order:
        if mask[e] & covered == 0:
            z[size] = e
            size += 1
            covered |= mask[e]
    return size


@inline
def _blurred(mask, saved, ahead, x, covered, z, size, free, blurred):  # type: ignore[no-untyped-def]
    """Of the triples that fit, in turn the one is taken whose blurred saving is the largest, the first if there are several."""
    left = 0
    for e in range(len(mask)):
        if mask[e] & covered == 0:
            free[left], blurred[left] = e, saved[e] * (50 + _drawn(ahead, 2 * e + 2, x) % 100)
            left += 1
    while left > 0:
        best = 0
        for at in range(1, left):
            if blurred[at] > blurred[best]:
                best = at
        z[size] = free[best]
        size += 1
        covered = mask[free[best]]
        fitting = 0
        for at in range(left):
            if mask[free[at]] & covered == 0:
                free[fitting], blurred[fitting] = free[at], blurred[at]
                fitting += 1
        left = fitting
    return size


@inline
def _note(z, names, wanted, seen):  # type: ignore[no-untyped-def]
    name = 0
    for e in z:
        name = (name + names[e]) % 4_611_686_018_427_387_904
    for at in range(len(wanted)):
        if wanted[at] == name:
            seen[at] = True


@kernel
def _met(mask, saved, ranked, names, wanted, floor, x, runs, length):  # type: ignore[no-untyped-def]
    """Baskets are lists of triples: y the one to improve on, z the one looked at. A walk has two numbers for every triple."""
    m = len(mask)
    count, order, ahead = np.zeros(len(wanted), np.int64), np.arange(m), _ahead(2 * m + 1)
    y, z, free, blurred = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    for run in range(runs):
        seen, total, stale, at, held = np.zeros(len(wanted), np.bool_), -1, 0, m, 0
        for _ in range(length):
            size, covered, walking = 0, 0, run % 2 == 1
            if total < 0 or (walking and stale == _STALE) or (not walking and at == m):  # a random basket
                x = _shuffle(order, x)
                size = _fill(mask, order, 0, z, 0)
                total = -1
            elif walking:  # a part is dropped
                keep = 30 + _drawn(ahead, 1, x) % 50
                for e in y[:held]:
                    if _drawn(ahead, 2 * e + 3, x) % 100 < keep:
                        z[size] = e
                        size += 1
                        covered |= mask[e]
                size = _blurred(mask, saved, ahead, x, covered, z, size, free, blurred)
                x = ahead[0][2 * m + 1] * x + ahead[1][2 * m + 1] & 2_147_483_647
            else:  # the next triple in a random order is put in
                z[0] = order[at]
                at += 1
                size, covered = 1, mask[z[0]]
                for e in y[:held]:
                    if mask[e] & mask[z[0]] == 0:
                        z[size] = e
                        size += 1
                        covered |= mask[e]
                size = _fill(mask, ranked, covered, z, size)
            found = 0
            for e in z[:size]:
                found += saved[e]
            if found >= floor:
                _note(z[:size], names, wanted, seen)
            stale = 0 if found > total else stale + 1
            if found > total or (walking and found == total):
                if not walking:
                    x = _shuffle(order, x)
                    at = 0
                for each in range(size):
                    y[each] = z[each]
                total, held = found, size
        for each in range(len(wanted)):
            count[each] += seen[each]
    return count

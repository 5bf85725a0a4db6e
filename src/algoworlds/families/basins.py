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
    return (x * 1_103_515_245 + 12_345) % 2_147_483_648


@inline
def _shuffle(order, x):  # type: ignore[no-untyped-def]
    for last in range(len(order) - 1, 0, -1):
        x = _next(x)
        pick = (x >> 8) % (last + 1)
        order[last], order[pick] = order[pick], order[last]
    return x


@inline
def _fill(mask, order, covered, y):  # type: ignore[no-untyped-def]
    """Every triple in turn that fits is taken."""
    for e in order:
        if mask[e] & covered == 0:
            y[e] = True
            covered |= mask[e]


@inline
def _note(y, names, wanted, seen):  # type: ignore[no-untyped-def]
    name = 0
    for e in range(len(y)):
        if y[e]:
            name = (name + names[e]) % 4_611_686_018_427_387_904
    for at in range(len(wanted)):
        if wanted[at] == name:
            seen[at] = True


@kernel
def _met(mask, saved, ranked, names, wanted, floor, x, runs, length):  # type: ignore[no-untyped-def]
    """Loops instead of slices: the compiler takes seconds less for them."""
    m = len(mask)
    count, order = np.zeros(len(wanted), np.int64), np.arange(m)
    y, z, blurred = np.zeros(m, np.bool_), np.zeros(m, np.bool_), np.zeros(m, np.int64)
    for run in range(runs):
        seen, total, stale, at = np.zeros(len(wanted), np.bool_), -1, 0, m
        for _ in range(length):
            for e in range(m):
                z[e] = False
            covered = 0
            walking = run % 2 == 1
            if total < 0 or (walking and stale == _STALE) or (not walking and at == m):  # a random basket
                x = _shuffle(order, x)
                _fill(mask, order, 0, z)
                total = -1
            elif walking:  # a part is dropped
                x = _next(x)
                keep = 30 + (x >> 8) % 50
                for e in range(m):
                    x = _next(x)
                    blurred[e] = -saved[e] * (50 + (x >> 8) % 100)
                    x = _next(x)
                    if y[e] and (x >> 8) % 100 < keep:
                        z[e] = True
                        covered |= mask[e]
                _fill(mask, np.argsort(blurred, kind="mergesort"), covered, z)
            else:  # the next triple in a random order is put in
                inserted = order[at]
                at += 1
                z[inserted] = True
                covered = mask[inserted]
                for e in range(m):
                    if y[e] and mask[e] & covered == 0:
                        z[e] = True
                        covered |= mask[e]
                _fill(mask, ranked, covered, z)
            found = 0
            for e in range(m):
                if z[e]:
                    found += saved[e]
            if found >= floor:
                _note(z, names, wanted, seen)
            stale = 0 if found > total else stale + 1
            if found > total or (walking and found == total):
                if not walking:
                    x = _shuffle(order, x)
                    at = 0
                for e in range(m):
                    y[e] = z[e]
                total = found
        for at in range(len(wanted)):
            count[at] += seen[at]
    return count

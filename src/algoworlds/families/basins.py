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
_PLACES = 128
"""More than there are triples."""


def met(saving: Mapping[Triple, int], baskets: Sequence[Sequence[Triple]], stream: Stream) -> list[int]:
    """By how many of the searches each basket is met; all baskets save at least as much as the least of them."""
    mask = np.array([sum(1 << item for item in triple) for triple in saving], np.int32)
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
def _key(size, e):  # type: ignore[no-untyped-def]
    """What tells which triple comes first: the one with the larger number, of equal ones that of the lower place."""
    return size * _PLACES + _PLACES - 1 - e


@inline
def _ranked(order, keys):  # type: ignore[no-untyped-def]
    """Keys by which triples come in an order."""
    for at in range(len(order)):
        keys[order[at]] = _key(len(order) - at, order[at])


@inline
def _largest(mask, keys, covered):  # type: ignore[no-untyped-def]
    """The largest key of a triple that fits, -1 if none does: 32 bits and no branch, so that many are looked at together."""
    covered, none = np.int32(covered), np.int32(-1)
    found = none
    for e in range(len(mask)):
        found = max(found, keys[e] if mask[e] & covered == 0 else none)
    return found


@inline
def _note(z, names, wanted, seen):  # type: ignore[no-untyped-def]
    name = 0
    for e in z:
        name = (name + names[e]) % 4_611_686_018_427_387_904
    for at in range(len(wanted)):
        seen[at] |= wanted[at] == name


@kernel
def _met(mask, saved, ranked, names, wanted, floor, x, runs, length):  # type: ignore[no-untyped-def]
    """Baskets are lists of triples: y the one to improve on, z the one looked at. A walk has two numbers for every triple.

    Whatever z begins with, it is completed in one way: of the triples that fit, in turn the one with the largest key is taken.
    """
    m = len(mask)
    count, order, ahead = np.zeros(len(wanted), np.int64), np.arange(m), _ahead(2 * m + 1)
    blur, stay = (ahead[0][2::2].copy(), ahead[1][2::2].copy()), (ahead[0][3::2].copy(), ahead[1][3::2].copy())
    y, z, other, by_saving = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int32), np.zeros(m, np.int32)
    _ranked(ranked, by_saving)
    for run in range(runs):
        seen, total, stale, at, held = np.zeros(len(wanted), np.bool_), -1, 0, m, 0
        for _ in range(length):
            size, covered, keys, walking = 0, 0, other, run % 2 == 1
            if total < 0 or (walking and stale == _STALE) or (not walking and at == m):  # a random basket
                x = _shuffle(order, x)
                _ranked(order, keys)
                total = -1
            elif walking:  # a part is dropped, and savings are blurred
                keep = 30 + _drawn(ahead, 1, x) % 50
                for place in range(held):
                    e = y[place]
                    stays = _drawn(stay, e, x) % 100 < keep
                    z[size] = e
                    size += stays
                    covered |= mask[e] * stays
                for e in range(m):
                    keys[e] = _key(saved[e] * (50 + _drawn(blur, e, x) % 100), e)
                x = ahead[0][2 * m + 1] * x + ahead[1][2 * m + 1] & 2_147_483_647
            else:  # the next triple in a random order is put in
                z[0] = order[at]
                at += 1
                size, covered, keys = 1, mask[z[0]], by_saving
                for place in range(held):
                    e = y[place]
                    stays = mask[e] & mask[z[0]] == 0
                    z[size] = e
                    size += stays
                    covered |= mask[e] * stays
            key = _largest(mask, keys, covered)
            while key >= 0:
                z[size] = _PLACES - 1 - key % _PLACES
                covered |= mask[z[size]]
                size += 1
                key = _largest(mask, keys, covered)
            found = 0
            for place in range(size):
                found += saved[z[place]]
            if found >= floor:
                _note(z[:size], names, wanted, seen)
            stale = 0 if found > total else stale + 1
            if found > total or (walking and found == total):
                if not walking:
                    x = _shuffle(order, x)
                    at = 0
                y, z = z, y
                total, held = found, size
        for each in range(len(wanted)):
            count[each] += seen[each]
    return count

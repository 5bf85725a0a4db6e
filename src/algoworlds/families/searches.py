"""Patient searches for baskets that save much, which note the wanted ones that they meet.

Descents come to the same baskets again and again: where a triple leads from each of them is found once. Walks stay at a
basket for long: what is left of it is completed only where that may end at a basket which is as good or not yet met.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import inline
from algoworlds.families.baskets import (
    LANES,
    PLACES,
    Jumps,
    Small,
    completed,
    drawn,
    key_of,
    name_of,
    place_of,
    random_basket,
    saved_by,
    shuffled,
)
from algoworlds.families.packing import Numbers

_STALE = 150
"""Baskets without a gain after which a walk starts anew."""
_SLOTS = 4_096
"""Among which known baskets are distributed by their names."""
_UNTRIED, _NOWHERE = -2, -1
"""Where a triple leads that was never put in, and one of which neither a gain nor a wanted basket comes."""


class Sought(NamedTuple):
    """The baskets to be met: their names, what they save, the least of that, and which triples they lack, a row a triple."""

    name: Numbers
    saved: Numbers
    least: int
    lacks: Small


class Known(NamedTuple):
    """Baskets by number: what each one is, where triples lead from there, and which one of the same slot comes after it."""

    many: Numbers
    name: Numbers
    saved: Numbers
    size: Numbers
    triple: NDArray[np.int8]
    wanted: Numbers
    leads: Small
    first: Small
    after: Small


@inline
def none_known(m, most):  # type: ignore[no-untyped-def]
    """Room for as many baskets as descents can look at."""
    name, saved = np.empty(most, np.int64), np.empty(most, np.int64)
    size, wanted = np.empty(most, np.int64), np.empty(most, np.int64)
    triple, leads, after = np.empty((most, LANES), np.int8), np.empty((most, m), np.int32), np.empty(most, np.int32)
    return Known(np.zeros(1, np.int64), name, saved, size, triple, wanted, leads, np.full(_SLOTS, -1, np.int32), after)


@inline
def _number(known, shop, wanted, z, size):  # type: ignore[no-untyped-def]
    """The number of a basket, which is known from then on."""
    name = name_of(shop.name, z, size)
    slot = name % _SLOTS
    b = known.first[slot]
    while b >= 0 and known.name[b] != name:
        b = known.after[b]
    if b < 0:
        b = known.many[0]
        known.many[0] += 1
        known.name[b], known.saved[b], known.size[b] = name, saved_by(shop.saved, z, size), size
        known.wanted[b] = place_of(wanted.name, name)
        known.after[b], known.first[slot] = known.first[slot], b
        for place in range(size):
            known.triple[b, place] = z[place]
        for e in range(known.leads.shape[1]):
            known.leads[b, e] = _UNTRIED
    return b


@inline
def descend(shop, wanted, known, order, x, length, seen):  # type: ignore[no-untyped-def]
    """Triples are put into y in a random order, anew after every gain; a basket that none improves ends a descent."""
    m = len(order)
    z, y, at = np.zeros(m + 1, np.int64), _NOWHERE, m
    for _ in range(length):
        if at == m:
            x = shuffled(order, x)
            y, b = _NOWHERE, _number(known, shop, wanted, z, random_basket(shop.mask, order, z))
        else:
            e = order[at]
            at += 1
            b = known.leads[y, e]
            if b == _UNTRIED:
                z[0], size = e, 1
                for place in range(known.size[y]):
                    held = known.triple[y, place]
                    z[size] = held
                    size += shop.mask[held] & shop.mask[e] == 0
                size = completed(shop.mask, shop.key, z, size)
                found = saved_by(shop.saved, z, size)
                b = _NOWHERE
                if found > known.saved[y] or found >= wanted.least:
                    b = _number(known, shop, wanted, z, size)
                known.leads[y, e] = b
        if b == _NOWHERE:
            continue
        seen[known.wanted[b]] = True
        if y == _NOWHERE or known.saved[b] > known.saved[y]:
            x = shuffled(order, x)
            y, at = b, 0
    return x


@inline
def _staying(draws, lanes, keep, x):  # type: ignore[no-untyped-def]
    """The places that stay, as bits."""
    stays, none = np.int32(0), np.int32(0)
    for place in range(lanes):
        bit = np.int32(1 << place)
        stays = np.int32(stays + (bit if np.uint32(drawn(draws, place, x) % np.uint32(100)) < keep else none))
    return stays


@inline
def _held(absent, bits):  # type: ignore[no-untyped-def]
    """Whether some basket lacks none of what the bits stand for."""
    yes, no = np.int32(1), np.int32(0)
    found = no
    for at in range(len(absent)):
        found = max(found, yes if np.int32(absent[at] & bits) == 0 else no)
    return found > 0


@inline
def walk(shop, wanted, ahead, order, x, length, seen):  # type: ignore[no-untyped-def]
    """A part of y is dropped, and savings are blurred: two numbers for every triple.

    Once y saves enough to be wanted, a basket that saves as much is wanted too. So if what stays is part of no wanted basket
    other than y, but for those that are seen and save less, then whatever completes it changes nothing. For each wanted
    basket the places of y that it lacks are kept as bits, and one more bit if it is of no use.
    """
    m, count, useless = len(order), len(wanted.name), np.int32(1 << LANES)
    y, z, keys, tie = np.zeros(m, np.int64), np.zeros(m + 1, np.int64), np.empty_like(shop.key), np.full_like(shop.key, -1)
    blur = Jumps(np.zeros(len(keys), np.uint32), np.zeros(len(keys), np.uint32))
    for e in range(m):
        blur.factor[e], blur.term[e], tie[e] = ahead.factor[2 * e + 2], ahead.term[2 * e + 2], key_of(0, e)
    stay = Jumps(np.zeros(LANES, np.uint32), np.zeros(LANES, np.uint32))
    absent = np.full(-(-count // LANES) * LANES, -1, np.int32)
    total, stale, held, lanes = -1, 0, 0, 0
    for _ in range(length):
        if total < 0 or stale == _STALE:
            x = shuffled(order, x)
            size, total = random_basket(shop.mask, order, z), -1
        else:
            keep = np.uint32(30 + drawn(ahead, 1, x) % np.uint32(50))
            stays = _staying(stay, lanes, keep, x) & ((1 << held) - 1)
            before, x = x, np.int64(ahead.factor[2 * m + 1]) * x + ahead.term[2 * m + 1] & 2_147_483_647
            if total >= wanted.least and not _held(absent, stays | useless):
                stale += 1
                continue
            size = 0
            for place in range(held):
                z[size] = y[place]
                size += stays >> place & 1
            for e in range(len(keys)):
                blurred = shop.saved[e] * (50 + np.int32(drawn(blur, e, before) % np.uint32(100)))
                keys[e] = np.int32(blurred * PLACES + tie[e])
            size = completed(shop.mask, keys, z, size)
        found, at = saved_by(shop.saved, z, size), count
        if found >= wanted.least:
            at = place_of(wanted.name, name_of(shop.name, z, size))
            seen[at] = True
            if at < count and found < total:
                absent[at] |= useless
        stale = 0 if found > total else stale + 1
        if found >= total:
            total, held, lanes = found, size, -(-size // 8) * 8
            for w in range(count):
                absent[w] = useless if w == at or (seen[w] and wanted.saved[w] < total) else np.int32(0)
            for place in range(size):
                e = z[place]
                y[place], stay.factor[place], stay.term[place] = e, ahead.factor[2 * e + 3], ahead.term[2 * e + 3]
                for w in range(count):
                    absent[w] |= wanted.lacks[e, w] << place
    return x

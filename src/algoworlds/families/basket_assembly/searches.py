"""Patient searches for baskets that save much, which note the wanted ones that they meet.

Descents come to the same baskets again and again: where a triple leads from each of them is found once. Walks stay at a
basket for long: what is left of it is completed only where that may end at a basket which is as good or not yet met.
"""

from typing import NamedTuple

import numpy as np

from algoworlds.core.kernel import inline
from algoworlds.families.basket_assembly.baskets import (
    LANES,
    PLACES,
    Small,
    after,
    completed,
    drawn,
    key_of,
    name_of,
    place_of,
    random_basket,
    saved_by,
    shuffled,
)
from algoworlds.families.basket_assembly.packing import Numbers

_STALE = 150
"""Baskets without a gain after which a walk starts anew."""
_SLOTS = 4_096
"""Among which known baskets are distributed by their names."""
_UNTRIED, _NOWHERE = -2, -1
"""Where a triple leads that was never put in, and one of which neither a gain nor a wanted basket comes."""

_SAVED, _SIZE, _PLACE, _BEFORE, _TRIPLE = range(5)
_LEADS = _TRIPLE + LANES
"""Columns of what is known of a basket."""


class Sought(NamedTuple):
    """The baskets to be met: their names, what they save, the least of that, and which triples they lack, a row a triple."""

    name: Numbers
    saved: Numbers
    least: int
    lacks: Small


class Known(NamedTuple):
    """Baskets by number: a row each, their names, and by slot the last one; after these, how many there are.

    A row says what a basket saves, how many triples it has, its place among the wanted ones, which one of its slot was
    known before it, its triples, and from _LEADS on where every triple leads that is put in.
    """

    row: Small
    name: Numbers
    last: Numbers


@inline
def none_known(m, most):  # type: ignore[no-untyped-def]
    """Room for as many baskets as descents can look at."""
    last = np.full(_SLOTS + 1, -1)
    last[_SLOTS] = 0
    return Known(np.empty((most, _LEADS + m), np.int32), np.empty(most, np.int64), last)


@inline
def _number(row, names, last, name):  # type: ignore[no-untyped-def]
    """The number of the known basket of a name, -1 if there is none."""
    b = last[name % _SLOTS]
    while b >= 0 and names[b] != name:
        b = row[b, _BEFORE]
    return b


@inline
def _learnt(row, names, last, name, saved, place, z, size):  # type: ignore[no-untyped-def]
    """The number of a basket that is known from then on."""
    b, slot = last[_SLOTS], name % _SLOTS
    row[b, _SAVED], row[b, _SIZE], row[b, _PLACE], row[b, _BEFORE], names[b] = saved, size, place, last[slot], name
    last[slot], last[_SLOTS] = b, b + 1
    for at in range(size):
        row[b, _TRIPLE + at] = z[at]
    for at in range(_LEADS, row.shape[1]):
        row[b, at] = _UNTRIED
    return b


@inline
def descend(shop, wanted, known, ahead, order, x, length, seen):  # type: ignore[no-untyped-def]
    """Triples are put into y in a random order, anew after every gain; a basket that none improves ends a descent."""
    (mask, saved, key, names), (row, known_names, last) = shop, known  # sooner than from tuples, time after time
    wanted_names, least, m = wanted.name, wanted.least, len(order)
    z, y, e, at = np.zeros(m + 1, np.int64), _NOWHERE, 0, m
    for _ in range(length):
        b, size = _UNTRIED, 0
        if at == m:
            x = shuffled(order, ahead, x)
            y, size = _NOWHERE, random_basket(mask, order, z)
        else:
            e, at = order[at], at + 1
            b = row[y, _LEADS + e]
            if b == _UNTRIED:
                z[0], size = e, 1
                for place in range(_TRIPLE, _TRIPLE + row[y, _SIZE]):
                    held = row[y, place]
                    z[size] = held
                    size += mask[held] & mask[e] == 0
                size = completed(mask, key, z, size)
                if saved_by(saved, z, size) <= min(row[y, _SAVED], least - 1):
                    b = row[y, _LEADS + e] = _NOWHERE
        if b == _UNTRIED:
            name = name_of(names, z, size)
            b = _number(row, known_names, last, name)
            if b < 0:
                place = place_of(wanted_names, name)
                b = _learnt(row, known_names, last, name, saved_by(saved, z, size), place, z, size)
            if y != _NOWHERE:
                row[y, _LEADS + e] = b
        if b == _NOWHERE:
            continue
        seen[row[b, _PLACE]] = True
        if y == _NOWHERE or row[b, _SAVED] > row[y, _SAVED]:
            x = shuffled(order, ahead, x)
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
    mask, saved, _, names = shop
    wanted_names, wanted_saved, least, lacks = wanted
    m, count, useless = len(order), len(wanted_names), np.int32(1 << LANES)
    y, z, keys, tie = np.zeros(m, np.int64), np.zeros(m + 1, np.int64), np.empty_like(mask), np.full_like(mask, -1)
    blur, stay = np.zeros((2, len(keys)), np.uint32), np.zeros((2, LANES), np.uint32)
    for e in range(m):
        blur[0, e], blur[1, e], tie[e] = ahead[0, 2 * e + 2], ahead[1, 2 * e + 2], key_of(0, e)
    absent = np.full(-(-count // LANES) * LANES, -1, np.int32)
    total, stale, held, lanes = -1, 0, 0, 0
    for _ in range(length):
        if total < 0 or stale == _STALE:
            x = shuffled(order, ahead, x)
            size, total = random_basket(mask, order, z), -1
        else:
            keep = np.uint32(30 + drawn(ahead, 1, x) % np.uint32(50))
            stays = _staying(stay, lanes, keep, x) & ((1 << held) - 1)
            before, x = x, after(ahead, 2 * m + 1, x)
            if total >= least and not _held(absent, stays | useless):
                stale += 1
                continue
            size = 0
            for place in range(held):
                z[size] = y[place]
                size += stays >> place & 1
            for e in range(len(keys)):
                blurred = saved[e] * (50 + np.int32(drawn(blur, e, before) % np.uint32(100)))
                keys[e] = np.int32(blurred * PLACES + tie[e])
            size = completed(mask, keys, z, size)
        found, at = saved_by(saved, z, size), count
        if found >= least:
            at = place_of(wanted_names, name_of(names, z, size))
            seen[at] = True
            if at < count and found < total:
                absent[at] |= useless
        stale = 0 if found > total else stale + 1
        if found >= total:
            total, held, lanes = found, size, -(-size // 8) * 8
            for w in range(count):
                absent[w] = useless if w == at or (seen[w] and wanted_saved[w] < total) else np.int32(0)
            for place in range(size):
                e = z[place]
                y[place], stay[0, place], stay[1, place] = e, ahead[0, 2 * e + 3], ahead[1, 2 * e + 3]
                for w in range(count):
                    absent[w] |= lacks[e, w] << place
    return x

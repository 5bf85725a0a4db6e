"""Baskets of triples that share no item, as kernels make them: at random, or completed by the largest keys."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import inline
from algoworlds.families.basket_assembly.packing import Numbers

PLACES = 128
"""More than there are triples."""
LANES = 16
"""Triples that are looked at together; more than there are in a basket."""
NAMES = 1 << 62
"""How many names there are. That of a basket is the sum of its triples' names, less this if need be."""

Small = NDArray[np.int32]


class Shop(NamedTuple):
    """Triples by place: their items as bits, what they save, their keys by that, and names at random.

    Places beyond the last triple fill the lanes; their key is -1, so that nobody takes them.
    """

    mask: Small
    saved: Small
    key: Small
    name: Numbers


@inline
def draws_ahead(count):  # type: ignore[no-untyped-def]
    """Factors and terms, a row each, by which any of so many numbers after x is found at once: the k-th is factor x + term.

    They are a sequence of numbers below 2^31, of which the upper bits look random.
    """
    draws = np.zeros((2, count + 1), np.uint32)
    draws[0, 0] = 1
    for k in range(count):
        draws[0, k + 1] = np.int64(draws[0, k]) * 1_103_515_245 & 2_147_483_647
        draws[1, k + 1] = np.int64(draws[1, k]) * 1_103_515_245 + 12_345 & 2_147_483_647
    return draws


@inline
def after(draws, k, x):  # type: ignore[no-untyped-def]
    """The k-th number after x."""
    return np.int64(draws[0, k]) * x + draws[1, k] & 2_147_483_647


@inline
def drawn(draws, k, x):  # type: ignore[no-untyped-def]
    """The upper bits of the k-th number after x: in 32 bits, so that many are drawn together."""
    return np.uint32(after(draws, k, x)) >> np.uint32(8)


@inline
def shuffled(order, draws, x):  # type: ignore[no-untyped-def]
    """The number that comes after those which a shuffle takes."""
    m = len(order)
    for k in range(1, m):
        last, pick = m - k, drawn(draws, k, x) % np.uint32(m - k + 1)
        order[last], order[pick] = order[pick], order[last]
    return after(draws, m - 1, x)


@inline
def key_of(size, e):  # type: ignore[no-untyped-def]
    """What tells which triple comes first: the one with the larger number, of equal ones that of the lower place."""
    return size * PLACES + PLACES - 1 - e


@inline
def shop_of(mask, saved, ranked, names):  # type: ignore[no-untyped-def]
    """Triples in lanes, with the keys that their rank gives them."""
    m = len(mask)
    lanes = -(-m // LANES) * LANES
    shop = Shop(np.zeros(lanes, np.int32), np.zeros(lanes, np.int32), np.full(lanes, -1, np.int32), names)
    for at in range(m):
        shop.mask[at], shop.saved[at] = mask[at], saved[at]
        shop.key[ranked[at]] = key_of(m - at, ranked[at])
    return shop


@inline
def random_basket(mask, order, z):  # type: ignore[no-untyped-def]
    """How many triples fit, taken in turn and put into z."""
    size = covered = 0
    for at in range(len(order)):
        e = order[at]
        if mask[e] & covered == 0:
            z[size] = e
            size += 1
            covered |= mask[e]
    return size


@inline
def _largest(mask, keys, covered):  # type: ignore[no-untyped-def]
    """The largest key of a triple that fits, -1 if none does: 32 bits and no branch, so that many are looked at together."""
    none = np.int32(-1)
    found = none
    for e in range(len(mask)):
        found = max(found, keys[e] if np.int32(mask[e] & covered) == 0 else none)
    return found


@inline
def completed(mask, keys, z, size):  # type: ignore[no-untyped-def]
    """Whatever z begins with, it is completed in one way: of the triples that fit, in turn the one with the largest key."""
    covered = 0
    for place in range(size):
        covered |= mask[z[place]]
    key = _largest(mask, keys, covered)
    while key >= 0:
        z[size] = PLACES - 1 - key % PLACES
        covered |= mask[z[size]]
        size += 1
        key = _largest(mask, keys, covered)
    return size


@inline
def saved_by(saved, z, size):  # type: ignore[no-untyped-def]
    """What a basket saves."""
    total = 0
    for place in range(size):
        total += saved[z[place]]
    return total


@inline
def name_of(names, z, size):  # type: ignore[no-untyped-def]
    """The name of a basket, in whatever order its triples are."""
    name = 0
    for place in range(size):
        name = (name + names[z[place]]) & (NAMES - 1)
    return name


@inline
def place_of(names, name):  # type: ignore[no-untyped-def]
    """Which wanted basket has a name: the place after the last if none does."""
    found = len(names)
    for at in range(len(names)):
        found = at if names[at] == name else found
    return found

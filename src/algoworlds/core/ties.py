"""The best value and the choice behind it, with ties noticed: what construction kernels share.

A stored choice is a small number that is not negative. The highest bit below its sign marks that another choice gave the
same value, so that uniqueness costs no further table. Verification algorithms count optima instead and use none of this.

Kernels say `if lower(...): updates += 1`. Adding the truth value itself would take twice the time: the compiler then gives
up the branch, which is predicted well.
"""

from typing import Any

import numpy as np

from algoworlds.core.kernel import INFINITY, inline


def choices(dtype: Any) -> int:
    """How many different choices an array of that type can store beside the mark."""
    return int(1 << (8 * np.dtype(dtype).itemsize - 2))


@inline
def mark(pred):  # type: ignore[no-untyped-def]
    """The bit of a stored choice that says that another one equals it."""
    return 1 << (8 * pred.itemsize - 2)


@inline
def lower(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- min { itself, value }, and whether that set or lowered it."""
    known = stored[state]
    if value < known:
        stored[state] = value
        pred[state] = choice
    elif value == known:
        pred[state] |= mark(pred)
    return value < known


@inline
def lift(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- max { itself, value }, and whether that set or raised it."""
    known = stored[state]
    if value > known:
        stored[state] = value
        pred[state] = choice
    elif value == known:
        pred[state] |= mark(pred)
    return value > known


@inline
def recall(pred, state):  # type: ignore[no-untyped-def]
    """The choice behind a state's value, and 2 if another one equals it, else 1."""
    choice = np.int64(pred[state])
    return choice & ~mark(pred), 2 if choice & mark(pred) else 1


@inline
def least(layer):  # type: ignore[no-untyped-def]
    """The least value that a layer reaches, its first place, and how many places attain it: 0, 1, or 2 for several."""
    best, place, optima = INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] < best:
            best, place, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, place, optima


@inline
def most(layer):  # type: ignore[no-untyped-def]
    """The largest value that a layer reaches, its first place, and how many places attain it: 0, 1, or 2 for several."""
    best, place, optima = -INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] > best:
            best, place, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, place, optima

"""Best values with their choices and ties: helpers that construction kernels share.

A stored choice is a small non-negative number. The highest bit below its sign marks that another choice gave the same
value, so that uniqueness costs no further table. Verification algorithms count optima instead and use none of this.

Kernels write `if store_min(...): updates += 1`. Adding the boolean itself would take twice the time: the compiler then
drops the branch, which is predicted well.
"""

from typing import Any

import numpy as np

from algoworlds.core.kernel import INFINITY, kernel_helper


def max_choices(dtype: Any) -> int:
    """How many different choices an array of `dtype` can store beside the tie bit."""
    return int(1 << (8 * np.dtype(dtype).itemsize - 2))


@kernel_helper
def tie_bit(pred):  # type: ignore[no-untyped-def]
    """The bit of a stored choice that marks a tie."""
    return 1 << (8 * pred.itemsize - 2)


@kernel_helper
def store_min(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- min { stored(state), value }; True if that set or lowered it."""
    best = stored[state]
    if value < best:
        stored[state] = value
        pred[state] = choice
    elif value == best:
        pred[state] |= tie_bit(pred)
    return value < best


@kernel_helper
def store_max(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- max { stored(state), value }; True if that set or raised it."""
    best = stored[state]
    if value > best:
        stored[state] = value
        pred[state] = choice
    elif value == best:
        pred[state] |= tie_bit(pred)
    return value > best


@kernel_helper
def read_choice(pred, state):  # type: ignore[no-untyped-def]
    """The choice behind a state's value, and 2 if another choice ties with it, else 1."""
    choice = np.int64(pred[state])
    return choice & ~tie_bit(pred), 2 if choice & tie_bit(pred) else 1


@kernel_helper
def layer_min(layer):  # type: ignore[no-untyped-def]
    """The least value in a layer, its first index, and how many entries attain it: 0, 1, or 2 (several)."""
    best, index, optima = INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] < best:
            best, index, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, index, optima


@kernel_helper
def layer_max(layer):  # type: ignore[no-untyped-def]
    """The largest value in a layer, its first index, and how many entries attain it: 0, 1, or 2 (several)."""
    best, index, optima = -INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] > best:
            best, index, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, index, optima

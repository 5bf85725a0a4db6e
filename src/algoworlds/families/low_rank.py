"""Low-rank completion: what some cells of a matrix say about the others, by effects of rows and columns and a few factors.

All arithmetic is in whole numbers, so a fit is the same on every platform.
"""

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel

Matrix = NDArray[np.int64]

RANKS = (0, 2)
"""How many factors are fitted beside the effects of rows and columns."""
UNREAD_PART = 2
"""One of so many rows is not read. Fewer cells leave many optima as they are by chance, whatever is guessed for them."""
_SCALE = 4_096
"""The largest entry of a factor; its other side holds the size."""
_EFFECT_ROUNDS, _FACTOR_ROUNDS, _SWEEPS = 2, 3, 12


def complete(whole: Matrix, known: NDArray[np.bool_], rank: int, effects: bool) -> Matrix:
    """What `rank` factors, and if asked `effects` of rows and columns, fitted to the `known` cells, say about every cell."""
    if not whole.size:
        return whole
    return _fit(whole, known, rank, effects)  # type: ignore[no-any-return]


@kernel
def _fit(whole, known, rank, effects):  # type: ignore[no-untyped-def]
    """Fitted <- row + column + sum of u v / SCALE, one part after the other fitted to what the others leave."""
    n, m = whole.shape
    rest = np.where(known, whole, 0)
    fitted = np.zeros((n, m), np.int64)
    row, column = np.zeros(n, np.int64), np.zeros(m, np.int64)
    u, v = np.zeros((rank, n), np.int64), np.zeros((rank, m), np.int64)
    for sweep in range(_SWEEPS):
        if effects:
            for _ in range(_EFFECT_ROUNDS):
                for i in range(n):
                    _shift(rest[i], known[i], row, i)
                for j in range(m):
                    _shift(rest[:, j], known[:, j], column, j)
        for k in range(rank):
            for i in range(n):
                for j in range(m):
                    if known[i, j]:
                        rest[i, j] += u[k, i] * v[k, j] // _SCALE
            if sweep == 0:
                start, most = 0, -1
                for i in range(n):
                    size = np.abs(rest[i]).sum()
                    if size > most:
                        start, most = i, size
                v[k] = rest[start]
                _normalize(v[k])
            for _ in range(_FACTOR_ROUNDS):
                for i in range(n):
                    u[k, i] = _project(rest[i], known[i], v[k], _SCALE)
                largest = np.abs(u[k]).max()
                for j in range(m):
                    v[k, j] = _project(rest[:, j], known[:, j], u[k], _SCALE)
                if largest == 0:
                    break
                _normalize(v[k])
            for i in range(n):
                u[k, i] = _project(rest[i], known[i], v[k], _SCALE)
                for j in range(m):
                    if known[i, j]:
                        rest[i, j] -= u[k, i] * v[k, j] // _SCALE
    for i in range(n):
        for j in range(m):
            total = row[i] + column[j]
            for k in range(rank):
                total += u[k, i] * v[k, j] // _SCALE
            fitted[i, j] = total
    return fitted


@kernel
def _shift(rest, known, effect, at):  # type: ignore[no-untyped-def]
    """Move the mean of the known numbers of a row or column into its effect."""
    count = known.sum()
    if count:
        mean = rest.sum() // count
        effect[at] += mean
        for j in range(len(rest)):
            if known[j]:
                rest[j] -= mean


@kernel
def _project(rest, known, other, scale):  # type: ignore[no-untyped-def]
    """The least-squares factor of one row, given the factor of the columns: scale * sum of rest * other / sum of other^2."""
    above, below = 0, 0
    for j in range(len(rest)):
        if known[j]:
            above += rest[j] * other[j]
            below += other[j] * other[j]
    return scale * above // below if below else 0


@kernel
def _normalize(v):  # type: ignore[no-untyped-def]
    """Scale `v` so that its largest entry is SCALE."""
    largest = np.abs(v).max()
    if largest:
        for j in range(len(v)):
            v[j] = v[j] * _SCALE // largest

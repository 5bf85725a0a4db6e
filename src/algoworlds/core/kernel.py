"""Compiled kernels: one decorator, a cache that notices edits, and the bounds that make int64 arithmetic exact.

Numba's own cache ignores edits in imported files, so its directory is named by a digest of the sources around a
kernel and of the versions involved. Numba also wraps silently on overflow; `exact` proves in Python integers that no sum can.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np

from algoworlds.core.instance import Instance
from algoworlds.errors import TooLarge

INFINITY = np.int64(2**62)
"""Larger than any sum that a kernel may form; adding a coefficient to it cannot wrap."""

_BOUND = 2**61


@cache
def _cache_directory(folder: Path) -> str:
    seal = hashlib.sha256(f"{sys.version} {platform.machine()} numba {version('numba')} numpy {version('numpy')}".encode())
    for source in (*sorted(folder.glob("*.py")), Path(__file__)):
        seal.update(source.read_bytes())
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(root) / "algoworlds" / f"{folder.name}-{seal.hexdigest()[:16]}")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function to machine code, cached on disk. `NUMBA_DISABLE_JIT=1` runs the same source as plain Python."""
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = _cache_directory(Path(function.__code__.co_filename).parent)  # type: ignore[attr-defined]
    return numba.njit(cache=True, nogil=True)(function)


inline: Any = numba.njit
"""Compile a helper that kernels share; uncached, because a cached generator fails for a second signature."""


def exact(instance: Instance) -> None:
    """Raise TooLarge unless every sum that a solver may form is exact in int64."""
    if instance.magnitude() >= _BOUND:
        raise TooLarge("the values are too large to add exactly: keep the sum of absolute values below 2^61")


def table_size(cells: int) -> None:
    """Raise TooLarge if a table that a kernel is about to allocate would not fit in memory."""
    if cells > 2**30:
        raise TooLarge(f"the exact algorithm would need {cells:,} table cells, more than the limit of {2**30:,}")

"""Compiled kernels: one decorator, a cache that notices edits, and the bounds that make int64 arithmetic exact.

A kernel meets the compiler at its first call and not before, so that a family can name its algorithms without loading one.
Processes that need the same kernel wait for the one of them that compiles it, and load what it has kept.
Numba's own cache ignores edits in imported files, so its directory is named by a digest of the sources around a
kernel and of the versions involved. Numba also wraps silently on overflow; `exact` proves in Python integers that no sum can.
"""

import hashlib
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from algoworlds.cache import cache_directory
from algoworlds.core.instance import Instance
from algoworlds.disk import one_at_a_time
from algoworlds.errors import TooLarge, interrupted

INFINITY = np.int64(2**62)
"""Larger than any sum that a kernel may form; adding a coefficient to it cannot wrap."""

_BOUND = 2**61
_SHARED = Path(__file__), *(Path(__file__).with_name(name) for name in ("ties.py", "draw.py"))
"""Sources of what kernels of all families use."""
_LOCK = RLock()

MOST_BYTES = 4 * 2**30
"""Memory that the tables of an algorithm may take together; an instance that needs more is refused."""


@cache
def _cache_directory(folder: Path, compiler: str) -> str:
    seal = hashlib.sha256(f"{sys.version} {platform.machine()} numba {compiler} numpy {np.__version__}".encode())
    for source in (*sorted(folder.glob("*.py")), *_SHARED):
        seal.update(source.read_bytes())
    return str(cache_directory() / "algoworlds" / f"{folder.name}-{seal.hexdigest()[:16]}")


class _Deferred:
    """A function that is handed to the compiler when it is first called, or first met in a kernel that is compiled."""

    def __init__(self, function: Callable[..., Any], compiler: Callable[[Callable[..., Any]], Any]) -> None:
        self._function, self._compiler, self._compiled = function, compiler, None
        self.__doc__ = function.__doc__

    @property
    def compiled(self) -> Any:
        """Numba's own object; with NUMBA_DISABLE_JIT=1 the function itself."""
        with _LOCK:  # because Numba's cache directory is set for the whole process
            self._compiled = self._compiled or self._compiler(self._function)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that it meets while it compiles another function."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.compiled(*arguments)
        except Exception as problem:
            if interrupted(problem):
                raise KeyboardInterrupt from None
            raise


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function to machine code, cached on disk. `NUMBA_DISABLE_JIT=1` runs the same source as plain Python."""
    return _Deferred(function, _cached)


def inline(function: Callable[..., Any]) -> Any:
    """Compile a helper that kernels share; uncached, because a cached generator fails for a second signature."""
    return _Deferred(function, _uncached)


@cache
def _compiler() -> Any:
    """Numba, without the BLAS of SciPy that it looks for: no kernel uses one, and SciPy takes as long to import as Numba."""
    absent = {"scipy": None} if "scipy" not in sys.modules else {}
    sys.modules.update(absent)  # type: ignore[arg-type]
    try:
        import_module("numba.np.arraymath")
    finally:
        for name in absent:
            del sys.modules[name]
    return import_module("numba")


def _cached(function: Callable[..., Any]) -> Any:
    numba = _compiler()
    if numba.config.DISABLE_JIT:
        return function
    directory = Path(_cache_directory(Path(function.__code__.co_filename).parent, numba.__version__))
    directory.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(directory)
    dispatcher = numba.njit(cache=True, nogil=True)(function)
    dispatcher.compile = _one_process(dispatcher.compile, directory / f"{function.__module__}.{function.__name__}.lock")
    return dispatcher


def _one_process(compiled: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Load or compile while no other process does, but for those that compile what this kernel calls."""
    threads = import_module("numba.core.compiler_lock").global_compiler_lock

    def load_or_compile(signature: Any) -> Any:
        with threads, one_at_a_time(lock):  # in this order: a thread that compiles meets the kernels that its own one calls
            return compiled(signature)

    return load_or_compile


def _uncached(function: Callable[..., Any]) -> Any:
    return _compiler().njit(function)


def exact(instance: Instance) -> None:
    """Raise TooLarge unless every sum that a solver may form is exact in int64."""
    if instance.magnitude() >= _BOUND:
        raise TooLarge("the values are too large to add exactly: keep the sum of absolute values below 2^61")


def within_memory(size: int) -> None:
    """Raise TooLarge if all the tables that an algorithm is about to allocate take more than MOST_BYTES together."""
    if size > MOST_BYTES:
        needed = f"{-(-size // 2**30):,}" if size < 2**70 else "2^40 or more"  # never a number of thousands of digits
        limit = f"the limit of {MOST_BYTES // 2**30} GiB: take a smaller instance"
        raise TooLarge(f"the exact algorithm would need {needed} GiB of memory, more than {limit}")

"""Compiled kernels: one decorator, a cache that notices edits, and the bounds that make int64 arithmetic exact.

A kernel is compiled on its first call, so that a family can name its algorithms without loading Numba. Processes that need
the same kernel wait for the one that compiles it and load its result. Numba's own cache ignores edits in imported files, so
its directory is keyed by a digest of the sources around a kernel and of the versions involved. Numba also wraps silently on
overflow; `require_exact_sums` proves in Python integers that no sum can.
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
from algoworlds.disk import lock_file
from algoworlds.errors import TooLarge, is_interrupt

INFINITY = np.int64(2**62)
"""Larger than any sum that a kernel may form; adding a coefficient to it cannot wrap."""
MAX_COUNTED = 100
"""Verification algorithms count optima up to this."""
MAX_TABLE_BYTES = 4 * 2**30
"""Memory that all tables of an algorithm may take together; an instance that needs more is refused."""

_MAX_SUM = 2**61
_COMPILE_LOCK = RLock()  # Numba's cache directory is set for the whole process


class _Deferred:
    """A function that is compiled when it is first called, or first used by a kernel that is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._compiled = function, None
        self.__doc__ = function.__doc__

    @property
    def compiled(self) -> Any:
        """Numba's own object; with NUMBA_DISABLE_JIT=1 the function itself."""
        with _COMPILE_LOCK:
            self._compiled = self._compiled or _compile_cached(self._function)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """The attribute that Numba reads of a global used by another kernel."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.compiled(*arguments)
        except Exception as problem:
            if is_interrupt(problem):
                raise KeyboardInterrupt from None
            raise


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function to machine code, cached on disk. `NUMBA_DISABLE_JIT=1` runs the same source as plain Python.

    Kernels may call each other. A kernel must not be a generator: Numba's cache fails for its second signature.
    """
    return _Deferred(function)


@cache
def _load_numba() -> Any:
    """Import Numba without SciPy, whose BLAS it looks for: no kernel uses it, and it doubles the import time."""
    hidden = {"scipy": None} if "scipy" not in sys.modules else {}
    sys.modules.update(hidden)  # type: ignore[arg-type]
    try:
        import_module("numba.np.arraymath")
    finally:
        for name in hidden:
            del sys.modules[name]
    return import_module("numba")


def _compile_cached(function: Callable[..., Any]) -> Any:
    numba = _load_numba()
    if numba.config.DISABLE_JIT:
        return function
    directory = Path(_cache_directory(Path(function.__code__.co_filename).parent, numba.__version__))
    directory.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(directory)
    dispatcher = numba.njit(cache=True, nogil=True)(function)
    compiler, lock = dispatcher.compile, directory / f"{function.__module__}.{function.__name__}.lock"
    thread_lock = import_module("numba.core.compiler_lock").global_compiler_lock

    def compile_alone(signature: Any) -> Any:
        # Threads before processes: a thread that compiles also compiles the kernels that its own one calls.
        with thread_lock, lock_file(lock):
            return compiler(signature)

    dispatcher.compile = compile_alone
    return dispatcher


@cache
def _cache_directory(folder: Path, compiler: str) -> str:
    digest = hashlib.sha256(f"{sys.version} {platform.machine()} numba {compiler} numpy {np.__version__}".encode())
    for source in (*sorted(folder.glob("*.py")), Path(__file__)):
        digest.update(source.read_bytes())
    return str(cache_directory() / "algoworlds" / f"{folder.name}-{digest.hexdigest()[:16]}")


def require_exact_sums(instance: Instance) -> None:
    """Raise TooLarge unless every sum that a solver may form is exact in int64."""
    if instance.magnitude() >= _MAX_SUM:
        raise TooLarge("the values are too large to add exactly: keep the sum of absolute values below 2^61")


def require_memory(size: int) -> None:
    """Raise TooLarge if the tables that an algorithm is about to allocate, `size` bytes, exceed `MAX_TABLE_BYTES`."""
    if size > MAX_TABLE_BYTES:
        needed = f"{-(-size // 2**30):,}" if size < 2**70 else "2^40 or more"  # never a number of thousands of digits
        limit = f"the limit of {MAX_TABLE_BYTES // 2**30} GiB: take a smaller instance"
        raise TooLarge(f"the exact algorithm would need {needed} GiB of memory, more than {limit}")


_LAST_WORD = np.uint64(2**64 - 1)


@kernel
def random_below(words, used, bound):  # type: ignore[no-untyped-def]
    """Uniform in 0 .. bound-1 without modulo bias, from `words`; `used[0]` counts the words used."""
    b = np.uint64(bound)
    while used[0] < len(words):
        word = words[used[0]]
        used[0] += 1
        # The first test is cheap and nearly always true; the second one is exact.
        if word <= _LAST_WORD - b or word <= _LAST_WORD - (_LAST_WORD % b + np.uint64(1)) % b:
            return np.int64(word % b)
    raise IndexError("all words are used")


@kernel
def shuffle_in_place(words, used, deck):  # type: ignore[no-untyped-def]
    """Shuffle `deck` uniformly in place (Fisher-Yates); the same draws as `Stream.shuffled`."""
    for last in range(len(deck) - 1, 0, -1):
        pick = random_below(words, used, last + 1)
        deck[last], deck[pick] = deck[pick], deck[last]


# -- best values with their choices and ties: helpers that construction kernels share ---------------------------------
#
# A stored choice is a small non-negative number. The highest bit below its sign marks that another choice gave the same
# value, so that uniqueness costs no further table. Verification algorithms count optima instead and use none of this.
#
# Kernels write `if store_min(...): updates += 1`. Adding the boolean itself would take twice the time: the compiler then
# drops the branch, which is predicted well.


def max_choices(dtype: Any) -> int:
    """How many different choices an array of `dtype` can store beside the tie bit."""
    return int(1 << (8 * np.dtype(dtype).itemsize - 2))


@kernel
def tie_bit(pred):  # type: ignore[no-untyped-def]
    """The bit of a stored choice that marks a tie."""
    return 1 << (8 * pred.itemsize - 2)


@kernel
def store_min(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- min { stored(state), value }; True if that set or lowered it."""
    best = stored[state]
    if value < best:
        stored[state] = value
        pred[state] = choice
    elif value == best:
        pred[state] |= tie_bit(pred)
    return value < best


@kernel
def store_max(stored, pred, state, value, choice):  # type: ignore[no-untyped-def]
    """stored(state) <- max { stored(state), value }; True if that set or raised it."""
    best = stored[state]
    if value > best:
        stored[state] = value
        pred[state] = choice
    elif value == best:
        pred[state] |= tie_bit(pred)
    return value > best


@kernel
def read_choice(pred, state):  # type: ignore[no-untyped-def]
    """The choice behind a state's value, and 2 if another choice ties with it, else 1."""
    choice = np.int64(pred[state])
    return choice & ~tie_bit(pred), 2 if choice & tie_bit(pred) else 1


@kernel
def layer_min(layer):  # type: ignore[no-untyped-def]
    """The least value in a layer, its first index, and how many entries attain it: 0, 1, or 2 (several)."""
    best, index, optima = INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] < best:
            best, index, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, index, optima


@kernel
def layer_max(layer):  # type: ignore[no-untyped-def]
    """The largest value in a layer, its first index, and how many entries attain it: 0, 1, or 2 (several)."""
    best, index, optima = -INFINITY, 0, 0
    for at in range(len(layer)):
        if layer[at] > best:
            best, index, optima = layer[at], at, 1
        elif layer[at] == best and optima > 0:
            optima = 2
    return best, index, optima

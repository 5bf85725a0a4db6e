"""The construction kernels beside the same loops in C.

A family's `solve.py` offers `prepare(instance)`, the kernel's arguments, and `construct(*arguments)`, the kernel, which
returns the best value of its recurrence (without what is added afterwards) first and the five work counters last. The file
`bench/kernels/<family>.c` holds the same loop as `int64_t construct(..., int64_t *counts)`. Arguments are passed in
order: an array as its pointer followed by each of its dimensions, a number as int64; named tuples are flattened.
"""

import ctypes
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
BUILD = HERE.parent / "build"


def compile_c(name: str) -> Any:
    """The C function of a family, compiled with gcc -O3."""
    BUILD.mkdir(exist_ok=True)
    library = BUILD / f"{name}.so"
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(HERE / f"{name}.c")]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).construct
    function.restype = ctypes.c_int64
    return function


def solver(name: str) -> Any:
    """A family's solve module."""
    return import_module(f"algoworlds.families.{name}.solve")


def run_c(function: Any, arguments: tuple[Any, ...]) -> tuple[int, tuple[int, ...]]:
    """Call the C loop with a kernel's arguments: its value and its five counters."""
    counts = (ctypes.c_int64 * 5)()
    value = function(*_flat(arguments), counts)
    return value, tuple(counts)


def _flat(argument: Any) -> list[Any]:
    if isinstance(argument, tuple):
        return [value for part in argument for value in _flat(part)]
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return [ctypes.c_void_p(argument.ctypes.data), *map(ctypes.c_int64, argument.shape)]
    return [ctypes.c_int64(int(argument))]

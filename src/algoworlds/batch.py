"""Batches: the same tasks on one core, on a pool of processes or on a Dask cluster.

A task is a small value in and a small value out, so the result cannot depend on the engine or on the order of work.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from algoworlds.errors import InputError

T = TypeVar("T")
R = TypeVar("R")


def results(function: Callable[[T], R], tasks: Sequence[T], executor: Executor | None) -> Iterator[tuple[T, R]]:
    """Every task with its result, as they come; in order of the tasks where there is no executor."""
    run = partial(_undisturbed, function)
    if executor is None:
        yield from ((task, run(task)) for task in tasks)
        return
    futures = {executor.submit(run, task): task for task in tasks}
    try:
        for future in as_completed(futures):
            yield futures.pop(future), future.result()
    finally:
        for future in futures:
            future.cancel()


def _undisturbed(function: Callable[[T], R], task: T) -> R:
    """Run a task without the cyclic garbage collector, which would walk its millions of small rows again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return function(task)
    finally:
        if enabled:
            gc.enable()


@contextmanager
def engine(jobs: int, address: str | None) -> Iterator[Executor | None]:
    """None for one job, a pool of fresh processes for several, or the executor of the Dask cluster at an address."""
    if address is not None:
        yield from _dask(address)
    elif jobs < 1:
        raise InputError(f"--jobs counts from 1, so {jobs} is none")
    elif jobs == 1:
        yield None
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            yield pool


def _dask(address: str) -> Iterator[Any]:
    if not address.startswith("dask://"):
        raise InputError(f"{address!r} is no executor; a Dask scheduler is named like dask://host:8786")
    try:
        from distributed import Client
    except ImportError:
        raise InputError("Dask is not installed; install it with: pip install 'algoworlds[dask]'") from None
    try:
        client = Client(address.replace("dask://", "tcp://"), timeout=10)
    except OSError:
        raise InputError(f"no Dask scheduler answers at {address}") from None
    with client:
        yield client.get_executor(pure=False)

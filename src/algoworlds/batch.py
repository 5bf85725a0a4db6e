"""Batches: the same tasks on one core, on a pool of processes or on a Dask cluster.

A task is a small value in and a small value out, so the result cannot depend on the engine or on the order of work.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any, TypeVar

from algoworlds.cache import cache_directory
from algoworlds.collector import uncollected
from algoworlds.errors import AlgoWorldsError, InputError, quoted, shown

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a command in good order: Ctrl-C, a request to stop, a terminal that is closed."""

T = TypeVar("T")
R = TypeVar("R")


def results(
    function: Callable[[T], R], tasks: Iterable[T], executor: Executor | None, ahead: int = 1_000
) -> Iterator[tuple[T, R]]:
    """Every task with its result, as they come; in order of the tasks where there is no executor.

    At most `ahead` tasks are under way; the next ones are asked for when others are done, so that they may be any number.
    """
    run = partial(_undisturbed, function)
    if executor is None:
        yield from ((task, run(task)) for task in tasks)
        return
    futures: dict[Future[R], T] = {}
    waiting = iter(tasks)
    try:
        with _unheard():
            futures |= {executor.submit(run, task): task for task in islice(waiting, ahead)}
        while futures:
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                done = futures.pop(future)
                futures |= {executor.submit(run, task): task for task in islice(waiting, 1)}
                yield done, future.result()
    except (BrokenExecutor, KeyboardInterrupt) as problem:
        futures.clear()  # a pool that ends does so by itself, and trips over tasks that were cancelled
        if isinstance(problem, KeyboardInterrupt):
            raise
        advice = "run the same command again, with fewer at a time if memory was short"
        raise AlgoWorldsError(f"a worker process was killed: {advice}") from None
    finally:
        for future in futures:
            future.cancel()


@contextmanager
def _unheard() -> Iterator[None]:
    """Block what a terminal sends: processes that start meanwhile never hear it, and we hear it afterwards."""
    numbers = (signal.SIGINT, signal.SIGHUP)  # a broken pool ends its other workers by SIGTERM
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        resource_tracker.ensure_running()  # a process as well; its start unblocks some signals
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _undisturbed(function: Callable[[T], R], task: T) -> R:
    """Run a task without the cyclic garbage collector."""
    with uncollected():
        return function(task)


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
        cache_directory()  # settled here, so that not every process has to say that it cannot be written
        with _unheard():
            pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_die_with_parent)
        with pool:
            try:
                yield pool
            except KeyboardInterrupt:
                for child in active_children():
                    child.kill()
                raise


def _die_with_parent() -> None:
    """End a worker process when the one that started it is gone, however that ended."""
    Thread(target=_outlast, args=(parent_process(),), daemon=True).start()


def _outlast(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _dask(address: str) -> Iterator[Any]:
    if not address.startswith("dask://"):
        raise InputError(f"{quoted(address)} is no executor; a Dask scheduler is named like dask://host:8786")
    try:
        from distributed import Client
    except ImportError:
        raise InputError("Dask is not installed; install it with: pip install 'algoworlds[dask]'") from None
    try:
        client = Client(address.replace("dask://", "tcp://"), timeout=10)
    except OSError:
        raise InputError(f"no Dask scheduler answers at {shown(address)}") from None
    with client:
        yield client.get_executor(pure=False)

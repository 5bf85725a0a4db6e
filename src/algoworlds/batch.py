"""Batches: run the same tasks on one core, on a pool of processes or on a Dask cluster.

A task is a small value in and a small value out, so the result cannot depend on the engine or on the order of work.
"""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import active_children, current_process, get_context, parent_process, resource_tracker
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from algoworlds.cache import cache_directory
from algoworlds.errors import AlgoWorldsError, InputError, format_value, quote_value

STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a command in good order: Ctrl-C, a request to stop, a closed terminal."""


def require_posix(subject: str) -> None:
    """InputError on systems without process groups and inherited descriptors; `subject` names what needs them."""
    if not hasattr(os, "killpg"):
        raise InputError(f"{format_value(subject)} need Linux or macOS: on Windows, use AlgoWorlds inside WSL for them")


def on_stop_signal(loop: asyncio.AbstractEventLoop, handler: Callable[[], Any]) -> None:
    """Let stop signals call `handler` in `loop`, except those that are ignored, as under nohup. For the main thread only."""
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(number, handler)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(handler))


MAX_JOBS = 1_024
"""Worker processes of one command."""

MAIN_GUARD_ADVICE = 'A script must start workers under if __name__ == "__main__": because each worker process imports it'
"""For scripts that start a pool or a LocalCluster of Dask at their top level."""

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause the cyclic garbage collector, which would walk millions of small rows again and again and find nothing.

    Reference counting still frees the rows. If several threads pause it, the first one to finish resumes it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def run_tasks(
    function: Callable[[T], R], tasks: Iterable[T], executor: Executor | None, max_pending: int = 1_000
) -> Iterator[tuple[T, R]]:
    """Yield every task with its result as it completes; in order if `executor` is None.

    At most `max_pending` tasks are submitted at a time, so `tasks` may be endless.
    """
    run = partial(_run_without_gc, function)
    if executor is None:
        yield from ((task, run(task)) for task in tasks)
        return
    futures: dict[Future[R], T] = {}
    waiting = iter(tasks)
    try:
        with _block_terminal_signals():
            futures |= {executor.submit(run, task): task for task in islice(waiting, max_pending)}
        while futures:
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                done = futures.pop(future)
                futures |= {executor.submit(run, task): task for task in islice(waiting, 1)}
                yield done, future.result()
    except (BrokenExecutor, KeyboardInterrupt) as problem:
        futures.clear()  # a pool that shuts down trips over cancelled tasks
        if isinstance(problem, KeyboardInterrupt):
            raise
        advice = "run the same command again, with fewer at a time if memory was short"
        if Path(sys.argv[0]).stem not in ("algoworlds", "__main__"):
            advice = f"{advice}. {MAIN_GUARD_ADVICE}"
        raise AlgoWorldsError(f"a worker process was killed: {advice}") from None
    finally:
        for future in futures:
            future.cancel()


def _run_without_gc(function: Callable[[T], R], task: T) -> R:
    """Run one task with the cyclic garbage collector paused."""
    with pause_gc():
        return function(task)


@contextmanager
def _block_terminal_signals() -> Iterator[None]:
    """Block signals of the terminal: processes started meanwhile inherit the mask; this one gets them afterwards."""
    if sys.platform == "win32" or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    signals = (signal.SIGINT, signal.SIGHUP)  # not SIGTERM, by which a broken pool ends its other workers
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        resource_tracker.ensure_running()  # also a process; starting it unblocks some signals
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def open_executor(jobs: int, address: str | None) -> Iterator[Executor | None]:
    """Open the Dask cluster at `address`, a pool of `jobs` fresh processes, or None for one job."""
    if getattr(current_process(), "_inheriting", False):  # this process still imports the script that started it
        raise InputError(f"this is a worker process that is just starting. {MAIN_GUARD_ADVICE}")
    if address is not None:
        yield from _dask_executor(address)
    elif jobs < 1:
        raise InputError(f"--jobs must be at least 1, not {jobs}")
    elif jobs > MAX_JOBS:
        raise InputError(f"--jobs must be at most {MAX_JOBS:,}, not {format_value(jobs)}")
    elif jobs == 1:
        yield None
    else:
        cache_directory()  # chosen here, so that not every process warns that it cannot be written
        with _block_terminal_signals():
            pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_die_with_parent)
        with pool:
            try:
                yield pool
            except KeyboardInterrupt:
                for child in active_children():
                    child.kill()
                raise


def _die_with_parent() -> None:
    """End this worker process when its parent is gone, however the parent ended."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _dask_executor(address: str) -> Iterator[Any]:
    if not address.startswith("dask://"):
        raise InputError(f"{quote_value(address)} is not an executor; name a Dask scheduler like dask://host:8786")
    try:
        from distributed import Client
    except ImportError:
        raise InputError("Dask is not installed; install it with: pip install 'algoworlds[dask]'") from None
    try:
        client = Client(address.replace("dask://", "tcp://"), timeout=10)
    except (OSError, ValueError):  # ValueError: not an address
        raise InputError(f"no Dask scheduler answers at {format_value(address)}") from None
    try:
        with client:
            yield client.get_executor(pure=False)
    except Exception as problem:
        if not _is_dask_failure(problem):
            raise
        text = f"the Dask scheduler at {format_value(address)} or its workers are gone ({type(problem).__name__})"
        raise AlgoWorldsError(f"{text}: start them again and run the same command again") from None


def _is_dask_failure(problem: BaseException) -> bool:
    """Whether `problem` comes from a cluster that failed, and not from a task."""
    own = (CancelledError, asyncio.CancelledError, TimeoutError)
    return isinstance(problem, own) or type(problem).__module__.split(".")[0] == "distributed"

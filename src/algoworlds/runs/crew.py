"""Many evaluations at once in one process: a queue, workers, signals, and what becomes of an evaluation that came to no end."""

import asyncio
import resource
import signal
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import current_thread, main_thread
from typing import Any, TypeVar

from algoworlds.batch import INTERRUPTIONS
from algoworlds.errors import AlgoWorldsError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.outcome import OUTCOMES, Event, event_of
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals

T = TypeVar("T")
FILES_APART = 32
"""Open files that are not an evaluation's: standard streams, lock, attempts, libraries."""
APART = (Event.REJECTED, Event.LOST, Event.HARNESS)
"""Events that somebody must look at: what happened is kept under `quarantine/`."""


class Halted(Exception):
    """A wait that is not worth its end, because nothing further is begun."""


class Crew:
    """The workers of a run, who make one pending evaluation after the other; `totals` says how it stands, `watch` is told.

    `clean` takes out of a message what must not be written down; `told` has the words for a problem.
    """

    def __init__(
        self,
        directory: RunDirectory,
        totals: Totals,
        watch: Callable[[Totals], Any],
        clean: Callable[[str], str] = str,
        told: Callable[[AlgoWorldsError], str] = str,
    ) -> None:
        """Begin with what has no record yet; must be made where an event loop runs."""
        finished = directory.finished
        self.queue = deque(each for each in directory.schedule if each not in finished)
        self._directory, self._totals, self._watch, self._clean = directory, totals, watch, clean
        self._told = told
        self._halting = asyncio.Event()

    async def work(self, evaluate: Callable[[Slot], Awaitable[None]], concurrency: int, files: int = 2) -> None:
        """Make the pending evaluations, some at a time, each with so many open files; `totals` says what was left, and why."""
        many = min(concurrency, len(self.queue), most_evaluations(files))
        workers = [asyncio.create_task(self._work(evaluate)) for _ in range(many)]
        self._listen(workers)
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            self._totals.interrupted = True
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _listen(self, workers: list[asyncio.Task[None]]) -> None:
        """The first signal lets what is under way finish and be kept; the second stops at once.

        A signal that whoever started us had us ignore, as nohup does, stays ignored; and only the main thread hears any.
        """
        if current_thread() is not main_thread():
            return

        def interrupt() -> None:
            if self._totals.interrupted:
                for worker in workers:
                    worker.cancel()
            self._totals.interrupted = True
            self.halt("interrupted")
            self._watch(self._totals)

        loop = asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, interrupt)

    def halt(self, reason: str) -> None:
        """Begin nothing further, and end the waits for another attempt; the first reason counts."""
        self._totals.halted = self._totals.halted or reason
        self._halting.set()

    async def wait(self, seconds: float) -> None:
        """Wait before another attempt, unless the run halts."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._halting.wait(), seconds)
            raise Halted

    async def _work(self, evaluate: Callable[[Slot], Awaitable[None]]) -> None:
        while self.queue and self._totals.halted is None:
            slot = self.queue.popleft()
            self._totals.running += 1
            try:
                await evaluate(slot)
            except Halted:
                pass
            except OSError as problem:  # a disk that fails us: stop before anything is lost
                self._unwritable(problem)
            except AlgoWorldsError as problem:
                self._leave(slot, event_of(problem), self._told(problem))
            except Exception:
                self._leave(slot, Event.HARNESS, traceback.format_exc())
            finally:
                self._totals.running -= 1
                self._watch(self._totals)

    def _leave(self, slot: Slot, event: Event, text: str) -> None:
        """Leave an evaluation pending; some faults end the whole run, and some are kept for somebody to look at."""
        self._totals.pending[event.value] = self._totals.pending.get(event.value, 0) + 1
        if OUTCOMES[event].halts:
            self.halt(self._clean(text))
        if event in APART:
            try:
                self._directory.quarantine(slot, self._clean(text) + "\n")
            except OSError as problem:
                self._unwritable(problem)

    def _unwritable(self, problem: OSError) -> None:
        self.halt(f"cannot write {self._directory.path}: {problem.strerror}")


async def durably(function: Callable[..., T], *arguments: Any) -> T:
    """Write in a thread, to the end even if we are told to stop meanwhile: what was answered is kept."""
    return await to_the_end(asyncio.to_thread(function, *arguments))


async def to_the_end(work: Awaitable[T]) -> T:
    """Go on to the end even if we are told to stop meanwhile, and stop then."""
    working, stopped = asyncio.ensure_future(work), False
    while not working.done():
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            stopped = True
    result = working.result()
    if stopped:
        raise asyncio.CancelledError
    return result


def most_evaluations(files: int) -> int:
    """Evaluations that can go on at once under the limit of open files, of which each takes so many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(1, (max(soft, wanted) - FILES_APART) // files)

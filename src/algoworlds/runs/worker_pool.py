"""Many evaluations at once in one process: totals, a queue, workers, signals, and evaluations that are left pending."""

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import current_thread, main_thread
from typing import Any, TypeVar

from algoworlds.batch import on_stop_signal
from algoworlds.errors import AlgoWorldsError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.outcome import Event, event_from_fault
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import Usage
from algoworlds.runs.schedule import Slot


@dataclass
class Totals:
    """The state of a run, for progress displays."""

    scheduled: int
    finished: int
    running: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    retries: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    """Failed requests, by kind of fault."""
    reasons: dict[str, str] = field(default_factory=dict)
    """The latest message of each kind of fault, in the order of their latest occurrence."""
    tokens: int = 0
    cost: float = 0.0
    """USD; a turn that does not state all its tokens counts with the most that it can have cost."""
    turns_without_tokens: int = 0
    """The number of such turns."""
    unanswered_requests: int = 0
    """Requests without a usable answer that may have been billed; with prices, each counts with the most it can have cost."""
    pending: dict[str, int] = field(default_factory=dict)
    """Evaluations left for later, by kind of fault."""
    halted: str | None = None
    """Why the run starts nothing further."""
    interrupted: bool = False
    """Whether a signal came."""

    @classmethod
    def from_directory(cls, directory: RunDirectory) -> "Totals":
        """The totals before anything runs, with the cost of the finished evaluations."""
        totals = cls(len(directory.schedule), 0)
        for record in directory.read_records():
            totals.count_record(record)
            tokens = record["tokens"] or {}
            totals.tokens += (tokens.get("input") or 0) + (tokens.get("output") or 0)
            totals.cost += record["cost"] or 0.0
        return totals

    def count_turn(self, configuration: Configuration, usage: Usage, request_bytes: int) -> float | None:
        """Count a turn and return its cost in USD, if there are prices; `request_bytes` bounds tokens that are not stated."""
        self.tokens += (usage.input or 0) + (usage.output or 0)
        if not configuration.has_prices:
            return None
        cost = configuration.cost(usage)
        if cost is None:
            self.turns_without_tokens += 1
            cost = configuration.cost_bound(usage, request_bytes)
        self.cost += cost
        return cost

    def count_fault(self, kind: str, detail: str | None) -> None:
        """Count a failed request."""
        self.faults[kind] = self.faults.get(kind, 0) + 1
        self.reasons.pop(kind, None)
        self.reasons[kind] = f"{kind}: {detail}" if detail else kind

    def count_unanswered(self, cost: float | None) -> None:
        """Count a request without a usable answer; `cost` is the most it can have cost, None if nothing."""
        if cost is not None:
            self.unanswered_requests += 1
            self.cost += cost

    def count_earlier_attempts(self, attempts: Iterable[Mapping[str, Any]]) -> None:
        """Raise the cost to at least what the attempt log of earlier runs states."""
        logged_cost = 0.0
        for attempt in attempts:
            usage, cost = attempt.get("tokens"), attempt.get("cost")
            logged_cost += cost or 0.0
            if usage is not None:
                self.turns_without_tokens += None in (usage["input"], usage["output"])
            else:
                self.unanswered_requests += cost is not None
        self.cost = max(self.cost, logged_cost)

    def count_record(self, record: Mapping[str, Any]) -> None:
        """Count a final record."""
        self.finished += 1
        name = "exact" if record["exact"] else record["outcome"]
        self.outcomes[name] = self.outcomes.get(name, 0) + 1


T = TypeVar("T")
MAX_OPEN_FILES = 4096
RESERVED_FILES = 32
"""Open files outside evaluations: standard streams, lock, attempt log, libraries."""
QUARANTINED_EVENTS = (Event.REJECTED, Event.LOST, Event.HARNESS)
"""Events that need a look: their description is kept under `quarantine/`."""


class Halted(Exception):
    """A wait that ended early because the run starts nothing further."""


class WorkerPool:
    """Workers that take the pending evaluations from one queue; `watch` is called with `totals` at every change.

    `redact` removes secrets from messages; `format_problem` gives the text of a problem.
    """

    def __init__(
        self,
        directory: RunDirectory,
        totals: Totals,
        watch: Callable[[Totals], Any],
        redact: Callable[[str], str] = str,
        format_problem: Callable[[AlgoWorldsError], str] = str,
    ) -> None:
        """Queue the evaluations without a record; needs a running event loop."""
        finished = directory.finished_slots
        self.queue = deque(slot for slot in directory.schedule if slot not in finished)
        self._directory, self._totals, self._watch = directory, totals, watch
        self._redact, self._format_problem = redact, format_problem
        self._halting = asyncio.Event()

    async def run(self, evaluate: Callable[[Slot], Awaitable[None]], concurrency: int, open_files: int = 2) -> None:
        """Evaluate the queue, up to `concurrency` slots at a time, each with `open_files` open files."""
        count = min(concurrency, len(self.queue), max_concurrent_evaluations(open_files))
        workers = [asyncio.create_task(self._work(evaluate)) for _ in range(count)]
        self._handle_signals(workers)
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            self._totals.interrupted = True
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _handle_signals(self, workers: list[asyncio.Task[None]]) -> None:
        """Drain at the first signal, and cancel all workers at the second.

        A signal that is already ignored, as under nohup, stays ignored. Only the main thread can install handlers.
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

        on_stop_signal(asyncio.get_running_loop(), interrupt)

    def halt(self, reason: str) -> None:
        """Start nothing further and end all waits for another attempt; the first `reason` is kept."""
        self._totals.halted = self._totals.halted or reason
        self._halting.set()

    async def wait_unless_halted(self, seconds: float) -> None:
        """Wait before another attempt; raises Halted as soon as the run halts."""
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
            except OSError as problem:  # the disk fails: stop before anything is lost
                self._halt_unwritable(problem)
            except AlgoWorldsError as problem:
                self._leave_pending(slot, event_from_fault(problem), self._format_problem(problem))
            except Exception:
                self._leave_pending(slot, Event.HARNESS, traceback.format_exc())
            finally:
                self._totals.running -= 1
                self._watch(self._totals)

    def _leave_pending(self, slot: Slot, event: Event, text: str) -> None:
        """Count a pending evaluation; some events halt the run, and some are quarantined."""
        self._totals.pending[event.value] = self._totals.pending.get(event.value, 0) + 1
        if event.halts:
            self.halt(self._redact(text))
        if event in QUARANTINED_EVENTS:
            try:
                self._directory.quarantine(slot, self._redact(text) + "\n")
            except OSError as problem:
                self._halt_unwritable(problem)

    def _halt_unwritable(self, problem: OSError) -> None:
        self.halt(f"cannot write {self._directory.path}: {problem.strerror}")


async def write_in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """Run `function` in a thread, to its end even if this task is cancelled, so that no answer is lost."""
    working, cancelled = asyncio.ensure_future(asyncio.to_thread(function, *arguments)), False
    while not working.done():
        try:
            await asyncio.shield(working)
        except asyncio.CancelledError:
            cancelled = True
    result = working.result()
    if cancelled:
        raise asyncio.CancelledError
    return result


def max_concurrent_evaluations(open_files: int) -> int:
    """How many evaluations with `open_files` open files each fit under the file limit, which is raised if possible."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return max(1, (MAX_OPEN_FILES - RESERVED_FILES) // open_files)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    if soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return max(1, (max(soft, limit) - RESERVED_FILES) // open_files)

"""Running a model: many evaluations at once in one process, each turn durable before its tool call runs."""

import asyncio
import resource
import signal
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from algoworlds.batch import INTERRUPTIONS
from algoworlds.errors import AlgoWorldsError, InputError, shown
from algoworlds.runs.asking import Asking
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.outcome import OUTCOMES, Event, event_of, judged
from algoworlds.runs.providers.advice import told
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault, Rejected
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.retry import Policy
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import record

FILES_APART = 32
"""Open files that are not an evaluation's: standard streams, lock, attempts, libraries."""


class Halted(Exception):
    """A wait before another attempt that is not worth its end, because nothing further is asked."""


@dataclass
class ModelRun:
    """One run of a model configuration over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Opened
    configuration: Configuration
    environment: Mapping[str, str]
    totals: Totals
    concurrency: int = 1
    max_cost: float | None = None
    watch: Callable[[Totals], Any] = lambda totals: None
    policy: Policy | None = None

    def run(self) -> None:
        """Make the pending evaluations; afterwards `totals` says what was left and why."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        finished = self.directory.finished
        self._queue = deque(each for each in self.directory.schedule if each not in finished)
        provider = Provider(self.configuration, self.environment)
        self._secret = provider.secret
        self._asking = Asking(self.directory, provider, self.totals, self.watch)
        self._halting = asyncio.Event()
        self._asking.recall(self._queue)
        many = min(self.concurrency, len(self._queue), most_evaluations())
        workers = [asyncio.create_task(self._work()) for _ in range(many)]
        self._listen(workers)
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            self.totals.interrupted = True
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await self._asking.close()

    def _listen(self, workers: list[asyncio.Task[None]]) -> None:
        """The first signal lets requests under way finish and be journaled; the second stops at once.

        A signal that whoever started us had us ignore, as nohup does, stays ignored.
        """

        def interrupt() -> None:
            if self.totals.interrupted:
                for worker in workers:
                    worker.cancel()
            self.totals.interrupted = True
            self._halt("interrupted")
            self.watch(self.totals)

        loop = asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, interrupt)

    def _halt(self, reason: str) -> None:
        """Ask nothing further, and end the waits for another attempt; the first reason counts."""
        self.totals.halted = self.totals.halted or reason
        self._halting.set()

    async def _wait(self, seconds: float) -> None:
        """Wait before another attempt, unless the run halts."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._halting.wait(), seconds)
            raise Halted

    async def _work(self) -> None:
        while self._queue and self.totals.halted is None:
            slot = self._queue.popleft()
            self.totals.running += 1
            try:
                await self._evaluate(slot)
            except Rejected as fault:
                self._set_apart(slot, Event.REJECTED, str(fault))
            except Halted:
                pass
            except ProviderFault as fault:
                self._leave(event_of(fault), told(fault, self.configuration))
            except OSError as problem:  # a disk that fails us: stop before anything is lost
                self._halt(f"cannot write {self.directory.path}: {problem.strerror}")
            except AlgoWorldsError as problem:
                self._set_apart(slot, Event.HARNESS, str(problem))
            except Exception:
                self._set_apart(slot, Event.HARNESS, traceback.format_exc())
            finally:
                self.totals.running -= 1
                self.watch(self.totals)

    def _leave(self, event: Event, reason: str) -> None:
        """Leave an evaluation pending; some faults end the whole run."""
        self.totals.pending[event.value] = self.totals.pending.get(event.value, 0) + 1
        if OUTCOMES[event].halts:
            self._halt(self._secret.out_of(reason))

    def _set_apart(self, slot: Slot, event: Event, text: str) -> None:
        """Leave an evaluation pending because of something that somebody must look at, and keep what it was."""
        self._leave(event, text)
        try:
            self.directory.quarantine(slot, self._secret.out_of(text) + "\n")
        except OSError as problem:
            self._halt(f"cannot write {self.directory.path}: {problem.strerror}")

    async def _evaluate(self, slot: Slot) -> None:
        """Play one evaluation to its end, from wherever its journal left it, and finalize its record."""
        entry = self.suite.entries[slot.world]
        journal = self.directory.journal(slot)
        try:
            conversation = Conversation(self.configuration, self.suite.world(entry))
            self._resume(slot, journal, conversation)
            while conversation.event is None:
                if self._stopped():
                    return
                await self._advance(slot, journal, conversation)
            document = record(self.directory.whose(slot), entry, self.suite.key(entry), conversation.played)
            await durably(self.directory.finalize, slot, document)
            self.totals.finish(document)
        finally:
            journal.close()

    def _resume(self, slot: Slot, journal: Journal, conversation: Conversation) -> None:
        """Feed a new conversation what the journal holds; a new journal gets its heading."""
        heading = {"identity": self.directory.document["identity"], "world": slot.world, "trial": slot.trial}
        if not journal.recorded:
            journal.append(heading)
            return
        if journal.recorded[0] != heading:
            raise InputError(f"the journal of {shown(slot.name)} belongs to another run: restore it, or remove it")
        for line in journal.recorded[1:]:
            conversation.feed(line)

    def _stopped(self) -> bool:
        """Whether to stop asking: told to, out of money, or out of room for an answer."""
        if self.totals.halted is None and self.max_cost is not None and self.totals.cost >= self.max_cost:
            untold = self.totals.untold
            counted = f"; answers without tokens ({untold}) count as the most they can have cost" if untold else ""
            self._halt(f"the cost limit of {self.max_cost:g} USD is reached{counted}")
        if self.totals.halted is None and (full := self._asking.room):
            self._halt(full)
        return self.totals.halted is not None

    async def _advance(self, slot: Slot, journal: Journal, conversation: Conversation) -> None:
        """One turn: ask, make the answer durable, and only then act on it."""
        turn, answer = conversation.turn + 1, None
        try:
            policy = self.policy or Policy(seconds=self.configuration.retry_seconds)
            answer = await self._asking.ask(slot, turn, conversation.body, policy, self._wait)
            line: dict[str, Any] = {"turn": turn, "response": answer.response}
        except ProviderFault as given:
            fault = judged(given, turn, self.configuration)
            event = event_of(fault)
            if not OUTCOMES[event].final:
                raise fault from None
            line = {"turn": turn, "event": event.value}
        await durably(self._asking.keep, journal, line)
        conversation.feed(line, answer.turn if answer else None)
        self.watch(self.totals)


async def durably(function: Callable[..., None], *arguments: Any) -> None:
    """Write in a thread, to the end even if we are told to stop meanwhile: what was answered is kept."""
    writing, stopped = asyncio.ensure_future(asyncio.to_thread(function, *arguments)), False
    while not writing.done():
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            stopped = True
    writing.result()
    if stopped:
        raise asyncio.CancelledError


def most_evaluations() -> int:
    """Evaluations that can go on at once under the limit of open files: each has a journal and a connection."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(1, (max(soft, wanted) - FILES_APART) // 2)


def first_request(configuration: Configuration, suite: Opened, world: str) -> dict[str, Any]:
    """The body of the first request for a world, as it will be sent."""
    presented = suite.world(suite.entries[world])
    return APIS[configuration.api].opening(configuration, presented.question, presented.tools)

"""A run of an external agent: plays its pending evaluations, and says how each ended and what halts the run.

What the agent does is scored, and so are its failures. What ends its process from outside is not, and an agent that never
makes a call has not been set up: it halts the run.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from algoworlds.batch import STOP_SIGNALS
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.outcome import AgentNotStarted, AgentProcessLost, Event
from algoworlds.runs.schedule import Slot
from algoworlds.runs.worker_pool import Totals, WorkerPool, write_in_thread
from algoworlds.suites.open import Suite

EXTERNAL_SIGNALS = (*STOP_SIGNALS, *([signal.SIGKILL] if hasattr(signal, "SIGKILL") else []))
"""Signals by which an operator or the system ends a process; any other is a fault of the agent."""
MAX_STARTS = 3
"""Starts after which such a signal counts as the agent's failure too: an agent that always dies must not stay pending."""
STARTING_ADAPTERS = ("python", "command")
"""The adapters that start their agents, as the settings of runs name them."""


class Ending(NamedTuple):
    """How an agent ended an evaluation, and its own message."""

    event: Event
    detail: str = ""
    is_killed: bool = False
    """Whether a signal of `EXTERNAL_SIGNALS` ended the last of `MAX_STARTS` starts."""


Host = Callable[[Slot, Session], Awaitable[Ending]]
"""Lets the agent play a slot from the beginning; raises `AgentProcessLost` if something from outside ended it first."""


@dataclass
class ExternalRun:
    """One run of an external agent over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Suite
    totals: Totals
    concurrency: int = 1
    watch: Callable[[Totals], Any] = lambda totals: None
    keep_going: bool = False
    """Whether evaluations that end before the agent's first call are scored."""

    async def play(self, host: Host, open_files: int) -> None:
        """Play what is pending, each evaluation with `open_files` open files; `totals` says what was left and why."""
        pool = WorkerPool(self.directory, self.totals, self.watch)
        await pool.run(partial(self._evaluate, host), self.concurrency, open_files)

    async def _evaluate(self, host: Host, slot: Slot) -> None:
        """Let `host` play `slot` and count its record; an evaluation that has ended only gets its record."""
        session = await asyncio.to_thread(Session, self.directory, self.suite, slot)
        try:
            if session.event is None:
                await write_in_thread(session.start)
                try:
                    ending = await host(slot, session)
                except AgentProcessLost as loss:
                    await write_in_thread(session.lose, str(loss))
                    raise
                if not (self.keep_going or session.play.calls or ending.is_killed or ending.event is Event.TIME_LIMIT):
                    raise AgentNotStarted(_not_started_message(self.directory, slot, ending))
                await write_in_thread(session.end, ending.event, ending.detail)
            assert session.record is not None
            self.totals.count_record(session.record)
        finally:
            session.close()


def _not_started_message(directory: RunDirectory, slot: Slot, ending: Ending) -> str:
    """Why a run halts at an agent that ended before its first call; `ending` and the saved output say what happened."""
    path = directory.path / "output" / f"{slot.name}.txt"
    reason = format_value(ending.detail or "it ended without an error")
    lines = path.read_text(errors="replace").strip().splitlines()
    if ending.detail.startswith("its process") and lines:
        reason += f", after printing {quote_value(lines[-1])}"
    return (
        f"the agent ended before its first call: {reason}; its output is in {format_value(path)}. "
        "Correct its set-up and run the same command again, or score such evaluations with --keep-going"
    )


def ending_from_exit_code(code: int | None, session: Session) -> Ending:
    """The ending of an agent process that is gone without a report, by its exit code; None means that it is still alive."""
    if code is None:
        return Ending(Event.AGENT_ERROR, "it closed its connection and went on")
    if code >= 0:
        return Ending(Event.AGENT_ERROR, f"its process left with exit code {code}")
    name = signal_name(-code)
    is_killed = -code in EXTERNAL_SIGNALS and session.event is None
    if is_killed and session.starts < MAX_STARTS:
        raise AgentProcessLost(f"the agent's process was ended from outside, by {name}: what it printed is kept under output/")
    return Ending(Event.AGENT_ERROR, f"its process was ended by {name}", is_killed)


def signal_name(number: int) -> str:
    """The name of a signal; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def close_evaluations(directory: RunDirectory, suite: Suite, slots: list[Slot]) -> None:
    """End evaluations for good, without a decision; for an agent that the run starts itself this counts as its failure.

    InputError if such an agent has not been started `MAX_STARTS` times: playing again may still succeed.
    """
    if directory.document["plan"]["settings"].get("door") in STARTING_ADAPTERS:
        for slot in slots:
            if (
                starts := sum(isinstance(line, dict) and "start" in line for line in directory.read_journal(slot))
            ) < MAX_STARTS:
                advice = f"run the same command again; it can be closed after {MAX_STARTS} starts"
                raise InputError(f"{slot.name} was started {starts} times: {advice}")
    for slot in slots:
        session = Session(directory, suite, slot)
        try:
            session.end(Event.AGENT_ERROR if session.starts else Event.TEXT_END, "closed")
        finally:
            session.close()

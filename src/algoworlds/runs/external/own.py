"""The door for Python: `algoworlds run --agent FILE.py:FUNCTION`, or `PACKAGE.MODULE:FUNCTION`.

The function is called with a `Seat`, in a process of its own for each evaluation. That process is started anew, in an empty
folder, and holds neither instance nor key: it can ask for what an agent may know, and for nothing else. What the agent does is
scored, and so is that it fails or takes too long; what happens to it from outside is not.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from socket import socketpair
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from algoworlds.disk import read_plain
from algoworlds.errors import InputError, quoted, shown
from algoworlds.runs.crew import Crew, durably
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.process import Output, left, process, scrubbed
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.outcome import Event, Lost
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened

SEAT = (sys.executable, "-P", "-m", "algoworlds.runs.external.seat")
LONGEST_MESSAGE = 2**22
"""Bytes; a call at the limit of its arguments stays below, however they are spelled."""
FILES = 6
"""Open files of an evaluation: its journal, the socket, the stream of what is printed, and a few while it starts."""
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals by which an operator or the system ends a process; any other that ends it is a fault of its own."""


class Ending(NamedTuple):
    """How an agent ended an evaluation, and its own words on it."""

    event: Event
    detail: str = ""


@dataclass(frozen=True)
class OwnAgent:
    """A function that plays: where it is, and what it was when the run began."""

    place: str
    """The path of a file, or the name of a module."""
    function: str
    folder: Path
    """Where its imports are looked for first."""
    source: str = ""
    """The digest of its file."""

    @classmethod
    def named(cls, text: str, time_limit: float) -> "OwnAgent":
        """The agent of that name, which is loaded once to see that it is there; InputError says what is wrong."""
        place, _, function = text.rpartition(":")
        if not place.endswith(".py"):
            return cls(place, function, Path.cwd())._found(text, time_limit)
        path = Path(place).resolve()
        if not path.is_file():
            raise InputError(f"there is no file {shown(place)}: name an agent like agents/plain.py:play")
        return cls(str(path), function, path.parent)._found(text, time_limit)

    def _found(self, text: str, time_limit: float) -> "OwnAgent":
        told = asyncio.run(_looked_at(self, time_limit))
        if "failed" in told:
            raise InputError(f"the agent {shown(text)} cannot be loaded: {shown(' '.join(told['failed'].split()))}")
        if not told.get("callable"):
            raise InputError(f"{quoted(self.function)} of {shown(self.place)} is no function: name one that takes a world")
        return OwnAgent(self.place, self.function, self.folder, sha256(read_plain(Path(told["file"]))).hexdigest())

    @property
    def name(self) -> str:
        """How it is called: a file by its name, wherever it lies."""
        return f"{Path(self.place).name if self.place.endswith('.py') else self.place}:{self.function}"

    def settings(self, time_limit: float) -> dict[str, Any]:
        """What determines how it behaves, as far as we can tell."""
        return {"door": "python", "agent": self.name, "source": self.source, "time_limit": time_limit}

    @property
    def opening(self) -> dict[str, Any]:
        """What its process is told about it."""
        return {"place": self.place, "function": self.function, "folder": str(self.folder)}


class Seated(NamedTuple):
    """An agent's process under way: what it writes, what it reads, and what it prints."""

    process: Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    output: Output

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message; somebody who is gone does not hear it."""
        with suppress(ConnectionError):
            self.writer.write(json.dumps(message).encode() + b"\n")
            await self.writer.drain()

    async def heard(self) -> dict[str, Any] | None:
        """The next message; None from somebody who is gone. What is no message of a seat's is a failure in words."""
        try:
            line = await self.reader.readline()
            message = json.loads(line) if line.endswith(b"\n") else None
        except ConnectionError:
            return None
        except (ValueError, RecursionError):
            return {"failed": "it wrote something to its connection that is no message"}
        return message if message is None or isinstance(message, dict) else {"failed": "it wrote no object to its connection"}


@asynccontextmanager
async def seated(agent: OwnAgent, opening: dict[str, Any], *hidden: Path) -> AsyncIterator[Seated]:
    """An agent's process that has been told what to do."""
    ours, theirs = socketpair()
    with ours, theirs, TemporaryDirectory(prefix="algoworlds-", ignore_cleanup_errors=True) as folder:
        descriptor = theirs.fileno()
        order, environment = (*SEAT, str(descriptor)), scrubbed(os.environ, *hidden)
        async with process(order, Path(folder), environment, [descriptor]) as (started, output):
            theirs.close()
            reader, writer = await asyncio.open_connection(sock=ours, limit=LONGEST_MESSAGE)
            seat = Seated(started, reader, writer, output)
            await seat.tell(agent.opening | opening)
            try:
                yield seat
            finally:
                writer.close()


async def _looked_at(agent: OwnAgent, time_limit: float) -> dict[str, Any]:
    async with seated(agent, {}) as seat:
        try:
            async with asyncio.timeout(time_limit):
                return await seat.heard() or {"failed": f"its process left with {await left(seat.process)} instead"}
        except TimeoutError:
            return {"failed": f"it takes longer than {time_limit:g} seconds"}


@dataclass
class AgentRun:
    """One run of somebody's own agent over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Opened
    agent: OwnAgent
    totals: Totals
    time_limit: float
    concurrency: int = 1
    watch: Callable[[Totals], Any] = lambda totals: None

    def run(self) -> None:
        """Make the pending evaluations; afterwards `totals` says what was left and why."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        await Crew(self.directory, self.totals, self.watch).work(self._evaluate, self.concurrency, FILES)

    async def _evaluate(self, slot: Slot) -> None:
        self.totals.finish(await evaluated(self.directory, self.suite, slot, self._hosted))

    async def _hosted(self, slot: Slot, visit: Visit) -> Ending:
        """How it ended; Lost if something from outside ended it first."""
        play, limit = visit.play, self.time_limit
        told = {"question": play.question, "tools": play.tools, "budget": play.budget}
        async with seated(self.agent, told, self.suite.directory, self.directory.path) as seat:
            try:
                async with asyncio.timeout(limit):
                    ending = await served(seat, visit)
            except TimeoutError:
                ending = Ending(Event.TIME_LIMIT, f"it took longer than {limit:g} seconds")
            code = None if ending is not None and ending.event is Event.TIME_LIMIT else await left(seat.process)
        await durably(self.directory.output, slot, seat.output.content)
        return ending or gone(code, visit)


async def evaluated(
    directory: RunDirectory, suite: Opened, slot: Slot, hosted: Callable[[Slot, Visit], Awaitable[Ending]]
) -> dict[str, Any]:
    """Let an agent play one world, from the beginning, to its record; an evaluation that has ended before only gets that."""
    visit = await asyncio.to_thread(Visit, directory, suite, slot)
    try:
        if visit.event is None:
            await durably(visit.start)
            ending = await hosted(slot, visit)
            await durably(visit.end, *ending)
        assert visit.document is not None
        return visit.document
    finally:
        visit.close()


async def served(seat: Seated, visit: Visit) -> Ending | None:
    """Answer the calls of an agent until it is over; None if it is gone without a word."""
    while (message := await seat.heard()) is not None:
        if "over" in message:
            return Ending(Event.TEXT_END)
        if "failed" in message:
            return Ending(Event.AGENT_ERROR, str(message["failed"]))
        answer = await durably(visit.call, message.get("tool"), message.get("arguments"))
        told = {"status": answer.status.value, "charged": answer.charged, "text": answer.text, "done": visit.event is not None}
        await seat.tell({"number": message.get("number")} | told)
    return None


def gone(code: int | None, visit: Visit) -> Ending:
    """What it means that an agent's process is gone without a word, by the code that it left with."""
    if code is None:
        return Ending(Event.AGENT_ERROR, "it closed its connection and went on")
    if code >= 0:
        return Ending(Event.AGENT_ERROR, f"its process left with exit code {code}")
    name = signal.Signals(-code).name
    if -code in FROM_OUTSIDE and visit.event is None:
        raise Lost(f"the agent's process was ended from outside, by {name}: what it printed is kept under output/")
    return Ending(Event.AGENT_ERROR, f"its process was ended by {name}")

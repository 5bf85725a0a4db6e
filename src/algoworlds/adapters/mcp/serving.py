"""A run whose agents come from elsewhere: over HTTP, each to the address on its ticket, or one of them over stdio."""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from mcp.server.stdio import stdio_server

from algoworlds.adapters.mcp.endpoint import LONGEST_BODY, Endpoint
from algoworlds.adapters.mcp.hall import Hall
from algoworlds.adapters.mcp.protocol import server
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.batch import INTERRUPTIONS
from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import LOCAL
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.outcome import Event
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened

SETTINGS = {"door": "mcp"}
"""What is known of a configuration that comes from elsewhere."""


@dataclass(frozen=True)
class Service:
    """A run that is served; the run must be held by this process."""

    directory: RunDirectory
    suite: Opened

    def over_http(self, listener: socket.socket, hosts: frozenset[str], say: Callable[[str], Any]) -> None:
        """Serve until a signal comes, and say how it goes."""
        asyncio.run(self._over_http(listener, hosts, say))

    async def _over_http(self, listener: socket.socket, hosts: frozenset[str], say: Callable[[str], Any]) -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, stop.set)
        async with self.listening(listener, hosts) as hall:
            say("Serving. Ctrl-C stops; the same command goes on from there.")
            watching = asyncio.create_task(self._complete(hall, say))
            await stop.wait()
            watching.cancel()

    @asynccontextmanager
    async def listening(self, listener: socket.socket, hosts: frozenset[str] = frozenset(LOCAL)) -> AsyncIterator[Hall]:
        """Answer whoever comes with a ticket, for as long as this lasts."""
        hall, slots = Hall(self.directory, self.suite, told), Tickets(self.directory).slots
        async with Endpoint(lambda digest: hall.room(slots[digest]) if digest in slots else None, hosts).listening([listener]):
            yield hall
        hall.close()

    async def _complete(self, hall: Hall, say: Callable[[str], Any]) -> None:
        """As soon as every evaluation has ended the run is whole, whether we go on or not."""
        for slot in set(self.directory.schedule) - self.directory.finished:
            await hall.rooms[slot].ended.wait()
        await asyncio.to_thread(self.seal)
        say("Every evaluation has ended: Ctrl-C, then algoworlds report.")

    def over_stdio(self) -> None:
        """Serve the only evaluation on this process's own streams until the client goes, or a signal comes."""
        asyncio.run(self._over_stdio())

    async def _over_stdio(self) -> None:
        async with lines_of(sys.stdin) as lines:
            await self.on_streams(lines)

    async def on_streams(self, stdin: Any, stdout: Any = None) -> None:
        """The same, on any streams of text; ours is the one to write to if none is given."""
        hall, (slot,) = Hall(self.directory, self.suite, told), self.directory.schedule
        serving = server(lambda context: hall.rooms[slot])
        watching = asyncio.create_task(self._complete(hall, lambda said: None))
        try:
            async with stdio_server(stdin, stdout) as (reader, writer):
                await serving.run(reader, writer, serving.create_initialization_options())
        except* (BrokenPipeError, ConnectionResetError):  # the client does not hear its last answer; it is in the journal
            pass
        finally:
            watching.cancel()
            hall.rooms[slot].rest()

    def end(self, slots: list[Slot]) -> None:
        """Close evaluations for good: whoever played them has not decided."""
        for slot in slots:
            visit = Visit(self.directory, self.suite, slot)
            try:
                visit.end(Event.TEXT_END, "closed")
            finally:
                visit.close()

    def settle(self) -> None:
        """Give evaluations their records that had come to their ends when we were killed."""
        for slot in set(self.directory.schedule) - self.directory.finished:
            if self.directory.journaled(slot):
                Visit(self.directory, self.suite, slot).close()

    def seal(self) -> bool:
        """Whether every evaluation has its record; if so, the run gets its manifest."""
        complete = self.directory.finished == set(self.directory.schedule)
        if complete:
            self.directory.seal()
        return complete


def told(problem: Exception) -> None:
    """Tell whoever serves what went wrong on our side: in one line, unless it is a fault in this program."""
    expected = isinstance(problem, AlgoWorldsError | OSError)
    logging.getLogger("algoworlds").error("algoworlds: %s", problem, exc_info=None if expected else problem)


@asynccontextmanager
async def lines_of(stream: TextIO | None) -> AsyncIterator[AsyncIterator[str]]:
    """The lines that come through a pipe, waited for without a thread: one that waits for a line would outlast every signal."""
    reader, loop = asyncio.StreamReader(LONGEST_BODY), asyncio.get_running_loop()
    try:
        if stream is None:
            raise ValueError
        copy = os.fdopen(os.dup(stream.fileno()), "rb", 0)
        pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), copy)
    except (ValueError, OSError):
        raise InputError(
            "--stdio serves the program that starts it, through a pipe: use it in the configuration of a client"
        ) from None

    async def lines() -> AsyncIterator[str]:
        while not reader.at_eof():
            try:
                line = await reader.readline()
            except ValueError:  # longer than any message may be; what is left of it is none either
                continue
            if line:
                yield line.decode("utf-8", "replace")

    try:
        yield lines()
    finally:
        pipe.close()
        os.set_blocking(stream.fileno(), True)

"""A run for agents that connect by themselves: over HTTP, each at the URL of its ticket, or a single one over stdio."""

import asyncio
import logging
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from mcp.server.stdio import stdio_server

from algoworlds.adapters.mcp.endpoint import MAX_BODY_BYTES, Endpoint
from algoworlds.adapters.mcp.protocol import build_server
from algoworlds.adapters.mcp.sessions import SessionRegistry
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.batch import on_stop_signal
from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import LOCAL_HOSTS
from algoworlds.runs.external.session import Session
from algoworlds.suites.open import Suite

RUN_SETTINGS = {"door": "mcp"}
"""The settings of a run whose agents connect by themselves: nothing else is known of them."""


@dataclass(frozen=True)
class Service:
    """Serves a run; this process must hold the run's lock."""

    directory: RunDirectory
    suite: Suite

    def serve_http(self, listener: socket.socket, hosts: frozenset[str], say: Callable[[str], Any]) -> None:
        """Serve until a stop signal comes; `say` prints progress."""

        async def serve() -> None:
            stop = asyncio.Event()
            on_stop_signal(asyncio.get_running_loop(), stop.set)
            async with self.listening(listener, hosts) as registry:
                say("Serving. Ctrl-C stops; the same command goes on from there.")
                completion = asyncio.create_task(self._seal_when_complete(registry, say))
                await stop.wait()
                completion.cancel()

        asyncio.run(serve())

    @asynccontextmanager
    async def listening(
        self, listener: socket.socket, hosts: frozenset[str] = frozenset(LOCAL_HOSTS)
    ) -> AsyncIterator[SessionRegistry]:
        """Answer clients that have a ticket, inside the context."""
        registry, slots = SessionRegistry(self.directory, self.suite, log_problem), Tickets(self.directory).slot_by_digest
        endpoint = Endpoint(lambda digest: registry.session_for(slots[digest]) if digest in slots else None, hosts)
        async with endpoint.listening([listener]):
            yield registry
        registry.close()

    async def _seal_when_complete(self, registry: SessionRegistry, say: Callable[[str], Any]) -> None:
        """Write the run's manifest as soon as every evaluation has ended; serving goes on."""
        for slot in set(self.directory.schedule) - self.directory.finished_slots:
            await registry.sessions[slot].ended.wait()
        await asyncio.to_thread(self.seal)
        say("Every evaluation has ended: Ctrl-C, then algoworlds report.")

    def serve_stdio(self) -> None:
        """Serve the only evaluation on stdin and stdout until the client leaves or a signal comes."""

        async def serve() -> None:
            async with read_lines(sys.stdin) as lines:
                await self.serve_streams(lines)

        asyncio.run(serve())

    async def serve_streams(self, stdin: Any, stdout: Any = None) -> None:
        """Serve the only evaluation on text streams; `stdout` defaults to this process's own."""
        registry, (slot,) = SessionRegistry(self.directory, self.suite, log_problem), self.directory.schedule
        server = build_server(lambda context: registry.sessions[slot])
        completion = asyncio.create_task(self._seal_when_complete(registry, lambda text: None))
        try:
            async with stdio_server(stdin, stdout) as (reader, writer):
                await server.run(reader, writer, server.create_initialization_options())
        except* (BrokenPipeError, ConnectionResetError):  # the client missed its last answer, which is in the journal
            pass
        finally:
            completion.cancel()
            registry.sessions[slot].close_if_idle()

    def finalize_ended(self) -> None:
        """Write the missing records of evaluations that had ended when the server was killed."""
        for slot in set(self.directory.schedule) - self.directory.finished_slots:
            if self.directory.read_journal(slot):
                Session(self.directory, self.suite, slot).close()

    def seal(self) -> bool:
        """Write the run's manifest if every evaluation has its record; whether it did."""
        complete = self.directory.finished_slots == set(self.directory.schedule)
        if complete:
            self.directory.write_manifest()
        return complete


def log_problem(problem: Exception) -> None:
    """Log a fault on our side for the operator: one line, with a traceback only for a bug in this program."""
    expected = isinstance(problem, AlgoWorldsError | OSError)
    logging.getLogger("algoworlds").error("algoworlds: %s", problem, exc_info=None if expected else problem)


@asynccontextmanager
async def read_lines(stream: TextIO | None) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of a pipe, read without a thread: a thread that waits for a line could not be interrupted by a signal."""
    reader, loop = asyncio.StreamReader(MAX_BODY_BYTES), asyncio.get_running_loop()
    try:
        if stream is None:
            raise ValueError
        mode = os.fstat(stream.fileno()).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()):
            raise ValueError
        copy = os.fdopen(os.dup(stream.fileno()), "rb", 0)
        pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), copy)
    except (ValueError, OSError):
        raise InputError("--stdio needs a pipe on stdin: put the command into the configuration of an MCP client") from None

    async def lines() -> AsyncIterator[str]:
        while not reader.at_eof():
            try:
                line = await reader.readline()
            except ValueError:  # longer than any message may be: skip it
                continue
            if line:
                yield line.decode("utf-8", "replace")

    try:
        yield lines()
    finally:
        pipe.close()
        os.set_blocking(stream.fileno(), True)

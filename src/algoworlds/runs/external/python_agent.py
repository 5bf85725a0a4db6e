"""The adapter for Python agents: `algoworlds run --agent FILE.py:FUNCTION`, or `PACKAGE.MODULE:FUNCTION`.

The function is called with a `WorldClient`. Each evaluation runs in a fresh process, in its own session and an empty temporary
folder, which holds neither instance nor key. What the agent does is scored, and so are its failures and timeouts; what happens
to it from outside is not.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from socket import socketpair
from tempfile import TemporaryDirectory
from typing import NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.runs.external.process import ProcessOutput, scrub_environment, start_process, wait_for_exit
from algoworlds.runs.external.run import Ending, ExternalRun, ending_from_exit_code
from algoworlds.runs.external.session import Session
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Slot
from algoworlds.runs.worker_pool import write_in_thread

AGENT_COMMAND = (sys.executable, "-P", "-m", "algoworlds.runs.external.world_client")
MAX_MESSAGE_BYTES = 2**22
"""More than a call whose arguments have the maximum length, in any encoding."""
FILES_PER_EVALUATION = 6
"""Open files of an evaluation: its journal, the socket, the output stream, and a few while it starts."""


@dataclass(frozen=True)
class PythonAgent:
    """A Python function that plays: where it is, and the digest of its file when the run began."""

    location: str
    """The path of a file, or the name of a module."""
    function: str
    folder: Path
    """The folder that is searched first for its imports."""
    source: str = ""
    """The digest of its file."""

    @classmethod
    def from_name(cls, text: str, time_limit: float) -> "PythonAgent":
        """The agent called `text`, which is loaded once to check it; InputError says what is wrong."""
        location, _, function = text.rpartition(":")
        agent = cls(location, function, Path.cwd())
        if location.endswith(".py"):
            path = Path(location).resolve()
            if not path.is_file():
                raise InputError(f"there is no file {format_value(location)}: name an agent like agents/plain.py:play")
            agent = cls(str(path), function, path.parent)
        reply = asyncio.run(_try_loading(agent, time_limit))
        if "failed" in reply:
            message = format_value(" ".join(reply["failed"].split()))
            raise InputError(f"the agent {format_value(text)} cannot be loaded: {message}")
        if not reply.get("callable"):
            raise InputError(
                f"{quote_value(function)} of {format_value(agent.location)} is not a function: name one that takes a world"
            )
        return replace(agent, source=sha256(read_regular_file(Path(reply["file"]))).hexdigest())

    @property
    def name(self) -> str:
        """The label of the agent: a file without its folder, or a module, and the function."""
        return f"{Path(self.location).name if self.location.endswith('.py') else self.location}:{self.function}"

    def settings(self, time_limit: float) -> JsonObject:
        """What determines how the agent behaves, as far as we can tell."""
        return {"door": "python", "agent": self.name, "source": self.source, "time_limit": time_limit}


class AgentProcess(NamedTuple):
    """A running agent process: its messages in both directions, and its output."""

    process: Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    output: ProcessOutput

    async def send(self, message: JsonObject) -> None:
        """Send a message; one to a process that is gone is dropped."""
        with suppress(ConnectionError):
            self.writer.write(json.dumps(message).encode() + b"\n")
            await self.writer.drain()

    async def receive(self) -> JsonObject | None:
        """The next message; None if the process is gone. Anything that is not a message becomes a failure."""
        try:
            line = await self.reader.readline()
            message = json.loads(line) if line.endswith(b"\n") else None
        except ConnectionError:
            return None
        except (ValueError, RecursionError):
            return {"failed": "it wrote something to its connection that is no message"}
        return message if message is None or isinstance(message, dict) else {"failed": "it wrote no object to its connection"}


@asynccontextmanager
async def start_agent_process(agent: PythonAgent, task: JsonObject, *hidden: Path) -> AsyncIterator[AgentProcess]:
    """An agent process that has received its `task`; it learns of no `hidden` path from its environment."""
    ours, theirs = socketpair()
    with ours, theirs, TemporaryDirectory(prefix="algoworlds-", ignore_cleanup_errors=True) as folder:
        descriptor = theirs.fileno()
        command, environment = (*AGENT_COMMAND, str(descriptor)), scrub_environment(os.environ, *hidden)
        async with start_process(command, Path(folder), environment, [descriptor]) as (process, output):
            theirs.close()
            reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_MESSAGE_BYTES)
            agent_process = AgentProcess(process, reader, writer, output)
            target = {"location": agent.location, "function": agent.function, "folder": str(agent.folder)}
            await agent_process.send(target | task)
            try:
                yield agent_process
            finally:
                writer.close()


async def _try_loading(agent: PythonAgent, time_limit: float) -> JsonObject:
    async with start_agent_process(agent, {}) as agent_process:
        try:
            async with asyncio.timeout(time_limit):
                reply = await agent_process.receive()
                return reply or {"failed": f"its process left with {await wait_for_exit(agent_process.process)} instead"}
        except TimeoutError:
            return {"failed": f"it takes longer than {time_limit:g} seconds"}


@dataclass(frozen=True)
class PythonAgentRun:
    """One run of a Python agent."""

    run: ExternalRun
    agent: PythonAgent
    time_limit: float

    def play(self) -> None:
        """Play the pending evaluations; afterwards the totals say what was left and why."""
        asyncio.run(self.run.play(self._host, FILES_PER_EVALUATION))

    async def _host(self, slot: Slot, session: Session) -> Ending:
        play, directory, limit = session.play, self.run.directory, self.time_limit
        task = {"question": play.question, "tools": play.tools, "budget": play.budget}
        async with start_agent_process(self.agent, task, self.run.suite.directory, directory.path) as agent_process:
            try:
                async with asyncio.timeout(limit):
                    ending = await serve_calls(agent_process, session)
            except TimeoutError:
                ending = Ending(Event.TIME_LIMIT, f"it took longer than {limit:g} seconds")
            timed_out = ending is not None and ending.event is Event.TIME_LIMIT
            code = None if timed_out else await wait_for_exit(agent_process.process)
        await write_in_thread(directory.write_output, slot, agent_process.output.content)
        return ending or ending_from_exit_code(code, session)


async def serve_calls(agent_process: AgentProcess, session: Session) -> Ending | None:
    """Answer the agent's calls until it reports its end; None if it is gone without a report."""
    while (message := await agent_process.receive()) is not None:
        if "over" in message:
            return Ending(Event.TEXT_END)
        if "failed" in message:
            return Ending(Event.AGENT_ERROR, str(message["failed"]))
        answer = await write_in_thread(session.call, message.get("tool"), message.get("arguments"))
        fields = {"status": answer.status.value, "charged": answer.charged, "text": answer.text}
        await agent_process.send({"number": message.get("number"), **fields, "done": session.event is not None})
    return None

"""External programs: `algoworlds run --command 'PROGRAM ... {task} ... {mcp}'`.

For each evaluation the shell runs the command in its own empty folder, with the URL of an MCP server that only it knows.
What the program does is scored, including that it fails or takes too long; what ends it from outside is not.
"""

import asyncio
import os
import shlex
import subprocess
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from algoworlds.adapters.mcp.endpoint import Endpoint, evaluation_url
from algoworlds.adapters.mcp.sessions import ServedSession
from algoworlds.adapters.mcp.tickets import OWNER_ONLY_MODE, client_configuration
from algoworlds.core.canonical import JsonObject
from algoworlds.disk import write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.runs.external.access import LOCAL_HOSTS, new_token, open_listener, token_digest
from algoworlds.runs.external.process import scrub_environment, start_process
from algoworlds.runs.external.run import EXTERNAL_SIGNALS, Ending, ExternalRun, ending_from_exit_code
from algoworlds.runs.external.session import Session
from algoworlds.runs.outcome import AgentNotStarted, Event
from algoworlds.runs.schedule import Slot
from algoworlds.runs.worker_pool import write_in_thread

OPEN_FILES_PER_EVALUATION = 12
"""Open files of an evaluation: journal, watchdog pipe, output stream, connections, and a few while it starts."""
SHELL = "/bin/sh"
SHELL_FAILURE_CODES = (126, 127)
"""Exit codes of a shell for a program that cannot be executed or does not exist: a mistake in the command."""
EXIT_GRACE_SECONDS = 60.0
"""Seconds in which a program may exit once its evaluation has ended; nothing depends on its output then."""


@dataclass(frozen=True)
class Program:
    """A shell command that plays; `{task}`, `{mcp}`, `{url}` and `{folder}` in it stand for the values of an evaluation."""

    command: str
    time_limit: float

    def check(self) -> None:
        """InputError if the shell cannot parse the command."""
        parsed = subprocess.run((SHELL, "-n", "-c", self.command), capture_output=True)
        if parsed.returncode != 0 or not self.command.strip():
            raise InputError("--command must be a shell command, like 'my-agent --task {task} --mcp-config {mcp}'")

    @property
    def name(self) -> str:
        """The program's name: the first word that does not set a variable."""
        return Path(next((word for word in self.command.split() if "=" not in word), "command")).name

    @property
    def settings(self) -> JsonObject:
        """What determines the program's behaviour, as far as we know."""
        return {"door": "command", "command": self.command, "time_limit": self.time_limit}

    def argv(self, values: dict[str, str]) -> tuple[str, ...]:
        """The shell with `values` put into the command."""
        text = self.command
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", shlex.quote(value))
        return (SHELL, "-c", text)


def write_client_files(folder: Path, question: str, url: str) -> dict[str, str]:
    """Write the task and the client configuration into `folder`; returns the values that a command may name."""
    task, client = folder / "task.md", folder / "mcp.json"
    task.write_text(question, encoding="utf-8")
    write_atomic(client, client_configuration(url), durable=False, mode=OWNER_ONLY_MODE)
    return {"task": str(task), "mcp": str(client), "url": url, "folder": str(folder)}


@dataclass(frozen=True)
class CommandRun:
    """One run of a program."""

    run: ExternalRun
    program: Program
    _sessions: dict[str, ServedSession] = field(default_factory=dict, init=False)

    def play(self) -> None:
        """Play the pending evaluations; afterwards the totals say which are left and why."""
        asyncio.run(self._serve_and_play())

    async def _serve_and_play(self) -> None:
        with open_listener(LOCAL_HOSTS[0], 0) as listener:
            base = f"http://{LOCAL_HOSTS[0]}:{listener.getsockname()[1]}"
            async with Endpoint(self._sessions.get).listening([listener]):
                await self.run.play(partial(self._host, base), OPEN_FILES_PER_EVALUATION)

    async def _host(self, base: str, slot: Slot, session: Session) -> Ending:
        """Run the program for `slot`, which connects to the server at `base`."""
        token, suite, directory = new_token(), self.run.suite, self.run.directory
        served = ServedSession(partial(suite.public_world, slot.world), lambda: session)
        self._sessions[token_digest(token)] = served
        try:
            with TemporaryDirectory(prefix="algoworlds-", ignore_cleanup_errors=True) as folder:
                values = write_client_files(Path(folder), session.play.question, evaluation_url(base, token))
                environment = scrub_environment(os.environ, suite.directory, directory.path)
                environment |= {f"ALGOWORLDS_{name.upper()}": value for name, value in values.items()}
                async with start_process(self.program.argv(values), Path(folder), environment) as (process, output):
                    ending = await self._wait(process, served)
        finally:
            del self._sessions[token_digest(token)]
        await write_in_thread(directory.write_output, slot, output.content)
        if served.problem is not None:
            raise served.problem
        code = process.returncode
        if code in SHELL_FAILURE_CODES and not session.play.calls:
            last_line = output.content.decode(errors="replace").strip().splitlines()[-1:]
            raise AgentNotStarted(f"the shell could not run the command: {format_value(''.join(last_line))}")
        if code is not None and code - 128 in EXTERNAL_SIGNALS:  # a shell reports a signal from outside in this way
            code = 128 - code
        return ending or ending_from_exit_code(code, session)

    async def _wait(self, process: Process, served: ServedSession) -> Ending | None:
        """Wait until the program, its evaluation or the server ends; None leaves the ending to the exit code."""
        waits = (process.wait(), served.ended.wait(), served.failed.wait())
        exiting, *others = (asyncio.create_task(wait) for wait in waits)
        try:
            async with asyncio.timeout(self.program.time_limit):
                await asyncio.wait([exiting, *others], return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            return Ending(Event.TIME_LIMIT, f"it took longer than {self.program.time_limit:g} seconds")
        finally:
            for other in others:
                other.cancel()
        if served.problem is None:
            await asyncio.wait([exiting], timeout=EXIT_GRACE_SECONDS)
        return Ending(Event.TEXT_END) if process.returncode in (0, None) else None

"""The door for programs: `algoworlds run --command 'PROGRAM ... {task} ... {mcp}'`.

For each evaluation the command is run by the shell in an empty folder of its own, and can play at an address that only it is
told. What it does is scored, and so is that it fails or takes too long; what happens to it from outside is not.
"""

import asyncio
import os
import shlex
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from algoworlds.adapters.mcp import leash
from algoworlds.adapters.mcp.endpoint import Endpoint, address
from algoworlds.adapters.mcp.hall import Room
from algoworlds.adapters.mcp.tickets import OWNER, configuration
from algoworlds.disk import write_whole
from algoworlds.errors import InputError, shown
from algoworlds.runs.crew import Crew, durably
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import LOCAL, bound, digest_of, new_token
from algoworlds.runs.external.commits import Commits
from algoworlds.runs.external.own import FROM_OUTSIDE, Ending, evaluated, gone
from algoworlds.runs.external.process import process, scrubbed
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.outcome import Event
from algoworlds.runs.providers.faults import Misconfigured
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened

FILES = 12
"""Open files of an evaluation: its journal, the leash, the stream of what is printed, connections, a few while it starts."""
SHELL = "/bin/sh"
NOT_RUN = (126, 127)
"""Codes by which a shell says that a program cannot be executed, or is not there: a mistake of whoever wrote the command."""
LINGER = 60.0
"""Seconds that a program has for its last words once its evaluation has ended; nothing depends on them."""


@dataclass(frozen=True)
class Program:
    """A command that plays, and how it is told where."""

    command: str
    """In the shell's words; `{task}`, `{mcp}`, `{url}` and `{folder}` stand for what an evaluation has in their place."""
    time_limit: float

    def check(self) -> None:
        """InputError if the shell cannot read it."""
        read = subprocess.run((SHELL, "-n", "-c", self.command), capture_output=True)
        if read.returncode != 0 or not self.command.strip():
            raise InputError(
                "--command is what the shell runs for an evaluation, like 'my-agent --task {task} --mcp-config {mcp}'"
            )

    @property
    def name(self) -> str:
        """How it is called: by the first word that sets no variable."""
        return Path(next((word for word in self.command.split() if "=" not in word), "command")).name

    @property
    def settings(self) -> dict[str, Any]:
        """What determines how it behaves, as far as we can tell."""
        return {"door": "command", "command": self.command, "time_limit": self.time_limit}

    def order(self, places: dict[str, str], holding: int) -> tuple[str, ...]:
        """What to start: the shell on its leash, with the command's places filled in."""
        text = self.command
        for name, place in places.items():
            text = text.replace(f"{{{name}}}", shlex.quote(place))
        return (sys.executable, "-I", "-S", leash.__file__, str(holding), SHELL, "-c", text)


def provided(folder: Path, question: str, url: str) -> dict[str, str]:
    """The places that a command may name, made ready in its folder: the task as a text, the configuration of its client."""
    task, client = folder / "task.md", folder / "mcp.json"
    task.write_text(question)
    write_whole(client, configuration(url), durable=False, mode=OWNER)
    return {"task": str(task), "mcp": str(client), "url": url, "folder": str(folder)}


@dataclass
class CommandRun:
    """One run of a program over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Opened
    program: Program
    totals: Totals
    concurrency: int = 1
    watch: Callable[[Totals], Any] = lambda totals: None
    _rooms: dict[str, Room] = field(default_factory=dict, init=False)
    _base: str = field(default="", init=False)
    _commits: Commits = field(default_factory=Commits, init=False)

    def run(self) -> None:
        """Make the pending evaluations; afterwards `totals` says what was left and why."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        crew = Crew(self.directory, self.totals, self.watch)
        with bound(LOCAL[0], 0) as listener:
            self._base = f"http://{LOCAL[0]}:{listener.getsockname()[1]}"
            async with Endpoint(self._rooms.get).listening([listener]):
                await crew.work(self._evaluate, self.concurrency, FILES)

    async def _evaluate(self, slot: Slot) -> None:
        self.totals.finish(await evaluated(self.directory, self.suite, slot, self._hosted))

    async def _hosted(self, slot: Slot, visit: Visit) -> Ending:
        """How it ended; Lost if something from outside ended it first."""
        token, room = new_token(), Room(partial(self.suite.presented, slot.world), lambda: visit, self._commits.commit)
        self._rooms[digest_of(token)] = room
        try:
            with TemporaryDirectory(prefix="algoworlds-", ignore_cleanup_errors=True) as folder, _leash() as held:
                places = provided(Path(folder), visit.play.question, address(self._base, token))
                told = {f"ALGOWORLDS_{name.upper()}": place for name, place in places.items()}
                environment = scrubbed(os.environ, self.suite.directory, self.directory.path) | told
                async with process(self.program.order(places, held), Path(folder), environment, [held]) as (started, output):
                    ending = await self._played(started, room)
        finally:
            del self._rooms[digest_of(token)]
        await durably(self.directory.output, slot, output.content)
        if room.problem is not None:
            raise room.problem
        if started.returncode in NOT_RUN and not visit.play.calls:
            said = output.content.decode(errors="replace").strip().splitlines()[-1:]
            raise Misconfigured("command", f"the shell could not run the command: {shown(''.join(said))}")
        return ending or gone(_told(started.returncode), visit)

    async def _played(self, started: Process, room: Room) -> Ending | None:
        """Wait for the program, which ends the evaluation if it has not ended by then; None leaves it to its code."""
        leaving, *others = (asyncio.create_task(each) for each in (started.wait(), room.ended.wait(), room.failed.wait()))
        try:
            async with asyncio.timeout(self.program.time_limit):
                await asyncio.wait([leaving, *others], return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            return Ending(Event.TIME_LIMIT, f"it took longer than {self.program.time_limit:g} seconds")
        finally:
            for other in others:
                other.cancel()
        if room.problem is None:
            await asyncio.wait([leaving], timeout=LINGER)
        return Ending(Event.TEXT_END) if started.returncode in (0, None) else None


@contextmanager
def _leash() -> Iterator[int]:
    """The end of a leash that a program is held by; it runs out with this process, however that ends."""
    held, holding = os.pipe()
    try:
        yield held
    finally:
        os.close(held)
        os.close(holding)


def _told(code: int | None) -> int | None:
    """The code that a process left with; where a shell tells of a signal from outside, that signal."""
    return 128 - code if code is not None and code - 128 in FROM_OUTSIDE else code

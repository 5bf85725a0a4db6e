"""Every adapter as a `Door` value: how remote-controlled agents connect through it.

A new adapter joins the contract tests by one more value in DOORS.
"""

import json
import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Listener
from pathlib import Path
from threading import Thread
from typing import Any, Protocol
from unittest.mock import patch

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.python_agent import PythonAgent, PythonAgentRun
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.runs.worker_pool import Totals
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind
from tests.command import PATIENCE

PUPPET = Path(__file__).with_name("puppet.py")


class Guest(Protocol):
    """A remote-controlled agent."""

    question: str
    tools: list[dict[str, Any]]
    budget: int
    resumed_calls: int
    """How many calls of an earlier connection still count."""

    def call(self, tool: Any, arguments: Any = None) -> str:
        """The response to a call."""

    def together(self, calls: Sequence[tuple[Any, Any]]) -> list[str]:
        """The responses to concurrent calls."""


class Party(Protocol):
    """The connected agents, by world; when they have left, every finished evaluation has a record."""

    guests: dict[str, Guest]

    def crash(self) -> None:
        """Kill agents, servers or connections without warning."""

    def record(self, world: str) -> dict[str, Any]:
        """The record of an agent that has left."""


@dataclass(frozen=True)
class Door:
    """An adapter: `open` connects one agent per world (with different questions); a second `open` resumes."""

    name: str
    open: Callable[[Suite, Sequence[str], Path], AbstractContextManager[Party]]
    accepts_python: bool = False
    """Whether agents may give any Python value, also outside JSON, and text that cannot be encoded."""
    read: Callable[[tuple[Any, Any], list[dict[str, Any]]], tuple[Any, Any] | None] = lambda call, tools: call
    """The call that reaches the world if the harness parses arguments itself; None if the harness answers the call."""
    unreachable: frozenset[str] = frozenset()
    """Statuses that no call can reach, because the harness answers first."""


# -- in the same process ---------------------------------------------------------------------------------------------------


class InProcessGuest:
    """An agent in this process that uses `Play` directly."""

    resumed_calls = 0

    def __init__(self, play):
        self.play, self.question, self.tools, self.budget = play, play.question, play.tools, play.budget

    def call(self, tool, arguments=None):
        return self.play.call(tool, arguments).text

    def together(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: self.call(*call), calls))


class InProcessParty:
    """Agents in this process."""

    def __init__(self, guests):
        self.guests = guests

    def crash(self):
        self.guests.clear()

    def record(self, world):
        return self.guests[world].play.record()


def in_process(connect):
    """The `open` of an adapter in this process; `connect` returns the agent for a suite and a world."""

    @contextmanager
    def connect_all(suite, worlds, out):
        yield InProcessParty({world: connect(suite, world) for world in worlds})

    return connect_all


def parse_object(call, tools):
    """A call as a harness parses it: None unless its arguments are an object."""
    tool, arguments = call
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return None
    return (tool, parsed) if isinstance(parsed, dict) else None


def parse_known_call(call, tools):
    """The same for a harness that also refuses unknown tools."""
    return parse_object(call, tools) if call[0] in {tool["name"] for tool in tools} else None


# -- a function in Python --------------------------------------------------------------------------------------------------


class PuppetGuest:
    """A puppet in its own process, which plays from the beginning whenever it is started."""

    resumed_calls = 0

    def __init__(self, strings):
        self.strings, hello = strings, strings.recv()
        self.question, self.tools, self.budget, self.pid = (hello[name] for name in ("question", "tools", "budget", "pid"))

    def call(self, tool, arguments=None):
        return self.together([(tool, arguments)])[0]

    def together(self, calls):
        return self.order(list(calls))

    def order(self, order):
        self.strings.send(order)
        return self.strings.recv()


class PuppetParty:
    """A run of puppets in a thread of this process; `build_run` creates it."""

    def __init__(self, suite, worlds, out, settings, build_run):
        self.directory, self.guests = RunDirectory(out), {}
        entries = [suite.entry(world) for world in worlds]
        with self.directory.lock():
            self.directory.create_or_resume(
                Experiment.from_suite("puppet", PlayerKind.EXTERNAL, settings, suite, entries, 1), suite.directory
            )
        self.totals = Totals.from_directory(self.directory)
        self.run = build_run(self.directory, self.totals)
        self.worlds = {suite.play(world).question: world for world in worlds}

    def crash(self):
        for guest in self.guests.values():
            os.kill(guest.pid, signal.SIGKILL)

    def leave(self):
        for guest in self.guests.values():
            try:
                guest.strings.send(None)
            except OSError:
                assert guest.pid  # it had left before
            guest.strings.close()

    def record(self, world):
        return self.directory.read_record(Slot(world, 1))


@contextmanager
def run_puppets(party):
    """Run puppets until all have connected, each by the socket that the environment names."""
    with tempfile.TemporaryDirectory() as short, Listener(f"{short}/s", "AF_UNIX", backlog=len(party.worlds)) as listener:
        listener._listener._socket.settimeout(PATIENCE)
        with patch.dict(os.environ, {"PUPPET": f"{short}/s"}):
            thread = Thread(target=party.run.run)
            thread.start()
            for _ in party.worlds:
                guest = PuppetGuest(listener.accept())
                party.guests[party.worlds[guest.question]] = guest
        try:
            yield party
        finally:
            party.leave()
            thread.join(PATIENCE)


def in_python(suite, worlds, out):
    agent = PythonAgent(str(PUPPET), "play", PUPPET.parent)

    def build_run(directory, totals):
        return PythonAgentRun(directory, suite, agent, totals, PATIENCE, concurrency=len(worlds))

    return run_puppets(PuppetParty(suite, worlds, out, agent.settings(PATIENCE), build_run))


DOORS = (
    Door("play", in_process(lambda suite, world: InProcessGuest(suite.play(world))), accepts_python=True),
    Door("python", in_python, accepts_python=True),
)

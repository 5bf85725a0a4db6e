"""Every adapter as an `Adapter` value: how remote-controlled agents connect through it.

A new adapter joins the contract tests by one more value in ADAPTERS.
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
from algoworlds.runs.external.run import ExternalRun
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.runs.worker_pool import Totals
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind
from tests.command import PATIENCE

REMOTE_AGENT = Path(__file__).with_name("remote_agent.py")


class ConnectedAgent(Protocol):
    """A remote-controlled agent."""

    question: str
    tools: list[dict[str, Any]]
    budget: int
    resumed_calls: int
    """How many calls of an earlier connection still count."""

    def call(self, tool: Any, arguments: Any = None) -> str:
        """The response to a call."""

    def call_concurrently(self, calls: Sequence[tuple[Any, Any]]) -> list[str]:
        """The responses to concurrent calls."""


class AgentGroup(Protocol):
    """The connected agents, by world; when they have left, every finished evaluation has a record."""

    agents: dict[str, ConnectedAgent]

    def crash(self) -> None:
        """Kill agents, servers or connections without warning."""

    def record(self, world: str) -> dict[str, Any]:
        """The record of an agent that has left."""


@dataclass(frozen=True)
class Adapter:
    """An adapter: `connect` connects one agent per world (with different questions); a second `connect` resumes."""

    name: str
    connect: Callable[[Suite, Sequence[str], Path], AbstractContextManager[AgentGroup]]
    accepts_python: bool = False
    """Whether agents may give any Python value, also outside JSON, and text that cannot be encoded."""
    read: Callable[[tuple[Any, Any], list[dict[str, Any]]], tuple[Any, Any] | None] = lambda call, tools: call
    """The call that reaches the world if the harness parses arguments itself; None if the harness answers the call."""
    unreachable: frozenset[str] = frozenset()
    """Statuses that no call can reach, because the harness answers first."""


# -- in the same process ---------------------------------------------------------------------------------------------------


class InProcessAgent:
    """An agent in this process that uses `Play` directly."""

    resumed_calls = 0

    def __init__(self, play):
        self.play, self.question, self.tools, self.budget = play, play.question, play.tools, play.budget

    def call(self, tool, arguments=None):
        return self.play.call(tool, arguments).text

    def call_concurrently(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: self.call(*call), calls))


class InProcessGroup:
    """Agents in this process."""

    def __init__(self, agents):
        self.agents = agents

    def crash(self):
        self.agents.clear()

    def record(self, world):
        return self.agents[world].play.record()


def connect_in_process(connect):
    """The `connect` of an adapter in this process; `connect` returns the agent for a suite and a world."""

    @contextmanager
    def connect_all(suite, worlds, out):
        yield InProcessGroup({world: connect(suite, world) for world in worlds})

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


class RemoteAgent:
    """A remote-controlled function in its own process, which plays from the beginning whenever it is started."""

    resumed_calls = 0

    def __init__(self, connection):
        self.connection, task = connection, connection.recv()
        self.question, self.tools, self.budget, self.pid = (task[name] for name in ("question", "tools", "budget", "pid"))

    def call(self, tool, arguments=None):
        return self.call_concurrently([(tool, arguments)])[0]

    def call_concurrently(self, calls):
        return self.send_command(list(calls))

    def send_command(self, command):
        self.connection.send(command)
        return self.connection.recv()


class RemoteAgentGroup:
    """A run of remote-controlled agents in a thread of this process; `build_run` creates it."""

    def __init__(self, suite, worlds, out, settings, build_run):
        self.directory, self.agents = RunDirectory(out), {}
        entries = [suite.entry(world) for world in worlds]
        with self.directory.lock():
            self.directory.create_or_resume(
                Experiment.from_suite("remote", PlayerKind.EXTERNAL, settings, suite, entries, 1), suite.directory
            )
        self.totals = Totals.from_directory(self.directory)
        self.run = build_run(self.directory, self.totals)
        self.worlds = {suite.play(world).question: world for world in worlds}

    def crash(self):
        for agent in self.agents.values():
            os.kill(agent.pid, signal.SIGKILL)

    def disconnect(self):
        for agent in self.agents.values():
            try:
                agent.connection.send(None)
            except OSError:
                assert agent.pid  # it had left before
            agent.connection.close()

    def record(self, world):
        return self.directory.read_record(Slot(world, 1))


@contextmanager
def run_remote_agents(group):
    """Run remote-controlled agents until all have connected, each by the socket that the environment names."""
    with tempfile.TemporaryDirectory() as short, Listener(f"{short}/s", "AF_UNIX", backlog=len(group.worlds)) as listener:
        listener._listener._socket.settimeout(PATIENCE)
        with patch.dict(os.environ, {"REMOTE_AGENT": f"{short}/s"}):
            thread = Thread(target=group.run.play)
            thread.start()
            for _ in group.worlds:
                agent = RemoteAgent(listener.accept())
                group.agents[group.worlds[agent.question]] = agent
        try:
            yield group
        finally:
            group.disconnect()
            thread.join(PATIENCE)


def connect_in_python(suite, worlds, out):
    agent = PythonAgent(str(REMOTE_AGENT), "play", REMOTE_AGENT.parent)

    def build_run(directory, totals):
        return PythonAgentRun(ExternalRun(directory, suite, totals, len(worlds), keep_going=True), agent, PATIENCE)

    return run_remote_agents(RemoteAgentGroup(suite, worlds, out, agent.settings(PATIENCE), build_run))


ADAPTERS = (
    Adapter("play", connect_in_process(lambda suite, world: InProcessAgent(suite.play(world))), accepts_python=True),
    Adapter("python", connect_in_python, accepts_python=True),
)

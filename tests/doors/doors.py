"""Every door to the worlds as one value: how agents that are led by the hand come in through it.

A new door joins the contract by one more value in DOORS.
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
from algoworlds.runs.external.own import AgentRun, OwnAgent
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind
from tests.command import PATIENCE

PUPPET = Path(__file__).with_name("puppet.py")


class Guest(Protocol):
    """An agent that is led by the hand."""

    question: str
    tools: list[dict[str, Any]]
    budget: int
    made: int
    """Of the calls made through this door before, how many still count when the agent comes again."""

    def call(self, tool: Any, arguments: Any = None) -> str:
        """What the agent is answered."""

    def together(self, calls: Sequence[tuple[Any, Any]]) -> list[str]:
        """What it is answered to several calls at the same time."""


class Party(Protocol):
    """The agents that came in, by world; when they have gone there is a record of each that came to its end."""

    guests: dict[str, Guest]

    def crash(self) -> None:
        """Something from outside ends agents, servers or connections, whatever the door has, without warning."""

    def record(self, world: str) -> dict[str, Any]:
        """The record that was left of an agent that has gone."""


@dataclass(frozen=True)
class Door:
    """A door: agents come in, one for each of some worlds that differ in their questions; who comes again goes on there."""

    name: str
    opened: Callable[[Opened, Sequence[str], Path], AbstractContextManager[Party]]
    takes_python: bool = False
    """Whether an agent gives values of Python, also such as JSON has not, and text that has no bytes."""
    read: Callable[[tuple[Any, Any], list[dict[str, Any]]], tuple[Any, Any] | None] = lambda call, tools: call
    """What a call amounts to where the door hands it on, if a harness in front of it reads texts in a way of its own.

    None if the harness answers it itself, and the world never hears of it.
    """
    unheard: frozenset[str] = frozenset()
    """What no call can come to, because the harness is before it."""


# -- in the same process ---------------------------------------------------------------------------------------------------


class Host:
    """An agent in our own process, at the seam itself."""

    made = 0

    def __init__(self, play):
        self.play, self.question, self.tools, self.budget = play, play.question, play.tools, play.budget

    def call(self, tool, arguments=None):
        return self.play.call(tool, arguments).text

    def together(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: self.call(*call), calls))


class AtHome:
    """Agents that need no more than a play, however they come by it."""

    def __init__(self, guests):
        self.guests = guests

    def crash(self):
        self.guests.clear()

    def record(self, world):
        return self.guests[world].play.record()


def at_home_of(invited):
    """A door to this process, where `invited` makes an agent of a suite and a world."""

    @contextmanager
    def opened(suite, worlds, out):
        yield AtHome({world: invited(suite, world) for world in worlds})

    return opened


def objects(call, tools):
    """What becomes of a call where a harness parses it: only objects come through."""
    tool, arguments = call
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return None
    return (tool, parsed) if isinstance(parsed, dict) else None


def by_json(call, tools):
    """The same where a harness also knows which tools there are."""
    return objects(call, tools) if call[0] in {each["name"] for each in tools} else None


# -- a function in Python --------------------------------------------------------------------------------------------------


class Led:
    """A puppet in a process of its own, which plays from the beginning whenever it is started."""

    made = 0

    def __init__(self, strings):
        self.strings, told = strings, strings.recv()
        self.question, self.tools, self.budget, self.pid = (told[name] for name in ("question", "tools", "budget", "pid"))

    def call(self, tool, arguments=None):
        return self.together([(tool, arguments)])[0]

    def together(self, calls):
        return self.order(list(calls))

    def order(self, order):
        self.strings.send(order)
        return self.strings.recv()


class Troupe:
    """A run of puppets under way in a thread of this process; `made` says how it is made."""

    def __init__(self, suite, worlds, out, settings, made):
        self.directory, self.guests = RunDirectory(out), {}
        entries = [suite.entry(world) for world in worlds]
        with self.directory.locked():
            self.directory.begin(Experiment.of("puppet", Kind.EXTERNAL, settings, suite, entries, 1), suite.directory)
        self.totals = Totals.of(self.directory)
        self.run = made(self.directory, self.totals)
        self.worlds = {suite.play(world).question: world for world in worlds}

    def crash(self):
        for guest in self.guests.values():
            os.kill(guest.pid, signal.SIGKILL)

    def leave(self):
        for guest in self.guests.values():
            try:
                guest.strings.send(None)
            except OSError:
                assert guest.pid  # it has gone before
            guest.strings.close()

    def record(self, world):
        return self.directory.record(Slot(world, 1))


@contextmanager
def led(troupe):
    """Puppets that have come in, each by the socket that the environment names."""
    with tempfile.TemporaryDirectory() as short, Listener(f"{short}/s", "AF_UNIX", backlog=len(troupe.worlds)) as listener:
        listener._listener._socket.settimeout(PATIENCE)
        with patch.dict(os.environ, {"PUPPET": f"{short}/s"}):
            thread = Thread(target=troupe.run.run)
            thread.start()
            for _ in troupe.worlds:
                guest = Led(listener.accept())
                troupe.guests[troupe.worlds[guest.question]] = guest
        try:
            yield troupe
        finally:
            troupe.leave()
            thread.join(PATIENCE)


def in_python(suite, worlds, out):
    agent = OwnAgent(str(PUPPET), "play", PUPPET.parent)

    def made(directory, totals):
        return AgentRun(directory, suite, agent, totals, PATIENCE, concurrency=len(worlds))

    return led(Troupe(suite, worlds, out, agent.settings(PATIENCE), made))


DOORS = (
    Door("play", at_home_of(lambda suite, world: Host(suite.play(world))), takes_python=True),
    Door("python", in_python, takes_python=True),
)

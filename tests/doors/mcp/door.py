"""The doors of MCP for the contract over all doors: over HTTP, over stdio, and a program that a run starts."""

import asyncio
import json
import os
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

import anyio

from algoworlds.adapters.mcp.program import CommandRun, Program
from algoworlds.adapters.mcp.serving import Service
from algoworlds.runs.slot import Slot
from tests.command import PATIENCE
from tests.doors.doors import Door, Troupe, led
from tests.doors.mcp.served import begun, in_thread
from tests.doors.mcp.wire import Wire

LEADER = Path(__file__).with_name("leader.py")


class Seated:
    """An agent at an address or a pipe, which goes on where the evaluation was left."""

    def __init__(self, wire, made):
        self.wire, self.made = wire, made
        self.question, self.tools, self.budget, self.together = wire.question, wire.tools, wire.budget, wire.together

    def call(self, tool, arguments=None):
        return self.wire.call(tool, arguments).text


class Served:
    """Agents that come by themselves; who does not submit is closed when they have gone, unless all were cut off."""

    def __init__(self, suite, directories):
        self.suite, self.directories, self.guests, self.crashed = suite, directories, {}, False

    def made(self, world):
        return sum("tool" in line for line in self.directories[world].journaled(Slot(world, 1)))

    def crash(self):
        self.crashed = True

    def close(self):
        for world, directory in self.directories.items():
            if not self.crashed:
                with directory.locked():
                    Service(directory, self.suite).end([Slot(world, 1)])

    def record(self, world):
        return self.directories[world].record(Slot(world, 1))


@contextmanager
def over_http(suite, worlds, out):
    directory = begun(suite, worlds, out)
    party = Served(suite, dict.fromkeys(worlds, directory))
    with in_thread(Service(directory, suite)) as urls:
        for world in worlds:
            party.guests[world] = Seated(Wire.at(urls[f"{world}--1"]), party.made(world))
        yield party
    party.close()


class Pipe:
    """Requests and answers as lines, paired by number, from any thread."""

    def __init__(self, asking, answering):
        self._asking, self._lock, self._waiting = asking, Lock(), {}
        Thread(target=self._listen, args=[answering], daemon=True).start()

    def _listen(self, answering):
        for line in answering:
            answer = json.loads(line)
            self._waiting.pop(answer["id"]).put(answer)

    def __call__(self, body):
        self._waiting[body["id"]] = answered = SimpleQueue()
        with self._lock:
            self._asking.write(json.dumps(body) + "\n")
            self._asking.flush()
        return answered.get(timeout=PATIENCE)


@contextmanager
def piped(service):
    """The only evaluation of a run, served over pipes in a thread."""
    (reading, asking), (answering, writing) = os.pipe(), os.pipe()

    async def serve():
        with os.fdopen(reading) as stdin, os.fdopen(writing, "w") as stdout:
            await service.on_streams(anyio.wrap_file(stdin), anyio.wrap_file(stdout))

    with os.fdopen(answering) as answers, service.directory.locked():
        thread = Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        with os.fdopen(asking, "w") as lines:
            yield Wire(Pipe(lines, answers))
        thread.join(PATIENCE)


@contextmanager
def over_stdio(suite, worlds, out):
    party = Served(suite, {world: begun(suite, [world], out / world) for world in worlds})
    with ExitStack() as stack:
        for world, directory in party.directories.items():
            party.guests[world] = Seated(stack.enter_context(piped(Service(directory, suite))), party.made(world))
        yield party
    party.close()


def by_program(suite, worlds, out):
    """A run of the program that is led by the hand."""
    program = Program(f"{sys.executable} {LEADER}", PATIENCE)

    def made(directory, totals):
        return CommandRun(directory, suite, program, totals, concurrency=len(worlds))

    return led(Troupe(suite, worlds, out, program.settings, made))


DOORS = (Door("http", over_http), Door("stdio", over_stdio), Door("command", by_program))

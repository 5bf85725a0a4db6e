"""The MCP adapters for the contract tests: over HTTP, over stdio, and as a program that a run starts."""

import asyncio
import json
import os
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

import anyio

from algoworlds.adapters.mcp.command_run import CommandRun, Program
from algoworlds.adapters.mcp.service import Service
from algoworlds.runs.schedule import Slot
from tests.command import PATIENCE
from tests.doors.doors import Door, PuppetParty, run_puppets
from tests.doors.mcp.served import begin_run, serve_in_thread
from tests.doors.mcp.wire import Wire

LEADER = Path(__file__).with_name("leader.py")


class ConnectedGuest:
    """An agent at a URL or a pipe, which resumes the evaluation where it was left."""

    def __init__(self, wire, resumed_calls):
        self.wire, self.resumed_calls = wire, resumed_calls
        self.question, self.tools, self.budget, self.together = wire.question, wire.tools, wire.budget, wire.together

    def call(self, tool, arguments=None):
        return self.wire.call(tool, arguments).text


class ServedParty:
    """Agents that connect by themselves; afterwards unfinished evaluations are closed, unless there was a crash."""

    def __init__(self, suite, directories):
        self.suite, self.directories, self.guests, self.crashed = suite, directories, {}, False

    def resumed_calls(self, world):
        return sum("tool" in line for line in self.directories[world].read_journal(Slot(world, 1)))

    def crash(self):
        self.crashed = True

    def close(self):
        for world, directory in self.directories.items():
            if not self.crashed:
                with directory.lock():
                    Service(directory, self.suite).close_evaluations([Slot(world, 1)])

    def record(self, world):
        return self.directories[world].read_record(Slot(world, 1))


@contextmanager
def over_http(suite, worlds, out):
    directory = begin_run(suite, worlds, out)
    party = ServedParty(suite, dict.fromkeys(worlds, directory))
    with serve_in_thread(Service(directory, suite)) as urls:
        for world in worlds:
            party.guests[world] = ConnectedGuest(Wire.at(urls[f"{world}--1"]), party.resumed_calls(world))
        yield party
    party.close()


class Pipe:
    """Requests and responses as lines, matched by id, from any thread."""

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
def serve_over_pipes(service):
    """The only evaluation of a run, served over pipes in a thread."""
    (reading, asking), (answering, writing) = os.pipe(), os.pipe()

    async def serve():
        with os.fdopen(reading) as stdin, os.fdopen(writing, "w") as stdout:
            await service.serve_streams(anyio.wrap_file(stdin), anyio.wrap_file(stdout))

    with os.fdopen(answering) as answers, service.directory.lock():
        thread = Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        with os.fdopen(asking, "w") as lines:
            yield Wire(Pipe(lines, answers))
        thread.join(PATIENCE)


@contextmanager
def over_stdio(suite, worlds, out):
    party = ServedParty(suite, {world: begin_run(suite, [world], out / world) for world in worlds})
    with ExitStack() as stack:
        for world, directory in party.directories.items():
            party.guests[world] = ConnectedGuest(
                stack.enter_context(serve_over_pipes(Service(directory, suite))), party.resumed_calls(world)
            )
        yield party
    party.close()


def by_program(suite, worlds, out):
    """A run of the remote-controlled program."""
    program = Program(f"{sys.executable} {LEADER}", PATIENCE)

    def build_run(directory, totals):
        return CommandRun(directory, suite, program, totals, concurrency=len(worlds))

    return run_puppets(PuppetParty(suite, worlds, out, program.settings, build_run))


DOORS = (Door("http", over_http), Door("stdio", over_stdio), Door("command", by_program))

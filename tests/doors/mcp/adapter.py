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
from algoworlds.runs.external.run import ExternalRun, close_evaluations
from algoworlds.runs.schedule import Slot
from tests.command import PATIENCE
from tests.doors.adapters import Adapter, RemoteAgentGroup, run_remote_agents
from tests.doors.mcp.client import McpClient
from tests.doors.mcp.serving import begin_run, serve_in_thread

REMOTE_PROGRAM = Path(__file__).with_name("remote_program.py")


class ClientAgent:
    """An agent at a URL or a pipe, which resumes the evaluation where it was left."""

    def __init__(self, client, resumed_calls):
        self.client, self.resumed_calls = client, resumed_calls
        self.question, self.tools, self.budget = client.question, client.tools, client.budget
        self.call_concurrently = client.call_concurrently

    def call(self, tool, arguments=None):
        return self.client.call(tool, arguments).text


class ServedGroup:
    """Agents that connect by themselves; afterwards unfinished evaluations are closed, unless there was a crash."""

    def __init__(self, suite, directories):
        self.suite, self.directories, self.agents, self.crashed = suite, directories, {}, False

    def resumed_calls(self, world):
        return sum("tool" in line for line in self.directories[world].read_journal(Slot(world, 1)))

    def crash(self):
        self.crashed = True

    def close(self):
        for world, directory in self.directories.items():
            if not self.crashed:
                with directory.lock():
                    close_evaluations(directory, self.suite, [Slot(world, 1)])

    def record(self, world):
        return self.directories[world].read_record(Slot(world, 1))


@contextmanager
def connect_over_http(suite, worlds, out):
    directory = begin_run(suite, worlds, out)
    group = ServedGroup(suite, dict.fromkeys(worlds, directory))
    with serve_in_thread(Service(directory, suite)) as urls:
        for world in worlds:
            group.agents[world] = ClientAgent(McpClient.connect(urls[f"{world}--1"]), group.resumed_calls(world))
        yield group
    group.close()


class Pipe:
    """Requests and responses as lines, matched by id, from any thread."""

    def __init__(self, requests, responses):
        self._requests, self._lock, self._waiting = requests, Lock(), {}
        Thread(target=self._listen, args=[responses], daemon=True).start()

    def _listen(self, responses):
        for line in responses:
            answer = json.loads(line)
            self._waiting.pop(answer["id"]).put(answer)

    def __call__(self, body):
        self._waiting[body["id"]] = answered = SimpleQueue()
        with self._lock:
            self._requests.write(json.dumps(body) + "\n")
            self._requests.flush()
        return answered.get(timeout=PATIENCE)


@contextmanager
def serve_over_pipes(service):
    """The only evaluation of a run, served over pipes in a thread."""
    (reading, requests), (responses, writing) = os.pipe(), os.pipe()

    async def serve():
        with os.fdopen(reading) as stdin, os.fdopen(writing, "w") as stdout:
            await service.serve_streams(anyio.wrap_file(stdin), anyio.wrap_file(stdout))

    with os.fdopen(responses) as answers, service.directory.lock():
        thread = Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        with os.fdopen(requests, "w") as lines:
            yield McpClient(Pipe(lines, answers))
        thread.join(PATIENCE)


@contextmanager
def connect_over_stdio(suite, worlds, out):
    group = ServedGroup(suite, {world: begin_run(suite, [world], out / world) for world in worlds})
    with ExitStack() as stack:
        for world, directory in group.directories.items():
            group.agents[world] = ClientAgent(
                stack.enter_context(serve_over_pipes(Service(directory, suite))), group.resumed_calls(world)
            )
        yield group
    group.close()


def connect_by_program(suite, worlds, out):
    """A run of the remote-controlled program."""
    program = Program(f"{sys.executable} {REMOTE_PROGRAM}", PATIENCE)

    def build_run(directory, totals):
        return CommandRun(ExternalRun(directory, suite, totals, len(worlds), keep_going=True), program)

    return run_remote_agents(RemoteAgentGroup(suite, worlds, out, program.settings, build_run))


ADAPTERS = (Adapter("http", connect_over_http), Adapter("stdio", connect_over_stdio), Adapter("command", connect_by_program))

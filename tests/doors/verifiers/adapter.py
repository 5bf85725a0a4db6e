"""The verifiers adapter for the contract tests: rollouts in a thread, each with a remote-controlled harness."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from queue import Empty, SimpleQueue
from threading import Thread

import verifiers.v1 as vf
from algoworlds_verifiers import load_environment
from verifiers.v1.harnesses.utils.mcp import call_mcp, connect_mcp

from tests.command import PATIENCE
from tests.doors.adapters import Adapter, parse_known_call

FOREIGN_WARNINGS = ("ignore:The 'initial' parameter:DeprecationWarning",)
"""Warnings of verifiers' own libraries."""
CONNECTED, WAITING = SimpleQueue(), ThreadPoolExecutor(32)


class RolloutAgent:
    """An agent that makes the calls that a test sends and receives the responses."""

    resumed_calls = 0

    def __init__(self, question, tools):
        self.question, self.tools = question, [tool["function"] for tool in tools]
        self.budget = int(re.search(r"access budget is (\d+)", question)[1])
        self.commands, self.answers = SimpleQueue(), SimpleQueue()

    def call(self, tool, arguments=None):
        return self.call_concurrently([(tool, arguments)])[0]

    def call_concurrently(self, calls):
        self.commands.put([parse_known_call(call, self.tools) for call in calls])
        return self.answers.get(timeout=PATIENCE)


class RemoteHarness(vf.Harness[vf.HarnessConfig]):
    """A harness that calls tools like verifiers' chat program, but without a model."""

    SUPPORTS_MCP, EXECUTES_CODE, NEEDS_CONTAINER = True, False, False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        (url,) = mcp_urls.values()
        async with AsyncExitStack() as stack:
            connections = [await connect_mcp({"mcpServers": {"": {"url": url}}}, stack)]
            agent = RolloutAgent(data.prompt, connections[0][0])
            CONNECTED.put(agent)
            while (calls := await asyncio.get_running_loop().run_in_executor(WAITING, agent.commands.get)) is not None:
                connections += [await connect_mcp({"mcpServers": {"": {"url": url}}}, stack) for _ in calls[len(connections) :]]
                pending = [
                    call_mcp(servers, tools, *call) for call, (_, tools, servers) in zip(calls, connections, strict=False)
                ]
                agent.answers.put(await asyncio.gather(*pending))
        return vf.ProgramResult(0, "", "")


__all__ = ["RemoteHarness"]
sys.modules["remote_harness"] = sys.modules[__name__]  # verifiers finds plugins by module name


class ServedEnvironment:
    """An environment and its tool server in their own event loop: starting one takes many seconds."""

    def __init__(self, suite, reward="exact"):
        agent = {"harness": {"id": "remote_harness"}, "runtime": {"type": "subprocess"}}
        self.env = load_environment(agent, suite=str(suite.directory), track=suite.track.name, task={"reward": reward})
        self._context = vf.ModelContext(
            model="none", client=vf.EvalClientConfig(base_url="http://127.0.0.1:9", api_key_var="NONE")
        )
        self._loop, self._serving = asyncio.new_event_loop(), self.env.serving()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.run(self._serving.__aenter__()).result(PATIENCE)

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def start_rollout(self, task):
        """Start a rollout; returns a future of its episode."""
        return self.run(self.env.run_slot(*self.env.slots(task), self._context))

    def close(self):
        self.run(self._serving.__aexit__(None, None, None)).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


class RolloutGroup:
    """Rollouts of some worlds; their traces hold the state that is scored."""

    def __init__(self, environment, suite, worlds):
        self.source, numbers = environment.env.taskset.config.source, [entry.id for entry in suite.manifest.worlds]
        tasks = list(environment.env.taskset.include(idx=[str(numbers.index(world)) for world in worlds]))
        self._playing = {numbers[task.data.number]: environment.start_rollout(task) for task in tasks}
        world_by_question = {task.data.prompt: numbers[task.data.number] for task in tasks}
        connected = [self._next_agent() for _ in worlds]
        self.agents, self.traces = {world_by_question[agent.question]: agent for agent in connected}, {}

    def _next_agent(self):
        """The next agent to connect; a rollout that ends before has failed."""
        while True:
            try:
                return CONNECTED.get(timeout=1)
            except Empty:
                over = [playing.result() for playing in self._playing.values() if playing.done()]
                assert not over, [episode.errors + [trace.errors for trace in episode.traces] for episode in over]

    def crash(self):
        """An interrupted rollout has no record; the next one starts over."""

    def disconnect(self):
        for agent in self.agents.values():
            agent.commands.put(None)
        for world, playing in self._playing.items():
            (self.traces[world],) = playing.result(PATIENCE).traces

    def record(self, world):
        return self.traces[world].state.play(self.source).record()


SERVED_ENVIRONMENTS = {}
"""The served environments, by suite and track; `conftest.py` closes them after all tests."""


@contextmanager
def connect_in_verifiers(suite, worlds, out):
    key = suite.directory, suite.track.name
    if key not in SERVED_ENVIRONMENTS:
        SERVED_ENVIRONMENTS[key] = ServedEnvironment(suite)
    group = RolloutGroup(SERVED_ENVIRONMENTS[key], suite, worlds)
    try:
        yield group
    finally:
        group.disconnect()


ADAPTERS = (Adapter("verifiers", connect_in_verifiers, read=parse_known_call, unreachable=frozenset({"unknown_tool"})),)

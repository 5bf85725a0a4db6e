"""Verifiers as a door: rollouts of its environment under way in a thread, each with a harness that is led by the hand."""

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
from tests.doors.doors import Door, by_json

THEIRS = ("ignore:The 'initial' parameter:DeprecationWarning",)
"""Warnings about verifiers' own libraries, in its own code."""
ARRIVED, WAITING = SimpleQueue(), ThreadPoolExecutor(32)


class Voice:
    """An agent that does what it is told, and hears what the world answers."""

    made = 0

    def __init__(self, question, tools):
        self.question, self.tools = question, [each["function"] for each in tools]
        self.budget = int(re.search(r"access budget is (\d+)", question)[1])
        self.orders, self.answers = SimpleQueue(), SimpleQueue()

    def call(self, tool, arguments=None):
        return self.together([(tool, arguments)])[0]

    def together(self, calls):
        self.orders.put([by_json(call, self.tools) for call in calls])
        return self.answers.get(timeout=PATIENCE)


class LedHarness(vf.Harness[vf.HarnessConfig]):
    """A harness that calls tools as verifiers' own chat program does, and asks no model for it."""

    SUPPORTS_MCP, EXECUTES_CODE, NEEDS_CONTAINER = True, False, False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        (url,) = mcp_urls.values()
        async with AsyncExitStack() as stack:
            ways = [await connect_mcp({"mcpServers": {"": {"url": url}}}, stack)]
            voice = Voice(data.prompt, ways[0][0])
            ARRIVED.put(voice)
            while (calls := await asyncio.get_running_loop().run_in_executor(WAITING, voice.orders.get)) is not None:
                ways += [await connect_mcp({"mcpServers": {"": {"url": url}}}, stack) for _ in calls[len(ways) :]]
                made = [call_mcp(servers, known, *call) for call, (_, known, servers) in zip(calls, ways, strict=False)]
                voice.answers.put(await asyncio.gather(*made))
        return vf.ProgramResult(0, "", "")


__all__ = ["LedHarness"]
sys.modules["led_harness"] = sys.modules[__name__]  # verifiers knows its plugins by the names of modules


class Premises:
    """An environment that serves, with its tool server, in a loop of its own: starting one takes many seconds."""

    def __init__(self, suite, reward="exact"):
        agent = {"harness": {"id": "led_harness"}, "runtime": {"type": "subprocess"}}
        self.env = load_environment(agent, suite=str(suite.directory), task={"reward": reward})
        self._context = vf.ModelContext(
            model="none", client=vf.EvalClientConfig(base_url="http://127.0.0.1:9", api_key_var="NONE")
        )
        self._loop, self._serving = asyncio.new_event_loop(), self.env.serving()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.run(self._serving.__aenter__()).result(PATIENCE)

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def played(self, task):
        """The trace of a rollout, when it is over."""
        return self.run(self.env.run_slot(*self.env.slots(task), self._context))

    def close(self):
        self.run(self._serving.__aexit__(None, None, None)).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


class Seminar:
    """Rollouts of some worlds; their traces hold what scores them."""

    def __init__(self, premises, suite, worlds):
        self.syllabus, numbers = premises.env.taskset.config.syllabus, [entry.id for entry in suite.manifest.worlds]
        tasks = list(premises.env.taskset.include(idx=[str(numbers.index(world)) for world in worlds]))
        self._playing = {numbers[task.data.number]: premises.played(task) for task in tasks}
        asked, came = {task.data.prompt: numbers[task.data.number] for task in tasks}, [self._arrived() for _ in worlds]
        self.guests, self.traces = {asked[voice.question]: voice for voice in came}, {}

    def _arrived(self):
        """Who comes next; a rollout that is over before has failed."""
        while True:
            try:
                return ARRIVED.get(timeout=1)
            except Empty:
                over = [playing.result() for playing in self._playing.values() if playing.done()]
                assert not over, [episode.errors + [trace.errors for trace in episode.traces] for episode in over]

    def crash(self):
        """Whoever is cut off has no record; the next one begins anew."""

    def leave(self):
        for voice in self.guests.values():
            voice.orders.put(None)
        for world, playing in self._playing.items():
            (self.traces[world],) = playing.result(PATIENCE).traces

    def record(self, world):
        return self.traces[world].state.play(self.syllabus).record()


PREMISES = {}
"""What serves, by suite; `conftest.py` closes it when all tests are over."""


@contextmanager
def in_verifiers(suite, worlds, out):
    if suite.directory not in PREMISES:
        PREMISES[suite.directory] = Premises(suite)
    seminar = Seminar(PREMISES[suite.directory], suite, worlds)
    try:
        yield seminar
    finally:
        seminar.leave()


DOORS = (Door("verifiers", in_verifiers, read=by_json, unheard=frozenset({"unknown_tool"})),)

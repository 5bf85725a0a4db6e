"""Inspect as a door: its evaluation under way in a thread, with a model in each sample that is led by the hand."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from inspect_ai import eval as evaluate
from inspect_ai import task_with
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._call_tools import parse_tool_call
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall, ToolInfo

from algoworlds.adapters.adopting import adopt
from algoworlds.adapters.inspect_log import read_log
from algoworlds.adapters.inspecting import algoworlds
from algoworlds.runs.slot import Slot
from tests.command import PATIENCE
from tests.doors.doors import Door

THEIRS = ("ignore:The 'initial' parameter:DeprecationWarning", "ignore:Unclosed <MemoryObject:ResourceWarning")
"""Warnings about Inspect's own libraries, in its own code."""
USED = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
"""Said by the mock itself: counting needs a vocabulary from the network."""
NUMBERS = count()


def shown(tools):
    """Tools as a model is shown them."""
    return [
        {"name": each.name, "description": each.description, "parameters": each.parameters.model_dump(exclude_none=True)}
        for each in tools
    ]


def talking():
    """A turn without a call."""
    return ModelOutput.from_content("mock", "I would rather not.").model_copy(update={"usage": USED})


def calling(*calls):
    """A turn of calls, with arguments as Inspect has parsed them."""
    message = ChatMessageAssistant(content="let me see", tool_calls=list(calls))
    return ModelOutput(model="mock", choices=[{"message": message, "stop_reason": "tool_calls"}], usage=USED)


def made(tool, arguments, tools):
    """A call as Inspect's providers make it: of a text they read what they can."""
    number = f"call_{next(NUMBERS)}"
    if isinstance(arguments, dict):
        return ToolCall(id=number, function=tool, arguments=arguments)
    return parse_tool_call(number, tool, arguments, tools)


def read(call, tools):
    """What a call amounts to once Inspect has parsed it: a text that it cannot read is none."""
    found = made(*call, [ToolInfo(**each) for each in tools])
    return found.function, "" if found.parse_error else found.arguments


class Voice:
    """A model that says what it is told to, one call a turn, and hears what the world answers."""

    made = 0

    def __init__(self, question, tools):
        self.question, self.tools, self._tools = question, shown(tools), tools
        self.budget = int(re.search(r"access budget is (\d+)", question)[1])
        self.orders, self.answers = SimpleQueue(), SimpleQueue()

    def call(self, tool, arguments=None):
        self.orders.put(calling(made(tool, arguments, self._tools)))
        return self.answers.get(timeout=PATIENCE)

    def together(self, calls):
        """A model has turns, and makes them one after the other."""
        return [self.call(*call) for call in calls]


class Choir:
    """An evaluation of Inspect under way in a thread, a sample for each world; its log becomes a run."""

    def __init__(self, suite, worlds, out):
        self._suite, self._worlds, self._out = suite, worlds, out
        self._arrived, self._voices, self._run = SimpleQueue(), {}, None
        self._waiting = ThreadPoolExecutor(len(worlds))  # every voice waits for its order, all at the same time
        self._thread = Thread(target=self._evaluate)
        self._thread.start()
        asked = {suite.presented(world).question: world for world in worlds}
        came = [self._arrived.get(timeout=PATIENCE) for _ in worlds]
        self.guests = {asked[voice.question]: voice for voice in came}

    def _evaluate(self):
        task = algoworlds(str(self._suite.directory))
        many = len(self._worlds)
        (self._log,) = evaluate(
            task_with(task, solver=self._heard(task.solver)),
            model=get_model("mockllm/model", custom_outputs=self._turn, memoize=False),
            sample_id=self._worlds,
            log_dir=str(self._out.with_name("logs")),
            display="none",
            max_samples=many,
            max_connections=many,
        )

    async def _turn(self, messages, tools, choice, config):
        question = messages[0].text
        if len(messages) == 1:
            self._voices[question] = Voice(question, tools)
            self._arrived.put(self._voices[question])
        else:
            self._voices[question].answers.put(messages[-1].text)
        order = await asyncio.get_running_loop().run_in_executor(self._waiting, self._voices[question].orders.get)
        if order is None:
            raise RuntimeError("the model's server has gone")
        return order

    def _heard(self, playing):
        """Our own solver, and behind it what no model hears: the answer to a last call."""

        @solver
        def heard():
            async def solve(state, generate):
                state = await playing(state, generate)
                if state.messages[-1].role == "tool":
                    self._voices[state.messages[0].text].answers.put(state.messages[-1].text)
                return state

            return solve

        return heard()

    def crash(self):
        for voice in self.guests.values():
            voice.orders.put(None)

    def leave(self):
        for voice in self.guests.values():
            voice.orders.put(talking())
        self._thread.join(PATIENCE)
        self._waiting.shutdown()
        if self._log.status == "success":
            self._run = adopt(read_log(Path(self._log.location)), self._suite, self._out, "voices", "inspect")

    def record(self, world):
        return self._run.record(Slot(world, 1))


@contextmanager
def in_inspect(suite, worlds, out):
    choir = Choir(suite, worlds, out)
    try:
        yield choir
    finally:
        choir.leave()


DOORS = (Door("inspect", in_inspect, read=read),)

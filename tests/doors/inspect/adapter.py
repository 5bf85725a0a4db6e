"""The Inspect adapter for the contract tests: an evaluation in a thread, with a remote-controlled model per sample."""

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

from algoworlds.adapters.inspect_log import read_log
from algoworlds.adapters.inspect_task import algoworlds
from algoworlds.adapters.trajectory_import import import_trajectories
from algoworlds.runs.schedule import Slot
from tests.command import PATIENCE
from tests.doors.adapters import Adapter

FOREIGN_WARNINGS = ("ignore:The 'initial' parameter:DeprecationWarning", "ignore:Unclosed <MemoryObject:ResourceWarning")
"""Warnings of Inspect's own libraries."""
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
"""Given by the mock itself: counting tokens needs a vocabulary from the network."""
NUMBERS = count()


def tool_schemas(tools):
    """Tools as the model sees them."""
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters.model_dump(exclude_none=True)}
        for tool in tools
    ]


def text_turn():
    """A turn without a call."""
    return ModelOutput.from_content("mock", "I would rather not.").model_copy(update={"usage": USAGE})


def call_turn(*calls):
    """A turn of calls, with arguments as Inspect has parsed them."""
    message = ChatMessageAssistant(content="let me see", tool_calls=list(calls))
    return ModelOutput(model="mock", choices=[{"message": message, "stop_reason": "tool_calls"}], usage=USAGE)


def parse_call(tool, arguments, tools):
    """A call as Inspect's providers parse it."""
    number = f"call_{next(NUMBERS)}"
    if isinstance(arguments, dict):
        return ToolCall(id=number, function=tool, arguments=arguments)
    return parse_tool_call(number, tool, arguments, tools)


def read(call, tools):
    """A call as it reaches the world: text that Inspect cannot parse becomes empty."""
    parsed = parse_call(*call, [ToolInfo(**tool) for tool in tools])
    return parsed.function, "" if parsed.parse_error else parsed.arguments


class ModelAgent:
    """A model that makes the calls that a test sends, one per turn, and receives the responses."""

    resumed_calls = 0

    def __init__(self, question, tools):
        self.question, self.tools, self._tools = question, tool_schemas(tools), tools
        self.budget = int(re.search(r"access budget is (\d+)", question)[1])
        self.commands, self.answers = SimpleQueue(), SimpleQueue()

    def call(self, tool, arguments=None):
        self.commands.put(call_turn(parse_call(tool, arguments, self._tools)))
        return self.answers.get(timeout=PATIENCE)

    def call_concurrently(self, calls):
        """A model's turns are sequential."""
        return [self.call(*call) for call in calls]


class InspectGroup:
    """An Inspect evaluation in a thread, with a sample for each world; its log becomes a run."""

    def __init__(self, suite, worlds, out):
        self._suite, self._worlds, self._out = suite, worlds, out
        self._connected, self._models, self._run = SimpleQueue(), {}, None
        self._waiting = ThreadPoolExecutor(len(worlds))  # all models wait for their commands at the same time
        self._thread = Thread(target=self._evaluate)
        self._thread.start()
        worlds_by_question = {suite.public_world(world).question: world for world in worlds}
        connected = [self._connected.get(timeout=PATIENCE) for _ in worlds]
        self.agents = {worlds_by_question[agent.question]: agent for agent in connected}

    def _evaluate(self):
        task = algoworlds(str(self._suite.directory), track=self._suite.track.name)
        many = len(self._worlds)
        (self._log,) = evaluate(
            task_with(task, solver=self._record_last_answer(task.solver)),
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
            self._models[question] = ModelAgent(question, tools)
            self._connected.put(self._models[question])
        else:
            self._models[question].answers.put(messages[-1].text)
        turn = await asyncio.get_running_loop().run_in_executor(self._waiting, self._models[question].commands.get)
        if turn is None:
            raise RuntimeError("the model's server has gone")
        return turn

    def _record_last_answer(self, playing):
        """Our solver, which then also delivers the answer to the last call, which no model sees."""

        @solver
        def solve_and_report():
            async def solve(state, generate):
                state = await playing(state, generate)
                if state.messages[-1].role == "tool":
                    self._models[state.messages[0].text].answers.put(state.messages[-1].text)
                return state

            return solve

        return solve_and_report()

    def crash(self):
        for agent in self.agents.values():
            agent.commands.put(None)

    def disconnect(self):
        for agent in self.agents.values():
            agent.commands.put(text_turn())
        self._thread.join(PATIENCE)
        self._waiting.shutdown()
        if self._log.status == "success":
            self._run = import_trajectories(read_log(Path(self._log.location)), self._suite, self._out, "remote", "inspect")

    def record(self, world):
        return self._run.read_record(Slot(world, 1))


@contextmanager
def connect_in_inspect(suite, worlds, out):
    group = InspectGroup(suite, worlds, out)
    try:
        yield group
    finally:
        group.disconnect()


ADAPTERS = (Adapter("inspect", connect_in_inspect, read=read),)

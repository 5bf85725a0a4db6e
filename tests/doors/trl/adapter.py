"""The TRL adapter for the contract tests: an environment per agent, used as by `GRPOTrainer`."""

import inspect

from transformers.utils import get_json_schema

from algoworlds.adapters.trl import dataset_rows, environments
from algoworlds.adapters.world_source import world_source
from tests.doors.adapters import Adapter, InProcessAgent, connect_in_process, parse_known_call


def methods(environment):
    """The tools of an environment, as the trainer finds them."""
    members = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    names = [name for name, _ in members if name not in ("reset", "get_reward") and not name.startswith("_")]
    return {name: getattr(environment, name) for name in names}


def tool_schema(method):
    """A tool as the model sees it, plus what Transformers leaves out: empty `required`, and no additional properties."""
    schema = get_json_schema(method)["function"]
    schema["parameters"] = {"required": [], "additionalProperties": False} | schema["parameters"]
    return schema


class TrainedAgent(InProcessAgent):
    """A model in training: it calls existing tools, with objects."""

    def __init__(self, suite, world):
        worlds = world_source(suite.directory, worlds=world, track=suite.track.name)
        (row,) = dataset_rows(worlds, 1)
        self.environment = environments(worlds)[row.pop("environment")]()
        tools = methods(self.environment)  # TRL looks before it resets
        assert self.environment.reset(**row) is None
        self.methods, self.play, self.question = tools, self.environment._play, row["prompt"][-1]["content"]
        self.tools = [tool_schema(tools[tool["name"]]) for tool in self.play.tools]
        self.budget = self.play.budget

    def call(self, tool, arguments=None):
        _, parsed = parse_known_call((tool, arguments), self.tools)
        return str(self.methods[tool](**parsed))


ADAPTERS = (Adapter("trl", connect_in_process(TrainedAgent), read=parse_known_call, unreachable=frozenset({"unknown_tool"})),)

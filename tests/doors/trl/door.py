"""TRL as a door: an environment for each agent, whose tools are found and called as `GRPOTrainer` does it."""

import inspect

from transformers.utils import get_json_schema

from algoworlds.adapters.syllabus import syllabus
from algoworlds.adapters.trl import environments, rows
from tests.doors.doors import Door, Host, at_home_of, by_json


def methods(environment):
    """The tools of an environment, as the trainer finds them."""
    found = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    kept = [name for name, _ in found if name not in ("reset", "get_reward") and not name.startswith("_")]
    return {name: getattr(environment, name) for name in kept}


def shown(method):
    """A tool as a model is shown it, but for what Transformers leaves out: that nothing is needed, or nothing else taken."""
    told = get_json_schema(method)["function"]
    told["parameters"] = {"required": [], "additionalProperties": False} | told["parameters"]
    return told


class Trained(Host):
    """A model in training: it gives objects, and to tools that there are."""

    def __init__(self, suite, world):
        worlds = syllabus(suite.directory, worlds=world)
        (row,) = rows(worlds, 1)
        self.environment = environments(worlds)[row.pop("environment")]()
        found = methods(self.environment)  # TRL looks before it resets
        assert self.environment.reset(**row) is None
        self.methods, self.play, self.question = found, self.environment._play, row["prompt"][-1]["content"]
        self.tools = [shown(found[tool["name"]]) for tool in self.play.tools]
        self.budget = self.play.budget

    def call(self, tool, arguments=None):
        _, parsed = by_json((tool, arguments), self.tools)
        return str(self.methods[tool](**parsed))


DOORS = (Door("trl", at_home_of(Trained), read=by_json, unheard=frozenset({"unknown_tool"})),)

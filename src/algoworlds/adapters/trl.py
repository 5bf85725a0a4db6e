"""TRL environments: `GRPOTrainer(environment_factory=environments(source), ...)`.

TRL reads an environment's tools from its class, before any reset, so there is one class per family. Its methods are the
family's tools, with signatures and docstrings from which TRL builds the same schemas that every agent sees.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature
from math import nan
from typing import Any, Literal

from algoworlds.adapters.world_source import WorldSource
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, quote_value
from algoworlds.measures.rewards import find_reward
from algoworlds.suites.open import Play
from algoworlds.worlds.render import family_tool_schemas

_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_SELF = Parameter("self", Parameter.POSITIONAL_ONLY)


def environments(source: WorldSource, reward: str = "exact") -> dict[str, type]:
    """A class for each family of `source`, by the names in the column `environment` of its rows."""
    find_reward(reward)
    return {family: _environment_class(family, source, reward) for family in source.families}


def dataset_rows(source: WorldSource, count: int, first: int = 0) -> Iterator[JsonObject]:
    """Dataset rows for `count` worlds of `source`: the question, its family, and the number to reset to."""
    for number in range(first, first + count):
        play = source.play(number)
        prompt = [{"role": "user", "content": play.question}]
        yield {"prompt": prompt, "environment": play.entry.family, "number": number}


def _environment_class(family: str, source: WorldSource, reward: str) -> type:
    """The class of `family`: its tools and TRL's two methods. Any other public method would become a tool.

    After a fault of the infrastructure `valid` is false and the reward is not a number; it is never 0.
    """

    def reset(self: Any, number: int, **row: Any) -> None:
        self._play, self.valid = source.play(number), True

    def get_reward(self: Any) -> float:
        return float(self._play.reward(reward)) if self.valid else nan

    methods = {tool["name"]: _tool_method(tool) for tool in [*family_tool_schemas(family), *source.track.tools]}
    name = "".join(map(str.capitalize, family.split("_")))
    return type(name, (), {"__doc__": f"Worlds of {family}.", "reset": reset, "get_reward": get_reward, **methods})


def _tool_method(tool: JsonObject) -> Callable[..., str]:
    """A method for `tool`: TRL reads its signature, but it accepts whatever a model gives."""
    name, properties, required = tool["name"], tool["parameters"]["properties"], tool["parameters"]["required"]

    def call(self: Any, /, **arguments: Any) -> str:
        play: Play = self._play
        try:
            return play.call(name, arguments).text
        except Exception:  # whatever a model gives is answered, so this is a fault of the infrastructure
            self.valid = False
            raise

    hints = {argument: _type_hint(schema) for argument, schema in properties.items()}
    descriptions = "".join(f"\n    {argument}: {schema['description']}" for argument, schema in properties.items())
    call.__name__, call.__qualname__ = name, name
    call.__doc__ = f"{tool['description']}\n\nArgs:{descriptions}" if properties else tool["description"]
    call.__annotations__ = hints
    defaults = {argument: Parameter.empty if argument in required else None for argument in properties}
    parameters = [
        Parameter(argument, Parameter.KEYWORD_ONLY, default=defaults[argument], annotation=hint)
        for argument, hint in hints.items()
    ]
    call.__signature__ = Signature([_SELF, *parameters])  # type: ignore[attr-defined]
    return call


def _type_hint(schema: Mapping[str, Any]) -> Any:
    """The type from which TRL builds `schema` again."""
    kind = schema["type"]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if kind == "array":
        return list[_type_hint(schema["items"])]  # type: ignore[misc]
    if kind == "object":
        return dict[str, _type_hint(schema["additionalProperties"])]  # type: ignore[misc]
    if kind not in _TYPES:
        raise InputError(f"TRL has no type for an argument of JSON type {quote_value(kind)}")
    return _TYPES[kind]

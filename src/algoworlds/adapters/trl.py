"""The worlds as environments of TRL's trainers: `GRPOTrainer(environment_factory=environments(syllabus), ...)`.

TRL reads an environment's tools from its class and before any reset, so there is one class for each family: its methods are the
tools of the family, with signatures and docstrings from which TRL builds the very schemas that every agent is shown.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature
from typing import Any, Literal

from algoworlds.adapters.syllabus import Syllabus
from algoworlds.errors import InputError, quoted
from algoworlds.measures.rewards import reward_named
from algoworlds.suites.opened import Play
from algoworlds.worlds.render import tools

_KINDS: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
_SELF = Parameter("self", Parameter.POSITIONAL_ONLY)


def environments(syllabus: Syllabus, reward: str = "exact") -> dict[str, type]:
    """A class for each family of a syllabus, by the names that stand in the column `environment` of its rows."""
    reward_named(reward)
    return {family: _environment(family, syllabus, reward) for family in syllabus.families}


def rows(syllabus: Syllabus, count: int, first: int = 0) -> Iterator[dict[str, Any]]:
    """Rows of a dataset for so many worlds of a syllabus: the question, its family, and the number to reset to."""
    for number in range(first, first + count):
        play = syllabus.play(number)
        asked = [{"role": "user", "content": play.question}]
        yield {"prompt": asked, "environment": play.entry.family, "number": number}


def _environment(family: str, syllabus: Syllabus, reward: str) -> type:
    """The environment of a family: its tools, and what TRL asks for. Whatever else were public would be a tool as well."""

    def reset(self: Any, number: int, **row: Any) -> None:
        self._play = syllabus.play(number)

    def get_reward(self: Any) -> float:
        return float(self._play.reward(reward))

    methods = {tool["name"]: _method(tool) for tool in tools(family)}
    named = "".join(map(str.capitalize, family.split("_")))
    return type(named, (), {"__doc__": f"Worlds of {family}.", "reset": reset, "get_reward": get_reward, **methods})


def _method(tool: dict[str, Any]) -> Callable[..., str]:
    """A tool as a method: it is told to TRL by its signature, and takes whatever a model gives."""
    name, parameters = tool["name"], tool["parameters"]

    def call(self: Any, /, **arguments: Any) -> str:
        play: Play = self._play
        return play.call(name, arguments).text

    told = parameters["properties"]
    hints = {each: _hint(schema) for each, schema in told.items()}
    described = "".join(f"\n    {each}: {schema['description']}" for each, schema in told.items())
    call.__name__, call.__qualname__ = name, name
    call.__doc__ = f"{tool['description']}\n\nArgs:{described}" if told else tool["description"]
    call.__annotations__ = hints
    signed = [_parameter(each, hint, each in parameters["required"]) for each, hint in hints.items()]
    call.__signature__ = Signature([_SELF, *signed])  # type: ignore[attr-defined]
    return call


def _parameter(name: str, hint: Any, required: bool) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=Parameter.empty if required else None, annotation=hint)


def _hint(schema: Mapping[str, Any]) -> Any:
    """The type from which TRL builds the same schema."""
    kind = schema["type"]
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if kind == "array":
        return list[_hint(schema["items"])]  # type: ignore[misc]
    if kind == "object":
        return dict[str, _hint(schema["additionalProperties"])]  # type: ignore[misc]
    if kind not in _KINDS:
        raise InputError(f"TRL cannot be told of an argument of type {quoted(kind)}")
    return _KINDS[kind]

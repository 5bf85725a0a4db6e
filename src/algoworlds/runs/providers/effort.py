"""Reasoning effort: where each wire API has it in a model's configuration."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.runs.providers.configuration import Configuration

EFFORT_ORDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The names that vendors give efforts, the least first."""

_EFFORT_PATHS: Mapping[str, tuple[str, ...]] = {
    "responses": ("effort",),
    "chat": ("reasoning_effort",),
    "messages": ("output_config", "effort"),
}
"""By wire API, where the effort is in `Configuration.reasoning`."""


def read_effort(settings: Mapping[str, Any]) -> str:
    """The effort in the settings of a run of a model; empty if they state none, or if it was not a model's run."""
    value: Any = settings.get("reasoning")
    for name in _EFFORT_PATHS.get(str(settings.get("api")), ()):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def with_effort(configuration: Configuration, effort: str) -> Configuration:
    """`configuration` at another reasoning effort, with the effort in its label; InputError if the name cannot be one."""
    if effort not in EFFORT_ORDER:
        raise InputError(f"--effort takes {', '.join(EFFORT_ORDER)}, not {quote_value(effort)}")
    path = _EFFORT_PATHS.get(configuration.api)
    if path is None:
        raise InputError(f"the API {format_value(configuration.api)} has no reasoning effort: leave out --effort")
    reasoning: JsonObject = dict(configuration.reasoning)
    table = reasoning
    for name in path[:-1]:
        inner = table.get(name, {})
        table[name] = dict(inner) if isinstance(inner, Mapping) else {}
        table = table[name]
    table[path[-1]] = effort
    return replace(configuration, reasoning=reasoning, label=f"{configuration.label}, {effort} effort")


def effort_rank(effort: str) -> tuple[int, str]:
    """The position of `effort` from least to most; unknown names come last."""
    return (EFFORT_ORDER.index(effort) if effort in EFFORT_ORDER else len(EFFORT_ORDER)), effort

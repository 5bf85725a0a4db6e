"""One turn of a model, whatever the API it came over."""

import json
import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from algoworlds.core.canonical import JsonObject

MAX_NESTING = 100
"""Levels of nesting beyond which JSON is kept as text: parsers differ in how much they bear, and ours by the stack."""
MAX_TOKENS = 2**53
MAX_NAME_LENGTH = 64

_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)


class FinishReason(Enum):
    """Why a model stopped writing."""

    CALLS = "calls"
    END = "end"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"


class ToolCall(NamedTuple):
    """A tool call as the model wrote it: arguments are raw text, and the id is empty where the provider gave none."""

    id: str
    tool: str
    arguments: str


class Usage(NamedTuple):
    """Tokens as the provider counted them; what it did not report is None and never 0."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None


NO_USAGE = Usage(0, 0, 0, 0)


class Turn(NamedTuple):
    """What a complete response says. Only a turn that finished with CALLS has calls, and some servers finish so without any."""

    calls: tuple[ToolCall, ...]
    text: str
    finish: FinishReason
    usage: Usage
    model: str | None


class Thinking(NamedTuple):
    """What a response holds of the model's thinking."""

    text: str = ""
    """The part that people can read: reasoning text, a summary of it, or thinking blocks."""
    is_encrypted: bool = False
    """Whether the response also holds thinking that only the provider can read."""


def join_thinking(texts: Iterable[object], is_encrypted: bool) -> Thinking:
    """Thinking from its parts; empty parts and those that are not text are left out."""
    return Thinking("\n\n".join(text for text in texts if isinstance(text, str) and text), is_encrypted)


class Answer(NamedTuple):
    """A complete response as plain JSON, and what it says: read once, when it arrives."""

    response: JsonObject
    turn: Turn


def build_turn(calls: list[ToolCall], text: str, finish: FinishReason, usage: Usage, model: object) -> Turn:
    """A turn whose calls count only if the model finished them: not if it was cut off or refused."""
    if finish in (FinishReason.END, FinishReason.CALLS):
        finish = FinishReason.CALLS if calls else finish
    else:
        calls = []
    return Turn(tuple(calls), text, finish, usage, model if isinstance(model, str) and model else None)


def count_at(value: object, *path: str) -> int | None:
    """The number of tokens at a path of keys; None if it is missing or implausible."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_TOKENS else None


def total_usage(turns: list[Usage]) -> Usage:
    """The tokens of several turns; None for a kind that a turn does not report."""
    return Usage(*(None if None in counts else sum(counts) for counts in zip(*turns, strict=True))) if turns else NO_USAGE


def unique_call_ids(ids: list[object], taken: set[str], spare: str) -> list[str]:
    """Unique ids for calls in a history: as given, or generated if missing or used before."""
    used, unique = set(taken), list[str]()
    for at, call_id in enumerate(ids):
        is_new = isinstance(call_id, str) and call_id and call_id not in used
        unique.append(str(call_id) if is_new else f"{spare}_{at}")
        used.add(unique[-1])
    return unique


def safe_tool_name(name: object) -> str:
    """A tool name that servers accept in a history.

    A model can call any name, and servers refuse a history with an invalid one: the model's mistake must not become a fault
    of the provider.
    """
    return _UNNAMEABLE.sub("_", str(name or ""))[:MAX_NAME_LENGTH] or "_"


def arguments_text(arguments: object) -> str:
    """Arguments as text: None as an empty text, and what a server has parsed already as JSON."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def replayable_arguments(arguments: str) -> str:
    """Arguments that servers accept in a history: unchanged if they are a JSON object, otherwise wrapped in one.

    Servers refuse a history with arguments that do not parse: the model's mistake must not become a fault of the provider.
    """
    try:
        sound = limit_nesting(arguments) == arguments and isinstance(
            json.loads(arguments, parse_constant=refuse_json_constant), dict
        )
    except (ValueError, RecursionError):
        sound = False
    return arguments if sound else json.dumps({"INVALID_JSON": arguments})


def limit_nesting(text: str) -> str:
    """`text` with every value that is nested too deeply encoded as a string."""
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return text
    parts, done, level = [], 0, 0
    for match in _NESTING.finditer(text):
        if match[0] in "[{":
            level += 1
            if level == MAX_NESTING + 1:
                parts.append(text[done : match.start()])
                done = match.start()
        elif match[0] in "]}":
            if level == MAX_NESTING + 1:
                parts.append(json.dumps(text[done : match.end()]))
                done = match.end()
            level -= 1
    return "".join([*parts, text[done:]])


def refuse_json_constant(name: str) -> None:
    """Refuse NaN and infinities, which Python's parser accepts."""
    raise ValueError(f"{name} is not JSON")

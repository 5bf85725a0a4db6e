"""One turn of a model, whatever the API it came over."""

import json
import re
from enum import Enum
from typing import Any, NamedTuple

DEEPEST = 100
"""Levels of nesting beyond which JSON is kept as text: parsers differ in how much they bear, and ours by the stack."""
MOST_TOKENS = 2**53
LONGEST_NAME = 64

_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)


class Finish(Enum):
    """Why a model stopped writing."""

    CALLS = "calls"
    END = "end"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"


class Asked(NamedTuple):
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


NOTHING = Usage(0, 0, 0, 0)


class Turn(NamedTuple):
    """What a complete response says. Only a turn that finished with CALLS has calls, and some servers finish so without any."""

    calls: tuple[Asked, ...]
    text: str
    finish: Finish
    usage: Usage
    model: str | None


class Answer(NamedTuple):
    """A complete response as plain JSON, and what it says: read once, when it arrives."""

    response: dict[str, Any]
    turn: Turn


def turn(calls: list[Asked], text: str, finish: Finish, usage: Usage, model: object) -> Turn:
    """A turn in which calls count only if the model meant to make them and finished writing them."""
    if finish in (Finish.END, Finish.CALLS):
        finish = Finish.CALLS if calls else finish
    else:
        calls = []
    return Turn(tuple(calls), text, finish, usage, model if isinstance(model, str) and model else None)


def count(value: object, *path: str) -> int | None:
    """The number of tokens at a path of keys, or None where there is none that could be true."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS else None


def total(turns: list[Usage]) -> Usage:
    """The tokens of several turns; None for a kind that any of them does not tell."""
    return Usage(*(None if None in counts else sum(counts) for counts in zip(*turns, strict=True))) if turns else NOTHING


def distinct(ids: list[object], taken: set[str], spare: str) -> list[str]:
    """Ids by which a history can pair calls with answers: as given, or made up where one is missing or used before."""
    used, found = set(taken), []
    for at, given in enumerate(ids):
        fresh = isinstance(given, str) and given and given not in used
        found.append(str(given) if fresh else f"{spare}_{at}")
        used.add(found[-1])
    return found


def nameable(name: object) -> str:
    """A tool's name as a history can carry it.

    A model can call for any name, and servers refuse a history with a name that no tool could have: its slip must not
    end as a provider's fault.
    """
    return _UNNAMEABLE.sub("_", str(name or ""))[:LONGEST_NAME] or "_"


def written(arguments: object) -> str:
    """Arguments as text: as they are, nothing as nothing, and what a server has parsed already as JSON again."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def replayable(arguments: str) -> str:
    """Arguments as a history can carry them: as written if they are a JSON object, wrapped in one if they are not.

    Servers refuse a history whose arguments they cannot parse, and a model's slip must not end as a provider's fault.
    """
    try:
        sound = shallow(arguments) == arguments and isinstance(json.loads(arguments, parse_constant=no_constant), dict)
    except (ValueError, RecursionError):
        sound = False
    return arguments if sound else json.dumps({"INVALID_JSON": arguments})


def shallow(text: str) -> str:
    """A JSON text with every value that nests too deep written as a string."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return text
    parts, done, level = [], 0, 0
    for found in _NESTING.finditer(text):
        if found[0] in "[{":
            level += 1
            if level == DEEPEST + 1:
                parts.append(text[done : found.start()])
                done = found.start()
        elif found[0] in "]}":
            if level == DEEPEST + 1:
                parts.append(json.dumps(text[done : found.end()]))
                done = found.end()
            level -= 1
    return "".join([*parts, text[done:]])


def no_constant(name: str) -> None:
    """Refuse NaN and its like, which Python's parser would let through."""
    raise ValueError(f"{name} is no JSON")

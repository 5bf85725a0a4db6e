"""A world on a terminal: short names for ids, typed calls, answers as tables."""

import json as standard_json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import CALL_CAP, World

_ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")
_SHORT = re.compile(r"\b[A-Z]+[0-9]+\b")
_HELP = """\
Call a tool by its name, with its arguments in order, ids by their short names: {tools}
A decision is typed as pairs (J1=V2 J2=V1 ...) or as a list; slashes separate several lists and a claim. JSON works, too.
Other words: question, tools, help, quit"""


@dataclass
class Nicknames:
    """Short names for opaque ids, in order of appearance, so that a person can type them."""

    short: dict[str, str] = field(default_factory=dict)
    long: dict[str, str] = field(default_factory=dict)

    def shorten(self, text: str) -> str:
        """The text with every id replaced by its short name."""
        return _ID.sub(lambda match: self._name(match[0]), text)

    def expand(self, text: str) -> str:
        """What a person typed, with short names replaced by ids."""
        return _SHORT.sub(lambda match: self.long.get(match[0], match[0]), text)

    def _name(self, item: str) -> str:
        if item not in self.short:
            kind = item.rsplit("-", 1)[0]
            letters = "".join(word[0] for word in kind.split("_")).upper()
            taken = {name for name, full in self.long.items() if not full.startswith(f"{kind}-")}
            while any(re.fullmatch(f"{letters}[0-9]+", name) for name in taken):
                letters += kind[len(letters)].upper()
            number = 1 + sum(full.startswith(f"{kind}-") for full in self.long.values())
            self.short[item] = f"{letters}{number}"
            self.long[self.short[item]] = item
        return self.short[item]


def play_on(console: Console, episode: Episode) -> None:
    """Let a person make calls until the episode ends, the input ends, or they quit."""
    names = Nicknames()
    console.print(escape(names.shorten(episode.world.question)))
    console.print(_help(episode.world), style="dim")
    for line in _lines(console, episode):
        if line in ("quit", "exit"):
            break
        _obey(line, console, episode, names)
        if episode.stop is not None:
            break


def _help(world: World) -> str:
    calls = (" ".join([tool["name"], *tool["parameters"]["properties"]]) for tool in world.tools)
    return _HELP.format(tools=", ".join(calls))


def _lines(console: Console, episode: Episode) -> Iterator[str]:
    """Typed lines until the end of input; the budget and calls stand in the prompt on a terminal."""
    while sys.stdin is not None:
        state = f"\n[bold]budget {episode.remaining}/{episode.world.budget}[/]  calls {episode.executed}/{CALL_CAP} > "
        if sys.stdin.isatty():
            console.print(state, end="")
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _obey(line: str, console: Console, episode: Episode, names: Nicknames) -> None:
    tool, _, rest = line.partition(" ")
    if tool == "help":
        console.print(_help(episode.world))
    elif tool == "question":
        console.print(escape(names.shorten(episode.world.question)))
    elif tool == "tools":
        for each, price in episode.world.prices.items():
            console.print(f"{each}: {price}")
    else:
        observation = episode.call(tool, arguments_text(episode.world, tool, names.expand(rest.strip())))
        _show(console, observation, names)


def arguments_text(world: World, tool: str, typed: str) -> str:
    """JSON arguments from what a person typed: JSON as it is, otherwise words in the order of the schema."""
    schema = next((each["parameters"] for each in world.tools if each["name"] == tool), None)
    if schema is None or typed.startswith("{"):
        return typed or "{}"
    properties: dict[str, Any] = schema["properties"]
    kinds = {name: each["type"] for name, each in properties.items()}
    if set(kinds.values()) & {"object", "array"}:
        lists = [group.split() for group in typed.split("/")]
        values = [_gathered(kind, words) for kind, words in zip(kinds.values(), lists, strict=False)]
    else:
        values = [
            int(word) if kind == "integer" and re.fullmatch(r"-?[0-9]{1,9}", word) else word
            for kind, word in zip(kinds.values(), typed.split(), strict=False)
        ]
    return standard_json.dumps(dict(zip(kinds, values, strict=False)))


def _gathered(kind: str, words: list[str]) -> Any:
    if kind == "string":
        return " ".join(words)
    pairs = kind == "object" and all("=" in word for word in words)
    return dict(word.partition("=")[::2] for word in words) if pairs else words


def _show(console: Console, observation: Observation, names: Nicknames) -> None:
    answer = standard_json.loads(names.shorten(observation.text))
    if observation.status not in (Status.EXECUTED, Status.SUBMITTED):
        console.print(f"[yellow]{escape(answer['error'])}[/] " + _rest(answer, "error"))
        return
    for name, records in answer.pop("records", {}).items():
        table = Table(*records["columns"], title=name, title_justify="left", box=None, pad_edge=False)
        for row in records["rows"]:
            table.add_row(*(str(cell) for cell in row))
        console.print(table)
    console.print(_rest(answer, ""), style="green")


def _rest(answer: dict[str, Any], left_out: str) -> str:
    return escape("  ".join(f"{name.replace('_', ' ')} {value}" for name, value in answer.items() if name != left_out))

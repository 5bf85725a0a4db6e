"""Tools, calls and plans: what can be asked, what it costs, and lists of calls that learn enough.

A call is a selection on the relations its tool reveals. The argument's finite domain gives the catalog, its tiling
the plans; both depend on rosters alone, so a wrong argument can be rejected without a look at hidden data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil
from typing import Any, NamedTuple, Protocol

from algoworlds.core.canonical import canonical_text
from algoworlds.core.column import Rosters

PROFILES = 3
"""Prices vary with the instance index, in three profiles."""


class Call(NamedTuple):
    """One tool call as it was made: a tool's name and the JSON text of its arguments."""

    tool: str
    arguments: str = "{}"

    @classmethod
    def make(cls, tool: str, arguments: Mapping[str, Any] | str | None = None) -> "Call":
        """A call from parsed arguments, or from JSON text, which is kept as it is."""
        return cls(tool, arguments if isinstance(arguments, str) else canonical_text(arguments or {}))


class Refusal(Enum):
    """Why an arguments object names no admissible request."""

    SCHEMA = "schema"
    UNKNOWN_ID = "unknown_id"
    BAD_WINDOW = "bad_window"


Selection = frozenset[str] | None
"""The ids that a call asks about; None asks about everything."""


class Argument(Protocol):
    """What a tool is asked about: its schema, its finite domain, and the selection that a value makes."""

    @property
    def roster(self) -> str | None:
        """The roster that arguments range over, if there is one."""

    def properties(self) -> dict[str, Any]:
        """JSON schema of each argument."""

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        """Every admissible arguments object once."""

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        """Fewest admissible arguments that cover the roster."""

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        """The ids asked about, or why there are none."""


@dataclass(frozen=True)
class Nothing:
    """No argument: the tool answers with all it has."""

    roster: str | None = None

    def properties(self) -> dict[str, Any]:
        return {}

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        return [{}]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        return [{}]

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        return Refusal.SCHEMA if arguments else None


@dataclass(frozen=True)
class One:
    """One entity, by id."""

    roster: str
    name: str = ""

    @property
    def argument(self) -> str:
        """The argument's name: the roster's unless another is given."""
        return self.name or self.roster

    def properties(self) -> dict[str, Any]:
        return {self.argument: {"type": "string", "description": f"A {self.roster} id."}}

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        return [{self.argument: item} for item in rosters[self.roster]]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        return self.domain(rosters)

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        item = arguments.get(self.argument)
        if len(arguments) != 1 or not isinstance(item, str):
            return Refusal.SCHEMA
        return frozenset((item,)) if item in rosters[self.roster] else Refusal.UNKNOWN_ID


@dataclass(frozen=True)
class Window:
    """Two or three consecutive entities of a roster, from a starting id or a zero-based position."""

    roster: str
    lengths: tuple[int, ...] = (2, 3)
    names: tuple[str, str] = ("start", "length")
    by_position: bool = False

    def properties(self) -> dict[str, Any]:
        start, length = self.names
        first = {"type": "integer", "description": f"Zero-based position of the first {self.roster}."}
        if not self.by_position:
            first = {"type": "string", "description": f"Id of the first {self.roster}."}
        spans = " or ".join(map(str, self.lengths))
        return {start: first, length: {"type": "integer", "description": f"How many consecutive entries: {spans}."}}

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        size = len(rosters[self.roster])
        return [self._at(rosters, at, span) for span in self.lengths for at in range(size - span + 1)]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        size, widest = len(rosters[self.roster]), max(self.lengths)
        count = ceil(size / widest)
        ends = [min(widest * (tile + 1), size - min(self.lengths) * (count - 1 - tile)) for tile in range(count)]
        return [self._at(rosters, start, end - start) for start, end in zip([0, *ends], ends, strict=False)]

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        start, length = self.names
        if set(arguments) != set(self.names) or type(arguments[length]) is not int:
            return Refusal.SCHEMA
        items, span = rosters[self.roster], arguments[length]
        at = _position(arguments[start], items, self.by_position)
        if isinstance(at, Refusal):
            return at
        if span not in self.lengths or at < 0 or at + span > len(items):
            return Refusal.BAD_WINDOW
        return frozenset(items[at : at + span])

    def _at(self, rosters: Rosters, at: int, span: int) -> dict[str, Any]:
        start, length = self.names
        return {start: at if self.by_position else rosters[self.roster][at], length: span}


@dataclass(frozen=True)
class Page:
    """One of the aligned pages that a roster falls into; `size` is a number, or a roster whose length it is.

    Asked for by page number or, where two names are given, by the page's first position and its length.
    """

    roster: str
    size: int | str
    names: tuple[str, ...] = ("page",)

    def properties(self) -> dict[str, Any]:
        if len(self.names) == 1:
            return {self.names[0]: {"type": "integer", "description": f"Zero-based page of the {self.roster} list."}}
        start, length = self.names
        return {
            start: {"type": "integer", "description": f"Zero-based position of the page's first {self.roster}."},
            length: {"type": "integer", "description": "The page's length."},
        }

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        size = self._size(rosters)
        return [self._arguments(page, size, len(items)) for page, items in enumerate(self._pages(rosters))]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        return self.domain(rosters)

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        if set(arguments) != set(self.names) or not all(type(value) is int for value in arguments.values()):
            return Refusal.SCHEMA
        pages = self._pages(rosters)
        page, rest = arguments[self.names[0]], 0
        if len(self.names) == 2:
            page, rest = divmod(page, self._size(rosters))
        if rest or not 0 <= page < len(pages):
            return Refusal.BAD_WINDOW
        if len(self.names) == 2 and arguments[self.names[1]] != len(pages[page]):
            return Refusal.BAD_WINDOW
        return frozenset(pages[page])

    def _size(self, rosters: Rosters) -> int:
        return len(rosters[self.size]) if isinstance(self.size, str) else self.size

    def _pages(self, rosters: Rosters) -> list[tuple[str, ...]]:
        items, size = rosters[self.roster], self._size(rosters)
        return [items[at : at + size] for at in range(0, len(items), size)]

    def _arguments(self, page: int, size: int, length: int) -> dict[str, Any]:
        if len(self.names) == 1:
            return {self.names[0]: page}
        return {self.names[0]: page * size, self.names[1]: length}


def _position(start: Any, items: tuple[str, ...], by_position: bool) -> int | Refusal:
    if by_position:
        return start if type(start) is int else Refusal.SCHEMA
    if not isinstance(start, str):
        return Refusal.SCHEMA
    return items.index(start) if start in items else Refusal.UNKNOWN_ID


@dataclass(frozen=True)
class Partial:
    """Some columns of a relation: shown, but no fact by themselves."""

    relation: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Tool:
    """An information tool: its prices by profile, the relations it reveals, and its argument."""

    name: str
    prices: tuple[int, int, int]
    reveals: tuple[str | Partial, ...]
    argument: Argument = Nothing()
    description: str = ""
    navigation: bool = False
    """Navigation tools show the way and reveal no facts; catalogs leave them out."""
    through: str | None = None
    """A column: where a relation has it, every row that shares its value with a selected row is shown as well."""

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments object."""
        properties = self.argument.properties()
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@dataclass(frozen=True)
class Closing:
    """The two tools that take a whole decision: evaluate once at a price, and submit."""

    evaluate: str
    prices: tuple[int, int, int]
    submit: str


@dataclass(frozen=True)
class Step:
    """Part of a plan: a tool and which of its admissible arguments to use."""

    tool: str
    choose: Callable[[Argument, Rosters], Sequence[dict[str, Any]]]


def every(tool: str) -> Step:
    """The tool with every admissible argument."""
    return Step(tool, lambda argument, rosters: argument.domain(rosters))


def tile(tool: str) -> Step:
    """The tool with the fewest windows or pages that cover its roster."""
    return Step(tool, lambda argument, rosters: argument.tiling(rosters))


def first(tool: str, count: Callable[[Rosters], int] | int) -> Step:
    """The tool with the first `count` arguments of its tiling (a negative count leaves that many out)."""

    def choose(argument: Argument, rosters: Rosters) -> Sequence[dict[str, Any]]:
        return argument.tiling(rosters)[: count if isinstance(count, int) else count(rosters)]

    return Step(tool, choose)


def expand(plan: Iterable[Step], tools: Mapping[str, Tool], rosters: Rosters) -> tuple[Call, ...]:
    """A plan as its calls in order."""
    chosen = ((step.tool, step.choose(tools[step.tool].argument, rosters)) for step in plan)
    return tuple(Call.make(tool, arguments) for tool, listed in chosen for arguments in listed)


def counts(plan: Iterable[Step], tools: Mapping[str, Tool], rosters: Rosters) -> Iterator[tuple[str, int]]:
    """How many calls each step of a plan makes, and of which tool."""
    return ((step.tool, len(step.choose(tools[step.tool].argument, rosters))) for step in plan)


def catalog(tools: Iterable[Tool], rosters: Rosters) -> tuple[Call, ...]:
    """Every admissible request that can return facts, once."""
    return tuple(
        Call.make(tool.name, arguments) for tool in tools if not tool.navigation for arguments in tool.argument.domain(rosters)
    )

"""Tools, calls and plans: what an agent can ask, at what price, and lists of calls that reveal enough.

A call is a selection on the relations that its tool reveals. The argument's finite domain gives the catalog, its tiling
the plans; both depend on rosters alone, so a wrong argument is rejected without reading hidden data.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil
from typing import Any, NamedTuple, Protocol

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Rosters

PRICE_PROFILE_COUNT = 3
"""Prices cycle through three profiles with the instance index."""


class Call(NamedTuple):
    """One tool call: the tool's name and the JSON text of the arguments, as the agent wrote them."""

    tool: str
    arguments: str = "{}"

    @classmethod
    def from_arguments(cls, tool: str, arguments: Mapping[str, Any] | str | None = None) -> "Call":
        """A call from parsed arguments, or from JSON text, which stays unchanged."""
        return cls(tool, arguments if isinstance(arguments, str) else canonical_json(arguments or {}))


class Refusal(Enum):
    """Why an arguments object is refused."""

    SCHEMA = "schema"
    UNKNOWN_ID = "unknown_id"
    BAD_WINDOW = "bad_window"


Selection = frozenset[str] | None
"""The ids that a call selects; None selects everything."""


class Argument(Protocol):
    """The argument of a tool: its schema, its finite domain, and the selection of each value."""

    @property
    def roster(self) -> str | None:
        """The roster that arguments range over, if any."""

    def properties(self) -> dict[str, Any]:
        """JSON schema of each argument."""

    def domain(self, rosters: Rosters) -> list[dict[str, Any]]:
        """Every admissible arguments object once."""

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        """The fewest admissible arguments objects that cover the roster."""

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        """The ids that `arguments` select, or why they are refused."""


@dataclass(frozen=True)
class Nothing:
    """No argument: the tool returns everything."""

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
    """Consecutive entities of a roster, by first id or zero-based position and length."""

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
        return [self._arguments(rosters, at, span) for span in self.lengths for at in range(size - span + 1)]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        size, longest = len(rosters[self.roster]), max(self.lengths)
        count = ceil(size / longest)
        # Every tile is as long as possible, but leaves at least the shortest length to each tile after it.
        ends = [min(longest * (tile + 1), size - min(self.lengths) * (count - 1 - tile)) for tile in range(count)]
        return [self._arguments(rosters, start, end - start) for start, end in zip([0, *ends], ends, strict=False)]

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        start, length = self.names
        if set(arguments) != set(self.names) or type(arguments[length]) is not int:
            return Refusal.SCHEMA
        items, at, span = rosters[self.roster], arguments[start], arguments[length]
        if type(at) is not int if self.by_position else not isinstance(at, str):
            return Refusal.SCHEMA
        if not self.by_position:
            if at not in items:
                return Refusal.UNKNOWN_ID
            at = items.index(at)
        if span not in self.lengths or at < 0 or at + span > len(items):
            return Refusal.BAD_WINDOW
        return frozenset(items[at : at + span])

    def _arguments(self, rosters: Rosters, at: int, span: int) -> dict[str, Any]:
        start, length = self.names
        return {start: at if self.by_position else rosters[self.roster][at], length: span}


@dataclass(frozen=True)
class Page:
    """One aligned page of a roster; `size` is a number, or the name of a roster whose length it is.

    A page is selected by its number or, with two `names`, by its first position and its length.
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
        pages, size = self._pages(rosters), self._size(rosters)
        if len(self.names) == 1:
            return [{self.names[0]: page} for page in range(len(pages))]
        return [{self.names[0]: page * size, self.names[1]: len(items)} for page, items in enumerate(pages)]

    def tiling(self, rosters: Rosters) -> list[dict[str, Any]]:
        return self.domain(rosters)

    def select(self, arguments: Mapping[str, Any], rosters: Rosters) -> Selection | Refusal:
        if set(arguments) != set(self.names) or not all(type(value) is int for value in arguments.values()):
            return Refusal.SCHEMA
        pages = self._pages(rosters)
        page, offset = arguments[self.names[0]], 0
        if len(self.names) == 2:
            page, offset = divmod(page, self._size(rosters))
        if offset or not 0 <= page < len(pages):
            return Refusal.BAD_WINDOW
        if len(self.names) == 2 and arguments[self.names[1]] != len(pages[page]):
            return Refusal.BAD_WINDOW
        return frozenset(pages[page])

    def _size(self, rosters: Rosters) -> int:
        return len(rosters[self.size]) if isinstance(self.size, str) else self.size

    def _pages(self, rosters: Rosters) -> list[tuple[str, ...]]:
        items, size = rosters[self.roster], self._size(rosters)
        return [items[at : at + size] for at in range(0, len(items), size)]


@dataclass(frozen=True)
class PartialRelation:
    """Some columns of a relation: returned, but not facts by themselves."""

    relation: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Tool:
    """An information tool: its prices by profile, the relations it reveals, and its argument."""

    name: str
    prices: tuple[int, int, int]
    reveals: tuple[str | PartialRelation, ...]
    argument: Argument = Nothing()
    description: str = ""
    navigation: bool = False
    """Navigation tools help to find entities and reveal no facts; catalogs leave them out."""
    self_join: str | None = None
    """A column: rows that share its value with a selected row are returned as well."""

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments object."""
        properties = self.argument.properties()
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


@dataclass(frozen=True)
class DecisionTools:
    """The two tools that take a whole decision: evaluate once at a price, and submit."""

    evaluate: str
    prices: tuple[int, int, int]
    submit: str


@dataclass(frozen=True)
class PlanStep:
    """Part of a plan: a tool, and which of its admissible arguments to use."""

    tool: str
    choose: Callable[[Argument, Rosters], Sequence[dict[str, Any]]]


def tiling_calls(tool: str) -> PlanStep:
    """The tool with the fewest windows or pages that cover its roster."""
    return PlanStep(tool, lambda argument, rosters: argument.tiling(rosters))


def first_calls(tool: str, count: Callable[[Rosters], int] | int) -> PlanStep:
    """The tool with the first `count` arguments of its tiling; a negative count leaves that many out."""

    def choose(argument: Argument, rosters: Rosters) -> Sequence[dict[str, Any]]:
        return argument.tiling(rosters)[: count if isinstance(count, int) else count(rosters)]

    return PlanStep(tool, choose)


def expand_plan(plan: Iterable[PlanStep], tools: Mapping[str, Tool], rosters: Rosters) -> tuple[Call, ...]:
    """A plan as its calls in order."""
    steps = ((step.tool, step.choose(tools[step.tool].argument, rosters)) for step in plan)
    return tuple(Call.from_arguments(tool, arguments) for tool, choices in steps for arguments in choices)


def count_plan_calls(plan: Iterable[PlanStep], tools: Mapping[str, Tool], rosters: Rosters) -> Iterator[tuple[str, int]]:
    """The tool of each step of a plan, and how many calls it makes."""
    return ((step.tool, len(step.choose(tools[step.tool].argument, rosters))) for step in plan)


def build_catalog(tools: Iterable[Tool], rosters: Rosters) -> tuple[Call, ...]:
    """Every admissible call that can reveal facts, once."""
    revealing = (tool for tool in tools if not tool.navigation)
    return tuple(Call.from_arguments(tool.name, value) for tool in revealing for value in tool.argument.domain(rosters))


MAX_TOOL_NAME_CHARS = 1000
"""Characters of a tool's name that are recorded; no tool's name is nearly as long."""
MAX_ARGUMENT_CHARS = 100_000
"""Longer arguments are refused unread."""


def call_from_input(tool: Any, arguments: Any = None) -> Call:
    """A call that can be recorded and replayed, from any input; never raises.

    A value without JSON form becomes the empty text, which no schema admits. The type of a value is checked before any
    of its methods is called, so that no input can make this raise.
    """
    name = str.__str__(tool) if isinstance(tool, str) else ""
    if type(arguments) is str:
        return Call(name, arguments)
    if arguments is None:
        return Call(name)
    try:
        return Call(name, canonical_json(arguments) if _is_json(arguments) else "")
    except (ValueError, RecursionError):  # NaN, thousands of digits, a list that holds itself
        return Call(name, "")


def _is_json(value: Any) -> bool:
    """Whether `value` consists of plain JSON types only."""
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and _is_json(item) for key, item in value.items())
    if kind is list or kind is tuple:
        return all(map(_is_json, value))
    return kind is str or kind is int or kind is bool or kind is float or value is None


def truncate_call(call: Call) -> Call:
    """Cut a name or arguments beyond the limits to a length that is refused the same way."""
    return Call(call.tool[:MAX_TOOL_NAME_CHARS], call.arguments[: MAX_ARGUMENT_CHARS + 1])

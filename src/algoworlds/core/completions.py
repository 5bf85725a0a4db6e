"""Completions: all instances in the declared ranges that would have answered some calls with the same responses.

They are described from any one of them: its rows that were read are the same in all, its other rows are not. Nothing here
depends on which member is taken, so that what holds of them can be asked with the hidden instance or with a made-up one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from algoworlds.core.column import Ints
from algoworlds.core.instance import Instance
from algoworlds.core.ranges import Place, Range, Ranges
from algoworlds.core.relation import Fact, Row

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
T = TypeVar("T")

Exchanged = Mapping[str, Mapping[Row, Row]]
"""Rows by relation, and what stands in their place."""


class Spot(NamedTuple):
    """Where one number stands: in a row of a relation, by the column's position and the place in its list, if it is one."""

    relation: str
    row: Row
    at: int
    place: int | None = None

    @property
    def number(self) -> int:
        """The number that stands there."""
        found = self.row[self.at]
        return found if self.place is None else found[self.place]  # type: ignore[no-any-return]


class Scope(NamedTuple):
    """What a call was about: all rows of a relation that mention an entity of a roster, or all rows (both empty)."""

    relation: str
    roster: str = ""
    entity: str = ""
    partial: bool = False
    """Whether only some columns of the rows were shown."""


class Evaluated(NamedTuple):
    """What an evaluation told: a decision's value, or that it is infeasible."""

    decision: Any
    value: int | None


@dataclass(frozen=True, eq=False)
class Completions:
    """Comp(o): the instances that responses leave possible, described from one of them."""

    instance: Any
    facts: frozenset[Fact]
    """The rows that the responses amount to; every completion has them."""
    scopes: frozenset[Scope]
    """What was shown whole: no completion has another row there."""
    shown: frozenset[str]
    """Every id that a response mentions."""
    ranges: Ranges
    told: Evaluated | None = None
    """What an evaluation told, if there was one."""
    _made: dict[Callable[["Completions"], Any], Any] = field(default_factory=dict, init=False, repr=False)
    _unread: dict[str, tuple[Row, ...]] = field(default_factory=dict, init=False, repr=False)
    _boxes: dict[Place, dict[Spot, Range]] = field(default_factory=dict, init=False, repr=False)

    def once(self, make: Callable[["Completions"], T]) -> T:
        """What a function makes of them, which it is asked for once."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[no-any-return]

    def unread(self, relation: str) -> tuple[Row, ...]:
        """The member's rows of a relation that were not read."""
        if relation not in self._unread:
            rows = self.instance.rows(relation)
            self._unread[relation] = tuple(row for row in rows if Fact(relation, row) not in self.facts)
        return self._unread[relation]

    @cached_property
    def open(self) -> tuple[str, ...]:
        """The relations with rows that were not read and that any decision could depend on."""
        hidden = [each for each in self.instance.relations.values() if each.fact and not each.public and not each.constant]
        return tuple(each.name for each in hidden if self.unread(each.name))

    def whole(self, relation: str, roster: str = "", entity: str = "") -> bool:
        """Whether all rows of a relation that mention an entity were shown."""
        return Scope(relation) in self.scopes or Scope(relation, roster, entity) in self.scopes

    def boxes(self, place: Place) -> Mapping[Spot, Range]:
        """The unread numbers of a column that have any choice left, with their ranges."""
        if place not in self._boxes:
            boxes: dict[Spot, Range] = {}
            for row in self.unread(place[0]):
                found = zip(spots(self.instance, place, (row,)), self.ranges.cell(self.instance, place, row), strict=True)
                boxes |= {spot: each for spot, each in found if each.width}
            self._boxes[place] = boxes
        return self._boxes[place]


def spots(instance: Instance, place: Place, rows: Iterable[Row]) -> list[Spot]:
    """Where the numbers of a column stand in some rows."""
    relation = instance.relations[place[0]]
    at = relation.position(place[1])
    if isinstance(relation.columns[at], Ints):
        return [Spot(relation.name, row, at, number) for row in rows for number in range(len(row[at]))]
    return [Spot(relation.name, row, at) for row in rows]


def settled(instance: I, numbers: Mapping[Spot, int], before: Exchanged = MappingProxyType({})) -> I:
    """The instance with some numbers exchanged, on which nothing else depends.

    A spot's row stands in the instance, unless another one has been exchanged for it before.
    """
    rows = exchanged(numbers, before)
    return instance.unchecked(**instance.tables_with(rows)) if rows else instance


def exchanged(numbers: Mapping[Spot, int], before: Exchanged = MappingProxyType({})) -> dict[str, dict[Row, Row]]:
    """The rows in which some numbers stand, by relation, each with the row that has them exchanged."""
    rows: dict[str, dict[Row, Row]] = {}
    for spot, number in numbers.items():
        new = rows.setdefault(spot.relation, {})
        row = new.get(spot.row) or before.get(spot.relation, {}).get(spot.row) or spot.row
        new[spot.row] = _with(row, spot, number)
    return rows


def _with(row: Row, spot: Spot, number: int) -> Row:
    if spot.place is None:
        return (*row[: spot.at], number, *row[spot.at + 1 :])
    listed = row[spot.at]
    return (*row[: spot.at], (*listed[: spot.place], number, *listed[spot.place + 1 :]), *row[spot.at + 1 :])

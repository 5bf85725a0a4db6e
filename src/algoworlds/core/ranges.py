"""Ranges: what somebody may rely on who has read nothing yet, the same for every instance of a family and level.

They are made from a generator's configuration and never from an instance, so that stating them tells nothing about one. The
instances that lie inside them and would have answered some calls alike are what these calls leave possible.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from algoworlds.core.column import Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Row

Place = tuple[str, str]
"""A column: the name of its relation and its own."""


@dataclass(frozen=True)
class Range:
    """The whole numbers that a hidden column may hold, both ends included."""

    low: int
    high: int
    own: int | None = None
    """What stands, for certain, where a list over a roster comes to the entity that its row is about."""
    words: str = ""
    """What the question calls the numbers, where the column's name does not say it well enough."""

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high

    @property
    def width(self) -> int:
        """How far apart the ends are."""
        return self.high - self.low


@dataclass(frozen=True)
class Promise:
    """A sentence of the question on how tables hang together, beyond what makes them an instance, and who keeps it."""

    text: str
    kept: Callable[[Any], bool] = field(compare=False)


@dataclass(frozen=True)
class Ranges:
    """The range of every hidden column of numbers, and what else is promised of all instances of a level.

    A flag may always be either and an id any of its roster, so that they have no range.
    """

    columns: Mapping[Place, Range]
    promises: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def cell(self, instance: Instance, place: Place, row: Row) -> tuple[Range, ...]:
        """The range of every number that a row holds in a column: one, or as many as its list has."""
        relation, declared = instance.relations[place[0]], self.columns[place]
        at = relation.position(place[1])
        column = relation.columns[at]
        if not isinstance(column, Ints):
            return (declared,)
        if declared.own is None:
            return (declared,) * len(row[at])
        certain = Range(declared.own, declared.own)
        return tuple(certain if sure else declared for sure in self.certain(instance, place, row))

    def certain(self, instance: Instance, place: Place, row: Row) -> list[bool]:
        """Number by number of the list that a row holds in a column, whether it is the one that stands there for certain."""
        relation = instance.relations[place[0]]
        at = relation.position(place[1])
        column, about = relation.columns[at], row[: len(relation.keys)]
        if self.columns[place].own is None or not isinstance(column, Ints) or column.over is None:
            return [False] * len(row[at])
        return [entity in about for entity in getattr(instance, column.over)]

    def numbers(self, instance: Instance, place: Place) -> Iterator[tuple[int, Range]]:
        """Every number in a column of an instance, with its range."""
        relation, declared = instance.relations[place[0]], self.columns[place]
        at = relation.position(place[1])
        for row in instance.rows(place[0]):
            if not isinstance(row[at], tuple):
                yield row[at], declared
            elif declared.own is None:
                yield from ((number, declared) for number in row[at])
            else:
                yield from zip(row[at], self.cell(instance, place, row), strict=True)

    def broken(self, instance: Instance, inside: Instance | None = None) -> Iterator[str]:
        """How an instance leaves the ranges and what it does not keep; tables that it shares with one inside are not read."""
        for place in (each for each in self.columns if getattr(inside, each[0], None) is not getattr(instance, each[0])):
            for number, each in self.numbers(instance, place):
                if number not in each:
                    yield f"{'.'.join(place)} holds {number:,}, outside {each.low:,} .. {each.high:,}"
        yield from (f"not kept: {promise.text}" for promise in self.promises if not promise.kept(instance))

    def problems(self, kind: type[Instance]) -> Iterator[str]:
        """How the declaration does not fit the tables that it is about."""
        hidden = hidden_numbers(kind)
        for place in dict.fromkeys((*hidden, *self.columns)):
            name = ".".join(place)
            if place not in self.columns:
                yield f"no range is declared for {name}"
            elif place not in hidden:
                yield f"a range is declared for {name}, which is no hidden column of numbers"
            elif self.columns[place].width < 0:
                yield f"the range of {name} ends before it begins"


def hidden_numbers(kind: type[Instance]) -> list[Place]:
    """The columns of numbers that no question states."""
    hidden = [each for each in kind.relations.values() if not each.public]
    return [(each.name, column.name) for each in hidden for column in each.columns if isinstance(column, Int | Ints)]

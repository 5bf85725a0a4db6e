"""Ranges: the bounds of hidden numbers that the question states, the same for every instance of a family and level.

They are derived from a generator's configuration and never from an instance, so they reveal nothing about one. Instances
within the ranges that answer some calls alike are the completions of these calls.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from algoworlds.core.column import Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Row

ColumnRef = tuple[str, str]
"""A column: the name of its relation, and its own."""


@dataclass(frozen=True)
class Range:
    """The whole numbers that a hidden column may hold, both ends included."""

    low: int
    high: int
    diagonal: int | None = None
    """The certain value at the entity of the row itself, in a list over its roster."""
    label: str = ""
    """What the question calls the numbers, if not by the column's name."""

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high

    @property
    def width(self) -> int:
        """The distance between the ends."""
        return self.high - self.low


@dataclass(frozen=True)
class Promise:
    """A property of all instances of a level beyond validity: the sentence in the question, and its check."""

    text: str
    holds: Callable[[Any], bool] = field(compare=False)


@dataclass(frozen=True)
class Ranges:
    """The range of every hidden column of numbers, and further promises about all instances of a level.

    Flags and ids have no range: a flag may be either value, an id any of its roster.
    """

    columns: Mapping[ColumnRef, Range]
    promises: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def row_ranges(self, instance: Instance, column: ColumnRef, row: Row) -> tuple[Range, ...]:
        """The range of every number that `row` holds in a column: one, or as many as its list has."""
        relation, declared = instance.relations[column[0]], self.columns[column]
        at = relation.position(column[1])
        if not isinstance(relation.columns[at], Ints):
            return (declared,)
        if declared.diagonal is None:
            return (declared,) * len(row[at])
        certain = Range(declared.diagonal, declared.diagonal)
        return tuple(certain if diagonal else declared for diagonal in self.diagonal_mask(instance, column, row))

    def diagonal_mask(self, instance: Instance, column: ColumnRef, row: Row) -> list[bool]:
        """For every number of the list that `row` holds in a column, whether it is the diagonal one."""
        relation = instance.relations[column[0]]
        at = relation.position(column[1])
        kind, keys = relation.columns[at], row[: len(relation.keys)]
        if self.columns[column].diagonal is None or not isinstance(kind, Ints) or kind.over is None:
            return [False] * len(row[at])
        return [entity in keys for entity in getattr(instance, kind.over)]

    def values_with_ranges(self, instance: Instance, column: ColumnRef) -> Iterator[tuple[int, Range]]:
        """Every number in a column of an instance, with its range."""
        relation, declared = instance.relations[column[0]], self.columns[column]
        at = relation.position(column[1])
        for row in instance.rows(column[0]):
            if not isinstance(row[at], tuple):
                yield row[at], declared
            elif declared.diagonal is None:
                yield from ((number, declared) for number in row[at])
            else:
                yield from zip(row[at], self.row_ranges(instance, column, row), strict=True)

    def violations(self, instance: Instance, within: Instance | None = None) -> Iterator[str]:
        """How an instance leaves the ranges or breaks a promise; tables shared with `within`, a valid one, are skipped."""
        for column in self.columns:
            if getattr(within, column[0], None) is not getattr(instance, column[0]):
                for number, bounds in self.values_with_ranges(instance, column):
                    if number not in bounds:
                        yield f"{'.'.join(column)} holds {number:,}, outside {bounds.low:,} .. {bounds.high:,}"
        yield from (f"not kept: {promise.text}" for promise in self.promises if not promise.holds(instance))

    def declaration_problems(self, kind: type[Instance]) -> Iterator[str]:
        """How the declared columns differ from the hidden number columns of the instance class `kind`."""
        hidden = hidden_number_columns(kind)
        for column in dict.fromkeys((*hidden, *self.columns)):
            name = ".".join(column)
            if column not in self.columns:
                yield f"no range is declared for {name}"
            elif column not in hidden:
                yield f"a range is declared for {name}, which is not a hidden column of numbers"
            elif self.columns[column].width < 0:
                yield f"the range of {name} ends before it begins"


def hidden_number_columns(kind: type[Instance]) -> list[ColumnRef]:
    """The columns of numbers that are not public."""
    hidden = [relation for relation in kind.relations.values() if not relation.public]
    columns = [(relation.name, column) for relation in hidden for column in relation.columns]
    return [(name, column.name) for name, column in columns if isinstance(column, Int | Ints)]

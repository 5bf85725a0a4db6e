"""Completions: all instances in the declared ranges that are consistent with the responses to some calls.

Numbers that were shown with errors lie in boxes: the numbers for which errors within the law would have given the same answers.
They are described by any one of them, the member: its rows that were read are in every completion, its other rows may
differ. Nothing here depends on the choice of the member: the hidden instance serves as well as an invented one.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from algoworlds.core.column import Ints
from algoworlds.core.condition import Boxes, Spot
from algoworlds.core.instance import Instance
from algoworlds.core.ranges import ColumnRef, Range, Ranges
from algoworlds.core.relation import Fact, Row

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
T = TypeVar("T")


class NumberRef(NamedTuple):
    """One number in a row: the column's position, and the index in the list if the column holds lists."""

    relation: str
    row: Row
    position: int
    list_index: int | None = None

    @property
    def value(self) -> int:
        """The number itself."""
        cell = self.row[self.position]
        return cell if self.list_index is None else cell[self.list_index]  # type: ignore[no-any-return]


class ReadScope(NamedTuple):
    """What a call selected: all rows of a relation that mention `entity` of `roster`, or all rows (both empty)."""

    relation: str
    roster: str = ""
    entity: str = ""
    partial: bool = False
    """Whether only some columns of the rows were shown."""


class EvaluationResult(NamedTuple):
    """The result of an evaluation: a decision and its value; None if it is infeasible."""

    decision: Any
    value: int | None


@dataclass(frozen=True, eq=False)
class Completions:
    """Comp(o): the instances that responses leave possible, described by one of them."""

    instance: Any
    facts: frozenset[Fact]
    """The facts that the responses reveal; every completion has them."""
    scopes: frozenset[ReadScope]
    """What was shown completely: no completion has another row there."""
    mentioned_ids: frozenset[str]
    """Every id that a response mentions."""
    ranges: Ranges
    evaluation: EvaluationResult | None = None
    boxes: Boxes = field(default_factory=dict)
    """The interval of every measured number in a row that was read, if it was shown with errors; known ones have width 0."""
    _memo: dict[Callable[["Completions"], Any], Any] = field(default_factory=dict, init=False, repr=False)
    _unread_rows: dict[str, tuple[Row, ...]] = field(default_factory=dict, init=False, repr=False)
    _unread_ranges: dict[ColumnRef, dict[NumberRef, Range]] = field(default_factory=dict, init=False, repr=False)

    def memoize(self, function: Callable[["Completions"], T]) -> T:
        """Memoised `function(self)`."""
        if function not in self._memo:
            self._memo[function] = function(self)
        return self._memo[function]  # type: ignore[no-any-return]

    def unread_rows(self, relation: str) -> tuple[Row, ...]:
        """The member's rows of a relation that were not read."""
        if relation not in self._unread_rows:
            rows = self.instance.rows(relation)
            self._unread_rows[relation] = tuple(row for row in rows if Fact(relation, row) not in self.facts)
        return self._unread_rows[relation]

    @cached_property
    def open_relations(self) -> tuple[str, ...]:
        """The relations with unread rows that a decision could depend on."""
        return tuple(
            name
            for name, relation in self.instance.relations.items()
            if relation.fact and not relation.public and not relation.constant and self.unread_rows(name)
        )

    def open_boxes(self, column: ColumnRef) -> Mapping[NumberRef, Range]:
        """The numbers of a column in rows that were read which are not certain, with their boxes."""
        return self._open_boxes.get(column, {})

    @cached_property
    def _open_boxes(self) -> dict[ColumnRef, dict[NumberRef, Range]]:
        columns: dict[ColumnRef, dict[NumberRef, Range]] = {}
        rows = {name: _rows_by_keys(self.instance, name) for name in {spot.relation for spot in self.boxes}}
        for spot, box in self.boxes.items():
            if box.width:
                row, at = rows[spot.relation][spot.keys], self.instance.relations[spot.relation].position(spot.column)
                columns.setdefault(spot[:2], {})[NumberRef(spot.relation, row, at, spot.list_index)] = box
        return columns

    def has_open_numbers(self, *relations: str) -> bool:
        """Whether some rows of `relations` were not read, or a number in them is not certain."""
        unread = not set(relations).isdisjoint(self.open_relations)
        return unread or any(column[0] in relations for column in self._open_boxes)

    def fits(self, instance: Instance) -> bool:
        """Whether all numbers of `instance` lie in their boxes; tables shared with the member do."""
        changed = {spot.relation for spot in self.boxes}
        changed = {name for name in changed if getattr(instance, name) is not getattr(self.instance, name)}
        rows = {name: _rows_by_keys(instance, name) for name in changed}
        return all(
            (row := rows[spot.relation].get(spot.keys)) is not None and _number_at(instance, spot, row) in box
            for spot, box in self.boxes.items()
            if spot.relation in changed
        )

    def is_fully_read(self, relation: str, roster: str = "", entity: str = "") -> bool:
        """Whether all rows of `relation` that mention `entity` were shown."""
        return ReadScope(relation) in self.scopes or ReadScope(relation, roster, entity) in self.scopes

    def unread_ranges(self, column: ColumnRef) -> Mapping[NumberRef, Range]:
        """The unread numbers of a column that are not certain, with their ranges."""
        if column not in self._unread_ranges:
            ranges: dict[NumberRef, Range] = {}
            for row in self.unread_rows(column[0]):
                refs = number_refs(self.instance, column, (row,))
                pairs = zip(refs, self.ranges.row_ranges(self.instance, column, row), strict=True)
                ranges |= {ref: bounds for ref, bounds in pairs if bounds.width}
            self._unread_ranges[column] = ranges
        return self._unread_ranges[column]


def _rows_by_keys(instance: Instance, name: str) -> dict[Row, Row]:
    keys = len(instance.relations[name].keys)
    return {row[:keys]: row for row in instance.rows(name)}


def _number_at(instance: Instance, spot: Spot, row: Row) -> int:
    return NumberRef(spot.relation, row, instance.relations[spot.relation].position(spot.column), spot.list_index).value


def number_refs(instance: Instance, column: ColumnRef, rows: Iterable[Row]) -> list[NumberRef]:
    """All numbers of a column in some rows."""
    relation = instance.relations[column[0]]
    at = relation.position(column[1])
    if isinstance(relation.columns[at], Ints):
        return [NumberRef(relation.name, row, at, index) for row in rows for index in range(len(row[at]))]
    return [NumberRef(relation.name, row, at) for row in rows]


def with_numbers(instance: I, numbers: Mapping[NumberRef, int]) -> I:
    """The instance, unchecked, with some numbers replaced; all other cells of their rows stay as they are in `instance`."""
    rows: dict[str, dict[Row, Row]] = {}
    for ref, number in numbers.items():
        new = rows.setdefault(ref.relation, {})
        keys = ref.row[: len(instance.relations[ref.relation].keys)]
        row = new.get(keys) or _current_row(instance, ref.relation, keys) or ref.row
        at, index, cell = ref.position, ref.list_index, row[ref.position]
        new_cell = number if index is None else (*cell[:index], number, *cell[index + 1 :])
        new[keys] = (*row[:at], new_cell, *row[at + 1 :])
    return instance.unchecked(**instance.tables_with(rows)) if rows else instance


def _current_row(instance: Instance, name: str, keys: Row) -> Row | None:
    """The row of a relation with these `keys`; None if there is none."""
    relation, table = instance.relations[name], getattr(instance, name)
    if not keys:
        return instance.rows(name)[0]
    key = keys if len(keys) > 1 else keys[0]
    if key not in table:
        return None
    return (*keys, *(table[key] if len(relation.values) > 1 else (table[key],)))

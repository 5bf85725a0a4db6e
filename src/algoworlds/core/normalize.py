"""NF, the response normalizer: the natural join of all records seen so far, links projected away, duplicates dropped.

It works response by response, because diagnostics ask which facts were known after every call. Indexes are kept between
responses, so a whole trajectory costs about as much as one join at its end.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache, cached_property
from typing import Any, NamedTuple

from algoworlds.core.interface import DeductionRule, Layout, RelationPart, Response, projection_to
from algoworlds.core.relation import Fact, Row


class NewFacts(NamedTuple):
    """What one response added: whether any of its records was new, and the facts that became known."""

    has_new_records: bool
    facts: frozenset[Fact]


class Normalizer:
    """The facts revealed by responses, updated with every response."""

    def __init__(self, layout: Layout, public: Mapping[str, Any], deduce: DeductionRule | None = None) -> None:
        """Start without any response."""
        self._layout, self._public, self._deduce = layout, public, deduce
        self._joined: set[Fact] = set()
        self._facts: frozenset[Fact] | None = frozenset()  # None: to be computed from `_joined`
        self._joins: dict[str, _RelationJoin] = {}
        self._other_rows: dict[str, set[Row]] = {}

    def copy(self) -> "Normalizer":
        """An independent copy, to continue with other responses."""
        other = Normalizer(self._layout, self._public, self._deduce)
        other._joined, other._facts = set(self._joined), self._facts
        other._joins = {name: join.copy() for name, join in self._joins.items()}
        other._other_rows = {name: set(rows) for name, rows in self._other_rows.items()}
        return other

    @property
    def facts(self) -> frozenset[Fact]:
        """All facts known, deduced ones included."""
        if self._facts is None:
            joined = frozenset(self._joined)
            self._facts = joined if self._deduce is None else self._deduce(joined, self._public)
        return self._facts

    def add(self, response: Response, joins: bool = True) -> NewFacts:
        """Add one response; if not `joins` (navigation tools), its records never become facts."""
        before = self.facts if self._deduce is not None else None
        any_new, new_facts = False, set[Fact]()
        for name, table in response.items():
            rows, part = map(freeze_row, table["rows"]), self._layout.part_by_name.get(name)
            if joins and part is not None and self._layout.relations[part.relation].fact:
                if part.relation not in self._joins:
                    self._joins[part.relation] = _RelationJoin(self._layout, part.relation)
                is_new, complete = self._joins[part.relation].add(part, rows)
                new_facts.update([Fact(part.relation, row) for row in complete])
            else:  # rows that no fact is joined from
                seen = self._other_rows.setdefault(name, set())
                size = len(seen)
                seen.update(rows)
                is_new = len(seen) > size
            any_new = any_new or is_new
        new_facts -= self._joined
        if new_facts:
            self._joined |= new_facts
            self._facts = None
        return NewFacts(any_new, frozenset(new_facts) if before is None else self.facts - before)


class _RelationJoin:
    """The records of one relation's parts seen so far, and the indexes that join them."""

    def __init__(self, layout: Layout, name: str) -> None:
        parts = layout.parts[name]
        self._rows: dict[str, set[Row]] = {part.name: set() for part in parts}
        self._paths = _join_paths(parts, tuple([column.name for column in layout.relations[name].columns]))

    def copy(self) -> "_RelationJoin":
        """An independent copy."""
        other = copy(self)
        other._rows = {name: set(rows) for name, rows in self._rows.items()}
        other._indexes = {at: {key: list(rows) for key, rows in index.items()} for at, index in self._indexes.items()}
        return other

    @cached_property
    def _indexes(self) -> dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]]:
        return {(join.part, join.key): {} for path in self._paths.values() for join in path.joins}

    def add(self, part: RelationPart, rows: Iterable[Row]) -> tuple[bool, Iterable[Row]]:
        """Add records of a part; return whether any is new, and the relation's rows that the new ones complete."""
        seen = self._rows[part.name]
        new = set(rows) - seen
        seen |= new
        for (name, key), index in self._indexes.items():
            if name == part.name:
                key_of = projection_to(list(key))
                for row in new:
                    index.setdefault(key_of(row), []).append(row)
        path = self._paths[part.name]
        joined: list[Row] = list(new)
        for join in path.joins:
            index = self._indexes[join.part, join.key]
            shared, rest = projection_to(list(join.joined_key)), projection_to(list(join.rest))
            joined = [row + rest(other) for row in joined for other in index.get(shared(row), ())]
        return bool(new), joined if path.order is None else map(projection_to(list(path.order)), joined)


class _Join(NamedTuple):
    """One join on the path from a part to the whole relation, by column positions."""

    part: str
    key: tuple[int, ...]
    """Positions of the shared columns in the part."""
    joined_key: tuple[int, ...]
    """Positions of the shared columns in the rows joined so far."""
    rest: tuple[int, ...]
    """Positions of the part's other columns."""


class _JoinPath(NamedTuple):
    joins: tuple[_Join, ...]
    order: tuple[int, ...] | None
    """Positions of the relation's columns in the joined rows; None if they are equal."""


@cache
def _join_paths(parts: tuple[RelationPart, ...], columns: tuple[str, ...]) -> Mapping[str, _JoinPath]:
    """For every part, how its new records are completed to rows; the same in every episode of a family."""
    return {part.name: _join_path(part, parts, columns) for part in parts}


def _join_path(start: RelationPart, parts: tuple[RelationPart, ...], columns: tuple[str, ...]) -> _JoinPath:
    """Join `start` with all other parts, each as soon as it shares a column with the rows joined so far."""
    joined, waiting, joins = list(start.columns), [part for part in parts if part is not start], []
    while waiting:
        part = next(part for part in waiting if set(part.columns) & set(joined))
        waiting.remove(part)
        shared = [name for name in part.columns if name in joined]
        rest = [name for name in part.columns if name not in joined]
        positions = part.columns.index
        joins.append(
            _Join(part.name, tuple(map(positions, shared)), tuple(map(joined.index, shared)), tuple(map(positions, rest)))
        )
        joined += rest
    order = tuple(map(joined.index, columns))
    return _JoinPath(tuple(joins), None if order == tuple(range(len(joined))) else order)


def freeze_row(row: list[Any] | Row) -> Row:
    """A row of a response as a hashable tuple; rows from the store already are."""
    return row if type(row) is tuple else tuple([tuple(cell) if type(cell) is list else cell for cell in row])

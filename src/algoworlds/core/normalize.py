"""NF, the response normalizer: the natural join of all records seen so far, links projected away, duplicates dropped.

It works response by response, because diagnostics ask what was known after every call: a new record is joined with
what is there already through indexes that are kept, so a whole trajectory costs about as much as one join at its end.
"""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache, cached_property
from typing import Any, NamedTuple

from algoworlds.core.interface import Deduce, Layout, Part, Response, picker
from algoworlds.core.relation import Fact, Row


class News(NamedTuple):
    """What one response added: whether any of its records was new, and the facts that became known by it."""

    fresh: bool
    facts: frozenset[Fact]


class Gathering:
    """The facts that responses amount to, kept up to date as they come in."""

    def __init__(self, layout: Layout, public: Mapping[str, Any], deduce: Deduce | None = None) -> None:
        """Nothing gathered yet."""
        self._layout, self._public, self._deduce = layout, public, deduce
        self._joined: set[Fact] = set()
        self._facts: frozenset[Fact] | None = frozenset()
        self._relations: dict[str, _Joining] = {}
        self._shown: dict[str, set[Row]] = {}

    def copy(self) -> "Gathering":
        """The same so far, to go on another way."""
        other = Gathering(self._layout, self._public, self._deduce)
        other._joined, other._facts = set(self._joined), self._facts
        other._relations = {name: each.copy() for name, each in self._relations.items()}
        other._shown = {name: set(rows) for name, rows in self._shown.items()}
        return other

    @property
    def facts(self) -> frozenset[Fact]:
        """All facts known, deduced ones included."""
        if self._facts is None:
            known = frozenset(self._joined)
            self._facts = known if self._deduce is None else self._deduce(known, self._public)
        return self._facts

    def add(self, response: Response, joins: bool = True) -> News:
        """Take in one response; one that does not join shows the way and amounts to no facts."""
        before = self.facts if self._deduce is not None else None
        fresh, found = False, set[Fact]()
        for name, table in response.items():
            shown, part = map(frozen, table["rows"]), self._layout.by_name.get(name)
            if joins and part is not None and self._layout.relations[part.relation].fact:
                added, rows = self._joining(part.relation).add(part, shown)
                found.update([Fact(part.relation, row) for row in rows])
            else:
                added = self._show(name, shown)
            fresh = fresh or added
        found -= self._joined
        if found:
            self._joined |= found
            self._facts = None
        return News(fresh, frozenset(found) if before is None else self.facts - before)

    def _joining(self, relation: str) -> "_Joining":
        """The parts of a relation, from the first of them on."""
        if relation not in self._relations:
            self._relations[relation] = _Joining(self._layout, relation)
        return self._relations[relation]

    def _show(self, name: str, rows: Iterable[Row]) -> bool:
        """Whether any row of a kind that no fact is joined from has not been shown before."""
        seen = self._shown.setdefault(name, set())
        before = len(seen)
        seen.update(rows)
        return len(seen) > before


class _Joining:
    """The parts of one relation as far as seen, and the indexes that join them."""

    def __init__(self, layout: Layout, name: str) -> None:
        parts = layout.parts[name]
        self._rows: dict[str, set[Row]] = {part.name: set() for part in parts}
        self._paths = _paths(parts, tuple([column.name for column in layout.relations[name].columns]))

    def copy(self) -> "_Joining":
        """The same so far."""
        other = copy(self)
        other._rows = {name: set(rows) for name, rows in self._rows.items()}
        other._indexes = {at: {key: list(rows) for key, rows in index.items()} for at, index in self._indexes.items()}
        return other

    @cached_property
    def _indexes(self) -> dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]]:
        return {(join.part, join.key): {} for path in self._paths.values() for join in path.joins}

    def add(self, part: Part, rows: Iterable[Row]) -> tuple[bool, Iterable[Row]]:
        """Whether any row is new to the part, and the relation's rows that the new ones complete."""
        seen = self._rows[part.name]
        new = set(rows) - seen
        seen |= new
        for (name, key), index in self._indexes.items():
            if name == part.name:
                pick = picker(list(key))
                for row in new:
                    index.setdefault(pick(row), []).append(row)
        path = self._paths[part.name]
        found: list[Row] = list(new)
        for join in path.joins:
            index, shared, rest = self._indexes[join.part, join.key], picker(list(join.known)), picker(list(join.rest))
            found = [row + rest(other) for row in found for other in index.get(shared(row), ())]
        return bool(new), found if path.order is None else map(picker(list(path.order)), found)


class _Join(NamedTuple):
    """One join on the way from a part to the whole relation, by positions."""

    part: str
    key: tuple[int, ...]
    """Where the shared columns stand in the part."""
    known: tuple[int, ...]
    """Where they stand in what has been joined so far."""
    rest: tuple[int, ...]
    """The part's other columns."""


class _Path(NamedTuple):
    joins: tuple[_Join, ...]
    order: tuple[int, ...] | None
    """Where the relation's own columns stand at the end; None if they stand there as they are."""


@cache
def _paths(parts: tuple[Part, ...], own: tuple[str, ...]) -> Mapping[str, _Path]:
    """By part, how a new record of it is completed: the same in every episode of a family."""
    return {part.name: _path(part, parts, own) for part in parts}


def _path(start: Part, parts: tuple[Part, ...], own: tuple[str, ...]) -> _Path:
    """How a new record of one part is completed by the others, each joined once it shares a column."""
    columns, waiting, joins = list(start.columns), [part for part in parts if part is not start], []
    while waiting:
        part = next(part for part in waiting if set(part.columns) & set(columns))
        waiting.remove(part)
        shared = [name for name in part.columns if name in columns]
        rest = [name for name in part.columns if name not in columns]
        joins.append(
            _Join(
                part.name,
                tuple(part.columns.index(name) for name in shared),
                tuple(columns.index(name) for name in shared),
                tuple(part.columns.index(name) for name in rest),
            )
        )
        columns += rest
    order = tuple(columns.index(name) for name in own)
    return _Path(tuple(joins), None if order == tuple(range(len(columns))) else order)


def frozen(row: list[Any] | Row) -> Row:
    """A row of a response as a key; one that comes from the store is one already."""
    return row if type(row) is tuple else tuple([tuple(cell) if type(cell) is list else cell for cell in row])

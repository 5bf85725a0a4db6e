"""Relations and facts: how a table is declared, and its three forms - table, rows and JSON.

The rows of a relation are the form between the others: a fact is a named row, a record is a projected row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from algoworlds.core.column import Column, Id, Int, Ints
from algoworlds.errors import InstanceError

Roster = tuple[str, ...]
Table = Mapping[Any, Any]
Pairs = frozenset[tuple[str, ...]]
Row = tuple[Any, ...]
M = TypeVar("M")


class Fact(NamedTuple):
    """One normalized instance fact: a row of a named relation."""

    relation: str
    row: Row


@dataclass(frozen=True)
class Relation:
    """A declared table: key columns, value columns, and who may know it."""

    keys: tuple[Id, ...] = ()
    values: tuple[Column, ...] = ()
    channel: str | None = None
    public: bool = False
    fact: bool = True
    complete: bool = False
    default: Any = None
    name: str = ""
    most: int | None = None
    """How many ids a roster may list, if beyond it no exact algorithm can go: refused before anything else is read."""
    constant: bool = False
    """A number that counts in every decision's value alike, so that no decision depends on it."""
    beside: bool = False
    """A number of the question that says nothing of ids, so that what is made of ids stays when it changes."""

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Key columns, then value columns: the fields of a row."""
        return self.keys + self.values

    @cached_property
    def is_roster(self) -> bool:
        """A roster lists the entities that the other relations are about."""
        return len(self.keys) == 1 and not self.values and self.keys[0].of == self.name

    def position(self, column: str) -> int:
        """Where a column stands in a row."""
        return [each.name for each in self.columns].index(column)

    @cached_property
    def mentions(self) -> tuple[tuple[int, Column, str], ...]:
        """The columns that hold ids: where they stand in a row, and the rosters that the ids come from."""
        return tuple((at, column, column.of) for at, column in enumerate(self.columns) if column.of is not None)

    @cached_property
    def rosters(self) -> tuple[str, ...]:
        """The rosters whose entities a row mentions."""
        return tuple(dict.fromkeys(roster for _, _, roster in self.mentions))

    def entities(self, row: Row) -> dict[str, frozenset[str]]:
        """The entities that a row mentions, by roster."""
        found: dict[str, frozenset[str]] = {}
        for at, column, roster in self.mentions:
            found[roster] = found.get(roster, frozenset()).union(column.ids(row[at]))
        return found

    def index(self, rows: Iterable[Row], roster: str) -> dict[str, list[Row]]:
        """Rows by the entities of a roster that they mention."""
        columns = [(at, column) for at, column, of in self.mentions if of == roster]
        index: dict[str, list[Row]] = {}
        if len(columns) == 1 and isinstance(columns[0][1], Id):
            at = columns[0][0]
            for row in rows:
                index.setdefault(row[at], []).append(row)
            return index
        for row in rows:
            for entity in {entity for at, column in columns for entity in column.ids(row[at])}:
                index.setdefault(entity, []).append(row)
        return index

    def stays(self, rows: Sequence[Row], kept: Mapping[str, frozenset[str]]) -> list[bool]:
        """Row by row, whether all entities that it mentions are among those `kept` of their rosters."""
        flags = [True] * len(rows)
        for at, column, of in self.mentions:
            if of in kept:
                own = kept[of]
                flags = [flag and own.issuperset(column.ids(row[at])) for flag, row in zip(flags, rows, strict=True)]
        return flags

    def narrowed(self, table: Any, rows: Sequence[Row], stays: Sequence[bool]) -> Any:
        """What is left of a table, given with its rows, when only some of them stay."""
        return dict(compress(table.items(), stays)) if self.keys and self.values else self.table(compress(rows, stays))

    def with_column(self, table: Any, at: int, cells: Sequence[Any]) -> Any:
        """The table with other cells in the column of values at position `at` of its rows."""
        values: Iterable[Any] = cells
        if len(self.values) > 1:
            columns = list(zip(*(table.values() if self.keys else (table,)), strict=True))
            if not columns:
                return table
            columns[at - len(self.keys)] = tuple(cells)
            values = zip(*columns, strict=True)
        return dict(zip(table, values, strict=True)) if self.keys else next(iter(values))

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """What a memoised function may say that it reads here: the table, or one of its columns."""
        return self.name, *(f"{self.name}.{column.name}" for column in self.columns)

    def changes(self, old: Any, new: Any) -> Sequence[str]:
        """Those of `reads` that may differ between two tables: with a key all do, and columns of numbers are not compared."""
        if new is old:
            return ()
        width = len(self.keys)
        if not self.values or (width and list(old) != list(new)):
            return self.reads
        changed = [self.name, *self.reads[1 + width :]]
        if len(self.values) > 1:
            before, after = (list(table.values()) if width else [table] for table in (old, new))
            for at, column in enumerate(self.values):
                if not isinstance(column, Int | Ints) and [row[at] for row in before] == [row[at] for row in after]:
                    changed.remove(self.reads[1 + width + at])
        return changed

    @cached_property
    def numbers(self) -> tuple[tuple[int, Column], ...]:
        """The columns that hold numbers, and where they stand among the values."""
        return tuple((at, column) for at, column in enumerate(self.values) if isinstance(column, Int | Ints))

    def magnitude(self, table: Any) -> int:
        """What the numbers of a table add to the sum of absolute coefficients."""
        return sum(self._magnitude(table, at, column) for at, column in self.numbers)

    def _magnitude(self, table: Any, at: int, column: Column) -> int:
        cells = table.values() if self.keys else (table,)
        return column.magnitude(map(itemgetter(at), cells) if len(self.values) > 1 else cells)

    def rows(self, table: Any) -> list[Row]:
        """The table as rows."""
        if self.is_roster:
            return [(item,) for item in table]
        if not self.values:
            return sorted(table)
        single = len(self.values) == 1
        if not self.keys:
            return [(table,) if single else tuple(table)]
        if len(self.keys) == 1:
            return list(table.items()) if single else [(key, *value) for key, value in table.items()]
        cells = zip(table.values(), strict=True) if single else map(tuple, table.values())
        return [key + each for key, each in zip(table, cells, strict=True)]

    def table(self, rows: Iterable[Row]) -> Any:
        """The rows as a table; the inverse of `rows`."""
        if self.is_roster:
            return tuple([row[0] for row in rows])
        if not self.values:
            return frozenset(rows)
        width, single = len(self.keys), len(self.values) == 1
        if not self.keys:
            (row,) = rows
            return row[0] if single else row
        if width == 1:
            return dict(rows) if single else {row[0]: row[1:] for row in rows}
        return {row[:-1]: row[-1] for row in rows} if single else {row[:width]: row[width:] for row in rows}

    def to_json(self, table: Any) -> Any:
        """The table as plain JSON: rosters and pairs as lists, the rest as nested objects keyed by id."""
        rows = self.rows(table)
        if not self.values:
            return [row[0] for row in rows] if self.is_roster else [list(row) for row in rows]
        leaves = {row[: len(self.keys)]: self._leaf(row[len(self.keys) :]) for row in rows}
        if not self.keys:
            return leaves[()]
        nested: dict[str, Any] = {}
        for (*path, last), leaf in leaves.items():
            inner = nested
            for key in path:
                inner = inner.setdefault(key, {})
            inner[last] = leaf
        return nested

    def from_json(self, document: Any) -> Any:
        """The table that a JSON value spells; only its shape is checked here."""
        if not self.values:  # a list, whose entries are checked with the table
            return document
        try:
            leaves: list[tuple[Row, Any]] = [((), document)]
            for _ in self.keys:
                leaves = [((*keys, key), inner) for keys, outer in leaves for key, inner in outer.items()]
            rows = [(*keys, *self._cells(leaf)) for keys, leaf in leaves]
        except (AttributeError, TypeError, KeyError):
            raise InstanceError(f"{self.name}: expected {self._spelling()}") from None
        return self.table(rows)

    def _leaf(self, cells: Row) -> Any:
        written = {column.name: column.write(cell) for column, cell in zip(self.values, cells, strict=True)}
        return written if len(written) > 1 else written[self.values[0].name]

    def _cells(self, leaf: Any) -> Row:
        if len(self.values) == 1:
            return (leaf,)
        if set(leaf) != {column.name for column in self.values}:
            raise KeyError
        return tuple(leaf[column.name] for column in self.values)

    def _spelling(self) -> str:
        fields = ", ".join(column.name for column in self.values)
        value = fields if len(self.values) == 1 else "{" + fields + "}"
        return " -> ".join([*(key.name for key in self.keys), value]) + ", as nested JSON objects"


def roster(*, public: bool = True, fact: bool = False, most: int | None = None) -> Any:
    """Declare an ordered list of entities, `most` of them at most: `public` ones stand in the question, in this order."""
    return Relation(public=public, fact=fact, most=most)


def relation(
    *keys: str | Id,
    value: str | Column | tuple[Column, ...] = (),
    channel: str | None = None,
    complete: bool = False,
    default: Any = None,
    constant: bool = False,
) -> Any:
    """Declare a hidden table of facts, keyed by entities; `complete` ones have a row for every combination of keys."""
    return Relation(_ids(keys), _values(value), channel, complete=complete, default=default, constant=constant)


def public(*keys: str | Id, value: str | Column | tuple[Column, ...], default: Any = None, beside: bool = False) -> Any:
    """Declare a table that stands in the question: known to every agent, no fact to discover."""
    return Relation(_ids(keys), _values(value), public=True, fact=False, complete=True, default=default, beside=beside)


def grouped(roster: Iterable[str], pairs: Iterable[tuple[str, M]]) -> dict[str, list[M]]:
    """The second members of some pairs by their first, for every entity of a roster, in the order of the pairs."""
    groups: dict[str, list[M]] = {entity: [] for entity in roster}
    for entity, member in pairs:
        groups[entity].append(member)
    return groups


def misplaced(entities: Iterable[str], pairs: Iterable[tuple[str, ...]], entity: str, owners: str) -> Iterator[str]:
    """A problem for every entity that does not stand under exactly one owner in (owner, entity) pairs."""
    held = Counter(member for _, member in pairs)
    for each in entities:
        if held[each] != 1:
            yield f"the {entity} {each} belongs to {held[each]} {owners} instead of one"


def _ids(keys: tuple[str | Id, ...]) -> tuple[Id, ...]:
    return tuple(Id(key) if isinstance(key, str) else key for key in keys)


def _values(value: str | Column | tuple[Column, ...]) -> tuple[Column, ...]:
    if isinstance(value, str):
        return (Int(value),)
    return (value,) if isinstance(value, Column) else value

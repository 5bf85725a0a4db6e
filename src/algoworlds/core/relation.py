"""Relations and facts: how a table is declared, and its three forms: table, rows and JSON.

Rows are the form between the others: a fact is a named row, a record is a projected row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.column import Column, Id, Int, Ints
from algoworlds.errors import InstanceError, TooLarge, format_value, quote_value

Roster = tuple[str, ...]
Table = Mapping[Any, Any]
Pairs = frozenset[tuple[str, ...]]
Row = tuple[Any, ...]
M = TypeVar("M")

_NO_IDS = frozenset[str]()


class Fact(NamedTuple):
    """One normalized instance fact: a row of a named relation."""

    relation: str
    row: Row


@dataclass(frozen=True)
class Relation:
    """A declared table: key columns, value columns, and what an agent knows of it."""

    keys: tuple[Id, ...] = ()
    values: tuple[Column, ...] = ()
    channel: str | None = None
    public: bool = False
    fact: bool = True
    complete: bool = False
    default: Any = None
    name: str = ""
    max_size: int | None = None
    """The most ids that a roster may list; longer ones are refused before anything else is read."""
    constant: bool = False
    """A number that adds the same to every decision's value, so that no decision depends on it."""
    independent_of_ids: bool = False
    """A public number that the check of ids does not read, so that its result stays cached when the number changes."""

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Key columns, then value columns: the fields of a row."""
        return self.keys + self.values

    @cached_property
    def is_roster(self) -> bool:
        """A roster lists the entities that the other relations are about."""
        return len(self.keys) == 1 and not self.values and self.keys[0].roster_name == self.name

    def position(self, column: str) -> int:
        """The position of a column in a row."""
        return [column.name for column in self.columns].index(column)

    @cached_property
    def id_columns(self) -> tuple[tuple[int, Column, str], ...]:
        """The columns that hold ids: position in a row, column, and roster of the ids."""
        return tuple(
            (at, column, column.roster_name) for at, column in enumerate(self.columns) if column.roster_name is not None
        )

    @cached_property
    def number_columns(self) -> tuple[tuple[int, Column], ...]:
        """The columns that hold numbers, with their positions among the values."""
        return tuple((at, column) for at, column in enumerate(self.values) if isinstance(column, Int | Ints))

    @cached_property
    def rosters(self) -> tuple[str, ...]:
        """The rosters whose entities a row mentions."""
        return tuple(dict.fromkeys(roster for _, _, roster in self.id_columns))

    def entities(self, row: Row) -> dict[str, frozenset[str]]:
        """The entities that a row mentions, by roster."""
        entities: dict[str, frozenset[str]] = {}
        for at, column, roster in self.id_columns:
            entities[roster] = entities.get(roster, frozenset()).union(column.ids(row[at]))
        return entities

    def group_by_entity(self, rows: Iterable[Row], roster: str) -> dict[str, list[Row]]:
        """Group rows by the entities of `roster` that they mention."""
        columns = [(at, column) for at, column, name in self.id_columns if name == roster]
        groups: dict[str, list[Row]] = {}
        if len(columns) == 1 and isinstance(columns[0][1], Id):
            at = columns[0][0]
            for row in rows:
                groups.setdefault(row[at], []).append(row)
            return groups
        for row in rows:
            for entity in {entity for at, column in columns for entity in column.ids(row[at])}:
                groups.setdefault(entity, []).append(row)
        return groups

    def magnitude(self, table: Any) -> int:
        """The sum of the absolute values of all numbers in a table."""
        cells = table.values() if self.keys else (table,)
        single = len(self.values) == 1
        return sum(column.magnitude(cells if single else map(itemgetter(at), cells)) for at, column in self.number_columns)

    # -- tables with other rows or cells ------------------------------------------------------------------------------

    def keep_flags(self, rows: Sequence[Row], kept: Mapping[str, frozenset[str]]) -> list[bool]:
        """For every row, whether all entities that it mentions are among those `kept` of their rosters."""
        flags = [True] * len(rows)
        for at, column, roster in self.id_columns:
            if roster in kept:
                ids = kept[roster]
                flags = [flag and ids.issuperset(column.ids(row[at])) for flag, row in zip(flags, rows, strict=True)]
        return flags

    def filter_table(self, table: Any, rows: Sequence[Row], flags: Sequence[bool]) -> Any:
        """The table with only the rows whose flag is true; `rows` are all rows of `table`."""
        return dict(compress(table.items(), flags)) if self.keys and self.values else self.from_rows(compress(rows, flags))

    def replace_column(self, table: Any, at: int, cells: Sequence[Any]) -> Any:
        """The table with other cells in the value column at position `at` of its rows."""
        values: Iterable[Any] = cells
        if len(self.values) > 1:
            columns = list(zip(*(table.values() if self.keys else (table,)), strict=True))
            if not columns:
                return table
            columns[at - len(self.keys)] = tuple(cells)
            values = zip(*columns, strict=True)
        return dict(zip(table, values, strict=True)) if self.keys else next(iter(values))

    # -- what memoised functions read ---------------------------------------------------------------------------------

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The names that `Instance.derived` accepts in `reads`: the table, and each of its columns."""
        return self.name, *(f"{self.name}.{column.name}" for column in self.columns)

    @cached_property
    def id_reads(self) -> tuple[str, ...]:
        """What the check of ids may read: all but numbers, unless they are public and not `independent_of_ids`."""
        if not self.values or (self.public and not self.independent_of_ids):
            return (self.name,)
        return tuple(f"{self.name}.{column.name}" for column in self.columns if not isinstance(column, Int | Ints))

    def changes(self, old: Any, new: Any) -> Sequence[str]:
        """Those of `reads` that may differ between two tables.

        If a key differs, all do. Columns of numbers always count as changed: comparing them would cost too much.
        """
        if new is old:
            return ()
        width = len(self.keys)
        if not self.values or (width and (not isinstance(new, Mapping) or list(old) != list(new))):
            return self.reads
        changed = [self.name, *self.reads[1 + width :]]
        if len(self.values) > 1:
            before, after = (table.values() if width else [table] for table in (old, new))
            if not {*map(type, after)} <= {tuple} or not {*map(len, after)} <= {len(self.values)}:
                return self.reads  # not a valid table
            for at, column in enumerate(self.values):
                cells = itemgetter(at)
                if not isinstance(column, Int | Ints) and list(map(cells, before)) == list(map(cells, after)):
                    changed.remove(self.reads[1 + width + at])
        return changed

    # -- table <-> rows -----------------------------------------------------------------------------------------------

    def to_rows(self, table: Any) -> list[Row]:
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
        return [key + cell for key, cell in zip(table, cells, strict=True)]

    def from_rows(self, rows: Iterable[Row]) -> Any:
        """The rows as a table; the inverse of `to_rows`."""
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

    # -- checking input -----------------------------------------------------------------------------------------------

    def parse_roster(self, table: Any) -> Roster:
        """Check a roster: a list of distinct, non-empty ids, at most `max_size` of them."""
        if not isinstance(table, list | tuple) or not all(isinstance(item, str) and item for item in table):
            raise InstanceError(f"{self.name}: expected a list of ids")
        if len(set(table)) < len(table):
            raise InstanceError(f"{self.name}: an id is listed twice")
        if self.max_size is not None and len(table) > self.max_size:
            limit = f"more than the {self.max_size} that an exact algorithm can hold"
            raise TooLarge(f"{self.name}: {len(table):,} ids are {limit}")
        return tuple(table)

    def parse_rows(self, table: Any) -> list[Row]:
        """The rows of an input table; `check_rows` checks their cells."""
        keys = [key.name for key in self.keys]
        if self.values:
            try:
                return self.to_rows(table)
            except (AttributeError, TypeError):
                raise InstanceError(f"{self.name}: expected a table keyed by {', '.join(keys)}") from None
        if not isinstance(table, list | tuple | frozenset | set):
            raise InstanceError(f"{self.name}: expected a list of [{', '.join(keys)}] rows, got {quote_value(table)}")
        for row in table:
            if not isinstance(row, list | tuple) or not all(isinstance(cell, str) for cell in row):
                raise InstanceError(f"{self.name}: expected [{', '.join(keys)}] in every row, got {quote_value(row)}")
            if len(row) != len(keys):
                raise InstanceError(f"{self.name}: expected {len(keys)} fields in a row, got {len(row)}")
        rows = sorted(map(tuple, table))
        duplicate = next((row for row, after in pairwise(rows) if row == after), None)
        if duplicate is not None:
            raise InstanceError(f"{self.name}: the row {' '.join(map(format_value, duplicate))} is listed twice")
        return rows

    def check_rows(self, rows: list[Row], rosters: Mapping[str, Roster]) -> list[Row]:
        """Rows with every cell parsed by its column; InstanceError names the first invalid cell."""
        ids = {roster: frozenset(rosters[roster]) for roster in self.rosters}
        if {len(self.columns)}.issuperset(map(len, rows)):
            columns = zip(self.columns, zip(*rows, strict=True), strict=False)
            if all(
                column.passes_fast_check(cells, rosters, ids.get(column.roster_name or "", _NO_IDS))
                for column, cells in columns
            ):
                return rows
        return [self._check_row(row, rosters, ids) for row in rows]

    def _check_row(self, row: Row, rosters: Mapping[str, Roster], ids: Mapping[str, frozenset[str]]) -> Row:
        if len(row) != len(self.columns):
            raise InstanceError(f"{self.name}: expected {len(self.columns)} fields in a row, got {len(row)}")
        cells = []
        for column, cell in zip(self.columns, row, strict=True):
            try:
                value = column.parse(cell, rosters)
                unknown = set(column.ids(value)) - ids[column.roster_name] if column.roster_name is not None else ()
                if unknown:
                    raise InstanceError(f"{quote_value(min(unknown))} is not a known {column.roster_name}")
            except InstanceError as problem:
                keys = "".join(f"[{quote_value(item)}]" for item in row[: len(self.keys)])
                raise InstanceError(f"{self.name}{keys}: {problem}") from None
            cells.append(value)
        return tuple(cells)

    def is_same_table(self, table: Any, checked: Any) -> bool:
        """Whether `table` equals a `checked` one, types and order of rows included."""
        if not self.keys or self.is_roster or not self.values:
            return type(table) is type(checked) and bool(table == checked)
        return isinstance(table, Mapping) and bool(table == checked) and list(table) == list(checked)

    def sort_rows(self, rows: list[Row], rosters: Mapping[str, Roster]) -> list[Row]:
        """Sort rows by the roster positions of their keys."""
        ranks = [0] * len(rows)  # mixed radix: one digit per key
        for at, key in enumerate(self.keys):
            roster = rosters[key.roster_name]
            position = dict(zip(roster, range(len(roster)), strict=True))
            digits = map(position.__getitem__, map(itemgetter(at), rows))
            ranks = [len(roster) * rank + digit for rank, digit in zip(ranks, digits, strict=True)]
        return [rows[at] for at in sorted(range(len(rows)), key=ranks.__getitem__)]

    # -- table <-> JSON -----------------------------------------------------------------------------------------------

    def to_json(self, table: Any) -> Any:
        """The table as plain JSON: rosters and pairs as lists, the rest as nested objects keyed by id."""
        rows, width = self.to_rows(table), len(self.keys)
        if not self.values:
            return [row[0] for row in rows] if self.is_roster else [list(row) for row in rows]
        nested: dict[str, Any] = {}
        for row in rows:
            fields = {column.name: column.to_json(cell) for column, cell in zip(self.values, row[width:], strict=True)}
            leaf = fields if len(fields) > 1 else fields[self.values[0].name]
            if not self.keys:
                return leaf
            inner = nested
            for key in row[: width - 1]:
                inner = inner.setdefault(key, {})
            inner[row[width - 1]] = leaf
        return nested

    def from_json(self, document: Any) -> Any:
        """The table in a JSON value; only its shape is checked here."""
        if not self.values:  # a list, whose entries are checked with the table
            return document
        names = [column.name for column in self.values]
        try:
            leaves: list[tuple[Row, Any]] = [((), document)]
            for _ in self.keys:
                leaves = [((*keys, key), inner) for keys, outer in leaves for key, inner in outer.items()]
            if len(names) == 1:
                return self.from_rows([(*keys, leaf) for keys, leaf in leaves])
            if any(set(leaf) != set(names) for _, leaf in leaves):
                raise KeyError
            return self.from_rows([(*keys, *map(leaf.__getitem__, names)) for keys, leaf in leaves])
        except (AttributeError, TypeError, KeyError):
            leaf = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
            shape = " -> ".join([*(key.name for key in self.keys), leaf])
            raise InstanceError(f"{self.name}: expected {shape}, as nested JSON objects") from None


def roster(*, public: bool = True, fact: bool = False, max_size: int | None = None) -> Roster:
    """Declare an ordered list of entities, at most `max_size`; the question lists `public` ones in this order."""
    return cast(Roster, Relation(public=public, fact=fact, max_size=max_size))  # what the attribute of an instance holds


def relation(
    *keys: str | Id,
    value: str | Column | tuple[Column, ...] = (),
    low: int = 1 - JSON_INTEGER_LIMIT,
    channel: str | None = None,
    public: bool = False,
    complete: bool = False,
    default: Any = None,
    constant: bool = False,
    independent_of_ids: bool = False,
) -> Any:
    """Declare a table, keyed by entities; `complete` ones have a row for every combination of keys.

    A `value` that is a name is a column of integers of at least `low`. The question states `public` tables, so their rows
    are not facts to discover; all others are hidden.
    """
    columns = (Int(value, low),) if isinstance(value, str) else (value,) if isinstance(value, Column) else value
    return Relation(
        tuple(Id(key) if isinstance(key, str) else key for key in keys),
        columns,
        channel,
        public=public,
        fact=not public,
        complete=complete or public,
        default=default,
        constant=constant,
        independent_of_ids=independent_of_ids,
    )


def group_pairs(roster: Iterable[str], pairs: Iterable[tuple[str, M]]) -> dict[str, list[M]]:
    """Group the second members of `pairs` by their first, for every entity of `roster`, in the order of the pairs."""
    groups: dict[str, list[M]] = {entity: [] for entity in roster}
    for entity, member in pairs:
        groups[entity].append(member)
    return groups


def ownership_problems(entities: Iterable[str], pairs: Iterable[tuple[str, ...]], entity: str, owners: str) -> Iterator[str]:
    """A problem for every entity that does not have exactly one owner in (owner, entity) pairs."""
    owner_count = Counter(member for _, member in pairs)
    for name in entities:
        if owner_count[name] != 1:
            yield f"the {entity} {name} belongs to {owner_count[name]} {owners} instead of one"

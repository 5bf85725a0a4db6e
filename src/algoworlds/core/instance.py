"""Instances: one formal problem as checked, immutable tables, as facts and as JSON.

A subclass declares its tables as class attributes and nothing else. There are four ways to derive an instance (`replace`,
`with_rows`, `unchecked`, `restrict`), a renaming of ids, and one cache (`derived`). A cached value is shared by all
instances that share the tables it was computed from.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from math import prod
from operator import itemgetter
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.core.column import Id, Ints, RenameId
from algoworlds.core.relation import Fact, Relation, Roster, Row
from algoworlds.core.work import Sense
from algoworlds.errors import MAX_VALUE_CHARS, DeclarationError, InstanceError, format_value, quote_value

T = TypeVar("T")

MAX_CACHED_VALUES = 64
"""Values that one cache holds before it is emptied: checkers memoise what they read of a decision."""

Reads = tuple[str, ...] | None
"""What a memoised function reads: tables (`"load"`) and single columns (`"factor.scope"`); None means all tables."""


_MISSING = object()


class Instance:
    """The tables of one formal problem, checked on construction and immutable afterwards."""

    family: ClassVar[str]
    relations: ClassVar[Mapping[str, Relation]]

    sense: ClassVar[Sense]
    """Whether smaller or larger objective values are better; `Family` requires it."""

    _known_reads: ClassVar[frozenset[str]]
    """Every table and column: what `derived` accepts in `reads`."""
    _id_reads: ClassVar[tuple[str, ...]]
    """Everything that `id_problems` may read."""

    def __init_subclass__(cls, family: str, sense: Sense | Literal["min", "max"] | None = None) -> None:
        cls.family = family
        if sense is not None:
            cls.sense = Sense(sense)
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, Relation)}
        relations = {  # filled in here: a relation's name, and the single key of a roster
            name: replace(relation, name=name, keys=relation.keys if relation.columns else (Id(name),))
            for name, relation in declared.items()
        }
        cls.relations = MappingProxyType(relations)
        cls._known_reads = frozenset(chain.from_iterable(relation.reads for relation in relations.values()))
        cls._id_reads = tuple(chain.from_iterable(relation.id_reads for relation in relations.values()))
        rosters = {name for name, relation in relations.items() if relation.is_roster}
        for relation in relations.values():
            for column in relation.columns:
                if column.roster_name is not None and column.roster_name not in rosters:
                    raise DeclarationError(f"{family}: {relation.name}.{column.name}: no roster {column.roster_name!r}")

    def __init__(self, /, **tables: Any) -> None:
        self.__dict__.update(_cache={}, _unchecked=frozenset())
        tables = self.canonical_tables(tables)
        self._require_tables(tables)
        missing = [name for name, relation in self.relations.items() if name not in tables and relation.default is None]
        if missing:
            raise InstanceError(f"{self.family}: the table {quote_value(missing[0])} is missing")
        # Rosters first, defaults last: a default may be computed from the other tables.
        for relation in sorted(self.relations.values(), key=lambda one: (not one.is_roster, one.name not in tables)):
            name, default = relation.name, relation.default
            table = tables[name] if name in tables else default(self.__dict__) if callable(default) else default
            self.__dict__[name] = _freeze(self._check_table(relation, table))
        self.validate()

    @classmethod
    def from_trusted(cls, **tables: Any) -> Self:
        """Build an instance from all its tables in their in-memory form, unchecked; the caller guarantees validity."""
        instance = object.__new__(cls)
        instance.__dict__.update({name: _freeze(tables[name]) for name in cls.relations})
        return instance._mark_valid()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an instance is immutable; use replace()")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Instance) and other.tables == self.tables

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        rosters = [name for name, relation in self.relations.items() if relation.is_roster]
        sizes = ", ".join(f"{len(getattr(self, name))} {name}" for name in rosters)
        return f"<{type(self).__name__} {sizes} {self.digest[:12]}>"

    # -- what a family may override ----------------------------------------------------------------------------------------

    @classmethod
    def canonical_tables(cls, tables: dict[str, Any]) -> dict[str, Any]:
        """The tables in canonical form, for families that accept several forms of a fact."""
        return tables

    def id_problems(self) -> Iterator[str]:
        """Problems of the ids in the tables, whatever the numbers are."""
        return iter(())

    def problems(self) -> Iterator[str]:
        """Further problems of the tables, beyond those of single cells; the first one is raised as `InstanceError`."""
        return iter(())

    def magnitude(self) -> int:
        """A bound on the absolute value of every sum that a solver may form."""
        names = [name for name, relation in self.relations.items() if relation.number_columns]
        return sum([self.derived(_magnitude, name, reads=(name,)) for name in names])

    # -- tables, rows and facts ---------------------------------------------------------------------------------------

    @property
    def tables(self) -> dict[str, Any]:
        """All tables by name."""
        return {name: self.__dict__[name] for name in self.relations}

    @property
    def public_tables(self) -> dict[str, Any]:
        """What the question states: public rosters and public tables."""
        return {name: self.__dict__[name] for name, relation in self.relations.items() if relation.public}

    def rows(self, name: str) -> tuple[Row, ...]:
        """The rows of relation `name`, in roster order."""
        return self.derived(_rows, name, reads=(name,))

    def rows_by_entity(self, name: str, roster: str) -> Mapping[str, Sequence[Row]]:
        """The rows of relation `name` by the entities of `roster` that they mention."""
        return self.derived(_rows_by_entity, name, roster, reads=(name,))

    def column_cells(self, name: str, at: int) -> list[Any]:
        """The cells of relation `name` in the value column at position `at`, row by row."""
        table, relation = getattr(self, name), self.relations[name]
        values = table.values() if relation.keys else (table,)
        return list(values if len(relation.values) == 1 else map(itemgetter(at - len(relation.keys)), values))

    @property
    def facts(self) -> frozenset[Fact]:
        """The instance as normalized facts."""
        return self.derived(_facts)

    @classmethod
    def from_facts(cls, facts: Iterable[Fact], public: Mapping[str, Any]) -> Self:
        """Rebuild an instance from facts and the `public` tables; InstanceError if facts are missing."""
        rows: dict[str, list[Row]] = {name: [] for name in cls.relations}
        for name, row in facts:
            rows[name].append(row)
        tables = {
            name: relation.from_rows(rows[name]) for name, relation in cls.relations.items() if relation.keys or rows[name]
        }
        rows |= {name: cls.relations[name].to_rows(table) for name, table in public.items()}
        mentioned: dict[str, set[str]] = {name: set() for name, relation in cls.relations.items() if relation.is_roster}
        for name, relation in cls.relations.items():
            for at, column, roster in relation.id_columns:
                mentioned[roster].update([item for row in rows[name] for item in column.ids(row[at])])
        tables |= {name: tuple(sorted(ids)) for name, ids in mentioned.items()}
        return cls(**(tables | dict(public)))

    # -- the cache ----------------------------------------------------------------------------------------------------

    def derived(self, function: Callable[..., T], *args: Hashable, reads: Reads = None) -> T:
        """Memoised `function(instance, *args)`, shared by all derived instances in which nothing in `reads` has changed.

        `reads` names every table that the function reads, rosters included, or single columns as "table.column"; a value
        column counts as changed when the keys of its table change. Without `reads` the value is not shared.
        """
        caches: dict[Reads, dict[tuple[Any, ...], Any]] = self.__dict__["_cache"]
        values = caches.get(reads)
        if values is None:
            if not self._known_reads.issuperset(reads or ()):
                problem = f"reads {min(set(reads or ()) - self._known_reads)!r}, which is not a table or column"
                raise DeclarationError(f"{self.family}: {function.__name__} {problem}")
            values = caches.setdefault(reads, {})
        key = (function, *args)
        value = values.get(key, _MISSING)
        if value is _MISSING:
            value = function(self, *args)
            if len(values) >= MAX_CACHED_VALUES:
                values.clear()
            values[key] = value
        return value  # type: ignore[no-any-return]

    def without_cache(self) -> Self:
        """The same instance with an empty cache, to save memory where it is held for long."""
        other = object.__new__(type(self))
        other.__dict__.update(self.tables, _cache={}, _unchecked=self.__dict__["_unchecked"])
        return other._mark_valid() if self.valid else other

    # -- checking -----------------------------------------------------------------------------------------------------

    @property
    def valid(self) -> bool:
        """Whether the tables have no problem; an `unchecked` instance is checked on first use."""
        return self.first_problem is None

    @property
    def first_problem(self) -> str | None:
        """The first problem of the tables; None if they are valid."""
        return self.derived(_first_problem)

    def validate(self) -> Self:
        """Return the instance itself; InstanceError with its first problem if it is not valid."""
        if self.first_problem is not None:
            raise InstanceError(self.first_problem)
        return self

    def assume_valid(self) -> Self:
        """Return the instance itself, marked as valid without a check; the caller guarantees it."""
        self.__dict__["_cache"].setdefault(None, {})[(_first_problem,)] = None
        self.__dict__["_unchecked"] = frozenset()
        return self

    def assume_rows_valid(self) -> Self:
        """Return the instance itself, its single rows marked as valid; `valid` still checks the tables as a whole."""
        self.__dict__["_unchecked"] = frozenset()
        return self

    def _mark_valid(self) -> Self:
        """Empty the cache and mark the instance as valid."""
        self.__dict__["_cache"] = {self._id_reads: {(_id_problem,): None}}
        return self.assume_valid()

    def _table_problem(self) -> str | None:
        """The first problem of the single rows of `unchecked` tables; all are checked if a roster is among them."""
        names = self.__dict__["_unchecked"]
        if any(self.relations[name].is_roster for name in names):
            names = frozenset(self.relations)
        try:
            canonical = self.canonical_tables(self.tables) if names else {}
            for relation in sorted(self.relations.values(), key=lambda one: not one.is_roster):
                if relation.name in names:
                    table = self.__dict__[relation.name]
                    checked = self._check_table(relation, canonical[relation.name])
                    if not relation.is_same_table(table, checked):
                        return f"{relation.name} has rows out of order or values of another type: use replace() instead"

        except InstanceError as problem:
            return str(problem)
        return None

    def _require_tables(self, names: Iterable[str]) -> None:
        if unknown := sorted(set(names) - self.relations.keys()):
            raise InstanceError(f"{self.family} has no table {quote_value(unknown[0])}; it has {', '.join(self.relations)}")

    def _require_keys(self, names: Iterable[str]) -> None:
        """InstanceError if one of the tables that are about to lose rows has no keys: it must keep its only row."""
        for name in names:
            if not self.relations[name].keys:
                raise InstanceError(f"{name} is {quote_value(self.__dict__[name])}, which must be kept")

    def _check_table(self, relation: Relation, table: Any) -> Any:
        if relation.is_roster:
            return relation.parse_roster(table)
        rosters, rows = self.__dict__, relation.check_rows(relation.parse_rows(table), self.__dict__)
        if relation.complete and relation.keys and len(rows) < prod(len(rosters[key.roster_name]) for key in relation.keys):
            present = {row[: len(relation.keys)] for row in rows}
            missing = next(key for key in product(*(rosters[key.roster_name] for key in relation.keys)) if key not in present)
            raise InstanceError(f"{relation.name} has no entry for {' '.join(map(format_value, missing))}")
        return relation.from_rows(relation.sort_rows(rows, rosters))

    # -- deriving -----------------------------------------------------------------------------------------------------

    def replace(self, **tables: Any) -> Self:
        """The instance with other tables, which are checked; all tables are checked if a roster changes."""
        self._require_tables(tables)
        if any(self.relations[name].is_roster for name in tables):
            return type(self)(**(self.tables | tables))
        canonical = self.canonical_tables(self.tables | tables)
        checked = {name: self._check_table(self.relations[name], canonical[name]) for name in tables}
        return self._derive(checked, self.__dict__["_unchecked"] - checked.keys()).validate()

    def with_rows(self, **changes: Mapping[Row, Row | None]) -> Self:
        """The instance with some rows replaced, or removed (None); if no key changes, only these rows are checked."""
        self._require_tables(changes)
        self._require_keys(name for name, rows in changes.items() if None in rows.values())
        if all(new is None for rows in changes.values() for new in rows.values()):
            flags = {name: [row not in rows for row in self.rows(name)] for name, rows in changes.items()}
            return self._filter(flags, check=any(self.relations[name].complete for name in changes))
        if all(_has_same_keys(self.relations[name], rows) for name, rows in changes.items()):
            new = {name: [row for row in rows.values() if row is not None] for name, rows in changes.items()}
            checked = {name: self.relations[name].check_rows(rows, self.__dict__) for name, rows in new.items()}
            return self._derive(self._overwrite(checked)).validate()
        tables = {}
        for name, rows in changes.items():
            replaced = (rows.get(row, row) for row in self.rows(name))
            tables[name] = self.relations[name].from_rows([row for row in replaced if row is not None])
        return self.replace(**tables)

    def unchecked(self, **tables: Any) -> Self:
        """The instance with other tables in their in-memory form; `valid` says whether it still is valid."""
        self._require_tables(tables)
        changed = {name for name, table in tables.items() if table is not self.__dict__[name]}
        return self._derive(tables, self.__dict__["_unchecked"] | changed)

    def tables_with(self, changes: Mapping[str, Mapping[Row, Row]]) -> dict[str, Any]:
        """The tables with some rows replaced by unchecked rows of the same keys: for `unchecked`."""
        return self._overwrite({name: rows.values() for name, rows in changes.items()})

    def restrict(self, **kept: Collection[str]) -> Self:
        """The instance with only the `kept` entities of some rosters, without rows that mention any other."""
        for roster, ids in kept.items():
            if roster not in self.relations or not self.relations[roster].is_roster:
                rosters = ", ".join(name for name, relation in self.relations.items() if relation.is_roster)
                raise InstanceError(f"{self.family} has no roster {quote_value(roster)}; it has {rosters}")
            if unknown := set(ids).difference(self.__dict__[roster]):
                raise InstanceError(f"{quote_value(min(unknown))} is not a known {roster}")
        sets = {roster: frozenset(ids) for roster, ids in kept.items()}
        flags = {
            name: relation.keep_flags(self.rows(name), sets)
            for name, relation in self.relations.items()
            if not sets.keys().isdisjoint(relation.rosters)
        }
        self._require_keys(name for name, row_flags in flags.items() if not all(row_flags))
        columns = [column for relation in self.relations.values() for column in relation.columns]
        return self._filter(flags, check=any(isinstance(column, Ints) and column.over in sets for column in columns))

    def rename_ids(self, rename: RenameId) -> Self:
        """The instance under other ids; rosters that the question does not list are sorted by the new ids."""
        self.validate()
        tables = _rename_tables(self.relations, self.tables, rename)
        if self.canonical_tables(tables) != tables:  # the canonical form may depend on the order of a roster
            return type(self)(**tables)
        return type(self).from_trusted(**tables)  # a renaming cannot make a valid instance invalid

    def _overwrite(self, rows: Mapping[str, Iterable[Row]]) -> dict[str, Any]:
        """Some tables with `rows` written over those of the same keys."""
        tables = {name: self.relations[name].from_rows(new) for name, new in rows.items()}
        return {name: self.__dict__[name] | new if self.relations[name].keys else new for name, new in tables.items()}

    def _filter(self, flags: Mapping[str, Sequence[bool]], check: bool) -> Self:
        """The instance with only the flagged rows of some tables; with `check`, the tables are checked again."""
        tables = {
            name: self.relations[name].filter_table(self.__dict__[name], self.rows(name), row_flags)
            for name, row_flags in flags.items()
        }
        return self.replace(**tables) if check else self._derive(tables).validate()

    def _derive(self, tables: Mapping[str, Any], unchecked: frozenset[str] | None = None) -> Self:
        """The instance with other tables, and with every cache that reads nothing that has changed.

        `unchecked` names the tables whose rows have not been checked; by default those of this instance.
        """
        other, own = object.__new__(type(self)), self.__dict__
        changed = {read for name, table in tables.items() for read in self.relations[name].changes(own[name], table)}
        other.__dict__.update(self.tables, **{name: _freeze(table) for name, table in tables.items()})
        other.__dict__["_unchecked"] = own["_unchecked"] if unchecked is None else unchecked
        other.__dict__["_cache"] = {  # iterate over a copy: other threads may add to it
            reads: values
            for reads, values in own["_cache"].copy().items()
            if not tables or (reads is not None and changed.isdisjoint(reads))
        }
        return other

    # -- JSON ---------------------------------------------------------------------------------------------------------

    @property
    def json(self) -> dict[str, Any]:
        """The instance as plain JSON tables: rosters as lists, tables as nested objects keyed by id."""
        tables = {name: relation.to_json(self.__dict__[name]) for name, relation in self.relations.items()}
        return {"family": self.family} | tables

    @property
    def canonical_json(self) -> str:
        """The canonical JSON text."""
        return canonical_json(self.json)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return self.derived(_digest)

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Build an instance from plain JSON tables (a parsed object)."""
        if not isinstance(document, Mapping):
            raise InstanceError("expected a JSON object of tables")
        for name, relation in cls.relations.items():
            if relation.is_roster and name in document:
                relation.parse_roster(document[name])  # refuse too many ids before anything else is read
        tables = {name: table for name, table in document.items() if name != "family"}
        parsed = {name: cls.relations[name].from_json(table) for name, table in tables.items() if name in cls.relations}
        return cls(**(tables | parsed))


def _freeze(table: Any) -> Any:
    """A read-only view of a table."""
    return MappingProxyType(table) if isinstance(table, dict) else table


def _has_same_keys(relation: Relation, rows: Mapping[Row, Row | None]) -> bool:
    """Whether the replacement of `rows` changes values only."""
    width = len(relation.keys)
    return bool(relation.values) and all(new is not None and new[:width] == old[:width] for old, new in rows.items())


# -- memoised functions of every instance -----------------------------------------------------------------------------


def _rows(instance: Instance, name: str) -> tuple[Row, ...]:
    return tuple(instance.relations[name].to_rows(getattr(instance, name)))


def _rows_by_entity(instance: Instance, name: str, roster: str) -> Mapping[str, Sequence[Row]]:
    return instance.relations[name].group_by_entity(instance.rows(name), roster)


def _magnitude(instance: Instance, name: str) -> int:
    return instance.relations[name].magnitude(getattr(instance, name))


def _facts(instance: Instance) -> frozenset[Fact]:
    names = [name for name, relation in instance.relations.items() if relation.fact]
    return frozenset(Fact(name, row) for name in names for row in instance.rows(name))


def _digest(instance: Instance) -> str:
    return sha256_hex(instance.canonical_json)


def _id_problem(instance: Instance) -> str | None:
    return next(instance.id_problems(), None)


def _first_problem(instance: Instance) -> str | None:
    if table_problem := instance._table_problem():
        return table_problem
    problem = instance.derived(_id_problem, reads=instance._id_reads) or next(instance.problems(), None)
    for name, relation in instance.relations.items() if problem else ():
        for item in getattr(instance, name) if relation.is_roster else ():
            if problem and len(item) > MAX_VALUE_CHARS:  # a family's message may quote ids of any length
                problem = problem.replace(item, format_value(item)).replace(repr(item), quote_value(item))
    return problem


# -- renaming ---------------------------------------------------------------------------------------------------------

_Key = Any
"""One id, or a tuple of several."""


class _RenamedRoster(NamedTuple):
    """A roster under its new names, and the new position of every old id."""

    names: Roster
    position: dict[str, int]


class _RenamedKeys(NamedTuple):
    """Keys under their new names in their new order, the old row of each, and the old keys."""

    keys: list[_Key]
    source: list[int]
    old_keys: list[_Key]


def _rename_tables(relations: Mapping[str, Relation], tables: Mapping[str, Any], rename: RenameId) -> dict[str, Any]:
    """Rename every id in all tables, a whole column at a time, and sort the rows by the renamed rosters.

    Tables of one family often have the same keys; these are renamed and sorted once.
    """
    rosters = {
        name: _rename_roster(relation, tables[name], rename) for name, relation in relations.items() if relation.is_roster
    }
    keys_of: dict[tuple[str, ...], _RenamedKeys] = {}
    renamed: dict[str, Any] = {}
    for name, relation in relations.items():
        table = tables[name]
        if name in rosters:
            renamed[name] = rosters[name].names
        elif not relation.values:
            renamed[name] = frozenset(zip(*(map(rename, column) for column in zip(*table, strict=True)), strict=True))
        elif not relation.keys:
            renamed[name] = _rename_values(relation, [table], rename)[0]
        else:
            owners, keys = tuple(key.roster_name for key in relation.keys), list(table)
            if owners not in keys_of or keys_of[owners].old_keys != keys:
                keys_of[owners] = _rename_keys(keys, [rosters[owner] for owner in owners])
            values = _rename_values(relation, list(table.values()), rename)
            renamed[name] = dict(zip(keys_of[owners].keys, map(values.__getitem__, keys_of[owners].source), strict=True))
    return renamed


def _rename_roster(relation: Relation, ids: Roster, rename: RenameId) -> _RenamedRoster:
    names = list(map(rename, ids))
    if len(set(names)) < len(names):
        raise InstanceError(f"{relation.name}: an id is listed twice")
    order = range(len(names)) if relation.public else sorted(range(len(names)), key=names.__getitem__)
    position = dict(zip(map(ids.__getitem__, order), range(len(names)), strict=True))
    return _RenamedRoster(tuple(map(names.__getitem__, order)), position)


def _rename_keys(keys: list[_Key], rosters: Sequence[_RenamedRoster]) -> _RenamedKeys:
    import numpy as np  # not at the top: most users of instances never rename

    columns: list[Any] = [map(itemgetter(at), keys) for at in range(len(rosters))] if len(rosters) > 1 else [keys]
    positions = [
        np.fromiter(map(roster.position.__getitem__, column), np.int64, len(keys))
        for roster, column in zip(rosters, columns, strict=True)
    ]
    source = np.lexsort(positions[::-1])
    names = [np.array(roster.names, object)[at[source]].tolist() for roster, at in zip(rosters, positions, strict=True)]
    return _RenamedKeys(list(zip(*names, strict=True)) if len(rosters) > 1 else names[0], source.tolist(), keys)


def _rename_values(relation: Relation, values: list[Any], rename: RenameId) -> Sequence[Any]:
    """The values of a table with every id renamed; columns without ids stay as they are."""
    if not any(column.roster_name for column in relation.values):
        return values
    if len(relation.values) == 1:
        return relation.values[0].rename_column(values, rename)
    columns = zip(relation.values, zip(*values, strict=True), strict=False)
    return list(zip(*(column.rename_column(cells, rename) for column, cells in columns), strict=True))

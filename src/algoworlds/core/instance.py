"""Instances: one formal problem as checked, immutable tables; as facts; as JSON; and derived from one another.

A subclass declares its tables as class attributes; nothing else about a family's data is written by hand. There are four ways
to derive an instance (`replace`, `with_rows`, `unchecked`, `restrict`) and one cache (`derived`). What the cache holds is
computed once for all instances that share the tables it was computed from.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from operator import itemgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.column import Id, Int, Ints, Rename
from algoworlds.core.reading import checked_roster, checked_row, given_rows, in_roster_order, plainly_right
from algoworlds.core.relation import Fact, Relation, Roster, Row
from algoworlds.core.renaming import renamed
from algoworlds.core.work import Sense
from algoworlds.errors import LONGEST, DeclarationError, InstanceError, quoted, shown

T = TypeVar("T")

MAX_VALUES = 64
"""Values that one cache holds before it is emptied: checkers memoise what they read of a decision."""

Reads = tuple[str, ...] | None
"""What a memoised function reads: tables (`"load"`) and single columns (`"factor.scope"`); None means all tables."""


class Instance:
    """The tables of one formal problem, checked on construction and immutable afterwards."""

    family: ClassVar[str]
    relations: ClassVar[Mapping[str, Relation]]
    _readable: ClassVar[frozenset[str]]
    _id_reads: ClassVar[tuple[str, ...]]
    """All that `misfiled` may read: every table but its numbers, and the public numbers that speak of ids."""

    sense: ClassVar[Sense]
    """Whether smaller or larger objective values are better; `Family` requires it."""

    def __init_subclass__(cls, family: str, sense: Sense | None = None) -> None:
        cls.family = family
        if sense is not None:
            cls.sense = sense
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, Relation)}
        cls.relations = MappingProxyType(
            {  # what a declaration leaves out: its own name, and a roster's single key
                name: replace(relation, name=name, keys=relation.keys if relation.columns else (Id(name),))
                for name, relation in declared.items()
            }
        )
        for relation in cls.relations.values():
            for column in relation.columns:
                if column.of is not None and (column.of not in cls.relations or not cls.relations[column.of].is_roster):
                    raise DeclarationError(f"{family}: {relation.name}.{column.name} refers to no roster {column.of!r}")
        cls._readable = frozenset().union(*(relation.reads for relation in cls.relations.values()))
        cls._id_reads = tuple(read for relation in cls.relations.values() for read in _id_reads(relation))

    def __init__(self, /, **tables: Any) -> None:
        self.__dict__["_cache"] = {}
        tables = self.spelled(tables)
        self._require_tables(tables)
        missing = [name for name, relation in self.relations.items() if name not in tables and relation.default is None]
        if missing:
            raise InstanceError(f"{self.family}: the table {quoted(missing[0])} is missing")
        given_first = sorted(self.relations.values(), key=lambda one: (not one.is_roster, one.name not in tables))
        for relation in given_first:
            name, default = relation.name, relation.default
            table = tables[name] if name in tables else default(self.__dict__) if callable(default) else default
            self.__dict__[name] = _frozen(self._checked(relation, table))
        self.validate()

    @classmethod
    def from_trusted(cls, **tables: Any) -> Self:
        """An instance of all its tables in the form that they are kept in, valid by construction; nothing is checked."""
        instance = object.__new__(cls)
        instance.__dict__.update({name: _frozen(tables[name]) for name in cls.relations})
        return instance._trusted()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an instance never changes; use replace()")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Instance) and other.tables == self.tables

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(getattr(self, name))} {name}" for name, each in self.relations.items() if each.is_roster)
        return f"<{type(self).__name__} {sizes} {self.digest[:12]}>"

    # -- what a family may add ----------------------------------------------------------------------------------------

    @classmethod
    def spelled(cls, tables: dict[str, Any]) -> dict[str, Any]:
        """The tables with each fact in its one spelling, for families that accept several."""
        return tables

    def misfiled(self) -> Iterator[str]:
        """How the ids in the tables break the formal problem, whatever the numbers beside them are."""
        return iter(())

    def problems(self) -> Iterator[str]:
        """How the tables break it else, beyond what columns can say; the first of all is raised as `InstanceError`."""
        return iter(())

    def magnitude(self) -> int:
        """A bound on the absolute value of every sum that a solver may form."""
        return sum([self.derived(_magnitude, name, reads=(name,)) for name, each in self.relations.items() if each.numbers])

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
        """A relation's rows, in the order of its rosters."""
        return self.derived(_rows, name, reads=(name,))

    def index(self, name: str, roster: str) -> Mapping[str, Sequence[Row]]:
        """A relation's rows by the entities of a roster that they mention."""
        return self.derived(_index, name, roster, reads=(name,))

    def cells(self, name: str, at: int) -> list[Any]:
        """A relation's cells in one column of values, row by row."""
        table, relation = getattr(self, name), self.relations[name]
        values = table.values() if relation.keys else (table,)
        return list(values if len(relation.values) == 1 else map(itemgetter(at - len(relation.keys)), values))

    @property
    def facts(self) -> frozenset[Fact]:
        """The instance as normalized facts."""
        return self.derived(_facts)

    @classmethod
    def from_facts(cls, facts: Iterable[Fact], public: Mapping[str, Any]) -> Self:
        """Rebuild an instance from facts and from what the question states; InstanceError while facts are missing."""
        rows: dict[str, list[Row]] = {name: [] for name in cls.relations}
        for name, row in facts:
            rows[name].append(row)
        tables = {name: each.table(rows[name]) for name, each in cls.relations.items() if each.keys or rows[name]}
        stated = {name: cls.relations[name].rows(table) for name, table in public.items()}
        tables |= {name: cls._mentioned(name, rows | stated) for name, each in cls.relations.items() if each.is_roster}
        return cls(**(tables | dict(public)))

    @classmethod
    def _mentioned(cls, entity: str, rows: Mapping[str, list[Row]]) -> Roster:
        mentions = [
            (each.name, at, column) for each in cls.relations.values() for at, column, of in each.mentions if of == entity
        ]
        return tuple(sorted({item for name, at, column in mentions for row in rows[name] for item in column.ids(row[at])}))

    # -- the cache ----------------------------------------------------------------------------------------------------

    def derived(self, function: Callable[..., T], *args: Hashable, reads: Reads = None) -> T:
        """Memoised `function(instance, *args)`, shared by all derived instances in which nothing of `reads` has changed.

        `reads` names every table that the function looks at, rosters included, or single columns as "table.column"; a column
        of values is only the same while the keys beside it are. Without it the value belongs to this instance alone.
        """
        cache: dict[Reads, dict[tuple[Any, ...], Any]] = self.__dict__["_cache"]
        values = cache.get(reads)
        if values is None:
            if unknown := frozenset(reads or ()) - self._readable:
                raise DeclarationError(
                    f"{self.family}: {function.__name__} reads {min(unknown)!r}, which is no table or column"
                )
            values = cache.setdefault(reads, {})
        key = (function, *args)
        try:
            return values[key]  # type: ignore[no-any-return]
        except KeyError:
            value = function(self, *args)
        if len(values) >= MAX_VALUES:
            values.clear()
        return values.setdefault(key, value)  # type: ignore[no-any-return]

    def uncached(self) -> Self:
        """The same instance with an empty cache, for an owner that keeps it for long."""
        other = object.__new__(type(self))
        other.__dict__.update(self.tables, _cache={})
        return other._trusted() if self.valid else other

    # -- checking -----------------------------------------------------------------------------------------------------

    @property
    def valid(self) -> bool:
        """Whether the tables have no problem; of an `unchecked` instance it is found out when first asked.

        What columns say of their cells is not checked again.
        """
        return self.problem is None

    @property
    def problem(self) -> str | None:
        """The first way in which the tables break the formal problem, if they do."""
        return self.derived(_first_problem)

    def validate(self) -> Self:
        """Return the instance itself if it is valid; InstanceError with its first problem otherwise."""
        problem = self.problem
        if problem is None:
            return self
        for name, relation in self.relations.items():  # a family's words for it may hold ids of any length, which are cut here
            for item in self.__dict__[name] if relation.is_roster else ():
                if len(item) > LONGEST:
                    problem = problem.replace(item, shown(item)).replace(repr(item), quoted(item))
        raise InstanceError(problem)

    def assume_valid(self) -> Self:
        """Return the instance itself, which the caller guarantees to be valid: its tables are not looked at again."""
        self.__dict__["_cache"].setdefault(None, {})[(_first_problem,)] = None
        return self

    def _trusted(self) -> Self:
        """Empty the cache and mark the instance as valid."""
        self.__dict__["_cache"] = {self._id_reads: {(_misfiled,): None}}
        return self.assume_valid()

    def _require_tables(self, names: Iterable[str]) -> None:
        if unknown := sorted(set(names) - self.relations.keys()):
            raise InstanceError(f"{self.family} has no table {quoted(unknown[0])}; it has {', '.join(self.relations)}")

    def _require_single_rows(self, losing: Iterable[str]) -> None:
        """InstanceError if one of the tables that are about to lose rows has no keys: it has one row, and always does."""
        for name in losing:
            if not self.relations[name].keys:
                raise InstanceError(f"{name} is {quoted(self.__dict__[name])}, which must be kept")

    def _checked(self, relation: Relation, table: Any) -> Any:
        if relation.is_roster:
            return checked_roster(relation, table)
        rosters, rows = self.__dict__, self._checked_rows(relation, given_rows(relation, table))
        if relation.complete and relation.keys and len(rows) < prod(len(rosters[key.of]) for key in relation.keys):
            present = {row[: len(relation.keys)] for row in rows}
            missing = next(key for key in product(*(rosters[key.of] for key in relation.keys)) if key not in present)
            raise InstanceError(f"{relation.name} has no entry for {' '.join(map(shown, missing))}")
        return relation.table(in_roster_order(relation, rows, rosters))

    def _checked_rows(self, relation: Relation, rows: list[Row]) -> list[Row]:
        """Rows of a relation with all cells checked; InstanceError names the first that is wrong."""
        rosters = self.__dict__
        known = {column.of: frozenset(rosters[column.of]) for column in relation.columns if column.of is not None}
        if plainly_right(relation, rows, rosters, known):
            return rows
        return [checked_row(relation, row, rosters, known) for row in rows]

    # -- deriving -----------------------------------------------------------------------------------------------------

    def replace(self, **tables: Any) -> Self:
        """The same instance with other tables, which are checked; the rest is not checked again unless a roster changes."""
        self._require_tables(tables)
        if any(self.relations[name].is_roster for name in tables):
            return type(self)(**(self.tables | tables))
        spelled = self.spelled(self.tables | tables)
        return self._derive({name: self._checked(self.relations[name], spelled[name]) for name in tables}).validate()

    def with_rows(self, **changes: Mapping[Row, Row | None]) -> Self:
        """The same instance with some rows exchanged, or removed (None); where no key changes only these rows are checked."""
        self._require_tables(changes)
        self._require_single_rows(name for name, rows in changes.items() if None in rows.values())
        if all(new is None for rows in changes.values() for new in rows.values()):
            stays = {name: [row not in rows for row in self.rows(name)] for name, rows in changes.items()}
            return self._narrow(stays, checked=any(self.relations[name].complete for name in changes))
        if not all(_same_keys(self.relations[name], rows) for name, rows in changes.items()):
            kept = {name: [rows.get(row, row) for row in self.rows(name)] for name, rows in changes.items()}
            return self.replace(
                **{name: self.relations[name].table([row for row in rows if row is not None]) for name, rows in kept.items()}
            )
        new = {name: [row for row in rows.values() if row is not None] for name, rows in changes.items()}
        checked = {name: self._checked_rows(self.relations[name], rows) for name, rows in new.items()}
        return self._derive(self._overwritten(checked)).validate()

    def unchecked(self, **tables: Any) -> Self:
        """The same instance with other tables, in the form that they are kept in; `valid` tells whether it still is one."""
        self._require_tables(tables)
        return self._derive(tables)

    def tables_with(self, changes: Mapping[str, Mapping[Row, Row]]) -> dict[str, Any]:
        """The tables with some rows exchanged for others of the same keys, which are not checked: for `unchecked`."""
        return self._overwritten({name: rows.values() for name, rows in changes.items()})

    def restrict(self, **kept: Collection[str]) -> Self:
        """The same instance with only these entities of some rosters, and without every row that mentions another one."""
        for roster, ids in kept.items():
            if roster not in self.relations or not self.relations[roster].is_roster:
                rosters = ", ".join(name for name, relation in self.relations.items() if relation.is_roster)
                raise InstanceError(f"{self.family} has no roster {quoted(roster)}; it has {rosters}")
            if strangers := set(ids).difference(self.__dict__[roster]):
                raise InstanceError(f"{quoted(min(strangers))} is no {roster}")
        sets = {roster: frozenset(ids) for roster, ids in kept.items()}
        stays = {
            name: relation.stays(self.rows(name), sets)
            for name, relation in self.relations.items()
            if not sets.keys().isdisjoint(relation.rosters)
        }
        self._require_single_rows(name for name, flags in stays.items() if not all(flags))
        columns = [column for relation in self.relations.values() for column in relation.columns]
        return self._narrow(stays, checked=any(isinstance(column, Ints) and column.over in sets for column in columns))

    def renamed(self, rename: Rename) -> Self:
        """The same instance under other ids; rosters that no question lists are put in id order."""
        tables = renamed(self.relations, self.tables, rename)
        if self.spelled(tables) != tables:  # by the order of a roster that has changed
            return type(self)(**tables)
        return type(self).from_trusted(**tables)  # other names make nothing wrong that was right

    def _overwritten(self, rows: Mapping[str, Iterable[Row]]) -> dict[str, Any]:
        """Some tables with rows written over those of the same keys."""
        tables = {name: self.relations[name].table(new) for name, new in rows.items()}
        return {name: self.__dict__[name] | new if self.relations[name].keys else new for name, new in tables.items()}

    def _narrow(self, stays: Mapping[str, Sequence[bool]], checked: bool) -> Self:
        """An instance with only some rows of some tables; they are checked again if other tables ask for what goes."""
        tables = {
            name: self.relations[name].narrowed(self.__dict__[name], self.rows(name), flags) for name, flags in stays.items()
        }
        return self.replace(**tables) if checked else self._derive(tables).validate()

    def _derive(self, tables: Mapping[str, Any]) -> Self:
        """An instance with other tables, and with all caches that read nothing which has changed."""
        other, own = object.__new__(type(self)), self.__dict__
        changed = {read for name, table in tables.items() for read in self.relations[name].changes(own[name], table)}
        other.__dict__.update(self.tables, **{name: _frozen(table) for name, table in tables.items()})
        other.__dict__["_cache"] = {  # of a copy, because other threads may add to it
            reads: values
            for reads, values in own["_cache"].copy().items()
            if not tables or (reads is not None and changed.isdisjoint(reads))
        }
        return other

    # -- JSON ---------------------------------------------------------------------------------------------------------

    @property
    def json(self) -> dict[str, Any]:
        """The instance as plain JSON tables: rosters as lists, tables as nested objects keyed by id."""
        return {"family": self.family} | {name: each.to_json(self.__dict__[name]) for name, each in self.relations.items()}

    @property
    def text(self) -> str:
        """Canonical bytes, as text."""
        return canonical_text(self.json)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical bytes."""
        return self.derived(_digest)

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Read an instance from plain JSON tables (a parsed object)."""
        if not isinstance(document, Mapping):
            raise InstanceError("expected a JSON object of tables")
        for name, relation in cls.relations.items():
            if relation.is_roster and name in document:
                checked_roster(relation, document[name])  # too many ids are refused before anything else is read
        known = {name: cls.relations[name].from_json(table) for name, table in document.items() if name in cls.relations}
        return cls(**({name: table for name, table in document.items() if name != "family"} | known))


def _frozen(table: Any) -> Any:
    """A table that nobody can change."""
    return MappingProxyType(table) if isinstance(table, dict) else table


def _id_reads(relation: Relation) -> Iterator[str]:
    """What a relation says of ids, as reads."""
    if not relation.values or (relation.public and not relation.beside):
        yield relation.name
    else:
        yield from (f"{relation.name}.{column.name}" for column in relation.columns if not isinstance(column, Int | Ints))


def _same_keys(relation: Relation, rows: Mapping[Row, Row | None]) -> bool:
    """Whether only values change, so that the rest of the table stands as it is."""
    width = len(relation.keys)
    return bool(relation.values) and all(new is not None and new[:width] == old[:width] for old, new in rows.items())


# -- what every instance memoises -------------------------------------------------------------------------------------


def _rows(instance: Instance, name: str) -> tuple[Row, ...]:
    return tuple(instance.relations[name].rows(getattr(instance, name)))


def _index(instance: Instance, name: str, roster: str) -> Mapping[str, Sequence[Row]]:
    return instance.relations[name].index(instance.rows(name), roster)


def _magnitude(instance: Instance, name: str) -> int:
    return instance.relations[name].magnitude(getattr(instance, name))


def _facts(instance: Instance) -> frozenset[Fact]:
    return frozenset(Fact(name, row) for name, each in instance.relations.items() if each.fact for row in instance.rows(name))


def _digest(instance: Instance) -> str:
    return digest(instance.text)


def _misfiled(instance: Instance) -> str | None:
    return next(instance.misfiled(), None)


def _first_problem(instance: Instance) -> str | None:
    return instance.derived(_misfiled, reads=instance._id_reads) or next(instance.problems(), None)

"""Instances: one formal problem as checked, immutable tables; as facts; as JSON; and altered.

A subclass declares its tables as class attributes; nothing else about a family's data is written by hand.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress
from types import MappingProxyType
from typing import Any, ClassVar, Self

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.column import Id, Ints, Rename
from algoworlds.core.reading import checked_roster
from algoworlds.core.relation import Fact, Relation, Roster, Row
from algoworlds.core.renaming import renamed
from algoworlds.core.tables import Tables, frozen
from algoworlds.core.work import Sense
from algoworlds.errors import DeclarationError, InstanceError


class Instance(Tables):
    """The tables of one formal problem, checked on construction and immutable afterwards."""

    sense: ClassVar[Sense]
    """Whether smaller or larger objective values are better; `Family` requires it."""

    def __init_subclass__(cls, family: str, sense: Sense | None = None) -> None:
        cls.family = family
        if sense is not None:
            cls.sense = sense
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, Relation)}
        cls.relations = MappingProxyType(
            {  # what a declaration leaves out: its own name, and a roster's single key
                name: replace(each, name=name, keys=each.keys if each.columns else (Id(name),))
                for name, each in declared.items()
            }
        )
        for each in cls.relations.values():
            for column in each.columns:
                if column.of is not None and (column.of not in cls.relations or not cls.relations[column.of].is_roster):
                    raise DeclarationError(f"{family}: {each.name}.{column.name} refers to no roster {column.of!r}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Instance) and other.tables == self.tables

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(getattr(self, name))} {name}" for name, each in self.relations.items() if each.is_roster)
        return f"<{type(self).__name__} {sizes} {self.digest[:12]}>"

    # -- facts --------------------------------------------------------------------------------------------------------

    @cached_property
    def facts(self) -> frozenset[Fact]:
        """The instance as normalized facts."""
        return frozenset(Fact(name, row) for name, each in self.relations.items() if each.fact for row in self.rows(name))

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
        found = {
            item
            for each in cls.relations.values()
            for at, column in enumerate(each.columns)
            if column.of == entity
            for row in rows[each.name]
            for item in column.ids(row[at])
        }
        return tuple(sorted(found))

    # -- altered ------------------------------------------------------------------------------------------------------

    def replaced(self, **tables: Any) -> Self:
        """The same instance with some tables exchanged; the others are not checked again unless a roster changes."""
        if any(self.relations[name].is_roster for name in tables if name in self.relations):
            return type(self)(**(self.tables | tables))
        spelled = self.spelled(self.tables | tables)
        return self._sharing({name: self._checked(self.relations[name], spelled[name]) for name in tables})

    def amended(self, rows: Mapping[str, Mapping[Row, Row | None]]) -> Self:
        """The same instance with some rows exchanged, or removed; where no key changes only these rows are checked."""
        if not any(new is not None for exchanged in rows.values() for new in exchanged.values()):
            return self._without(rows)
        if not all(_same_keys(self.relations[name], exchanged) for name, exchanged in rows.items()):
            tables = {
                name: self.relations[name].table(_exchange(self.rows(name), exchanged)) for name, exchanged in rows.items()
            }
            return self.replaced(**tables)
        tables = {}
        for name, exchanged in rows.items():
            each = self.relations[name]
            new = each.table(self._right(each, [row for row in exchanged.values() if row is not None]))
            tables[name] = getattr(self, name) | new if each.keys else new
        return self._sharing(tables)

    def renumbered(self, rows: Mapping[str, Mapping[Row, Row]]) -> Self:
        """The same instance with some rows exchanged for rows of the same keys that are known to fit; nothing is checked."""
        tables = {}
        for name, exchanged in rows.items():
            new = self.relations[name].table(exchanged.values())
            tables[name] = getattr(self, name) | new if self.relations[name].keys else new
        return self._sharing(tables, checked=False)

    def with_column(self, name: str, at: int, cells: Sequence[Any]) -> Self:
        """The same instance with other cells in one column of values; whether it still is one tells `valid`."""
        table, each = getattr(self, name), self.relations[name]
        new = each.with_column(table, at, cells)
        return self._renumbered(name, dict(zip(table, new, strict=True)) if each.keys else next(iter(new)))

    def _renumbered(self, name: str, table: Any) -> Self:
        return self._sharing({name: table}, checked=False, framed=not self.relations[name].public)

    def exchanged(self, **tables: Any) -> Self:
        """The same instance with some tables exchanged, which are as they are kept; whether it still is one tells `valid`."""
        relations = self.relations
        numbers = all(relations[name].same_ids(table, getattr(self, name)) for name, table in tables.items())
        return self._sharing(tables, checked=False, framed=numbers)

    def without(self, roster: str, gone: frozenset[str]) -> Self:
        """The same instance without some entities of a roster and without every row that mentions one."""
        concerned = {name: each for name, each in self.relations.items() if roster in each.rosters}
        stays = {name: each.staying(self.rows(name), roster, gone) for name, each in concerned.items()}
        columns = [column for each in self.relations.values() for column in each.columns]
        aligned = any(isinstance(column, Ints) and column.over == roster for column in columns)
        return self._narrowed(stays, checked=not aligned)

    def struck(self, name: str, rows: Iterable[Row]) -> Self:
        """The same instance without some rows of a relation."""
        return self._without({name: frozenset(rows)})

    def _without(self, gone: Mapping[str, Collection[Row]]) -> Self:
        stays = {name: [row not in each for row in self.rows(name)] for name, each in gone.items()}
        return self._narrowed(stays, checked=not any(self.relations[name].complete for name in gone))

    def _narrowed(self, stays: Mapping[str, Sequence[bool]], checked: bool) -> Self:
        """An instance with only some rows of some tables, which have been checked unless others ask for what goes."""
        tables = {
            name: self.relations[name].narrowed(getattr(self, name), self.rows(name), each) for name, each in stays.items()
        }
        if not checked:
            return self.replaced(**tables)
        return self._sharing(tables, {name: tuple(compress(self.rows(name), each)) for name, each in stays.items()})

    def _sharing(
        self,
        tables: Mapping[str, Any],
        rows: Mapping[str, tuple[Row, ...]] = MappingProxyType({}),
        checked: bool = True,
        framed: bool = False,
    ) -> Self:
        """An instance with some tables of its own, whose rows may be known, and the rest of this one's; all ids if `framed`."""
        other, own = object.__new__(type(self)), self.__dict__
        other.__dict__.update(self.tables | {name: frozen(table) for name, table in tables.items()})
        for made in ("_rows", "_sums"):
            other.__dict__[made] = {name: each for name, each in own.get(made, {}).items() if name not in tables}
        other.__dict__["_rows"].update(rows)
        if framed:
            known, changed = own.get("_frame", {}).items(), tables.keys()
            other.__dict__["_frame"] = {make: each for make, each in known if not each[0] or changed.isdisjoint(each[0])}
        if checked:
            other._validate()
        return other

    def renamed(self, rename: Rename) -> Self:
        """The same instance under other ids; rosters that no question lists are put in id order."""
        tables = renamed(self.relations, self.tables, rename)
        if self.spelled(tables) != tables:  # by the order of a roster that has changed
            return type(self)(**tables)
        return self._sharing(tables, checked=False)._rightly_filed()  # other names make nothing wrong that was right

    # -- JSON ---------------------------------------------------------------------------------------------------------

    @property
    def json(self) -> dict[str, Any]:
        """The instance as plain JSON tables: rosters as lists, tables as nested objects keyed by id."""
        return {"family": self.family} | {name: each.to_json(getattr(self, name)) for name, each in self.relations.items()}

    @property
    def text(self) -> str:
        """Canonical bytes, as text."""
        return canonical_text(self.json)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical bytes."""
        return digest(self.text)

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Read an instance from plain JSON tables (a parsed object)."""
        if not isinstance(document, Mapping):
            raise InstanceError("expected a JSON object of tables")
        for name, each in cls.relations.items():
            if each.is_roster and name in document:
                checked_roster(each, document[name])  # too many ids are refused before anything else is read
        known = {name: cls.relations[name].from_json(table) for name, table in document.items() if name in cls.relations}
        return cls(**({name: table for name, table in document.items() if name != "family"} | known))


def _same_keys(each: Relation, exchanged: Mapping[Row, Row | None]) -> bool:
    """Whether only values change, so that the rest of the table stands as it is."""
    width = len(each.keys)
    return bool(each.values) and all(new is not None and new[:width] == old[:width] for old, new in exchanged.items())


def _exchange(rows: Iterable[Row], exchanged: Mapping[Row, Row | None]) -> Iterator[Row]:
    for row in rows:
        new = exchanged.get(row, row)
        if new is not None:
            yield new

"""Tables of one formal problem: checked on construction, immutable afterwards, and what is made of them once."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from operator import itemgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

from algoworlds.core.reading import checked_roster, checked_row, given_rows, in_roster_order, plainly_right
from algoworlds.core.relation import Relation, Row
from algoworlds.errors import LONGEST, InstanceError, quoted, shown

T = TypeVar("T")


class Tables:
    """Rosters and the tables about them, as a family declares them."""

    family: ClassVar[str]
    relations: ClassVar[Mapping[str, Relation]]

    def __init__(self, /, **tables: Any) -> None:
        tables = self.spelled(tables)
        unknown = sorted(set(tables) - set(self.relations))
        if unknown:
            raise InstanceError(f"{self.family} has no table {quoted(unknown[0])}; it has {', '.join(self.relations)}")
        missing = [name for name, each in self.relations.items() if name not in tables and each.default is None]
        if missing:
            raise InstanceError(f"{self.family}: the table {quoted(missing[0])} is missing")
        given_first = sorted(self.relations.values(), key=lambda one: (not one.is_roster, one.name not in tables))
        for each in given_first:
            default = each.default
            table = tables[each.name] if each.name in tables else default(self.__dict__) if callable(default) else default
            self.__dict__[each.name] = frozen(self._checked(each, table))
        self._validate()

    @classmethod
    def drawn(cls, **tables: Any) -> Self:
        """An instance of all its tables, which a generator makes right and as they are kept; nothing is checked."""
        instance = object.__new__(cls)
        instance.__dict__.update({name: frozen(tables[name]) for name in cls.relations})
        return instance._rightly_filed()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an instance never changes; use replaced()")

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

    # -- tables, their rows, and what is made of them ------------------------------------------------------------------

    @property
    def tables(self) -> dict[str, Any]:
        """All tables by name."""
        return {name: getattr(self, name) for name in self.relations}

    @property
    def public_tables(self) -> dict[str, Any]:
        """What the question states: public rosters and public tables."""
        return {name: getattr(self, name) for name, each in self.relations.items() if each.public}

    def rows(self, name: str) -> tuple[Row, ...]:
        """A relation's rows, in the order of its rosters."""
        known: dict[str, tuple[Row, ...]] = self.__dict__.setdefault("_rows", {})
        if name not in known:
            known[name] = tuple(self.relations[name].rows(getattr(self, name)))
        return known[name]

    def index(self, name: str, roster: str) -> Mapping[str, Sequence[Row]]:
        """A relation's rows by the entities of a roster that they mention."""
        known = self.kept("index")
        if (name, roster) not in known:
            known[name, roster] = self.relations[name].index(self.rows(name), roster)
        return known[name, roster]  # type: ignore[no-any-return]

    def cells(self, name: str, at: int) -> list[Any]:
        """A relation's cells in one column of values, row by row."""
        table, each = getattr(self, name), self.relations[name]
        values = table.values() if each.keys else (table,)
        return list(values if len(each.values) == 1 else map(itemgetter(at - len(each.keys)), values))

    def magnitude(self) -> int:
        """A bound on the absolute value of every sum that a solver may form."""
        known: dict[str, int] = self.__dict__.setdefault("_sums", {})
        for name, each in self.relations.items():
            if name not in known:
                known[name] = each.magnitude(getattr(self, name))
        return sum(known.values())

    def kept(self, owner: Hashable) -> dict[Any, Any]:
        """Room for what `owner` derives from the tables."""
        return self.__dict__.setdefault("_kept", {}).setdefault(owner, {})  # type: ignore[no-any-return]

    def frame(self, make: Callable[[Any], T], *numbers: str) -> T:
        """What a function makes of ids, of what the question states of them, and of the numbers of some tables.

        It is made once for all instances that differ from this one in other numbers only.
        """
        known: dict[Callable[[Any], Any], tuple[tuple[str, ...], Any]] = self.__dict__.setdefault("_frame", {})
        if make not in known:
            known[make] = numbers, make(self)
        return known[make][1]  # type: ignore[no-any-return]

    def unframed(self) -> Self:
        """The same instance without what was made of its ids, for those who keep it for long."""
        self.__dict__.pop("_frame", None)
        return self

    # -- checking -----------------------------------------------------------------------------------------------------

    @property
    def valid(self) -> bool:
        """Whether the tables have no problem, which is known of all but those that were put together unchecked."""
        return self.problem is None

    @cached_property
    def problem(self) -> str | None:
        """The first way in which the tables break the formal problem, if they do."""
        return self.frame(_misfiled) or next(self.problems(), None)

    def _validate(self) -> None:
        """Raise the first problem; the family's words for it may hold ids of any length, which are cut here."""
        problem = self.problem
        if problem is None:
            return
        for name, each in self.relations.items():
            for item in getattr(self, name) if each.is_roster else ():
                if len(item) > LONGEST:
                    problem = problem.replace(item, shown(item)).replace(repr(item), quoted(item))
        raise InstanceError(problem)

    def _checked(self, each: Relation, table: Any) -> Any:
        if each.is_roster:
            return checked_roster(each, table)
        rosters, rows = self.__dict__, self._right(each, given_rows(each, table))
        if each.complete and each.keys and len(rows) < prod(len(rosters[key.of]) for key in each.keys):
            present = {row[: len(each.keys)] for row in rows}
            missing = next(key for key in product(*(rosters[key.of] for key in each.keys)) if key not in present)
            raise InstanceError(f"{each.name} has no entry for {' '.join(map(shown, missing))}")
        return each.table(in_roster_order(each, rows, rosters))

    def _right(self, each: Relation, rows: list[Row]) -> list[Row]:
        """Rows of a relation with all cells checked; InstanceError names the first that is wrong."""
        rosters = self.__dict__
        known = {column.of: frozenset(rosters[column.of]) for column in each.columns if column.of is not None}
        return rows if plainly_right(each, rows, rosters, known) else [checked_row(each, row, rosters, known) for row in rows]

    def _rightly_filed(self) -> Self:
        """The same, by someone who knows that its ids break nothing."""
        self.__dict__["_frame"] = {_misfiled: ((), None)}
        return self


def frozen(table: Any) -> Any:
    """A table that nobody can change."""
    return MappingProxyType(table) if isinstance(table, dict) else table


def _misfiled(instance: Tables) -> str | None:
    return next(instance.misfiled(), None)

"""Columns: what one field of a relation's rows may hold, and how its cells are checked, renamed, summed and encoded."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from algoworlds.core.canonical import JSON_INTEGER_LIMIT, canonical_json, json_string
from algoworlds.errors import InstanceError, quote_value

Rosters = Mapping[str, tuple[str, ...]]
RenameId = Callable[[str], str]
Cells = Sequence[Any]


@dataclass(frozen=True)
class Column(ABC):
    """A named field. Subclasses say what it holds; values are hashable, so that rows can be facts."""

    name: str

    @abstractmethod
    def parse(self, value: Any, rosters: Rosters) -> Any:
        """Return the in-memory form of `value`; InstanceError with a short reason if it is invalid."""

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        """Fast check of a whole column: True means all cells are valid and all ids known; False means unknown."""
        return False

    def to_json(self, value: Any) -> Any:
        """Return `value` as a JSON value."""
        return value

    def rename_ids(self, value: Any, rename: RenameId) -> Any:
        """Return `value` with every id renamed."""
        return value

    def rename_column(self, cells: Cells, rename: RenameId) -> Cells:
        """Return all cells of a column with every id renamed, in their in-memory form."""
        return cells

    def magnitude(self, cells: Iterable[Any]) -> int:
        """The sum of the absolute values of all numbers in `cells`."""
        return 0

    def ids(self, value: Any) -> tuple[str, ...]:
        """The entity ids in `value`."""
        return ()

    @property
    def roster_name(self) -> str | None:
        """The roster of the column's ids; None if it holds no ids."""
        return None

    def texts(self, cells: Iterable[Any]) -> Iterable[str]:
        """The canonical JSON of every cell."""
        return map(canonical_json, cells)


@dataclass(frozen=True)
class Int(Column):
    """An exact integer, below 2^53 in absolute value and at least `low`."""

    low: int = 1 - JSON_INTEGER_LIMIT

    def parse(self, value: Any, rosters: Rosters) -> int:
        if type(value) is not int:
            raise InstanceError(f"expected an integer, got {quote_value(value)}")
        if not -JSON_INTEGER_LIMIT < value < JSON_INTEGER_LIMIT:
            raise InstanceError("the value is too large: use integers below 2^53 in absolute value")
        if value < self.low:
            raise InstanceError(f"expected an integer of at least {self.low}, got {quote_value(value)}")
        return value

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        return set(map(type, cells)) == {int} and min(cells) >= self.low and max(cells) < JSON_INTEGER_LIMIT

    def magnitude(self, cells: Iterable[int]) -> int:
        return sum(map(abs, cells))

    def texts(self, cells: Iterable[int]) -> Iterable[str]:
        return map(str, cells)


@dataclass(frozen=True)
class Ints(Column):
    """A list of integers: a factor's table, or one entry per entity of the roster `over`."""

    over: str | None = None

    def parse(self, value: Any, rosters: Rosters) -> tuple[int, ...]:
        if not isinstance(value, list | tuple):
            raise InstanceError(f"expected a list of integers, got {quote_value(value)}")
        if self.over is not None and len(value) != len(rosters[self.over]):
            raise InstanceError(f"expected {len(rosters[self.over])} integers, one per {self.over}, got {len(value)}")
        entry = Int(self.name)
        return tuple(entry.parse(item, rosters) for item in value)

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        if set(map(type, cells)) != {tuple} or (self.over and set(map(len, cells)) != {len(rosters[self.over])}):
            return False
        return Int(self.name).passes_fast_check(list(chain.from_iterable(cells)), rosters, known)

    def to_json(self, value: tuple[int, ...]) -> list[int]:
        return list(value)

    def magnitude(self, cells: Iterable[tuple[int, ...]]) -> int:
        return sum(map(abs, chain.from_iterable(cells)))

    def texts(self, cells: Iterable[tuple[int, ...]]) -> Iterable[str]:
        return [f"[{','.join(map(str, cell))}]" for cell in cells]


@dataclass(frozen=True)
class Flag(Column):
    """True or false."""

    def parse(self, value: Any, rosters: Rosters) -> bool:
        if not isinstance(value, bool):
            raise InstanceError(f"expected true or false, got {quote_value(value)}")
        return value

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        return set(map(type, cells)) == {bool}

    def texts(self, cells: Iterable[bool]) -> Iterable[str]:
        return ["true" if cell else "false" for cell in cells]


@dataclass(frozen=True)
class Id(Column):
    """One entity of a roster; a plain string in a declaration means `Id(name, roster=name)`."""

    roster: str = ""

    @property
    def roster_name(self) -> str:
        return self.roster or self.name

    def parse(self, value: Any, rosters: Rosters) -> str:
        if not isinstance(value, str):
            raise InstanceError(f"expected the id of a {self.roster_name}, got {quote_value(value)}")
        return value

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        return set(map(type, cells)) == {str} and known.issuperset(cells)

    def rename_ids(self, value: str, rename: RenameId) -> str:
        return rename(value)

    def rename_column(self, cells: Cells, rename: RenameId) -> Cells:
        return list(map(rename, cells))

    def ids(self, value: str) -> tuple[str, ...]:
        return (value,)

    def texts(self, cells: Iterable[str]) -> Iterable[str]:
        return map(json_string, cells)


@dataclass(frozen=True)
class Ids(Column):
    """Several distinct entities of a roster, sorted unless `ordered`."""

    roster: str = ""
    ordered: bool = False

    @property
    def roster_name(self) -> str:
        return self.roster or self.name

    def parse(self, value: Any, rosters: Rosters) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise InstanceError(f"expected a list of {self.roster_name} ids, got {quote_value(value)}")
        if len(set(value)) < len(value):
            raise InstanceError(f"a {self.roster_name} is listed twice")
        return tuple(value) if self.ordered else tuple(sorted(value))

    def passes_fast_check(self, cells: Cells, rosters: Rosters, known: frozenset[str]) -> bool:
        if set(map(type, cells)) != {tuple} or not all(known.issuperset(cell) for cell in cells):
            return False
        distinct = all(len(set(cell)) == len(cell) for cell in cells)
        return distinct and (self.ordered or all(map(tuple.__eq__, cells, map(tuple, map(sorted, cells)))))

    def to_json(self, value: tuple[str, ...]) -> list[str]:
        return list(value)

    def rename_ids(self, value: tuple[str, ...], rename: RenameId) -> tuple[str, ...]:
        return tuple(map(rename, value))

    def rename_column(self, cells: Cells, rename: RenameId) -> Cells:
        renamed = [tuple(map(rename, cell)) for cell in cells]
        return renamed if self.ordered else [tuple(sorted(cell)) for cell in renamed]

    def ids(self, value: tuple[str, ...]) -> tuple[str, ...]:
        return value

    def texts(self, cells: Iterable[tuple[str, ...]]) -> Iterable[str]:
        return [f"[{','.join(map(json_string, cell))}]" for cell in cells]


def row_texts(columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> list[str]:
    """The canonical JSON of every row, encoded column by column, which is several times faster than row by row."""
    texts = [column.texts(cells) for column, cells in zip(columns, zip(*rows, strict=True), strict=False)]
    return [f"[{','.join(cells)}]" for cells in zip(*texts, strict=True)]

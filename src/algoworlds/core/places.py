"""Columns as arrays: numbers as they stand, ids as their places in the roster that lists them; lists one after the other.

A column is made once for all instances that share it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.column import Ids, Ints
from algoworlds.core.instance import Instance

Array = NDArray[np.int64]
Make = Callable[[Instance], Array]


def numbers(instance: Instance, name: str, column: str = "") -> Array:
    """The numbers in a column of a table, which need not be named if there is one only beside every key."""
    return instance.frame(_numbers(name, column if len(instance.relations[name].values) > 1 else ""), name)


def places(instance: Instance, name: str, column: str) -> Array:
    """Where the ids in a column of a table stand in their roster."""
    return instance.frame(_places(name, column))


def lengths(instance: Instance, name: str, column: str) -> Array:
    """How many ids each list in a column of a table has."""
    return instance.frame(_lengths(name, column))


def keys_at(rosters: Sequence[Sequence[str]], ends: Sequence[Array]) -> Iterable[tuple[str, ...]]:
    """The keys of a table whose ids stand at some places in their rosters, column by column."""
    return zip(*(np.array(ids, object)[at].tolist() for ids, at in zip(rosters, ends, strict=True)), strict=True)


class Widened(Mapping[Any, Any]):
    """A table with an entry for ids at some places, which reads as a value where another one has no entry for them.

    It keeps places and numbers; ids are put together for whoever goes through them.
    """

    def __init__(self, instance: Instance, name: str, ends: Sequence[Array], value: int) -> None:
        """Column by column, `ends` holds all the places; the other table is one of the instance, of one number a row."""
        self._table, keys = getattr(instance, name), instance.relations[name].keys
        self._rosters, self._ends = [getattr(instance, str(key.of)) for key in keys], ends
        self._codes, self.numbers = self._coded(ends), np.full(len(ends[0]), value)
        self._order = np.argsort(self._codes, kind="stable")
        own = self._coded([places(instance, name, key.name) for key in keys])
        self.numbers[self._order[np.searchsorted(self._codes, own, sorter=self._order)]] = numbers(instance, name)

    def _coded(self, ends: Sequence[Any]) -> Any:
        """One number for the places of a key, or of many keys."""
        return np.ravel_multi_index(tuple(ends), tuple(map(len, self._rosters)))

    def __getitem__(self, key: Any) -> int:
        return self._table[key] if key in self._table else self._looked_up(key)  # mostly what the other one has is asked for

    def _looked_up(self, key: Any) -> int:
        try:
            code = self._coded([roster.index(each) for roster, each in zip(self._rosters, key, strict=True)])
        except ValueError:
            raise KeyError(key) from None
        at = int(np.searchsorted(self._codes, code, sorter=self._order))
        if at == len(self._order) or self._codes[self._order[at]] != code:
            raise KeyError(key)
        return int(self.numbers[self._order[at]])

    def __iter__(self) -> Iterator[Any]:
        return iter(keys_at(self._rosters, self._ends))

    def __len__(self) -> int:
        return len(self.numbers)

    def values(self) -> Any:
        """All values, as a list."""
        return self.numbers.tolist()


def padded(sizes: Array, listed: Array, fill: int) -> Array:
    """Rows of some sizes, listed one after the other, as a matrix; at least one column more is filled at their end."""
    width = int(sizes.max(initial=0)) + 1
    rows = np.full((len(sizes), width), fill)
    rows[np.arange(width) < sizes[:, None]] = listed
    return rows


@cache
def _numbers(name: str, column: str) -> Make:
    def made(instance: Instance) -> Array:
        table = getattr(instance, name)
        if isinstance(table, Widened):
            return table.numbers
        return np.fromiter(_each(instance, name, column or instance.relations[name].values[0].name), np.int64)

    return made


@cache
def _places(name: str, column: str) -> Make:
    def made(instance: Instance) -> Array:
        relation = instance.relations[name]
        if name in instance.placed and relation.position(column) < len(relation.keys):
            return instance.placed[name][relation.position(column)]
        roster = getattr(instance, str(relation.columns[relation.position(column)].of))
        place = dict(zip(roster, range(len(roster)), strict=True))
        return np.fromiter(map(place.__getitem__, _each(instance, name, column)), np.int64)

    return made


@cache
def _lengths(name: str, column: str) -> Make:
    return lambda instance: np.fromiter(map(len, _cells(instance, name, column)), np.int64)


def _each(instance: Instance, name: str, column: str) -> Iterable[Any]:
    relation, cells = instance.relations[name], _cells(instance, name, column)
    listed = isinstance(relation.columns[relation.position(column)], Ids | Ints)
    return chain.from_iterable(cells) if listed else cells


def _cells(instance: Instance, name: str, column: str) -> Iterable[Any]:
    relation, table = instance.relations[name], getattr(instance, name)
    at, keys = relation.position(column), len(relation.keys)
    if at >= keys:
        return instance.cells(name, at)
    return map(itemgetter(at), table) if keys > 1 else table

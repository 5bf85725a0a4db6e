"""Columns as arrays: numbers as they stand, ids as their places in the roster that lists them; lists one after the other.

A column is made once for all instances that share it.
"""

from collections.abc import Callable, Iterable, Sequence
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


def padded(sizes: Array, listed: Array, fill: int) -> Array:
    """Rows of some sizes, listed one after the other, as a matrix; at least one column more is filled at their end."""
    width = int(sizes.max(initial=0)) + 1
    rows = np.full((len(sizes), width), fill)
    rows[np.arange(width) < sizes[:, None]] = listed
    return rows


@cache
def _numbers(name: str, column: str) -> Make:
    def made(instance: Instance) -> Array:
        own = column or instance.relations[name].values[0].name
        try:
            return np.fromiter(_each(instance, name, own), np.int64)
        except OverflowError:  # no instance has such numbers, but checkers are asked for exact sums of any
            return np.array(list(_each(instance, name, own)), object)

    return made


@cache
def _places(name: str, column: str) -> Make:
    def made(instance: Instance) -> Array:
        relation = instance.relations[name]
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

"""Columns as arrays: numbers as they stand, ids as their places in the roster that lists them; lists one after the other.

A column is made once for all instances that share it.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.column import Ids, Ints
from algoworlds.core.instance import Instance

Array = NDArray[np.int64]


def numbers(instance: Instance, name: str, column: str = "") -> Array:
    """The numbers in a column of a table, which need not be named if there is one only beside every key."""
    own = column or instance.relations[name].values[0].name
    return instance.derived(_numbers, name, own, reads=_reads(name, own))


def places(instance: Instance, name: str, column: str) -> Array:
    """Where the ids in a column of a table stand in their roster."""
    relation = instance.relations[name]
    roster = str(relation.columns[relation.position(column)].of)
    return instance.derived(_places, name, column, roster, reads=_reads(name, column, roster))


def lengths(instance: Instance, name: str, column: str) -> Array:
    """How many ids each list in a column of a table has."""
    return instance.derived(_lengths, name, column, reads=_reads(name, column))


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
def _reads(name: str, column: str, *rosters: str) -> tuple[str, ...]:
    return f"{name}.{column}", *rosters


def _numbers(instance: Instance, name: str, column: str) -> Array:
    try:
        return np.fromiter(_each(instance, name, column), np.int64)
    except OverflowError:  # no instance has such numbers, but checkers are asked for exact sums of any
        return np.array(list(_each(instance, name, column)), object)


def _places(instance: Instance, name: str, column: str, roster: str) -> Array:
    ids = getattr(instance, roster)
    place = dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(place.__getitem__, _each(instance, name, column)), np.int64)


def _lengths(instance: Instance, name: str, column: str) -> Array:
    return np.fromiter(map(len, _cells(instance, name, column)), np.int64)


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

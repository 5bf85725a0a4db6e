"""Columns as int64 arrays: numbers as they are, ids as positions in their roster, lists concatenated.

Arrays are memoised by `Instance.derived`, so all instances that share a column share its array.
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

IntArray = NDArray[np.int64]


def column_values(instance: Instance, name: str, column: str = "") -> IntArray:
    """The numbers in a column of table `name`; `column` defaults to its first value column."""
    column = column or instance.relations[name].values[0].name
    return instance.derived(_number_array, name, column, reads=_reads(name, column))


def id_positions(instance: Instance, name: str, column: str) -> IntArray:
    """The roster positions of the ids in a column of table `name`."""
    relation = instance.relations[name]
    roster = str(relation.columns[relation.position(column)].roster_name)
    return instance.derived(_position_array, name, column, roster, reads=_reads(name, column, roster))


def list_lengths(instance: Instance, name: str, column: str) -> IntArray:
    """The length of each list in a column of table `name`."""
    return instance.derived(_length_array, name, column, reads=_reads(name, column))


def keys_at_positions(rosters: Sequence[Sequence[str]], positions: Sequence[IntArray]) -> Iterable[tuple[str, ...]]:
    """The keys of a table from the roster positions of their ids, column by column."""
    return zip(*(np.array(ids, object)[at].tolist() for ids, at in zip(rosters, positions, strict=True)), strict=True)


def pad_rows(sizes: IntArray, values: IntArray, fill: int) -> IntArray:
    """A matrix from rows of some `sizes` concatenated in `values`; every row ends with at least one `fill`."""
    width = int(sizes.max(initial=0)) + 1
    rows = np.full((len(sizes), width), fill)
    rows[np.arange(width) < sizes[:, None]] = values
    return rows


@cache
def _reads(name: str, column: str, *rosters: str) -> tuple[str, ...]:
    return f"{name}.{column}", *rosters


def _number_array(instance: Instance, name: str, column: str) -> IntArray:
    try:
        return np.fromiter(_flat_cells(instance, name, column), np.int64)
    except OverflowError:  # valid instances have no such numbers, but checkers compute exact sums of any
        return np.array(list(_flat_cells(instance, name, column)), object)


def _position_array(instance: Instance, name: str, column: str, roster: str) -> IntArray:
    ids = getattr(instance, roster)
    position = dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(position.__getitem__, _flat_cells(instance, name, column)), np.int64)


def _length_array(instance: Instance, name: str, column: str) -> IntArray:
    return np.fromiter(map(len, _cells(instance, name, column)), np.int64)


def _flat_cells(instance: Instance, name: str, column: str) -> Iterable[Any]:
    relation, cells = instance.relations[name], _cells(instance, name, column)
    has_lists = isinstance(relation.columns[relation.position(column)], Ids | Ints)
    return chain.from_iterable(cells) if has_lists else cells


def _cells(instance: Instance, name: str, column: str) -> Iterable[Any]:
    relation, table = instance.relations[name], getattr(instance, name)
    at, keys = relation.position(column), len(relation.keys)
    if at >= keys:
        return instance.column_cells(name, at)
    return map(itemgetter(at), table) if keys > 1 else table

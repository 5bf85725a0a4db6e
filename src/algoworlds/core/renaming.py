"""Renaming: the tables of an instance under other ids, a whole column at a time.

Names decide the order of rosters that no question lists, and with it the order of the rows that are about them. Tables of one
family often have the same keys; these are renamed and put in order once.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from algoworlds.core.column import Rename
from algoworlds.core.relation import Relation, Roster
from algoworlds.errors import InstanceError

Key = Any
"""An id, or several as a tuple."""


class _Listed(NamedTuple):
    """A roster under its new names, and the new place of every old one."""

    names: Roster
    place: dict[str, int]


class _Moved(NamedTuple):
    """Keys under their new names in their new order, where each of them stood before, and what they were."""

    keys: list[Key]
    source: list[int]
    before: list[Key]


def renamed(relations: Mapping[str, Relation], tables: Mapping[str, Any], rename: Rename) -> dict[str, Any]:
    """All tables after every id in them has been renamed, in the order of the renamed rosters."""
    rosters = {name: _listed(each, tables[name], rename) for name, each in relations.items() if each.is_roster}
    moved: dict[tuple[str, ...], _Moved] = {}
    changed: dict[str, Any] = {}
    for name, each in relations.items():
        table = tables[name]
        if name in rosters:
            changed[name] = rosters[name].names
        elif not each.values:
            changed[name] = frozenset(zip(*(map(rename, column) for column in zip(*table, strict=True)), strict=True))
        elif not each.keys:
            changed[name] = _values(each, [table], rename)[0]
        else:
            owners, keys = tuple(key.of for key in each.keys), list(table)
            if owners not in moved or moved[owners].before != keys:
                moved[owners] = _moved(keys, [rosters[of] for of in owners])
            values = _values(each, list(table.values()), rename)
            changed[name] = dict(zip(moved[owners].keys, map(values.__getitem__, moved[owners].source), strict=True))
    return changed


def _listed(each: Relation, table: Roster, rename: Rename) -> _Listed:
    names = list(map(rename, table))
    if len(set(names)) < len(names):
        raise InstanceError(f"{each.name}: an id is listed twice")
    order = range(len(names)) if each.public else sorted(range(len(names)), key=names.__getitem__)
    place = dict(zip(map(table.__getitem__, order), range(len(names)), strict=True))
    return _Listed(tuple(map(names.__getitem__, order)), place)


def _moved(keys: list[Key], rosters: Sequence[_Listed]) -> _Moved:
    import numpy as np  # by those alone who rename

    columns: list[Any] = [map(itemgetter(at), keys) for at in range(len(rosters))] if len(rosters) > 1 else [keys]
    places = [
        np.fromiter(map(each.place.__getitem__, column), np.int64, len(keys))
        for each, column in zip(rosters, columns, strict=True)
    ]
    source = np.lexsort(places[::-1])
    names = [np.array(each.names, object)[at[source]].tolist() for each, at in zip(rosters, places, strict=True)]
    return _Moved(list(zip(*names, strict=True)) if len(rosters) > 1 else names[0], source.tolist(), keys)


def _values(each: Relation, values: list[Any], rename: Rename) -> Sequence[Any]:
    """The values beside the keys; whatever holds no ids stays as it is."""
    if not any(column.of for column in each.values):
        return values
    if len(each.values) == 1:
        return each.values[0].all_renamed(values, rename)
    cells = zip(each.values, zip(*values, strict=True), strict=False)
    return list(zip(*(column.all_renamed(column_cells, rename) for column, column_cells in cells), strict=True))

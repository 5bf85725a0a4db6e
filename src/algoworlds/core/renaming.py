"""Renaming: the tables of an instance under other ids, a whole column at a time.

Names decide the order of rosters that no question lists, and with it the order of the rows that are about them. Tables of one
family often have the same keys; these are renamed and put in order once.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from algoworlds.core.column import Rename
from algoworlds.core.reading import checked_roster, roster_order
from algoworlds.core.relation import Relation, Roster

Key = Any
"""An id, or several as a tuple."""


class _Moved(NamedTuple):
    """Keys under their new names in their new order, and where each of them stood before."""

    keys: list[Key]
    source: list[int]


def renamed(relations: Mapping[str, Relation], tables: Mapping[str, Any], rename: Rename) -> dict[str, Any]:
    """All tables after every id in them has been renamed, in the order of the renamed rosters."""
    rosters = {name: _roster(each, tables[name], rename) for name, each in relations.items() if each.is_roster}
    moved: dict[tuple[Any, ...], _Moved] = {}
    changed: dict[str, Any] = {}
    for name, each in relations.items():
        table = tables[name]
        if name in rosters:
            changed[name] = rosters[name]
        elif not each.values:
            changed[name] = frozenset(zip(*(map(rename, column) for column in zip(*table, strict=True)), strict=True))
        elif not each.keys:
            changed[name] = _values(each, [table], rename)[0]
        else:
            owners = tuple(key.of for key in each.keys)
            same = owners, *table
            if same not in moved:
                moved[same] = _moved(list(table), [rosters[of] for of in owners], rename)
            keys, source = moved[same]
            values = _values(each, list(table.values()), rename)
            changed[name] = dict(zip(keys, map(values.__getitem__, source), strict=True))
    return changed


def _roster(each: Relation, table: Roster, rename: Rename) -> Roster:
    names = map(rename, table)
    return checked_roster(each, tuple(names if each.public else sorted(names)))


def _moved(keys: list[Key], rosters: list[Roster], rename: Rename) -> _Moved:
    columns = [list(map(rename, column)) for column in (zip(*keys, strict=True) if len(rosters) > 1 else [keys])]
    source = roster_order(columns or [[]] * len(rosters), rosters)
    names = list(zip(*columns, strict=True)) if len(rosters) > 1 else columns[0]
    return _Moved([names[at] for at in source], source)


def _values(each: Relation, values: list[Any], rename: Rename) -> Sequence[Any]:
    """The values beside the keys; whatever holds no ids stays as it is."""
    if not any(column.of for column in each.values):
        return values
    if len(each.values) == 1:
        return each.values[0].all_renamed(values, rename)
    cells = zip(each.values, zip(*values, strict=True), strict=False)
    return list(zip(*(column.all_renamed(column_cells, rename) for column, column_cells in cells), strict=True))

"""Reading tables: what was given as a roster or as a relation's rows, checked; the first mistake is named with its place."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from algoworlds.core.relation import Relation, Roster, Row
from algoworlds.errors import InstanceError, TooLarge, quoted, shown

_NOBODY = frozenset[str]()


def checked_roster(each: Relation, table: Any) -> Roster:
    """A roster: a list of ids, none of them empty or twice, and no more than any exact algorithm can hold."""
    if not isinstance(table, list | tuple) or not all(isinstance(item, str) and item for item in table):
        raise InstanceError(f"{each.name}: expected a list of ids")
    if len(set(table)) < len(table):
        raise InstanceError(f"{each.name}: an id is listed twice")
    if each.most is not None and len(table) > each.most:
        raise TooLarge(f"{each.name}: {len(table):,} ids are more than the {each.most} that an exact algorithm can hold")
    return tuple(table)


def given_rows(each: Relation, table: Any) -> list[Row]:
    """The rows of a table, whose cells are still to be checked."""
    if not each.values:
        return _listed_rows(each, table)
    try:
        return each.rows(table)
    except (AttributeError, TypeError):
        raise InstanceError(f"{each.name}: expected a table keyed by {', '.join(key.name for key in each.keys)}") from None


def _listed_rows(each: Relation, table: Any) -> list[Row]:
    """The rows of a table that has keys alone: a list of lists of ids, or a set of them, none twice."""
    keys = [key.name for key in each.keys]
    if not isinstance(table, list | tuple | frozenset | set):
        raise InstanceError(f"{each.name}: expected a list of [{', '.join(keys)}] rows, got {quoted(table)}")
    for row in table:
        if not isinstance(row, list | tuple) or not all(isinstance(cell, str) for cell in row):
            raise InstanceError(f"{each.name}: expected [{', '.join(keys)}] in every row, got {quoted(row)}")
        if len(row) != len(keys):
            raise InstanceError(f"{each.name}: expected {len(keys)} fields in a row, got {len(row)}")
    rows = sorted(map(tuple, table))
    twice = next((row for row, after in pairwise(rows) if row == after), None)
    if twice is not None:
        raise InstanceError(f"{each.name}: the row {' '.join(map(shown, twice))} is listed twice")
    return rows


def plainly_right(each: Relation, rows: list[Row], rosters: Any, known: Mapping[str, frozenset[str]]) -> bool:
    """Whether all cells are right as they stand: a quick look at whole columns, false where a closer one is needed."""
    if not {len(each.columns)}.issuperset(map(len, rows)):
        return False
    columns = zip(each.columns, zip(*rows, strict=True), strict=False)
    return all(column.plainly_right(cells, rosters, known.get(column.of or "", _NOBODY)) for column, cells in columns)


def checked_row(each: Relation, row: Row, rosters: Any, known: Mapping[str, frozenset[str]]) -> Row:
    """A row with every cell read by its column; InstanceError names the place of the first that is wrong."""
    if len(row) != len(each.columns):
        raise InstanceError(f"{each.name}: expected {len(each.columns)} fields in a row, got {len(row)}")
    cells = []
    for column, cell in zip(each.columns, row, strict=True):
        try:
            read = column.read(cell, rosters)
            strangers = set(column.ids(read)) - known[column.of] if column.of is not None else ()
            if strangers:
                raise InstanceError(f"{quoted(min(strangers))} is no {column.of}")
        except InstanceError as problem:
            keys = "".join(f"[{quoted(item)}]" for item in row[: len(each.keys)])
            raise InstanceError(f"{each.name}{keys}: {problem}") from None
        cells.append(read)
    return tuple(cells)


def in_roster_order(each: Relation, rows: list[Row], rosters: Mapping[str, Roster]) -> list[Row]:
    """Rows in the order in which the rosters list their keys."""
    columns = (list(map(itemgetter(at), rows)) for at in range(len(each.keys)))
    return [rows[at] for at in roster_order(columns, (rosters[key.of] for key in each.keys))]


def roster_order(columns: Iterable[Sequence[str]], rosters: Iterable[Roster]) -> list[int]:
    """Where the rows stand that come first, second and so on, given their columns of keys and the rosters of these."""
    order = [0]
    for number, (column, roster) in enumerate(zip(columns, rosters, strict=True)):
        place = dict(zip(roster, range(len(roster)), strict=True))
        places = map(place.__getitem__, column)
        order = [len(roster) * before + here for before, here in zip(order, places, strict=True)] if number else list(places)
    return sorted(range(len(order)), key=order.__getitem__)

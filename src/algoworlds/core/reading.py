"""Reading tables: what was given as a roster or as a relation's rows, checked; the first mistake is named with its place."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from algoworlds.core.canonical import LIMIT
from algoworlds.core.column import Id, Int
from algoworlds.core.relation import Relation, Roster, Row
from algoworlds.errors import InstanceError, TooLarge, quoted, shown


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


def plainly_right(each: Relation, rows: list[Row], known: Mapping[str, frozenset[str]]) -> bool:
    """Whether all cells are right as they stand: a quick look at whole columns, false where a closer one is needed."""
    if not {len(each.columns)}.issuperset(map(len, rows)):
        return False
    for column, cells in zip(each.columns, zip(*rows, strict=True), strict=False):
        if isinstance(column, Int):
            if set(map(type, cells)) != {int} or min(cells) < column.low or max(cells) >= LIMIT:
                return False
        elif not isinstance(column, Id) or set(map(type, cells)) != {str} or not known[column.of].issuperset(cells):
            return False
    return True


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
    places = [{item: at for at, item in enumerate(rosters[key.of])} for key in each.keys]
    keys = list(zip(*([place[row[at]] for row in rows] for at, place in enumerate(places)), strict=True))
    return [rows[at] for at in sorted(range(len(rows)), key=keys.__getitem__)] if keys else rows

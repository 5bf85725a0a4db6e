"""What the published instances of all families share: tables that are found by the fields of their rows, and ids.

Each family's `published.py` says how its published tables become ours. A `Problem` says what is wrong with a file; the
reader of the release adds the file's name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import quote_value


class Problem(Exception):
    """What is wrong with one file."""


class Converted(NamedTuple):
    """The tables of one published instance in one interface."""

    tables: dict[str, Any]
    shift: int = 0
    """Added to our value, it gives the published one: the constants that an objective of theirs contains."""
    edges: Mapping[str, tuple[str, ...]] = {}
    """The published ids that make up an id of ours, where an interface splits one into several."""


@dataclass(frozen=True)
class Published:
    """How the published instances of a family become ours."""

    convert: Callable[[JsonObject], Converted]
    shuffled: tuple[str, ...] = ()
    """Rosters whose order differs between the interfaces of a pair."""
    common: Callable[[Converted], dict[str, Any]] | None = None
    """The tables as both interfaces of a pair must have them; by default as they are, `shuffled` rosters sorted."""
    join_edges: Callable[[Converted, Converted], dict[str, list[str]]] = lambda direct, mediated: {}
    """By id of ours, the ids of the mediated interface that make it up."""

    def comparable(self, converted: Converted) -> Any:
        """What must be equal in both interfaces of a pair."""
        tables = dict(converted.tables) if self.common is None else self.common(converted)
        return {name: sorted(table) if name in self.shuffled else table for name, table in tables.items()}, converted.shift


def find_rows(document: Any, *fields: str) -> list[JsonObject]:
    """The list of rows that have all `fields`, wherever it is in `document`; Problem if there is none or a row lacks one."""
    for rows in _find_lists(document):
        if rows and all(isinstance(row, dict) for row in rows) and set(fields) <= rows[0].keys():
            if incomplete := [at for at, row in enumerate(rows) if not set(fields) <= row.keys()]:
                raise Problem(f"row {incomplete[0]} of the table of {', '.join(fields)} lacks a field")
            return rows
    raise Problem(f"it has no table with the fields {', '.join(fields)}")


def _find_lists(document: Any) -> Iterator[list[Any]]:
    if isinstance(document, list):
        yield document
    for item in document.values() if isinstance(document, dict) else ():
        if isinstance(item, dict | list):
            yield from _find_lists(item)


def has_rows(document: Any, *fields: str) -> bool:
    """Whether `document` has a table whose rows have all `fields`."""
    try:
        return bool(find_rows(document, *fields))
    except Problem:
        return False


def read_ids(values: Any, *fields: str) -> tuple[str, ...]:
    """A list of ids: texts, objects with an id in one of `fields` (sorted by `order` or `index` if they have it), or text."""
    if isinstance(values, str):
        return tuple(text.strip() for text in values.split(","))
    if values and isinstance(values[0], dict):
        key = next(name for name in fields if name in values[0])
        place = next((name for name in ("order", "index") if name in values[0]), None)
        values = [row[key] for row in (values if place is None else sorted(values, key=lambda row: row[place]))]
    if not all(isinstance(value, str) for value in values):
        raise Problem(f"{quote_value(values)} is not a list of ids")
    if len(set(values)) < len(values):
        raise Problem("it lists an id twice")
    return tuple(values)


def unique_table(pairs: Iterable[tuple[Any, Any]], what: str) -> dict[Any, Any]:
    """A dictionary; Problem if a key occurs twice."""
    table: dict[Any, Any] = {}
    for key, value in pairs:
        if key in table:
            raise Problem(f"{what} lists {quote_value(key)} twice")
        table[key] = value
    return table


def read_mapping(document: Any, key: str, value: str) -> dict[str, Any]:
    """A column of the table with the fields `key` and `value`, by `key`."""
    return unique_table(((row[key], row[value]) for row in find_rows(document, key, value)), f"the table of {key} and {value}")

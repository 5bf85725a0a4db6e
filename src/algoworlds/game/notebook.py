"""A notebook for people: all that an episode's calls have told, joined and side by side, and nothing else.

It is a pure function of the calls and their answers. What was read about the same things stands in one table, with gaps where
something has not been read; links are projected away as soon as both sides of them are known. Nothing is deduced.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from algoworlds.core.canonical import strict_loads
from algoworlds.core.column import Column, Ints
from algoworlds.core.given import LONGEST_ARGUMENTS
from algoworlds.core.interface import Layout, Part
from algoworlds.core.normalize import frozen
from algoworlds.core.relation import Relation, Row
from algoworlds.core.tool import Call
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status

WIDEST = 14
"""Columns of a matrix that a person takes in."""

Cells = dict[str, Any]
"""A row by its columns."""


class Leaf(NamedTuple):
    """One table of a notebook: what it is about, its columns, and its rows; None stands for what has not been read."""

    about: tuple[str, ...]
    """The key columns, which come first."""
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    rosters: Mapping[str, str]
    """By column, the roster that the ids in it come from."""
    what: str = ""
    """What stands in a matrix."""

    @property
    def title(self) -> str:
        """What the table tells, and about what."""
        if self.what:
            return f"{self.what.capitalize()} by {' and '.join(self.about)}".replace("_", " ")
        return f"By {' and '.join(each.replace('_', ' ') for each in self.about)}" if self.about else "In general"

    @property
    def document(self) -> dict[str, Any]:
        """The table as JSON."""
        return {"title": self.title, "keys": 1 if self.what else len(self.about), "columns": self.columns, "rows": self.rows}

    @property
    def readable(self) -> "tuple[Leaf, ...]":
        """The same as matrices, one for each thing told, where two keys cross more often than not; else as it is."""
        sides = [list(dict.fromkeys(row[at] for row in self.rows)) for at in range(len(self.about))]
        sizes = sorted(map(len, sides))
        if len(sides) != 2 or not 1 < sizes[0] <= WIDEST or 2 * len(self.rows) < sizes[0] * sizes[1]:
            return (self,)
        down, across = (0, 1) if len(sides[0]) >= len(sides[1]) else (1, 0)
        return tuple(self._matrix(at, down, sides[down], sides[across]) for at in range(2, len(self.columns))) or (self,)

    def _matrix(self, at: int, down: int, lines: list[str], heads: list[str]) -> "Leaf":
        cells = {(row[down], row[1 - down]): row[at] for row in self.rows}
        rows = tuple((line, *(cells.get((line, head)) for head in heads)) for line in lines)
        about = (self.about[down], self.about[1 - down])
        return Leaf(about, (about[0], *heads), rows, self.rosters, self.columns[at])


class Attempted(NamedTuple):
    """A decision that was evaluated, and what it came to."""

    arguments: dict[str, Any]
    feasible: bool
    value: int | None


@dataclass(frozen=True)
class Notebook:
    """Everything that was read: joined tables, records whose other half has not been read, and decisions that were tried."""

    leaves: tuple[Leaf, ...]
    loose: tuple[Leaf, ...]
    tried: tuple[Attempted, ...]

    @property
    def tables(self) -> tuple[Leaf, ...]:
        """The joined tables as they are read best."""
        return tuple(each for leaf in self.leaves for each in leaf.readable)

    @property
    def document(self) -> dict[str, Any]:
        """The notebook as JSON."""
        return {
            "tables": [each.document for each in self.tables],
            "loose": [each.document for each in self.loose],
            "tried": [each._asdict() for each in self.tried],
        }

    def known(self, roster: str) -> tuple[str, ...]:
        """The ids of a roster that were read, in the order of the tables."""
        found: dict[str, None] = {}
        for leaf in (*self.leaves, *self.loose):
            places = [at for at, name in enumerate(leaf.columns) if leaf.rosters.get(name) == roster]
            cells = (row[at] for row in leaf.rows for at in places if row[at] is not None)
            found |= dict.fromkeys(each for cell in cells for each in (cell if isinstance(cell, list | tuple) else (cell,)))
        return tuple(found)

    def about(self, *rosters: str) -> Leaf | None:
        """The table that tells about entities of these rosters together, whatever their order; None if nothing was read."""
        wanted = sorted(rosters)
        return next((leaf for leaf in self.leaves if sorted(leaf.rosters[name] for name in leaf.about) == wanted), None)


def notebook(episode: Episode) -> Notebook:
    """What the calls of an episode have told so far."""
    world = episode.world
    writing = _Writing(world.family.layouts[world.interface], world.public)
    tried: list[Attempted] = []
    for call, seen in zip(episode.calls, episode.observations, strict=True):
        if seen.status is not Status.EXECUTED:
            continue
        if call.tool in world.family.tools:
            writing.take(call, seen.json["records"])
        else:
            told = seen.json
            tried.append(Attempted(strict_loads(call.arguments, LONGEST_ARGUMENTS), told["feasible"], told.get("value")))
    return Notebook(tuple(writing.leaves()), tuple(writing.loose()), tuple(tried))


class _Writing:
    """The rows that were shown, by relation and part, and the tables that they make."""

    def __init__(self, layout: Layout, public: Mapping[str, Any]) -> None:
        self._layout, self._public = layout, public
        self._shown: dict[str, dict[Part, dict[Row, None]]] = {}
        self._pointers: dict[tuple[str, ...], dict[Row, None]] = {}

    def take(self, call: Call, response: Mapping[str, Any]) -> None:
        """Take in one answer; of a part that shows the way only, together with what was asked."""
        for part in self._layout.shows[call.tool]:
            relation, rows = self._layout.relations[part.relation], map(frozen, response[part.name]["rows"])
            if part not in self._layout.parts[part.relation]:
                asked = strict_loads(call.arguments, LONGEST_ARGUMENTS)
                found = self._pointers.setdefault((*asked, *part.columns), {})
                found |= dict.fromkeys((*asked.values(), *row) for row in rows)
            elif not relation.public:
                self._shown.setdefault(part.relation, {}).setdefault(part, {}).update(dict.fromkeys(rows))

    @cached_property
    def _joined(self) -> dict[str, list[Cells]]:
        """By relation, the rows that all of its parts join to, links included."""
        return {name: _join(self._layout.parts[name], shown) for name, shown in self._shown.items()}

    # -- whole rows ---------------------------------------------------------------------------------------------------

    def leaves(self) -> Iterator[Leaf]:
        """The tables: relations about the same things side by side, in the order of their declaration."""
        alike: dict[tuple[str, ...], list[Relation]] = {}
        for name, relation in self._layout.relations.items():
            if self._joined.get(name):
                alike.setdefault(tuple(key.name for key in relation.keys), []).append(relation)
        for about, relations in alike.items():
            yield self._leaf(about, relations)

    def _leaf(self, about: tuple[str, ...], relations: list[Relation]) -> Leaf:
        rows: dict[Row, Cells] = {}
        rosters = {column.name: column.of for each in relations for column in each.columns if column.of is not None}
        names: dict[str, None] = dict.fromkeys(about)
        for relation in relations:
            own = self._told(relation, alone=len(relations) == 1)
            told = [(f"{relation.name} {name}" if name in names else name, read) for name, read in own]
            names |= dict.fromkeys(name for name, _ in told)
            for row in self._joined[relation.name]:
                cells = rows.setdefault(tuple(row[name] for name in about), {})
                cells |= {name: read(row) for name, read in told}
        places = [self._places(rosters.get(name)) for name in about]
        listed = sorted(rows, key=lambda key: [place.get(item, len(place)) for place, item in zip(places, key, strict=True)])
        values = [name for name in names if name not in about]
        cells_of = (tuple(rows[key].get(name) for name in values) for key in listed)
        body = tuple((*key, *cells) for key, cells in zip(listed, cells_of, strict=True))
        return Leaf(about, (*about, *values), body, rosters)

    def _told(self, relation: Relation, alone: bool) -> Iterator[tuple[str, Callable[[Cells], Any]]]:
        """The columns that a relation adds to its table, and how they are read off a row."""
        if not relation.values and not alone and relation.default is None:  # that a row is there is what it tells
            yield relation.name, lambda row: True
        for column in relation.values:
            yield from self._spread(column)

    def _spread(self, column: Column) -> Iterator[tuple[str, Callable[[Cells], Any]]]:
        """A column, or one for every entity that its list of numbers goes along."""
        name = column.name
        along = column.over if isinstance(column, Ints) else None
        if along is not None and along in self._public:
            for at, entity in enumerate(self._public[along]):
                yield entity, lambda row, at=at: row[name][at]  # type: ignore[misc]
        else:
            yield name, lambda row: row[name]

    def _places(self, roster: str | None) -> Mapping[str, int]:
        return {item: at for at, item in enumerate(self._public.get(roster, ()))} if roster else {}

    # -- halves, and what shows the way -------------------------------------------------------------------------------

    def loose(self) -> Iterator[Leaf]:
        """Records that have found no partner yet, and what only points at others."""
        for name, shown in self._shown.items():
            for part, rows in shown.items():
                used = {tuple(row[column] for column in part.columns) for row in self._joined[name]}
                if left := tuple(row for row in rows if row not in used):
                    yield self._plain(part.columns, self._layout.relations[name].columns, left)
        for columns, found in self._pointers.items():
            every = [column for each in self._layout.relations.values() for column in each.columns]
            yield self._plain(columns, every, tuple(found))

    def _plain(self, columns: tuple[str, ...], declared: Iterable[Column], rows: tuple[Row, ...]) -> Leaf:
        rosters = {each.name: each.of for each in declared if each.of is not None and each.name in columns}
        return Leaf(columns, columns, rows, rosters)


def _join(parts: tuple[Part, ...], shown: Mapping[Part, Iterable[Row]]) -> list[Cells]:
    """The natural join of all parts of a relation; the parts of a mediation share a column with the one before."""
    joined: list[Cells] = [{}]
    for part in parts:
        shared = [name for name in part.columns if joined and name in joined[0]]
        index: dict[Row, list[Cells]] = {}
        for row in shown.get(part, ()):
            cells = dict(zip(part.columns, row, strict=True))
            index.setdefault(tuple(cells[name] for name in shared), []).append(cells)
        joined = [row | cells for row in joined for cells in index.get(tuple(row[name] for name in shared), ())]
    return joined

"""The private records of one world: the instance's rows, their links, and an order that tells nothing.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from algoworlds.core.canonical import canonical_text
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Layout, Link, Part, Response
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Selection
from algoworlds.worlds.labels import label


@dataclass(frozen=True, eq=False)
class Store:
    """R_I of an interface: what tools select from. Links and orders are drawn from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]

    def select(self, part: Part, roster: str | None, selection: Selection, through: str | None = None) -> list[Row]:
        """The records of a part that mention a selected entity, or share `through` with one, in the part's random order."""
        return self._in_order(part, self.chosen(part, roster, selection, through))

    def chosen(self, part: Part, roster: str | None, selection: Selection, through: str | None = None) -> set[Row]:
        """The same in no order, which takes much less."""
        if roster is None or selection is None:
            return self._projected(part, self.instance.rows(part.relation))
        index = self._index(part.relation, roster)
        rows = [row for item in selection for row in index.get(item, ())]
        return self._projected(part, self._sharing(part.relation, rows, through))

    def _sharing(self, relation: str, rows: list[Row], through: str | None) -> list[Row]:
        """All rows that share the column `through` with one of the given; the given ones where there is no such column."""
        columns = [column.name for column in self.instance.relations[relation].columns]
        if through not in columns:
            return rows
        at = columns.index(through)
        met = {row[at] for row in rows}
        return [row for row in self.instance.rows(relation) if row[at] in met]

    @property
    def everything(self) -> Response:
        """The complete private record collection: every part of every relation."""
        parts = [part for parts in self.layout.parts.values() for part in parts]
        return {part.name: {"columns": list(part.columns), "rows": self.listed(part)} for part in parts}

    def listed(self, part: Part) -> list[Row]:
        """All records of a part, in its random order."""
        return self._in_order(part, self._projected(part, self.instance.rows(part.relation)))

    def linked(self, relation: str) -> list[Row]:
        """A relation's rows, extended by their link columns."""
        return list(map(self._extend(relation), self.instance.rows(relation)))

    def _projected(self, part: Part, rows: Iterable[Row]) -> set[Row]:
        extend, project = self._extend(part.relation), self.layout.project(part)
        return {project(extend(row)) for row in rows}

    def _in_order(self, part: Part, rows: set[Row]) -> list[Row]:
        return sorted(rows, key=self._ranks(part.name).__getitem__)

    # What is kept never refers to the store itself, so that a world goes as soon as nobody needs it.

    @cached_property
    def _ranks(self) -> Callable[[str], "_Ranks"]:
        stream = self.stream
        return cache(lambda name: _Ranks(stream.child("order", name)))

    def _extend(self, name: str) -> Callable[[Row], Row]:
        """How a relation's row is extended by its link columns."""
        if name not in self._extensions:
            self._extensions[name] = self._make_extend(name)
        return self._extensions[name]

    @cached_property
    def _extensions(self) -> dict[str, Callable[[Row], Row]]:
        return {}

    def _make_extend(self, name: str) -> Callable[[Row], Row]:
        links = [self._make_linked(name, link) for link in self.layout.links[name]]
        return cache(lambda row: row + tuple(linked(row) for linked in links)) if links else lambda row: row

    def _make_linked(self, name: str, link: Link) -> Callable[[Row], str]:
        """Which link id a row has: its owner's ids are keyed by the owner, the choice among them by the row's keys."""
        relation, stream = self.instance.relations[name], self.stream.child("links", name, link.name)
        places, width = [relation.position(column) for column in link.of], max(len(relation.keys), 1)
        prefix = self.prefixes.get(link.name, link.name)
        owned = cache(lambda owner, number: label(prefix, stream.at(canonical_text([*owner, number]))))

        def linked(row: Row) -> str:
            number = stream.at(canonical_text(["pick", *row[:width]])) % link.fan if link.fan > 1 else 0
            return owned(tuple(row[place] for place in places), number)

        return linked

    @cached_property
    def _index(self) -> Callable[[str, str], Mapping[str, list[Row]]]:
        """By relation and roster, the rows that mention each entity of the roster."""
        relations, rows = self.instance.relations, self.instance.rows
        return cache(lambda relation, roster: relations[relation].index(rows(relation), roster))


class _Ranks(dict[Row, int]):
    """Random numbers that are the records' own: they are listed by them, so that their order tells nothing."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self._stream = stream

    def __missing__(self, row: Row) -> int:
        self[row] = rank = self._stream.at(canonical_text(row))
        return rank

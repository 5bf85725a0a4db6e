"""The private records of one world: every row with its links, indexed and in a random order of its own.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from algoworlds.model.canonical import canonical_text
from algoworlds.model.instance import Instance
from algoworlds.model.interface import Layout, Link, Part
from algoworlds.model.relation import Row
from algoworlds.model.stream import Stream
from algoworlds.model.tool import Selection
from algoworlds.worlds.labels import label


@dataclass(frozen=True, eq=False)
class RecordStore:
    """R_I of an interface: what tools select from. Links and orders are drawn from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]

    def select(self, part: Part, roster: str | None, selection: Selection) -> list[Row]:
        """The records of a part that mention a selected entity, in the part's random order."""
        if roster is None or selection is None:
            rows = self.rows[part.relation]
        else:
            index = self._index(part.relation, roster)
            rows = [row for item in selection for row in index.get(item, ())]
        return sorted(set(map(self.layout.project(part), rows)), key=lambda row: self._rank(part, row))

    @cached_property
    def rows(self) -> dict[str, list[Row]]:
        """Every relation's rows, extended by their link columns."""
        return {name: self._extended(name, links) for name, links in self.layout.links.items()}

    def _extended(self, name: str, links: tuple[Link, ...]) -> list[Row]:
        rows = self.instance.rows(name)
        for link in links:
            rows = self._linked(name, rows, link)
        return rows

    def _linked(self, name: str, rows: list[Row], link: Link) -> list[Row]:
        relation, stream = self.instance.relations[name], self.stream.child("links", name, link.name)
        at = [relation.position(column) for column in link.of]
        width, prefix = max(len(relation.keys), 1), self.prefixes.get(link.name, link.name)

        @cache
        def owned(owner: str, number: int) -> str:
            return label(prefix, stream.child("id", owner, number))

        def linked(row: Row) -> str:
            number = stream.child("pick", canonical_text(row[:width])).below(link.fan) if link.fan > 1 else 0
            return owned(canonical_text([row[place] for place in at]), number)

        return [(*row, linked(row)) for row in rows]

    @cached_property
    def _index(self) -> Callable[[str, str], Mapping[str, list[Row]]]:
        return cache(self._make_index)

    def _make_index(self, relation: str, roster: str) -> Mapping[str, list[Row]]:
        """Rows by the entities of a roster that they mention."""
        columns = [(at, each) for at, each in enumerate(self.instance.relations[relation].columns) if each.of == roster]
        index: dict[str, list[Row]] = {}
        for row in self.rows[relation]:
            for item in {item for at, column in columns for item in column.ids(row[at])}:
                index.setdefault(item, []).append(row)
        return index

    @cached_property
    def _rank(self) -> Callable[[Part, Row], int]:
        return cache(self._make_rank)

    def _make_rank(self, part: Part, row: Row) -> int:
        """A random number that is the record's own: records are listed by it, so that their order tells nothing."""
        return self.stream.child("order", part.name, canonical_text(row)).word()

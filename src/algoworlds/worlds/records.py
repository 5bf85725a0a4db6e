"""The private records of one world: every row with its links, indexed and in a random order of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from algoworlds.model.instance import Instance
from algoworlds.model.interface import Layout, Link, Part
from algoworlds.model.relation import Row
from algoworlds.model.stream import Stream
from algoworlds.model.tool import Selection
from algoworlds.worlds.labels import labels


@dataclass(frozen=True, eq=False)
class RecordStore:
    """R_I of an interface: what tools select from. Links and orders are drawn from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]

    def select(self, part: Part, roster: str | None, selection: Selection, through: str | None = None) -> list[Row]:
        """The records of a part that mention a selected entity, or share `through` with one, in the part's random order."""
        if roster is None or selection is None:
            rows = self.rows[part.relation]
        else:
            index = self._index(part.relation, roster)
            rows = [row for item in selection for row in index.get(item, ())]
            rows = self._sharing(part.relation, rows, through) if through else rows
        return sorted(set(map(self.layout.project(part), rows)), key=self._ranks(part).__getitem__)

    def _sharing(self, relation: str, rows: list[Row], through: str) -> list[Row]:
        """All rows that share the column `through` with one of the given; the given ones where there is no such column."""
        columns = [column.name for column in self.instance.relations[relation].columns]
        if through not in columns:
            return rows
        at = columns.index(through)
        met = {row[at] for row in rows}
        return [row for row in self.rows[relation] if row[at] in met]

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
        owners = [tuple(row[relation.position(column)] for column in link.of) for row in rows]
        distinct = list(dict.fromkeys(owners))
        fresh = labels(self.prefixes.get(link.name, link.name), link.fan * len(distinct), stream)
        owned = {owner: fresh[at * link.fan : (at + 1) * link.fan] for at, owner in enumerate(distinct)}
        return [(*row, stream.choice(owned[owner])) for row, owner in zip(rows, owners, strict=True)]

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
    def _ranks(self) -> Callable[[Part], Mapping[Row, int]]:
        return cache(self._make_ranks)

    def _make_ranks(self, part: Part) -> Mapping[Row, int]:
        """Where each record of a part stands: a random order, so that order tells nothing."""
        distinct = sorted(set(map(self.layout.project(part), self.rows[part.relation])))
        order = self.stream.child("order", part.relation, part.name).shuffled(distinct)
        return {row: at for at, row in enumerate(order)}

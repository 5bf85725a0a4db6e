"""The private records of one world: the instance's rows, their links, and an order that tells nothing.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import repeat

from algoworlds.core.canonical import canonical_text, canonical_texts
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Layout, Link, Part, Response, picker
from algoworlds.core.relation import Relation, Row
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
        return list(self._extended(relation, self.instance.rows(relation)))

    def _projected(self, part: Part, rows: Iterable[Row]) -> set[Row]:
        return set(map(self.layout.project(part), self._extended(part.relation, rows)))

    def _in_order(self, part: Part, rows: set[Row]) -> list[Row]:
        return sorted(rows, key=self._ranks(part.name).of(rows).__getitem__) if len(rows) > 1 else list(rows)

    # What is kept never refers to the store itself, so that a world goes as soon as nobody needs it.

    @cached_property
    def _ranks(self) -> Callable[[str], "_Ranks"]:
        stream = self.stream
        return cache(lambda name: _Ranks(stream.child("order", name)))

    def _extended(self, name: str, rows: Iterable[Row]) -> Iterable[Row]:
        """A relation's rows, extended by their link columns."""
        links = self.layout.links[name]
        if not links:
            return rows
        known = self._extensions.setdefault(name, {})
        rows = list(rows)
        new = [row for row in rows if row not in known]
        columns = [self._links(name, link).of(new) for link in links]
        known |= {row: row + ids for row, ids in zip(new, zip(*columns, strict=True), strict=True)}
        return map(known.__getitem__, rows)

    @cached_property
    def _extensions(self) -> dict[str, dict[Row, Row]]:
        return {}

    @cached_property
    def _links(self) -> Callable[[str, Link], "_Links"]:
        relations, stream, prefixes = self.instance.relations, self.stream, self.prefixes
        return cache(
            lambda name, link: _Links(
                relations[name], link, stream.child("links", name, link.name), prefixes.get(link.name, link.name)
            )
        )

    @cached_property
    def _index(self) -> Callable[[str, str], Mapping[str, list[Row]]]:
        """By relation and roster, the rows that mention each entity of the roster."""
        relations, rows = self.instance.relations, self.instance.rows
        return cache(lambda relation, roster: relations[relation].index(rows(relation), roster))


class _Ranks:
    """Random numbers that are the records' own: they are listed by them, so that their order tells nothing."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._known = stream, dict[Row, int]()

    def of(self, rows: Iterable[Row]) -> Mapping[Row, int]:
        """The numbers of some records, and of others that were asked about before."""
        new = [row for row in rows if row not in self._known]
        self._known |= zip(new, map(self._stream.at, canonical_texts(new)), strict=True)
        return self._known


class _Links:
    """Which link id a row has: its owner's ids are keyed by the owner, the choice among them by the row's keys."""

    def __init__(self, relation: Relation, link: Link, stream: Stream, prefix: str) -> None:
        self._owner = picker([relation.position(column) for column in link.of])
        self._width, self._fan, self._stream = max(len(relation.keys), 1), link.fan, stream
        self._id = cache(lambda owner, number: label(prefix, stream.at(canonical_text([*owner, number]))))

    def of(self, rows: Sequence[Row]) -> list[str]:
        """The link ids of some rows."""
        return list(map(self._id, map(self._owner, rows), self._picks(rows)))

    def _picks(self, rows: Sequence[Row]) -> Iterable[int]:
        if self._fan == 1:
            return repeat(0, len(rows))
        texts = canonical_texts([("pick", *row[: self._width]) for row in rows])
        return [self._stream.at(text) % self._fan for text in texts]

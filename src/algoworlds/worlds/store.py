"""The private records of one world: the instance's rows, their links, and an order that tells nothing.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, repeat
from typing import TypeVar

from algoworlds.core.canonical import canonical_text, row_texts
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Layout, Link, Part, Response, picker
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Selection
from algoworlds.worlds.labels import label

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Store:
    """R_I of an interface: what tools select from. Links and orders are drawn from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]

    def text(self, part: Part, roster: str | None, selection: Selection, through: str | None = None) -> str:
        """The records of a part that mention a selected entity or share `through` with one: JSON in the part's random order."""
        texts = self._texts(part, self._records(part, self._mentioning(part.relation, roster, selection, through)))
        listed = b",[".join(self._in_order(part, texts, texts))
        return f"[[{listed.decode()}]" if texts else "[]"

    def chosen(self, part: Part, roster: str | None, selection: Selection, through: str | None = None) -> set[Row]:
        """The same as rows in no order, which takes much less."""
        return set(self._records(part, self._mentioning(part.relation, roster, selection, through)))

    def _mentioning(self, relation: str, roster: str | None, selection: Selection, through: str | None) -> Sequence[Row]:
        """The rows that mention a selected entity, some perhaps more than once, and those that share a column with one."""
        if roster is None or selection is None:
            return self.instance.rows(relation)
        index = self.instance.index(relation, roster)
        rows = list(chain.from_iterable([index[entity] for entity in selection if entity in index]))
        return rows if through is None else self._sharing(relation, rows, through)

    def _sharing(self, relation: str, rows: list[Row], through: str) -> list[Row]:
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
        return {part.name: {"columns": list(part.columns), "rows": self.listed(part)} for part in self._parts}

    @property
    def collected(self) -> Response:
        """The same in no order, for who joins it."""
        return {part.name: {"rows": self.chosen(part, None, None)} for part in self._parts}

    @property
    def _parts(self) -> Iterable[Part]:
        return chain.from_iterable(self.layout.parts.values())

    def listed(self, part: Part) -> list[Row]:
        """All records of a part, in its random order."""
        records = self._records(part, self.instance.rows(part.relation))
        return list(self._in_order(part, self._texts(part, records), records))

    def linked(self, relation: str) -> list[Row]:
        """A relation's rows, extended by their link columns."""
        return list(self._extended(relation, self.instance.rows(relation)))

    def _records(self, part: Part, rows: Sequence[Row]) -> list[Row]:
        return list(map(self.layout.project(part), self._extended(part.relation, rows)))

    def _in_order(self, part: Part, texts: Sequence[bytes], records: Sequence[T]) -> Iterable[T]:
        """Some records by their texts, every one once."""
        if len(texts) < 2:
            return records
        found = dict(zip(self._order(part.name).bits(texts), records, strict=True))
        return map(found.__getitem__, sorted(found))

    def _texts(self, part: Part, records: Sequence[Row]) -> list[bytes]:
        """Records as JSON, without their opening brackets."""
        spelling = self.layout.spelling(part)
        return spelling.texts(records) if spelling and self._plain else [text + b"]" for text in row_texts(records)]

    @cached_property
    def _plain(self) -> bool:
        """Whether JSON spells all ids as they are: so it does with drawn ones, but an instance may come from elsewhere."""
        instance, links = self.instance, chain.from_iterable(self.layout.links.values())
        rosters = (getattr(instance, name) for name, each in instance.relations.items() if each.is_roster)
        ids = "".join(chain(*rosters, (self.prefixes.get(link.name, link.name) for link in links)))
        return canonical_text(ids) == f'"{ids}"'

    # What is kept never refers to the store itself, so that a world goes as soon as nobody needs it.

    @cached_property
    def _order(self) -> Callable[[str], "_Keyed"]:
        path = self.stream.path
        return cache(lambda name: _Keyed(*path, "order", name))

    def _extended(self, name: str, rows: Sequence[Row]) -> Iterable[Row]:
        """A relation's rows, extended by their link columns."""
        links = self.layout.links[name]
        if not links:
            return rows
        known = self.instance.kept((self.stream.path, name))
        if new := [row for row in rows if row not in known]:
            columns = [self._links(name, link).of(new) for link in links]
            known |= {row: row + ids for row, ids in zip(new, zip(*columns, strict=True), strict=True)}
        return map(known.__getitem__, rows)

    def _links(self, name: str, link: Link) -> "_Links":
        known = self.instance.kept((self.stream.path, name, "links"))
        if link not in known:
            stream, prefix = _Keyed(*self.stream.path, "links", name, link.name), self.prefixes.get(link.name, link.name)
            known[link] = _Links(self.instance.relations[name], link, stream, prefix)
        return known[link]  # type: ignore[no-any-return]


class _Keyed(Stream):
    """Random bits that are the rows' own: records are listed by them, so that their order tells nothing."""

    def bits(self, texts: Sequence[bytes]) -> list[bytes]:
        """What `at` makes of every row, given as its text without the opening bracket; the whole hash."""
        found: list[bytes] = []
        begun = self._root.copy()
        begun.update(b"at[")
        for text in texts:
            one = begun.copy()
            one.update(text)
            found.append(one.digest())
        return found


class _Links:
    """Which link id a row has: its owner's ids are keyed by the owner, the choice among them by the row's keys."""

    def __init__(self, relation: Relation, link: Link, stream: _Keyed, prefix: str) -> None:
        self._owner = picker([relation.position(column) for column in link.of])
        self._width, self._fan, self._stream = max(len(relation.keys), 1), link.fan, stream
        self._id = cache(lambda owner, number: label(prefix, stream.at(canonical_text([*owner, number]))))

    def of(self, rows: Sequence[Row]) -> list[str]:
        """The link ids of some rows."""
        return list(map(self._id, map(self._owner, rows), self._picks(rows)))

    def _picks(self, rows: Sequence[Row]) -> Iterable[int]:
        if self._fan == 1:
            return repeat(0, len(rows))
        bits = self._stream.bits([text + b"]" for text in row_texts([("pick", *row[: self._width]) for row in rows])])
        return [int.from_bytes(each[:8], "big") % self._fan for each in bits]

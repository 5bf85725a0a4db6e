"""The private records of one world: the instance's rows, their links, and an order that tells nothing.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, repeat
from typing import Any, TypeVar

from algoworlds.core.canonical import canonical_text
from algoworlds.core.column import Column, row_texts
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Layout, Link, Part, Response, picker
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Selection, Tool
from algoworlds.worlds.labels import label

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Store:
    """R_I of an interface: what tools select from. Links and orders are drawn from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """What is built here by tool, part and relation. It never refers to the store or the instance: there are no cycles."""

    def text(self, tool: Tool, selection: Selection) -> str:
        """What a tool shows of a selection: JSON, the records of each part in the part's random order."""
        return f"{{{','.join([each.text(selection) for each in self._shown(tool)])}}}"

    def chosen(self, tool: Tool, selection: Selection) -> Response:
        """The same as rows in no order, which takes much less."""
        return {each.name: {"rows": set(each.records(selection))} for each in self._shown(tool)}

    @property
    def everything(self) -> Response:
        """The complete private record collection: every part of every relation."""
        return {part.name: {"columns": list(part.columns), "rows": self.listed(part)} for part in self._parts}

    @property
    def collected(self) -> Response:
        """The same in no order, for who joins it."""
        return {part.name: {"rows": set(self._shelf(part).records(self.instance.rows(part.relation)))} for part in self._parts}

    @property
    def _parts(self) -> Iterable[Part]:
        return chain.from_iterable(self.layout.parts.values())

    def listed(self, part: Part) -> list[Row]:
        """All records of a part, in its random order."""
        return self._shelf(part).listed(self.instance.rows(part.relation))

    def linked(self, relation: str) -> list[Row]:
        """A relation's rows, extended by their link columns."""
        return list(self._extension(relation).of(self.instance.rows(relation)))

    def _shown(self, tool: Tool) -> "list[_Shown]":
        known = self._cache
        if tool.name not in known:
            known[tool.name] = [_Shown(self.instance, part, tool, self._shelf(part)) for part in self.layout.shows[tool.name]]
        return known[tool.name]  # type: ignore[no-any-return]

    def _shelf(self, part: Part) -> "_Shelf":
        known = self._cache
        if part not in known:
            order = _Keyed(*self.stream.path, "order", part.name)
            columns = self.layout.record_columns(part)
            known[part] = _Shelf(self._extension(part.relation), self.layout.project(part), columns, order)
        return known[part]  # type: ignore[no-any-return]

    def _extension(self, relation: str) -> "_Extension":
        known, key = self._cache, ("links", relation)
        if key not in known:
            links = self.layout.links[relation]
            known[key] = _Extension([self._links(self.instance.relations[relation], link) for link in links])
        return known[key]  # type: ignore[no-any-return]

    def _links(self, relation: Relation, link: Link) -> "_Links":
        stream = _Keyed(*self.stream.path, "links", relation.name, link.name)
        return _Links(relation, link, stream, self.prefixes.get(link.name, link.name))


class _Shown:
    """What a tool shows of a part: the rows that mention a selected entity, and those that share a column with one of them."""

    def __init__(self, instance: Instance, part: Part, tool: Tool, shelf: "_Shelf") -> None:
        roster, relation = tool.argument.roster, instance.relations[part.relation]
        columns = [column.name for column in relation.columns]
        self.name, self._head, self._shelf = part.name, part.head, shelf
        self._rows = instance.rows(part.relation)
        self._index = None if roster is None else instance.index(part.relation, roster)
        self._through = columns.index(tool.through) if tool.through in columns else None

    def records(self, selection: Selection) -> Sequence[Row]:
        """The records of a selection, some perhaps more than once."""
        return self._shelf.records(self._mentioning(selection))

    def text(self, selection: Selection) -> str:
        """The records of a selection as they stand in an answer."""
        return f"{self._head}{self._shelf.text(self._mentioning(selection))}}}"

    def _mentioning(self, selection: Selection) -> Sequence[Row]:
        index = self._index
        if index is None or selection is None:
            return self._rows
        rows = list(chain.from_iterable([index[entity] for entity in selection if entity in index]))
        return rows if self._through is None else self._sharing(rows, self._through)

    def _sharing(self, rows: list[Row], at: int) -> list[Row]:
        met = {row[at] for row in rows}
        return [row for row in self._rows if row[at] in met]


class _Shelf:
    """How the records of one part are made of rows, how they are written, and the order in which they stand."""

    def __init__(
        self, extension: "_Extension", project: Callable[[Row], Row], columns: Sequence[Column], order: "_Keyed"
    ) -> None:
        self._extension, self._project, self._columns, self._order = extension, project, columns, order

    def records(self, rows: Sequence[Row]) -> list[Row]:
        """The records of some rows, one each."""
        return list(map(self._project, self._extension.of(rows)))

    def text(self, rows: Sequence[Row]) -> str:
        """The JSON of their records in order, every one once."""
        texts = row_texts(self._columns, self.records(rows))
        return f"[{','.join(self._order.sorted(texts, texts))}]"

    def listed(self, rows: Sequence[Row]) -> list[Row]:
        """Their records in order, every one once."""
        records = self.records(rows)
        return list(self._order.sorted(row_texts(self._columns, records), records))


class _Extension:
    """A relation's rows, extended by their link columns."""

    def __init__(self, links: Sequence["_Links"]) -> None:
        self._links, self._known = links, dict[Row, Row]()

    def of(self, rows: Sequence[Row]) -> Iterable[Row]:
        """Some rows, each extended once."""
        if not self._links:
            return rows
        known = self._known
        if new := [row for row in rows if row not in known]:
            columns = [link.of(new) for link in self._links]
            known |= {row: row + ids for row, ids in zip(new, zip(*columns, strict=True), strict=True)}
        return map(known.__getitem__, rows)


class _Keyed(Stream):
    """Random bits that are the rows' own: records are listed by them, so that their order tells nothing."""

    __slots__ = ("_begun",)

    def __init__(self, *path: str | int) -> None:
        super().__init__(*path)
        self._begun = self._root.copy()
        self._begun.update(b"at")

    def bits(self, text: str) -> bytes:
        """What `at` makes of the JSON of a row; the whole hash."""
        one = self._begun.copy()
        one.update(text.encode())
        return one.digest()

    def sorted(self, texts: Sequence[str], records: Sequence[T]) -> Sequence[T]:
        """Some records by the bits of their texts, every one once."""
        if len(texts) < 2:
            return records
        begin, found = self._begun.copy, dict[bytes, T]()
        for text, record in zip(texts, records, strict=True):  # `bits` of each, without a call for each
            one = begin()
            one.update(text.encode())
            found[one.digest()] = record
        return [found[bits] for bits in sorted(found)]


class _Links:
    """Which link id a row has: its owner's ids are keyed by the owner, the choice among them by the row's keys."""

    def __init__(self, relation: Relation, link: Link, stream: _Keyed, prefix: str) -> None:
        self._owner = picker([relation.position(column) for column in link.of])
        self._width, self._fan, self._stream = max(len(relation.keys), 1), link.fan, stream
        self._columns = relation.columns[: self._width]
        self._id = cache(lambda owner, number: label(prefix, stream.at(canonical_text([*owner, number]))))

    def of(self, rows: Sequence[Row]) -> list[str]:
        """The link ids of some rows."""
        return list(map(self._id, map(self._owner, rows), self._picks(rows)))

    def _picks(self, rows: Sequence[Row]) -> Iterable[int]:
        if self._fan == 1:
            return repeat(0, len(rows))
        keys = row_texts(self._columns, [row[: self._width] for row in rows])
        bits = [self._stream.bits(f'["pick",{text[1:]}') for text in keys]
        return [int.from_bytes(each[:8], "big") % self._fan for each in bits]

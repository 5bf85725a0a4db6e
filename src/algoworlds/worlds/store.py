"""The private records of one world: the instance's rows, their links, and a random order.

Link ids and the order of records are keyed by the rows themselves, so that what an agent has read never depends on
what it has not: two instances that agree on the rows read give byte-equal responses. Under a condition, measured numbers
are shown with errors, and records are ordered by what they show.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, repeat
from typing import Any, TypeVar

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Column, row_texts
from algoworlds.core.condition import ErrorLaw, MeasurementErrors, Spot
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Layout, Link, RelationPart, Response, projection_to
from algoworlds.core.ranges import ColumnRef, Range
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Selection, Tool
from algoworlds.worlds.opaque_ids import opaque_id

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class RecordStore:
    """R_I of an interface: the records that tools select from. Links and orders come from the world's own stream."""

    instance: Instance
    layout: Layout
    stream: Stream
    prefixes: Mapping[str, str]
    law: ErrorLaw | None = None
    """How measured numbers are shown; None if as they are."""
    measured: Sequence[ColumnRef] = ()
    error_stream: Stream = field(default_factory=Stream)
    """The source of errors: the same in all interfaces."""
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Helpers by tool, part and relation. They never refer to the store or the instance, so there are no cycles."""

    def response_text(self, tool: Tool, selection: Selection, phase: int = -1) -> str:
        """The JSON response of a tool to a selection in a phase, by default the last, which is exact.

        The records of each part are in the part's random order.
        """
        return f"{{{','.join([part.text(selection, phase) for part in self._tool_parts(tool)])}}}"

    def readings(self, tool: Tool, selection: Selection, phase: int) -> dict[Spot, Range]:
        """For every measured number that a response shows, the interval that it leaves."""
        return {spot: box for part in self._tool_parts(tool) for spot, box in part.readings(selection, phase).items()}

    def response_rows(self, tool: Tool, selection: Selection) -> Response:
        """The records of a response as unordered sets, which is much faster."""
        return {part.name: {"rows": set(part.records(selection))} for part in self._tool_parts(tool)}

    @property
    def all_records(self) -> Response:
        """The complete private record collection: every part of every relation."""
        return {part.name: {"columns": list(part.columns), "rows": self.ordered_records(part)} for part in self._parts}

    @property
    def all_record_sets(self) -> Response:
        """All records as unordered sets, for joining."""
        return {
            part.name: {"rows": set(self._encoder(part).records(self.instance.rows(part.relation)))} for part in self._parts
        }

    def ordered_records(self, part: RelationPart) -> list[Row]:
        """All records of a part, in its random order."""
        return self._encoder(part).sort(self.instance.rows(part.relation))

    def linked_rows(self, relation: str) -> list[Row]:
        """The rows of `relation`, extended by their link columns."""
        return list(self._links(relation).extend(self.instance.rows(relation)))

    @property
    def _parts(self) -> Iterable[RelationPart]:
        return chain.from_iterable(self.layout.parts.values())

    def _memoize(self, key: Any, build: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = build()
        return self._cache[key]  # type: ignore[no-any-return]

    def _tool_parts(self, tool: Tool) -> "list[_ToolPart]":
        parts = self.layout.parts_by_tool[tool.name]
        return self._memoize(
            tool.name, lambda: [_ToolPart(self.instance, part, tool, self._encoder(part), self._errors(part)) for part in parts]
        )

    def _encoder(self, part: RelationPart) -> "_RecordEncoder":
        def build() -> _RecordEncoder:
            order, columns = _KeyedStream(*self.stream.path, "order", part.name), self.layout.record_columns(part)
            return _RecordEncoder(self._links(part.relation), self.layout.part_projection(part), columns, order)

        return self._memoize(part, build)

    def _errors(self, part: RelationPart) -> MeasurementErrors | None:
        """The errors of a part that shows measured columns; None for any other."""
        relation = self.instance.relations[part.relation]
        shown = [column for name, column in self.measured if name == part.relation and column in part.columns]
        if self.law is None or not shown:
            return None
        return MeasurementErrors(
            self.law, relation, self.error_stream.child(relation.name), tuple(map(relation.position, shown))
        )

    def _links(self, relation: str) -> "_LinkColumns":
        def build(link: Link) -> _LinkColumn:
            stream = _KeyedStream(*self.stream.path, "links", relation, link.name)
            return _LinkColumn(self.instance.relations[relation], link, stream, self.prefixes.get(link.name, link.name))

        return self._memoize(("links", relation), lambda: _LinkColumns(list(map(build, self.layout.links[relation]))))


class _ToolPart:
    """The records of a part that a tool returns: rows that mention a selected entity, and those joined by `self_join`."""

    def __init__(
        self,
        instance: Instance,
        part: RelationPart,
        tool: Tool,
        encoder: "_RecordEncoder",
        errors: MeasurementErrors | None,
    ) -> None:
        roster, relation = tool.argument.roster, instance.relations[part.relation]
        columns = [column.name for column in relation.columns]
        self.name, self._prefix, self._encoder = part.name, part.json_prefix, encoder
        self._tool_name, self._errors = tool.name, errors
        self._rows = instance.rows(part.relation)
        self._index = None if roster is None else instance.rows_by_entity(part.relation, roster)
        self._self_join = columns.index(tool.self_join) if tool.self_join in columns else None

    def records(self, selection: Selection) -> Sequence[Row]:
        """The records of a selection, possibly with duplicates."""
        return self._encoder.records(self._select(selection))

    def text(self, selection: Selection, phase: int) -> str:
        """The JSON text of the records of a selection in a phase, with the part's name and columns."""
        rows, errors = self._encoder.extend(self._select(selection)), self._errors
        shown = rows if errors is None else errors.show(rows, self._tool_name, selection, phase)
        return f"{self._prefix}{self._encoder.text(shown)}}}"

    def readings(self, selection: Selection, phase: int) -> dict[Spot, Range]:
        """For every measured number of a selection's records, the interval that a phase leaves."""
        return {} if self._errors is None else self._errors.readings(self._select(selection), self._tool_name, selection, phase)

    def _select(self, selection: Selection) -> Sequence[Row]:
        index, at = self._index, self._self_join
        if index is None or selection is None:
            return self._rows
        rows = list(chain.from_iterable([index[entity] for entity in selection if entity in index]))
        if at is None:
            return rows
        values = {row[at] for row in rows}
        return [row for row in self._rows if row[at] in values]


class _RecordEncoder:
    """Turns rows into the records of one part, as tuples or as JSON, in the part's random order."""

    def __init__(
        self, links: "_LinkColumns", project: Callable[[Row], Row], columns: Sequence[Column], order: "_KeyedStream"
    ) -> None:
        self._links, self._project, self._columns, self._order = links, project, columns, order

    def extend(self, rows: Sequence[Row]) -> Iterable[Row]:
        """The rows with their link ids."""
        return self._links.extend(rows)

    def records(self, rows: Sequence[Row]) -> list[Row]:
        """One record for every row, unordered."""
        return list(map(self._project, self.extend(rows)))

    def text(self, extended: Iterable[Row]) -> str:
        """The JSON of the distinct records of rows with link ids, in order."""
        texts = row_texts(self._columns, list(map(self._project, extended)))
        return f"[{','.join(self._order.sorted(texts, texts))}]"

    def sort(self, rows: Sequence[Row]) -> list[Row]:
        """The distinct records, in order."""
        records = self.records(rows)
        return list(self._order.sorted(row_texts(self._columns, records), records))


class _LinkColumns:
    """Extends the rows of a relation by their link ids."""

    def __init__(self, links: Sequence["_LinkColumn"]) -> None:
        self._links, self._extended = links, dict[Row, Row]()

    def extend(self, rows: Sequence[Row]) -> Iterable[Row]:
        """The rows with their link ids, computed once for each row."""
        if not self._links:
            return rows
        extended = self._extended
        if new := [row for row in rows if row not in extended]:
            columns = [link.ids(new) for link in self._links]
            extended |= {row: row + ids for row, ids in zip(new, zip(*columns, strict=True), strict=True)}
        return map(extended.__getitem__, rows)


class _KeyedStream(Stream):
    """Random bits keyed by rows: records are sorted by them, so that their order reveals nothing."""

    __slots__ = ("_keyed_root",)

    def __init__(self, *path: str | int) -> None:
        super().__init__(*path)
        self._keyed_root = self._root.copy()
        self._keyed_root.update(b"at")

    def bits(self, text: str) -> bytes:
        """The whole hash of `text`; `keyed_word(text)` is its beginning."""
        hasher = self._keyed_root.copy()
        hasher.update(text.encode())
        return hasher.digest()

    def sorted(self, texts: Sequence[str], records: Sequence[T]) -> Sequence[T]:
        """The records sorted by the bits of their texts, without duplicates."""
        if len(texts) < 2:
            return records
        new_hasher, by_bits = self._keyed_root.copy, dict[bytes, T]()
        for text, record in zip(texts, records, strict=True):  # `bits` inlined, which saves a call per record
            hasher = new_hasher()
            hasher.update(text.encode())
            by_bits[hasher.digest()] = record
        return [by_bits[bits] for bits in sorted(by_bits)]


class _LinkColumn:
    """The link ids of rows: the ids of an owner are keyed by the owner, the choice among them by the row's keys."""

    def __init__(self, relation: Relation, link: Link, stream: _KeyedStream, prefix: str) -> None:
        self._owner = projection_to([relation.position(column) for column in link.key_columns])
        self._width, self._ids_per_key, self._stream = max(len(relation.keys), 1), link.ids_per_key, stream
        self._columns = relation.columns[: self._width]
        self._id = cache(lambda owner, number: opaque_id(prefix, stream.keyed_word(canonical_json([*owner, number]))))

    def ids(self, rows: Sequence[Row]) -> list[str]:
        """The link id of every row."""
        picks: Iterable[int] = repeat(0, len(rows))
        if self._ids_per_key > 1:
            keys = row_texts(self._columns, [row[: self._width] for row in rows])
            bits = [self._stream.bits(f'["pick",{text[1:]}') for text in keys]
            picks = [int.from_bytes(row_bits[:8], "big") % self._ids_per_key for row_bits in bits]
        return list(map(self._id, map(self._owner, rows), picks))

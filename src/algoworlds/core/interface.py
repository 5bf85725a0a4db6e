"""Interfaces: how the same rows become records, and how records become facts again.

Direct returns each row as one record. Mediated factors a relation through surrogate keys, called links:
R(left, rest) = R1(left, link) x R2(link, rest), lossless by construction; both halves come with the same call. Split
sends one part through another tool of the same plan, so that facts need joins across responses. The normalizer NF
is the natural join of all records seen so far, with the links projected away: half a fact does not count.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.canonical import compact_json
from algoworlds.core.column import Column, Id
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.tool import PartialRelation, Tool
from algoworlds.errors import DeclarationError

Response = Mapping[str, Mapping[str, Any]]
"""The rows that a tool returns: part name -> {"columns": [...], "rows": [[...], ...]}."""

DeductionRule = Callable[[frozenset[Fact], Mapping[str, Any]], frozenset[Fact]]
"""A family's rule by which facts and the public tables imply further facts."""


class Interface(Enum):
    """The relational structure in which tools present an instance."""

    DIRECT = "direct"
    MEDIATED = "mediated"
    SPLIT = "split"


@dataclass(frozen=True)
class Via:
    """A mediation: the link columns it introduces and the parts (column lists) that a relation is factored into.

    `links` maps every link column to its key columns and the number of link ids that each of their values owns.
    In the split interface the `split_tools` return the part `split_part`, instead of the tools that reveal the relation;
    every plan must use one of them.
    """

    links: Mapping[str, tuple[tuple[str, ...], int]]
    parts: tuple[tuple[str, ...], ...]
    split_tools: tuple[str, ...]
    split_part: int = 0


class Link(NamedTuple):
    """A surrogate key: every distinct value of `key_columns` owns `ids_per_key` link ids, used at random."""

    name: str
    key_columns: tuple[str, ...]
    ids_per_key: int


@dataclass(frozen=True, eq=False)
class RelationPart:
    """A projection of a relation, possibly over link columns: the shape of one kind of record. Compared by identity."""

    relation: str
    columns: tuple[str, ...]
    name: str

    @cached_property
    def json_prefix(self) -> str:
        """The JSON text of an answer that precedes the rows of this part."""
        return f'{compact_json(self.name)}:{{"columns":{compact_json(self.columns)},"rows":'


@dataclass(frozen=True)
class Layout:
    """The parts of every relation, and the parts that every tool returns, in one interface."""

    relations: Mapping[str, Relation]
    links: Mapping[str, tuple[Link, ...]]
    parts: Mapping[str, tuple[RelationPart, ...]]
    parts_by_tool: Mapping[str, tuple[RelationPart, ...]]
    part_by_name: Mapping[str, RelationPart]

    def extended_columns(self, relation: str) -> tuple[str, ...]:
        """A relation's columns followed by its link columns."""
        own = tuple(column.name for column in self.relations[relation].columns)
        return own + tuple(link.name for link in self.links[relation])

    def part_projection(self, part: RelationPart) -> Callable[[Row], Row]:
        """The projection of an extended row to a part."""
        columns = self.extended_columns(part.relation)
        if columns == part.columns:  # `tuple` returns the row itself without a copy
            return tuple
        return projection_to([columns.index(name) for name in part.columns])

    def record_columns(self, part: RelationPart) -> list[Column]:
        """The columns of a part's records; links are ids."""
        own = {column.name: column for column in self.relations[part.relation].columns}
        return [own.get(name, Id(name)) for name in part.columns]


def build_layout(instance: type[Instance], tools: Iterable[Tool], mediation: Mapping[str, Via], interface: Interface) -> Layout:
    """Derive an interface's layout from the declarations; DeclarationError if they contradict each other."""
    relations = instance.relations
    mediated = mediation if interface is not Interface.DIRECT else {}
    parts = {name: _relation_parts(relation, mediated.get(name)) for name, relation in relations.items()}
    parts_by_tool = {tool.name: _tool_parts(tool, parts, mediated, interface) for tool in tools}
    links = {
        name: tuple(Link(link, *keys) for link, keys in mediated[name].links.items()) if name in mediated else ()
        for name in relations
    }
    part_by_name = {part.name: part for group in parts.values() for part in group}
    for returned in parts_by_tool.values():
        names = [part.name for part in returned]
        if len(set(names)) < len(names):
            raise DeclarationError(f"{instance.family}: two kinds of record share a name in {names}")
    return Layout(relations, *map(MappingProxyType, (links, parts, parts_by_tool, part_by_name)))  # type: ignore[arg-type]


def _relation_parts(relation: Relation, via: Via | None) -> tuple[RelationPart, ...]:
    if via is None:
        return (RelationPart(relation.name, tuple(column.name for column in relation.columns), relation.name),)
    parts = tuple(RelationPart(relation.name, columns, "_".join(columns)) for columns in via.parts)
    columns = {column.name for column in relation.columns} | set(via.links)
    if {name for part in parts for name in part.columns} != columns:
        raise DeclarationError(f"the parts of {relation.name} must cover exactly the columns {sorted(columns)}")
    for one, other in itertools.pairwise(parts):
        if not set(one.columns) & set(other.columns):
            raise DeclarationError(f"the parts {one.name} and {other.name} of {relation.name} share no column to join on")
    return parts


def _tool_parts(
    tool: Tool, parts: Mapping[str, tuple[RelationPart, ...]], mediated: Mapping[str, Via], interface: Interface
) -> tuple[RelationPart, ...]:
    returned: list[RelationPart] = []
    for revealed in tool.reveals:
        if isinstance(revealed, PartialRelation):
            returned.append(RelationPart(revealed.relation, revealed.columns, "_".join(revealed.columns)))
        elif interface is Interface.SPLIT and revealed in mediated:
            split_part = parts[revealed][mediated[revealed].split_part]
            returned += [part for part in parts[revealed] if part is not split_part]
        else:
            returned += parts[revealed]
    if interface is Interface.SPLIT:
        returned += [parts[name][via.split_part] for name, via in mediated.items() if tool.name in via.split_tools]
    return tuple(returned)


def projection_to(positions: list[int]) -> Callable[[Row], Row]:
    """The projection of a row to some positions, as a row."""
    if len(positions) == 1:
        (at,) = positions
        return lambda row: (row[at],)
    return itemgetter(*positions) if positions else lambda row: ()


# -- NF, the response normalizer --------------------------------------------------------------------------------------
#
# It works response by response, because diagnostics ask which facts were known after every call. Indexes are kept between
# responses, so a whole trajectory costs about as much as one join at its end.


class NewFacts(NamedTuple):
    """What one response added: whether any of its records was new, and the facts that became known."""

    has_new_records: bool
    facts: frozenset[Fact]


class Normalizer:
    """The facts revealed by responses, updated with every response."""

    def __init__(self, layout: Layout, public: Mapping[str, Any], deduce: DeductionRule | None = None) -> None:
        """Start without any response."""
        self._layout, self._public, self._deduce = layout, public, deduce
        self._joined: set[Fact] = set()
        self._facts: frozenset[Fact] | None = frozenset()  # None: to be computed from `_joined`
        self._joins: dict[str, _RelationJoin] = {}
        self._other_rows: dict[str, set[Row]] = {}

    def copy(self) -> "Normalizer":
        """An independent copy, to continue with other responses."""
        other = Normalizer(self._layout, self._public, self._deduce)
        other._joined, other._facts = set(self._joined), self._facts
        other._joins = {name: join.copy() for name, join in self._joins.items()}
        other._other_rows = {name: set(rows) for name, rows in self._other_rows.items()}
        return other

    @property
    def facts(self) -> frozenset[Fact]:
        """All facts known, deduced ones included."""
        if self._facts is None:
            joined = frozenset(self._joined)
            self._facts = joined if self._deduce is None else self._deduce(joined, self._public)
        return self._facts

    def add(self, response: Response, joins: bool = True) -> NewFacts:
        """Add one response; if not `joins` (navigation tools), its records never become facts."""
        before = self.facts if self._deduce is not None else None
        any_new, new_facts = False, set[Fact]()
        for name, table in response.items():
            rows, part = map(freeze_row, table["rows"]), self._layout.part_by_name.get(name)
            if joins and part is not None and self._layout.relations[part.relation].fact:
                if part.relation not in self._joins:
                    self._joins[part.relation] = _RelationJoin(self._layout, part.relation)
                is_new, complete = self._joins[part.relation].add(part, rows)
                new_facts.update([Fact(part.relation, row) for row in complete])
            else:  # rows that no fact is joined from
                seen = self._other_rows.setdefault(name, set())
                size = len(seen)
                seen.update(rows)
                is_new = len(seen) > size
            any_new = any_new or is_new
        new_facts -= self._joined
        if new_facts:
            self._joined |= new_facts
            self._facts = None
        return NewFacts(any_new, frozenset(new_facts) if before is None else self.facts - before)


class _RelationJoin:
    """The records of one relation's parts seen so far, and the indexes that join them."""

    def __init__(self, layout: Layout, name: str) -> None:
        parts = layout.parts[name]
        self._rows: dict[str, set[Row]] = {part.name: set() for part in parts}
        self._paths = _join_paths(parts, tuple([column.name for column in layout.relations[name].columns]))

    def copy(self) -> "_RelationJoin":
        """An independent copy."""
        other = copy(self)
        other._rows = {name: set(rows) for name, rows in self._rows.items()}
        other._indexes = {at: {key: list(rows) for key, rows in index.items()} for at, index in self._indexes.items()}
        return other

    @cached_property
    def _indexes(self) -> dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]]:
        return {(join.part, join.key): {} for path in self._paths.values() for join in path.joins}

    def add(self, part: RelationPart, rows: Iterable[Row]) -> tuple[bool, Iterable[Row]]:
        """Add records of a part; return whether any is new, and the relation's rows that the new ones complete."""
        seen = self._rows[part.name]
        new = set(rows) - seen
        seen |= new
        for (name, key), index in self._indexes.items():
            if name == part.name:
                key_of = projection_to(list(key))
                for row in new:
                    index.setdefault(key_of(row), []).append(row)
        path = self._paths[part.name]
        joined: list[Row] = list(new)
        for join in path.joins:
            index = self._indexes[join.part, join.key]
            shared, rest = projection_to(list(join.joined_key)), projection_to(list(join.rest))
            joined = [row + rest(other) for row in joined for other in index.get(shared(row), ())]
        return bool(new), joined if path.order is None else map(projection_to(list(path.order)), joined)


class _Join(NamedTuple):
    """One join on the path from a part to the whole relation, by column positions."""

    part: str
    key: tuple[int, ...]
    """Positions of the shared columns in the part."""
    joined_key: tuple[int, ...]
    """Positions of the shared columns in the rows joined so far."""
    rest: tuple[int, ...]
    """Positions of the part's other columns."""


class _JoinPath(NamedTuple):
    joins: tuple[_Join, ...]
    order: tuple[int, ...] | None
    """Positions of the relation's columns in the joined rows; None if they are equal."""


@cache
def _join_paths(parts: tuple[RelationPart, ...], columns: tuple[str, ...]) -> Mapping[str, _JoinPath]:
    """For every part, how its new records are completed to rows; the same in every episode of a family."""
    return {part.name: _join_path(part, parts, columns) for part in parts}


def _join_path(start: RelationPart, parts: tuple[RelationPart, ...], columns: tuple[str, ...]) -> _JoinPath:
    """Join `start` with all other parts, each as soon as it shares a column with the rows joined so far."""
    joined, waiting, joins = list(start.columns), [part for part in parts if part is not start], []
    while waiting:
        part = next(part for part in waiting if set(part.columns) & set(joined))
        waiting.remove(part)
        shared = [name for name in part.columns if name in joined]
        rest = [name for name in part.columns if name not in joined]
        positions = part.columns.index
        joins.append(
            _Join(part.name, tuple(map(positions, shared)), tuple(map(joined.index, shared)), tuple(map(positions, rest)))
        )
        joined += rest
    order = tuple(map(joined.index, columns))
    return _JoinPath(tuple(joins), None if order == tuple(range(len(joined))) else order)


def freeze_row(row: list[Any] | Row) -> Row:
    """A row of a response as a hashable tuple; rows from the store already are."""
    return row if type(row) is tuple else tuple([tuple(cell) if type(cell) is list else cell for cell in row])

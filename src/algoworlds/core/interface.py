"""Interfaces: how the same rows become records, and how records become facts again.

Direct returns each row as one record. Mediated factors a relation through surrogate keys, called links:
R(left, rest) = R1(left, link) x R2(link, rest), lossless by construction; both halves come with the same call. Split
sends one part through another tool of the same plan, so that facts need joins across responses. The normalizer NF
is the natural join of all records seen so far, with the links projected away: half a fact does not count.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any

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
class Link:
    """A surrogate key: every distinct value of `key_columns` owns `ids_per_key` link ids, used at random."""

    name: str
    key_columns: tuple[str, ...]
    ids_per_key: int = 1


@dataclass(frozen=True)
class Via:
    """A mediation: the links it introduces and the parts (column lists) that a relation is factored into.

    In the split interface the `split_tools` return the part `split_part`, instead of the tools that reveal the relation;
    every plan must use one of them.
    """

    links: tuple[Link, ...]
    parts: tuple[tuple[str, ...], ...]
    split_tools: tuple[str, ...]
    split_part: int = 0


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
    links = {name: mediated[name].links if name in mediated else () for name in relations}
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
    columns = {column.name for column in relation.columns} | {link.name for link in via.links}
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

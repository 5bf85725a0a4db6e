"""Interfaces: how the same rows become records, and how records become facts again.

Direct returns each row as one record. Mediated factors a relation through surrogate keys, called links:
R(left, rest) = R1(left, link) x R2(link, rest), lossless by construction; both halves come with the same call. Split
sends one part through another tool of the same plan, so that facts need joins across responses. The normalizer NF
is the natural join of all records seen so far, with the links projected away: half a fact is no fact.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from algoworlds.core.canonical import compact_text
from algoworlds.core.column import Column, Id
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.tool import Partial, Tool
from algoworlds.errors import DeclarationError

Response = Mapping[str, Mapping[str, Any]]
"""The rows that a tool shows: part name -> {"columns": [...], "rows": [[...], ...]}."""

Deduce = Callable[[frozenset[Fact], Mapping[str, Any]], frozenset[Fact]]
"""A family's rule by which some facts imply others, given what the question states."""


class Interface(Enum):
    """The relational structure in which tools present an instance."""

    DIRECT = "direct"
    MEDIATED = "mediated"
    SPLIT = "split"


@dataclass(frozen=True)
class Link:
    """A surrogate key: every distinct value of the columns `of` owns `fan` link ids, used at random."""

    name: str
    of: tuple[str, ...]
    fan: int = 1


@dataclass(frozen=True)
class Via:
    """A mediation: the links it introduces and the parts (column lists) that a relation is factored into.

    In the split interface the part `apart` is shown by the tools `carriers` instead of the tools that reveal the
    relation; every plan must use one of them.
    """

    links: tuple[Link, ...]
    parts: tuple[tuple[str, ...], ...]
    carriers: tuple[str, ...]
    apart: int = 0


@dataclass(frozen=True, eq=False)
class Part:
    """A projection of a relation, possibly over link columns: the shape of one kind of record. Equal to itself alone."""

    relation: str
    columns: tuple[str, ...]
    name: str

    @cached_property
    def head(self) -> str:
        """How its records begin in the JSON text of an answer, up to their rows."""
        return f'{compact_text(self.name)}:{{"columns":{compact_text(self.columns)},"rows":'


@dataclass(frozen=True)
class Layout:
    """Which parts every relation falls into, and which parts every tool shows, under one interface."""

    relations: Mapping[str, Relation]
    links: Mapping[str, tuple[Link, ...]]
    parts: Mapping[str, tuple[Part, ...]]
    shows: Mapping[str, tuple[Part, ...]]
    by_name: Mapping[str, Part]

    def columns(self, relation: str) -> tuple[str, ...]:
        """A relation's columns followed by its link columns."""
        own = tuple(column.name for column in self.relations[relation].columns)
        return own + tuple(link.name for link in self.links[relation])

    def project(self, part: Part) -> Callable[[Row], Row]:
        """The projection of an extended row to a part."""
        columns = self.columns(part.relation)
        if columns == part.columns:  # then a record is the row itself, and no copy of it
            return tuple
        return picker([columns.index(name) for name in part.columns])

    def record_columns(self, part: Part) -> list[Column]:
        """The columns of a part's records; a link is an id."""
        own = {column.name: column for column in self.relations[part.relation].columns}
        return [own.get(name, Id(name)) for name in part.columns]


def layout(instance: type[Instance], tools: Iterable[Tool], mediation: Mapping[str, Via], interface: Interface) -> Layout:
    """Work out an interface's layout from the declarations; DeclarationError if they contradict each other."""
    relations = instance.relations
    mediated = mediation if interface is not Interface.DIRECT else {}
    parts = {name: _parts(each, mediated.get(name)) for name, each in relations.items()}
    shows = {tool.name: _shown(tool, relations, parts, mediated, interface) for tool in tools}
    links = {name: mediated[name].links if name in mediated else () for name in relations}
    by_name = {part.name: part for group in parts.values() for part in group}
    for shown in shows.values():
        if len({part.name for part in shown}) < len(shown):
            raise DeclarationError(f"{instance.family}: two kinds of record share a name in {[part.name for part in shown]}")
    return Layout(
        relations, MappingProxyType(links), MappingProxyType(parts), MappingProxyType(shows), MappingProxyType(by_name)
    )


def _parts(relation: Relation, via: Via | None) -> tuple[Part, ...]:
    if via is None:
        return (Part(relation.name, tuple(column.name for column in relation.columns), relation.name),)
    parts = tuple(Part(relation.name, columns, "_".join(columns)) for columns in via.parts)
    wanted = {column.name for column in relation.columns} | {link.name for link in via.links}
    if {name for part in parts for name in part.columns} != wanted:
        raise DeclarationError(f"the parts of {relation.name} must cover exactly the columns {sorted(wanted)}")
    for one, other in itertools.pairwise(parts):
        if not set(one.columns) & set(other.columns):
            raise DeclarationError(f"the parts {one.name} and {other.name} of {relation.name} share no column to join on")
    return parts


def _shown(
    tool: Tool,
    relations: Mapping[str, Relation],
    parts: Mapping[str, tuple[Part, ...]],
    mediated: Mapping[str, Via],
    interface: Interface,
) -> tuple[Part, ...]:
    shown: list[Part] = []
    for revealed in tool.reveals:
        if isinstance(revealed, Partial):
            shown.append(Part(revealed.relation, revealed.columns, "_".join(revealed.columns)))
        elif interface is Interface.SPLIT and revealed in mediated:
            apart = parts[revealed][mediated[revealed].apart]
            shown += [part for part in parts[revealed] if part is not apart]
        else:
            shown += parts[revealed]
    if interface is Interface.SPLIT:
        shown += [parts[name][via.apart] for name, via in mediated.items() if tool.name in via.carriers]
    return tuple(shown)


def picker(positions: list[int]) -> Callable[[Row], Row]:
    """The projection of a row to some positions, as a row."""
    if len(positions) == 1:
        (at,) = positions
        return lambda row: (row[at],)
    return itemgetter(*positions) if positions else lambda row: ()

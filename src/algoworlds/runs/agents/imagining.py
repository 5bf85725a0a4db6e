"""Imagining the rest: an instance that fits all that was read, made up from the ranges that the question states.

Rows of some tables can be made up, because the question tells which there are and within which bounds; the others must be
read before anything can be imagined, and so must all that decides on feasibility, since a decision that may be infeasible is
never known. Nothing here looks at a world's instance: only at its family, its public tables, what it lets everyone rely on,
and the facts that responses amount to.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from algoworlds.core.column import Column, Flag, Id, Int, Ints
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.tool import Call, Refusal
from algoworlds.errors import InstanceError
from algoworlds.families.unknowns import Unknowns
from algoworlds.worlds.world import World

Shown = frozenset[tuple[str, tuple[str, str] | None]]
"""What was shown whole: relations, each with a roster and an entity of it whose rows were shown, or None for all rows."""


@dataclass(frozen=True, eq=False)
class Imagination:
    """What can be made up in a world without a look at its instance."""

    world: World
    ranges: Ranges
    unknowns: Unknowns

    @cached_property
    def _relations(self) -> Mapping[str, Relation]:
        return hidden_relations(self.world)

    @cached_property
    def unimaginable(self) -> frozenset[str]:
        """The relations that must be read in full before anything can be imagined."""
        binding = {name for name, _ in self.unknowns.binding}
        return frozenset(name for name, each in self._relations.items() if name in binding or not self._inventable(each))

    def _inventable(self, each: Relation) -> bool:
        """Whether it is known which rows there are, and what may stand in them."""
        rosters = [key.of for key in each.keys]
        known = self._anchor(each) != each.name and len(set(rosters)) == len(rosters)
        return bool(each.values) and known and all(self._free(each.name, column) for column in each.values)

    def _free(self, name: str, column: Column) -> bool:
        if isinstance(column, Ints):
            return column.over in self.world.public
        return isinstance(column, Int | Flag) or (name, column.name) in self.unknowns.ranked

    def _anchor(self, each: Relation) -> str | None:
        """The relation that tells which rows another one has: the first with the same keys; None if the question does."""
        if all(key.of in self.world.public for key in each.keys):
            return None
        return next(name for name, other in self._relations.items() if other.keys == each.keys)

    def imagined(self, facts: frozenset[Fact], calls: Iterable[Call]) -> Any | None:
        """An instance with all facts, and numbers in the middle of their ranges elsewhere; None if they make none."""
        shown = self._shown(calls)
        open_ = (each for name, each in self._relations.items() if name not in self.unimaginable)
        made_up = (Fact(each.name, row) for each in open_ for row in self._rows(each, facts, shown))
        try:
            instance = self.world.rebuild(facts.union(made_up))
        except InstanceError:
            return None
        return instance if next(self.ranges.broken(instance), None) is None else None

    def _shown(self, calls: Iterable[Call]) -> Shown:
        found: set[tuple[str, tuple[str, str] | None]] = set()
        for call in calls:
            tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
            names = [name for name in tool.reveals if isinstance(name, str) and not isinstance(selection, Refusal)]
            if selection is None:
                found.update((name, None) for name in names)
            elif not isinstance(selection, Refusal):
                found.update((name, (tool.argument.roster or "", entity)) for name in names for entity in selection)
        return frozenset(found)

    def _rows(self, each: Relation, facts: frozenset[Fact], shown: Shown) -> Iterator[Row]:
        """Rows in the place of those that were not read; where rows were shown, there are no others."""
        width = len(each.keys)
        read = {row[:width] for name, row in facts if name == each.name}
        for key in self._keys(each, facts):
            about = [None, *((column.of, entity) for column, entity in zip(each.keys, key, strict=True))]
            if key not in read and shown.isdisjoint((each.name, item) for item in about):
                yield (*key, *(self._cell(each.name, column, key, facts) for column in each.values))

    def _keys(self, each: Relation, facts: frozenset[Fact]) -> Iterable[Row]:
        anchor = self._anchor(each)
        if anchor is None:
            return product(*(self.world.public[key.of] for key in each.keys))
        return sorted({row[: len(each.keys)] for name, row in facts if name == anchor})

    def _cell(self, name: str, column: Column, key: Row, facts: frozenset[Fact]) -> Any:
        place = name, column.name
        if isinstance(column, Flag):
            return True
        if isinstance(column, Id):
            return self._typical(self.unknowns.ranked[place], column.of, facts)
        box = self.ranges.columns[place]
        middle = (box.low + box.high) // 2
        if not isinstance(column, Ints):
            return middle
        listed = self.world.public[column.over or ""]
        return tuple(box.own if box.own is not None and entity in key else middle for entity in listed)

    def _typical(self, by: str, roster: str, facts: frozenset[Fact]) -> str:
        """The id in the middle, as a relation ranks them."""
        relation = self._relations[by]
        at, width = [key.of for key in relation.keys].index(roster), len(relation.keys)
        ranked = sorted((row[width:], row[at]) for name, row in facts if name == by)
        return str(ranked[len(ranked) // 2][1])


def hidden_relations(world: World) -> dict[str, Relation]:
    """The relations whose rows are to be read; the entities of hidden rosters are met in them."""
    relations = world.family.instance.relations.items()
    return {name: each for name, each in relations if each.fact and not each.public and not each.is_roster}

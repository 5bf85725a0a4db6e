"""What a world has answered: the executed calls. The answer to a call is unique, so the calls are all that matters.

In a conditioned world it depends on the call's phase as well, so the looks are all that matters.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from algoworlds.core.canonical import strict_loads
from algoworlds.core.completions import Completions, ReadScope
from algoworlds.core.condition import Boxes, Look, Spot, narrow
from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface, Response
from algoworlds.core.ranges import ColumnRef, Range, Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.tool import MAX_ARGUMENT_CHARS, Call, PartialRelation, Refusal
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class ObservedCalls:
    """The executed information calls, and the decision that was evaluated, if any."""

    calls: tuple[Call, ...] = ()
    evaluated: Decision | None = None
    phases: tuple[int, ...] = ()
    """In a conditioned world, the phase of each call; without them, the calls are taken as made in this order."""

    @classmethod
    def from_episode(cls, episode: Episode, attempts: int | None = None) -> "ObservedCalls":
        """What `episode` had executed after `attempts` calls of any kind; by default after all of them."""
        family = episode.world.family
        answered = zip(episode.calls[:attempts], episode.observations, strict=False)
        executed = [call for call, observation in answered if observation.status is Status.EXECUTED]
        evaluations = [call for call in executed if call.tool == family.template.decision_tools.evaluate]
        decisions = [family.decision.parse(strict_loads(call.arguments, MAX_ARGUMENT_CHARS)) for call in evaluations]
        seen = [observation.call for observation in episode.observations[:attempts]]
        phases = tuple(look.phase for look in seen if isinstance(look, Look))
        evaluated = decisions[0] if decisions else None
        return cls(tuple(call for call in executed if call.tool in family.tools), evaluated, phases)


BUDGET_PARTS = 8
"""Parts of the budget at whose ends a risk curve has points."""


def spend_checkpoints(spent: list[int], budget: int) -> list[int]:
    """The index of the last entry of the rising list `spent` within each part of `budget`."""
    return sorted({BUDGET_PARTS * amount // budget: index for index, amount in enumerate(spent)}.values())


class _CallInformation(NamedTuple):
    """What the response to one call reveals by itself."""

    facts: frozenset[Fact]
    scopes: frozenset[ReadScope]
    mentioned_ids: frozenset[str]


@dataclass(frozen=True, eq=False)
class WorldResponses:
    """The answers of a world as completions; what a call reveals is computed once."""

    world: World
    ranges: Ranges
    known_boxes: Boxes | None = None
    """What is known of measured numbers; None if it is what the world's own looks leave."""
    _information: dict[Call, _CallInformation] = field(default_factory=dict, init=False, repr=False)
    _answers: dict[Call, Response] = field(default_factory=dict, init=False, repr=False)
    _readings: dict[Look, dict[Spot, Range]] = field(default_factory=dict, init=False, repr=False)

    @property
    def unscoped_relations(self) -> frozenset[str]:
        """The relations whose rows are spread over several responses, so that no single call shows them completely."""
        mediation = self.world.family.template.mediation
        return frozenset(mediation) if self.world.interface is Interface.SPLIT else frozenset()

    def looks(self, observed: ObservedCalls) -> tuple[Look, ...]:
        """The looks that some calls made; none in a clear world."""
        law = self.world.law
        if law is None or self.known_boxes is not None:
            return ()
        if observed.phases:
            return tuple(map(Look, observed.calls, observed.phases))
        asked, looks = Counter[Any](), list[Look]()
        for tick, call in enumerate(observed.calls):
            question = call.tool, self.world.selection(call)
            looks.append(Look(call, law.phase(asked[question], tick)))
            asked[question] += 1
        return tuple(looks)

    def _boxes(self, looks: Iterable[Look], facts: frozenset[Fact]) -> Boxes:
        """The interval of every measured number in a row of `facts`."""
        boxes: dict[Spot, Range] = dict(self.known_boxes or {})
        for look in dict.fromkeys(looks):
            if look not in self._readings:
                self._readings[look] = self.world.readings(look)
            narrow(boxes, self._readings[look], self.ranges)
        relations = self.world.family.instance.relations
        keys = {name: len(relations[name].keys) for name in {spot.relation for spot in boxes}}
        read = {(fact.relation, fact.row[: keys[fact.relation]]) for fact in facts if fact.relation in keys}
        return {spot: box for spot, box in boxes.items() if (spot.relation, spot.keys) in read}

    def completions(self, calls: Iterable[Call], looks: Iterable[Look] = ()) -> Completions:
        """The instances that the responses to `calls`, made in `looks`, leave possible."""
        parts = [self._information_of(call) for call in dict.fromkeys(calls)]
        facts = self._join(calls) if self.world.interface is Interface.SPLIT else _union(part.facts for part in parts)
        deduce = self.world.family.template.deduce
        facts = facts if deduce is None else deduce(facts, self.world.public)
        scopes, ids = _union(part.scopes for part in parts), _union(part.mentioned_ids for part in parts)
        return Completions(self.world.instance, facts, scopes, ids, self.ranges, boxes=self._boxes(looks, facts))

    def answers_alike(self, instance: Any, calls: Iterable[Call]) -> bool:
        """Whether `instance` gives the same answers to `calls`."""
        return next(self.differing_calls(instance, calls), None) is None

    def differing_calls(self, instance: Any, calls: Iterable[Call]) -> Iterator[Call]:
        """Those of `calls` that `instance` answers differently, in order.

        Rows are compared instead of records: links are derived from the rows that they link, so equal rows have equal links.
        Only in the split interface, where rows are spread over several responses, the links themselves are compared. Numbers
        that are shown with errors are left out: their boxes tell what is known of them.
        """
        other, changed_ids = _row_world(self.world, instance), self._changed_ids(instance)
        for call in (call for call in dict.fromkeys(calls) if not self._is_unaffected(call, changed_ids)):
            if call not in self._answers:
                self._answers[call] = self._without_measured(self._twin.revealed_rows(call))
            if self._without_measured(other.revealed_rows(call)) != self._answers[call]:
                yield call

    def _without_measured(self, response: Response) -> Response:
        """A response without the numbers that are shown with errors."""
        if not self._measured_positions:
            return response
        return {
            name: {"rows": {tuple([cell for at, cell in enumerate(row) if at not in hidden]) for row in table["rows"]}}
            if (hidden := self._measured_positions.get(name))
            else table
            for name, table in response.items()
        }

    @cached_property
    def measured_columns(self) -> tuple[ColumnRef, ...]:
        """The columns that are shown with errors."""
        is_clear = self.world.law is None and self.known_boxes is None
        return () if is_clear else self.world.family.conditions.measured

    @cached_property
    def _measured_positions(self) -> dict[str, frozenset[int]]:
        """By part, the positions of the columns that are shown with errors."""
        layout = self.world.family.layouts[self._twin.interface]
        parts = {part for parts in layout.parts_by_tool.values() for part in parts}
        positions = {
            part.name: frozenset(
                at for at, column in enumerate(part.columns) if (part.relation, column) in self.measured_columns
            )
            for part in parts
        }
        return {name: hidden for name, hidden in positions.items() if hidden}

    def _changed_ids(self, instance: Any) -> dict[str, frozenset[str]]:
        """By relation, the ids in rows that only one of `instance` and the world's instance has."""
        changed: dict[str, frozenset[str]] = {}
        for name, relation in instance.relations.items():
            if getattr(instance, name) is not getattr(self.world.instance, name):
                rows = set(instance.rows(name)).symmetric_difference(self.world.instance.rows(name))
                ids = (column.ids(row[at]) for row in rows for at, column, _ in relation.id_columns)
                changed |= {name: frozenset(chain.from_iterable(ids))} if rows else {}
        return changed

    def _is_unaffected(self, call: Call, changed_ids: Mapping[str, frozenset[str]]) -> bool:
        """Fast check: True means that the call is answered the same, because no changed row is about its entities."""
        tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
        parts = self.world.family.layouts[self._twin.interface].parts_by_tool[call.tool]
        touched = changed_ids.keys() & {part.relation for part in parts}
        if isinstance(selection, Refusal) or not touched:
            return True
        selective = selection is not None and tool.self_join is None and self._twin.interface is Interface.DIRECT
        return selective and all(changed_ids[name].isdisjoint(selection or ()) for name in touched)

    @cached_property
    def _twin(self) -> World:
        return _row_world(self.world, self.world.instance)

    def _join(self, calls: Iterable[Call]) -> frozenset[Fact]:
        revealing = (call for call in calls if call.tool in self.world.family.revealing_tools)
        return self.world.facts(map(self.world.revealed_rows, revealing))

    def _information_of(self, call: Call) -> _CallInformation:
        if call not in self._information:
            facts = frozenset[Fact]() if self.world.interface is Interface.SPLIT else self._join([call])
            ids = frozenset(_ids_in(self.world.revealed_rows(call)))
            self._information[call] = _CallInformation(facts, frozenset(self._scopes(call)), ids)
        return self._information[call]

    def _scopes(self, call: Call) -> Iterator[ReadScope]:
        """Which rows the call shows completely."""
        tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
        split = self.unscoped_relations
        if isinstance(selection, Refusal):
            return
        for revealed in tool.reveals:
            partial = isinstance(revealed, PartialRelation)
            name = revealed.relation if isinstance(revealed, PartialRelation) else revealed
            if selection is None and name not in split:
                yield ReadScope(name, partial=partial)
            elif name not in split:
                yield from (ReadScope(name, tool.argument.roster or "", entity, partial) for entity in selection or ())


def _row_world(world: World, instance: Any) -> World:
    """A direct world of `instance`, whose records are the rows themselves; a split world stays split."""
    return World(world.coordinate, instance, Interface.SPLIT if world.interface is Interface.SPLIT else Interface.DIRECT)


def _ids_in(response: Response) -> Iterator[str]:
    for table in response.values():
        for row in table["rows"]:
            for cell in row:
                yield from (item for item in (cell if isinstance(cell, tuple) else (cell,)) if isinstance(item, str))


def _union(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    return frozenset().union(*sets)

"""What a world has answered: the executed calls. The answer to a call is unique, so the calls are all that matters."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from algoworlds.core.canonical import strict_loads
from algoworlds.core.completions import Completions, ReadScope
from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface, Response
from algoworlds.core.ranges import Ranges
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

    @classmethod
    def from_episode(cls, episode: Episode, attempts: int | None = None) -> "ObservedCalls":
        """What `episode` had executed after `attempts` calls of any kind; by default after all of them."""
        family = episode.world.family
        answered = zip(episode.calls[:attempts], episode.observations, strict=False)
        executed = [call for call, observation in answered if observation.status is Status.EXECUTED]
        evaluations = [call for call in executed if call.tool == family.template.decision_tools.evaluate]
        decisions = [family.decision.parse(strict_loads(call.arguments, MAX_ARGUMENT_CHARS)) for call in evaluations]
        return cls(tuple(call for call in executed if call.tool in family.tools), *decisions)


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
    _information: dict[Call, _CallInformation] = field(default_factory=dict, init=False, repr=False)
    _answers: dict[Call, Response] = field(default_factory=dict, init=False, repr=False)

    @property
    def unscoped_relations(self) -> frozenset[str]:
        """The relations whose rows are spread over several responses, so that no single call shows them completely."""
        mediation = self.world.family.template.mediation
        return frozenset(mediation) if self.world.interface is Interface.SPLIT else frozenset()

    def completions(self, calls: Iterable[Call]) -> Completions:
        """The instances that the responses to `calls` leave possible."""
        parts = [self._information_of(call) for call in dict.fromkeys(calls)]
        facts = self._join(calls) if self.world.interface is Interface.SPLIT else _union(part.facts for part in parts)
        deduce = self.world.family.template.deduce
        facts = facts if deduce is None else deduce(facts, self.world.public)
        scopes, ids = _union(part.scopes for part in parts), _union(part.mentioned_ids for part in parts)
        return Completions(self.world.instance, facts, scopes, ids, self.ranges)

    def answers_alike(self, instance: Any, calls: Iterable[Call]) -> bool:
        """Whether `instance` gives the same answers to `calls`."""
        return next(self.differing_calls(instance, calls), None) is None

    def differing_calls(self, instance: Any, calls: Iterable[Call]) -> Iterator[Call]:
        """Those of `calls` that `instance` answers differently, in order.

        Rows are compared instead of records: links are derived from the rows that they link, so equal rows have equal links.
        Only in the split interface, where rows are spread over several responses, the links themselves are compared.
        """
        other, changed_ids = _row_world(self.world, instance), self._changed_ids(instance)
        for call in (call for call in dict.fromkeys(calls) if not self._is_unaffected(call, changed_ids)):
            if call not in self._answers:
                self._answers[call] = self._twin.revealed_rows(call)
            if other.revealed_rows(call) != self._answers[call]:
                yield call

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

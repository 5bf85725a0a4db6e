"""What somebody has been told by a world: the executed calls, each of which the world answers in one way only."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from algoworlds.core.canonical import strict_loads
from algoworlds.core.completions import Completions, Scope
from algoworlds.core.decision import Decision
from algoworlds.core.given import LONGEST_ARGUMENTS
from algoworlds.core.interface import Interface, Response
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call, Partial, Refusal
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class Observed:
    """The information calls whose responses somebody has, and the decision that was evaluated, if any."""

    calls: tuple[Call, ...] = ()
    evaluated: Decision | None = None

    @classmethod
    def of(cls, episode: Episode, attempts: int | None = None) -> "Observed":
        """What an episode had been told after so many calls of any kind; after all of them unless it is said."""
        family = episode.world.family
        made = zip(episode.calls[:attempts], episode.observations, strict=False)
        executed = [call for call, observation in made if observation.status is Status.EXECUTED]
        tried = [call for call in executed if call.tool == family.template.closing.evaluate]
        decisions = [family.decision.parse(strict_loads(call.arguments, LONGEST_ARGUMENTS)) for call in tried]
        return cls(tuple(call for call in executed if call.tool in family.tools), *decisions)


class _Told(NamedTuple):
    """What one call tells by itself."""

    facts: frozenset[Fact]
    scopes: frozenset[Scope]
    shown: frozenset[str]


@dataclass(frozen=True, eq=False)
class Listener:
    """A world's answers as completions, each call's worked out once."""

    world: World
    ranges: Ranges
    _told: dict[Call, _Told] = field(default_factory=dict, init=False, repr=False)
    _answers: dict[Call, Response] = field(default_factory=dict, init=False, repr=False)

    def completions(self, calls: Iterable[Call]) -> Completions:
        """What the responses to some calls leave possible."""
        told = [self._tell(call) for call in dict.fromkeys(calls)]
        facts = self._joined(calls) if self.world.interface is Interface.SPLIT else _united(each.facts for each in told)
        deduce = self.world.family.template.deduce
        facts = facts if deduce is None else deduce(facts, self.world.public)
        scopes, shown = _united(each.scopes for each in told), _united(each.shown for each in told)
        return Completions(self.world.instance, facts, scopes, shown, self.ranges)

    def agrees(self, instance: Any, calls: Iterable[Call]) -> bool:
        """Whether an instance would have answered some calls alike."""
        return next(self.apart(instance, calls), None) is None

    def apart(self, instance: Any, calls: Iterable[Call]) -> Iterator[Call]:
        """The calls that an instance would have answered otherwise, in their order.

        Links are keyed by the rows that they link, so that equal rows have equal links; only where rows fall apart into
        several responses must the links themselves be compared.
        """
        other, moved = _bare(self.world, instance), self._moved(instance)
        for call in (call for call in dict.fromkeys(calls) if not self._untouched(call, moved)):
            if call not in self._answers:
                self._answers[call] = self._twin.revealed(call)
            if other.revealed(call) != self._answers[call]:
                yield call

    def _moved(self, instance: Any) -> dict[str, frozenset[str]]:
        """By relation, the ids in rows that an instance and the world's do not share."""
        moved: dict[str, frozenset[str]] = {}
        for name, relation in instance.relations.items():
            if getattr(instance, name) is not getattr(self.world.instance, name):
                rows = set(instance.rows(name)).symmetric_difference(self.world.instance.rows(name))
                ids = (column.ids(row[at]) for row in rows for at, column, _ in relation.mentions)
                moved |= {name: frozenset(chain.from_iterable(ids))} if rows else {}
        return moved

    def _untouched(self, call: Call, moved: Mapping[str, frozenset[str]]) -> bool:
        """Whether a call is answered alike for sure: by rows about entities that no row is about which is not shared."""
        tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
        parts = self.world.family.layouts[self._twin.interface].shows[call.tool]
        touched = moved.keys() & {part.relation for part in parts}
        if isinstance(selection, Refusal) or not touched:
            return True
        apart = selection is not None and tool.through is None and self._twin.interface is Interface.DIRECT
        return apart and all(moved[name].isdisjoint(selection or ()) for name in touched)

    @cached_property
    def _twin(self) -> World:
        return _bare(self.world, self.world.instance)

    def _joined(self, calls: Iterable[Call]) -> frozenset[Fact]:
        return self.world.facts(map(self.world.revealed, (call for call in calls if call.tool in self.world.family.revealing)))

    def _tell(self, call: Call) -> _Told:
        if call not in self._told:
            facts = frozenset[Fact]() if self.world.interface is Interface.SPLIT else self._joined([call])
            shown = frozenset(_ids(self.world.revealed(call)))
            self._told[call] = _Told(facts, frozenset(self._scopes(call)), shown)
        return self._told[call]

    def _scopes(self, call: Call) -> Iterator[Scope]:
        tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
        split = self.world.family.template.mediation if self.world.interface is Interface.SPLIT else {}
        if isinstance(selection, Refusal):
            return
        for revealed in tool.reveals:
            partial = isinstance(revealed, Partial)
            name = revealed.relation if isinstance(revealed, Partial) else revealed
            if selection is None and name not in split:
                yield Scope(name, partial=partial)
            elif name not in split:
                yield from (Scope(name, tool.argument.roster or "", entity, partial) for entity in selection or ())


def _bare(world: World, instance: Any) -> World:
    """A world around an instance that shows rows as they are, unless halves of rows come apart."""
    return World(world.coordinate, instance, Interface.SPLIT if world.interface is Interface.SPLIT else Interface.DIRECT)


def _ids(response: Response) -> Iterator[str]:
    for table in response.values():
        for row in table["rows"]:
            for cell in row:
                yield from (item for item in (cell if isinstance(cell, tuple) else (cell,)) if isinstance(item, str))


def _united(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    return frozenset().union(*sets)

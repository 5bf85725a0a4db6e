"""What could have been known: an evaluation beside every instance that its responses left possible.

This is analysis after the fact, with the exact solver and the hidden instance; it reveals nothing to an agent, and scoring
never asks for it.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, cached_property
from itertools import accumulate
from math import inf

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.knowledge.outlay import stations
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.measures.decomposition import Decomposition, acquisition_gap, decompose
from algoworlds.measures.key import Key
from algoworlds.measures.measure import Evidence
from algoworlds.measures.outcomes import exact
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


class Footing(Enum):
    """What a feasible decision was, given what could be known; with the other outcomes these partition all evaluations."""

    JUSTIFIED = "justified"
    LUCKY = "lucky"
    MISREAD = "misread"
    PREMATURE = "premature"
    UNDECIDED = "undecided"


FOOTINGS = {
    (1, Knowledge.DETERMINED): Footing.JUSTIFIED,
    (1, Knowledge.NOT_DETERMINED): Footing.LUCKY,
    (0, Knowledge.DETERMINED): Footing.MISREAD,
    (0, Knowledge.NOT_DETERMINED): Footing.PREMATURE,
}
"""By exactness and knowledge; whatever is undecided stays so."""


def footing_of(outcome: Outcome, exact: int, knowledge: Knowledge | None) -> str | None:
    """How a decision stands, given what could be known; None if nobody can say what is known."""
    if outcome is not Outcome.FEASIBLE:
        return str(outcome.value)
    return None if knowledge is None else FOOTINGS.get((exact, knowledge), Footing.UNDECIDED).value


@dataclass(frozen=True, eq=False)
class Judge:
    """Who is asked about the evaluations on one world; equal questions are answered once."""

    oracle: Oracle | None
    """None where a family declares no ranges, or not what unread cells may do: then nobody says what is known."""
    unseen: Callable[[frozenset[Fact]], int | None]
    """How far the best decision lies that can be made of some facts; None if there is none."""
    lost: dict[frozenset[Call], int | None] = field(default_factory=dict, init=False, repr=False)
    """The same by calls that have been judged, so that facts are gathered once for all who made them."""

    @classmethod
    def of(cls, world: World, key: Key) -> "Judge":
        """The judge of a world, and of every other one of its instance in which a call tells the same facts."""
        declared = world.ranges is not None and world.family.knowledge.unknowns is not None
        oracle = Oracle.of(plainly(world), key.decision) if declared else None
        return cls(oracle, cache(lambda facts: acquisition_gap(world, facts, key.optimum)))


def plainly(world: World) -> World:
    """The world in which each call tells by itself all that it tells in this one: direct, unless records fall apart."""
    return world if world.interface is Interface.SPLIT else replace(world, interface=Interface.DIRECT)


@dataclass(frozen=True)
class Hindsight(Evidence):
    """An evaluation and who judges it."""

    judge: Judge = field(kw_only=True)

    @classmethod
    def of(cls, episode: Episode, key: Key) -> "Hindsight":
        """An evaluation with a judge of its own, who is asked nothing yet."""
        return cls(episode, key, judge=Judge.of(episode.world, key))

    @cached_property
    def spent(self) -> list[int]:
        """What had been spent before the first call, and after each."""
        return list(accumulate((each.charged for each in self.episode.observations), initial=0))

    @cached_property
    def told(self) -> list[int]:
        """The numbers of the calls after which more was known than before, 0 for the beginning."""
        made = enumerate(self.episode.observations, 1)
        return [0, *(number for number, each in made if each.status is Status.EXECUTED)]

    # -- what could be known --------------------------------------------------------------------------------------------

    @cached_property
    def knowledge(self) -> Knowledge | None:
        """Whether the optimum was known at the end; None without ranges."""
        return None if self.judge.oracle is None else self._known(self.told[-1])

    def _known(self, calls: int) -> Knowledge:
        assert self.judge.oracle is not None
        return self.judge.oracle.known(Observed.of(self.episode, calls)).knowledge

    @cached_property
    def determined_at(self) -> int | None:
        """The number of the call after which the optimum was known; None if it never was, or if one before is undecided.

        Whoever knows it goes on knowing it, so that halving finds the call.
        """
        if self.knowledge is not Knowledge.DETERMINED:
            return None
        at = bisect_left(self.told, True, key=lambda calls: self._known(calls) is Knowledge.DETERMINED)
        decided = at == 0 or self._known(self.told[at - 1]) is Knowledge.NOT_DETERMINED
        return self.told[at] if decided else None

    @property
    def determined_spend(self) -> int | None:
        """What had been spent when the optimum was known."""
        return None if self.determined_at is None else self.spent[self.determined_at]

    @property
    def footing(self) -> str | None:
        """What the decision was, given what could be known, or how there was none; None without ranges."""
        return footing_of(self.episode.outcome, exact(self.key, self.verdict), self.knowledge)

    @cached_property
    def regret_parts(self) -> Decomposition:
        """The regret in two parts; who has seen a sufficient set has lost nothing for want of facts."""
        calls = frozenset(Observed.of(self.episode).calls)
        if calls not in self.judge.lost:
            self.judge.lost[calls] = 0 if self.discovery.sufficiency else self.judge.unseen(self.episode.facts)
        return decompose(self.judge.lost[calls], self.key, self.verdict)

    # -- what was risked ------------------------------------------------------------------------------------------------

    @cached_property
    def risk(self) -> Risk | None:
        """What a feasible decision risked when it was submitted; None without ranges or without one."""
        if self.judge.oracle is None or self.episode.decision is None or not self.verdict.feasible:
            return None
        return self.judge.oracle.worst_regret(self.episode.decision, Observed.of(self.episode))

    @cached_property
    def curve(self) -> list[tuple[int, float]] | None:
        """By spend, what the optimum itself would have risked, in reference gaps; nothing where it may be infeasible."""
        oracle, gap = self.judge.oracle, self.key.reference_gap
        if oracle is None:
            return None
        risks = [(at, oracle.worst_regret(oracle.optimum, Observed.of(self.episode, at))) for at in self._stations]
        told = [(self.spent[at], risk.in_gaps(gap)) for at, risk in risks]
        return [(spent, risked) for spent, risked in told if risked is not None and risked < inf]

    @property
    def _stations(self) -> list[int]:
        """The calls after which another part of the budget was spent, the beginning and the end."""
        told = [self.spent[at] for at in self.told]
        return [self.told[at] for at in stations(told, self.episode.world.budget)]

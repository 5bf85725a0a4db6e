"""What could have been known: an evaluation compared with every instance that its responses left possible.

This is analysis after the fact, with the exact solver and the hidden instance. Agents never see it, and scoring never uses it.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, cached_property
from itertools import accumulate
from math import inf

from algoworlds.core.condition import Spot, midpoint_instance
from algoworlds.core.decision import Decision, Verdict
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.core.options import restrict_to_seen
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.knowledge.observed import ObservedCalls, spend_checkpoints
from algoworlds.knowledge.oracle import Determination, Oracle, Risk
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.measure import Evidence
from algoworlds.measures.scoring import exactness, optimality_gap
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class RegretParts:
    """The two parts of normalized regret; the reasoning part is negative where an agent guessed well."""

    acquisition: float | None
    """Regret of the best decision made only of options whose facts were all seen; None if no such decision exists."""
    reasoning: float | None
    """The rest of the submitted decision's regret; None if either part is undefined."""


def restrict_to_known_options(world: World, facts: frozenset[Fact]) -> Instance | None:
    """The instance with only the options whose facts were all seen; None if indispensable facts were not."""
    return restrict_to_seen(world.instance, facts, world.family.knowledge.options)


def acquisition_gap(world: World, facts: frozenset[Fact], optimum: int) -> int | None:
    """Distance of the best decision made only of known options from `optimum`; None if no such decision exists."""
    instance = restrict_to_known_options(world, facts)
    if instance is None:
        return None
    if instance is world.instance:
        return 0
    decision = world.family.solve(instance).decision
    if decision is None:
        return None
    value, restricted_value = (world.family.check(x, decision).value for x in (world.instance, instance))
    assert value is not None
    assert restricted_value is not None
    # A better value in truth means that the decision uses an option that was excluded by a prohibitive price.
    return None if world.family.sense.is_better(value, than=restricted_value) else abs(value - optimum)


def decompose_regret(gap: int | None, key: AnswerKey, verdict: Verdict) -> RegretParts:
    """The two parts of the submitted decision's normalized regret, given the acquisition `gap` of what was seen."""
    total = optimality_gap(key, verdict)
    acquisition = None if gap is None else gap / key.reference_gap
    reasoning = None if gap is None or total is None else (total - gap) / key.reference_gap
    return RegretParts(acquisition, reasoning)


class Footing(Enum):
    """How a feasible decision stands, given what could be known; with the other outcomes these partition all evaluations."""

    JUSTIFIED = "justified"
    LUCKY = "lucky"
    MISREAD = "misread"
    PREMATURE = "premature"
    UNDECIDED = "undecided"


FOOTING_BY_DETERMINATION = {
    (1, Determination.DETERMINED): Footing.JUSTIFIED,
    (1, Determination.NOT_DETERMINED): Footing.LUCKY,
    (0, Determination.DETERMINED): Footing.MISREAD,
    (0, Determination.NOT_DETERMINED): Footing.PREMATURE,
}
"""By exactness and determination; everything else is undecided."""


def classify_footing(outcome: Outcome, exact: int, determination: Determination | None) -> str | None:
    """The footing of a feasible decision, or the other outcome; None if `determination` is undefined."""
    if outcome is not Outcome.FEASIBLE:
        return str(outcome.value)
    return None if determination is None else FOOTING_BY_DETERMINATION.get((exact, determination), Footing.UNDECIDED).value


@dataclass(frozen=True, eq=False)
class Judge:
    """Answers questions about the evaluations on one world; equal questions are answered once."""

    oracle: Oracle | None
    """None if the family declares no ranges or no `unknowns`: then it is undefined what is known."""
    find_acquisition_gap: Callable[[frozenset[Fact]], int | None]
    """The acquisition gap of a set of facts; None if no decision can be made of them."""
    gaps_by_calls: dict[frozenset[Call], int | None] = field(default_factory=dict, init=False, repr=False)
    """Acquisition gaps by the set of calls made, so that facts are collected once for equal sets."""
    faults: list[str] = field(default_factory=list, init=False, repr=False)
    """One line for every measure that could not be computed."""

    def take_faults(self) -> tuple[str, ...]:
        """Return the distinct faults since the last call, those of the oracle first."""
        lists = [self.faults] if self.oracle is None else [self.oracle.faults, self.faults]
        faults = tuple(dict.fromkeys(fault for faults in lists for fault in faults))
        for list_ in lists:
            list_.clear()
        return faults

    @classmethod
    def from_world(cls, world: World, key: AnswerKey) -> "Judge":
        """The judge of `world`, and of every world of the same instance in which a call reveals the same facts."""
        declared = world.ranges is not None and world.family.knowledge.unknowns is not None
        oracle = replace(Oracle.from_world(direct_view(world), key.decision), others=key.others) if declared else None
        return cls(oracle, cache(lambda facts: acquisition_gap(world, facts, key.optimum)))


def direct_view(world: World) -> World:
    """The direct world of the same instance, where each call reveals the same facts; a split world stays as it is."""
    return world if world.interface is Interface.SPLIT else replace(world, interface=Interface.DIRECT)


@dataclass(frozen=True)
class Hindsight(Evidence):
    """An evaluation with its judge."""

    judge: Judge = field(kw_only=True)

    @classmethod
    def from_episode(cls, episode: Episode, key: AnswerKey) -> "Hindsight":
        """An evaluation with a judge of its own; nothing is computed yet."""
        return cls(episode, key, judge=Judge.from_world(episode.world, key))

    @cached_property
    def cumulative_spend(self) -> list[int]:
        """The spend before the first call and after each call."""
        return list(accumulate((observation.charged for observation in self.episode.observations), initial=0))

    @cached_property
    def informative_call_numbers(self) -> list[int]:
        """The numbers of the executed calls, after 0 for the beginning."""
        observations = enumerate(self.episode.observations, 1)
        return [0, *(number for number, observation in observations if observation.status is Status.EXECUTED)]

    # -- what could be known --------------------------------------------------------------------------------------------

    @cached_property
    def determination(self) -> Determination | None:
        """Whether the optimum was known at the end; None without ranges."""
        return None if self.judge.oracle is None else self._determination_after(self.informative_call_numbers[-1])

    def _determination_after(self, calls: int) -> Determination:
        assert self.judge.oracle is not None
        return self.judge.oracle.optimum_risk(ObservedCalls.from_episode(self.episode, calls)).determination

    @cached_property
    def determined_at(self) -> int | None:
        """The number of the call after which the optimum was known; None if it never was, or if an earlier call is undecided.

        More responses never make a known optimum unknown, so bisection finds the call.
        """
        if self.determination is not Determination.DETERMINED:
            return None
        at = bisect_left(
            self.informative_call_numbers, True, key=lambda calls: self._determination_after(calls) is Determination.DETERMINED
        )
        decided = at == 0 or self._determination_after(self.informative_call_numbers[at - 1]) is Determination.NOT_DETERMINED
        return self.informative_call_numbers[at] if decided else None

    @property
    def determined_spend(self) -> int | None:
        """The spend when the optimum was first known."""
        return None if self.determined_at is None else self.cumulative_spend[self.determined_at]

    @property
    def footing(self) -> str | None:
        """The footing of the decision, or the outcome if it is not feasible; None without ranges.

        In a tied world another optimum than the submitted one may be determined.
        """
        exact, determination = exactness(self.key, self.verdict), self.determination
        if exact and self.key.others and self.risk is not None:
            determination = self.risk.determination
        return classify_footing(self.episode.outcome, exact, determination)

    # -- the best decision given what was read ----------------------------------------------------------------------------

    @cached_property
    def expected_instance(self) -> Instance | None:
        """In a conditioned world, the instance in half units with every number in the middle of its box, if all rows were read.

        None as well if an evaluation told a value: then the numbers are not independent of each other.
        """
        world, evaluated = self.episode.world, ObservedCalls.from_episode(self.episode).evaluated
        is_told = evaluated is not None and world.family.check(world.instance, evaluated).feasible
        if world.law is None or is_told or not self.discovery.sufficiency:
            return None
        declared = world.family.conditions
        return midpoint_instance(world.instance, declared.measured, declared.counted, self.episode.boxes)  # type: ignore[no-any-return]

    @cached_property
    def best_decision(self) -> Decision | None:
        """The decision that is best in expectation if every number that the boxes allow is equally likely."""
        return None if self.expected_instance is None else self.episode.world.family.solve(self.expected_instance).decision

    @property
    def is_best_given(self) -> int | None:
        """Whether the decision is as good in expectation as the best one; None where that is undefined."""
        check, decision = self.episode.world.family.check, self.episode.decision
        if self.best_decision is None or self.expected_instance is None:
            return None
        if decision is None:
            return 0
        return int(check(self.expected_instance, decision).value == check(self.expected_instance, self.best_decision).value)

    def regret_of_reading(self, combine: Callable[[list[int]], int]) -> float | None:
        """The regret of the decision that is optimal if every number is what `combine` makes of the answers on it.

        In reference gaps; None where the best decision given what was read is undefined, too.
        """
        if self.best_decision is None:
            return None
        world, answers = self.episode.world, dict[Spot, list[int]]()
        for _, reading in self.episode.readings:
            for spot, box in reading.items():  # a reading is the middle of the interval that it leaves
                answers.setdefault(spot, []).append((box.low + box.high) // 2)
        numbers = {spot: combine(values) for spot, values in answers.items()}
        boxes = {spot: Range(number, number) for spot, number in numbers.items()}
        columns = world.family.conditions.measured
        read = midpoint_instance(world.instance, columns, world.family.conditions.counted, boxes)
        if not read.valid:  # an answer outside the bounds may not be a number of the problem
            return None
        value = world.family.check(world.instance, world.family.solve(read).decision).value
        assert value is not None
        return abs(value - self.key.optimum) / self.key.reference_gap

    @cached_property
    def regret_parts(self) -> RegretParts:
        """The regret in two parts; with a sufficient set the acquisition part is 0.

        In a conditioned world with a sufficient set it is the regret of the decision that is best given what was read.
        """
        if self.best_decision is not None:
            best = self.episode.world.family.check(self.episode.world.instance, self.best_decision)
            return decompose_regret(optimality_gap(self.key, best), self.key, self.verdict)
        if self.episode.world.law is not None and self.discovery.sufficiency:
            return RegretParts(None, None)
        calls = frozenset(ObservedCalls.from_episode(self.episode).calls)
        if calls not in self.judge.gaps_by_calls:
            sufficient = self.discovery.sufficiency
            self.judge.gaps_by_calls[calls] = 0 if sufficient else self.judge.find_acquisition_gap(self.episode.facts)
        return decompose_regret(self.judge.gaps_by_calls[calls], self.key, self.verdict)

    # -- what was risked ------------------------------------------------------------------------------------------------

    @cached_property
    def risk(self) -> Risk | None:
        """The worst regret of the feasible decision when it was submitted; None without ranges or without such a decision."""
        if self.judge.oracle is None or self.episode.decision is None or not self.verdict.feasible:
            return None
        return self.judge.oracle.worst_regret(self.episode.decision, ObservedCalls.from_episode(self.episode))

    @cached_property
    def risk_curve(self) -> list[tuple[int, float]] | None:
        """Worst regret of the optimum by spend, in reference gaps; no point where the optimum may be infeasible.

        The points are the beginning, the end and the last call within each part of the budget.
        """
        oracle = self.judge.oracle
        if oracle is None:
            return None
        spends, points = [self.cumulative_spend[number] for number in self.informative_call_numbers], []
        for index in spend_checkpoints(spends, self.episode.world.budget):
            observed = ObservedCalls.from_episode(self.episode, self.informative_call_numbers[index])
            regret = oracle.worst_regret(oracle.optimum, observed).in_reference_gaps(self.key.reference_gap)
            if regret is not None and regret < inf:
                points.append((spends[index], regret))
        return points

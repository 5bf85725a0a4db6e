"""The oracle: is the optimum known from what somebody has been told, and what does a decision risk?"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import inf
from typing import Any

from algoworlds.core.completions import Completions, Evaluated
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Ranges
from algoworlds.errors import InputError
from algoworlds.families.unknowns import Unknowns
from algoworlds.knowledge.sufficiency.bounding import Bounds, bounded, guessed
from algoworlds.knowledge.sufficiency.breaking import broken, renamed, unbreakable, unnamed
from algoworlds.knowledge.sufficiency.observed import Listener, Observed
from algoworlds.knowledge.sufficiency.trial import Amount, Bench, Trial, Witness
from algoworlds.knowledge.sufficiency.uses import Uses
from algoworlds.worlds.world import World


class Knowledge(Enum):
    """Whether the optimum is known; never a guess."""

    DETERMINED = "determined"
    NOT_DETERMINED = "not determined"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Risk:
    """What is known of a decision's worst regret over all completions, in objective units."""

    low: Amount
    """A completion is known in which the decision loses so much; infinite if it is infeasible there."""
    high: Amount | None
    """In no completion does it lose more; None if no bound was found."""
    proof: Callable[[], Witness] | None = None

    @property
    def knowledge(self) -> Knowledge:
        """Whether the decision is optimal in every completion."""
        if self.low > 0:
            return Knowledge.NOT_DETERMINED
        return Knowledge.DETERMINED if self.high == 0 else Knowledge.UNDECIDED

    @property
    def regret(self) -> Amount | None:
        """The worst regret, if the bounds meet; it is infinite where the decision may be infeasible."""
        return self.low if self.low in (inf, self.high) else None

    @cached_property
    def witness(self) -> Witness | None:
        """A completion in which a rival beats the decision by `low`; None if nothing is lost anywhere."""
        return None if self.proof is None else self.proof()

    def in_gaps(self, reference_gap: int) -> float | None:
        """The worst regret in units of the reference gap."""
        return None if self.regret is None else self.regret / reference_gap


@dataclass(frozen=True, eq=False)
class Oracle:
    """What can be known in one world. It solves, so that scoring never asks it: its answers are stored with records.

    The world may be any that gives the same responses: nothing depends on which completion stands in for the hidden one.
    """

    world: World
    optimum: Decision
    ranges: Ranges
    _answers: dict[Any, Risk] = field(default_factory=dict, init=False, repr=False)
    _left: dict[Any, Completions] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, world: World, optimum: Decision | None = None, ranges: Ranges | None = None) -> "Oracle":
        """The oracle of a world; the optimum is solved for unless it is given, as the key of a world has it."""
        stated = ranges or world.ranges
        if stated is None:
            raise InputError(f"{world.family.name} declares no ranges, so nobody can say what is known: declare Family.ranges")
        return cls(world, world.family.solve(world.instance).decision if optimum is None else optimum, stated)

    def completions(self, observed: Observed) -> Completions:
        """Comp(o): what some responses leave possible, worked out once for all decisions that are asked about."""
        key = frozenset(observed.calls), repr(observed.evaluated)
        if key not in self._left:
            self._left[key] = self._completions(observed)
        return self._left[key]

    def _completions(self, observed: Observed) -> Completions:
        """What an evaluation found feasible, there is."""
        completions, family = self._bench.listener.completions(observed.calls), self.world.family
        if observed.evaluated is None:
            return completions
        told = Evaluated(observed.evaluated, family.check(self.world.instance, observed.evaluated).value)
        named = frozenset[str]() if told.value is None else family.decision.ids(told.decision)
        return replace(completions, shown=completions.shown | named, told=told)

    def known(self, observed: Observed) -> Risk:
        """Whether the optimum is known, with a witness if it is not; the bounds are no wider than that needs."""
        return self._risk(self.optimum, observed, enough=1)

    def worst_regret(self, decision: Decision, observed: Observed) -> Risk:
        """What a decision may lose against the optimum in any completion."""
        return self._risk(decision, observed, enough=inf)

    @property
    def work(self) -> int:
        """What the exact solver has done for all answers so far, in its own counted operations."""
        return self._bench.effort.work

    @cached_property
    def _bench(self) -> Bench:
        family, instance = self.world.family, self.world.instance
        return Bench(family, Listener(self.world, self.ranges), Uses(family, instance), self.optimum)

    def _risk(self, decision: Decision, observed: Observed, enough: Amount) -> Risk:
        key = repr(decision), frozenset(observed.calls), repr(observed.evaluated), enough
        if key not in self._answers:
            unknowns = self.world.family.knowledge.unknowns or Unknowns()
            trial = Trial(self._bench, unknowns, observed, self.completions(observed), decision, self.world.instance)
            self._answers[key] = _tried(trial, enough, sound=self.world.family.knowledge.unknowns is not None)
        return self._answers[key]


def _tried(trial: Trial, enough: Amount, sound: bool) -> Risk:
    """The risk of a decision: that an id is unknown, that it is infeasible, that it is beaten; in this order."""
    instance = trial.completions.instance
    if trial.value(instance) is None:
        return Risk(inf, inf, lambda: Witness(instance, trial.bench.optimum, inf))
    entity = unnamed(trial)
    if entity is not None:
        return Risk(inf, inf, lambda: renamed(trial, entity))
    breaks = broken(trial)
    if breaks.witness is not None:
        return _risk(Bounds(witness=breaks.witness, high=inf))
    return _risk(bounded(trial, enough) if sound and unbreakable(trial, breaks) else guessed(trial, enough))


def _risk(bounds: Bounds) -> Risk:
    witness = bounds.witness
    return Risk(bounds.low, bounds.high, None if witness is None else lambda: witness)


def known(world: World, observed: Observed, optimum: Decision | None = None) -> Risk:
    """Whether the optimum of a world is known from some responses; for many questions about one world take an `Oracle`."""
    return Oracle.of(world, optimum).known(observed)


def worst_regret(world: World, decision: Decision, observed: Observed) -> Risk:
    """What a decision may lose in any instance that some responses leave possible."""
    return Oracle.of(world).worst_regret(decision, observed)

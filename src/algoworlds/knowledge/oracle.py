"""The oracle: is the optimum determined by the responses so far, and what does a decision risk?"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from math import inf
from pathlib import Path
from traceback import extract_tb
from typing import Any

from algoworlds.core.completions import Completions, EvaluationResult
from algoworlds.core.condition import Boxes
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Ranges
from algoworlds.errors import InputError
from algoworlds.families.knowledge import Unknowns
from algoworlds.grid import to_one_line
from algoworlds.knowledge.infeasibility import (
    find_infeasible_completion,
    find_unseen_id,
    is_always_feasible,
    witness_with_other_id,
)
from algoworlds.knowledge.missing_rows import with_idle_rows
from algoworlds.knowledge.observed import ObservedCalls, WorldResponses
from algoworlds.knowledge.regret_bounds import RegretBounds, bound_from_below, bound_regret
from algoworlds.knowledge.sensitivity import ValueSensitivity
from algoworlds.knowledge.trial import Regret, Trial, TrialContext, Witness
from algoworlds.worlds.world import World


class Determination(Enum):
    """Whether the responses determine the optimum; never a guess."""

    DETERMINED = "determined"
    NOT_DETERMINED = "not determined"
    UNDECIDED = "undecided"


@dataclass(frozen=True, eq=False)
class Risk:
    """Bounds on a decision's worst regret over all completions, in objective units."""

    low: Regret
    """Lower bound: the regret in a known completion; infinite if the decision is infeasible there."""
    high: Regret | None
    """Upper bound over all completions; None if no bound was found."""
    build_witness: Callable[[], Witness] | None = None
    fault: str | None = None
    """Why the oracle could not answer, if an exception inside it made the answer undecided."""

    @property
    def determination(self) -> Determination:
        """Whether the decision is optimal in every completion."""
        if self.low > 0:
            return Determination.NOT_DETERMINED
        return Determination.DETERMINED if self.high == 0 else Determination.UNDECIDED

    @property
    def regret(self) -> Regret | None:
        """The worst regret if the bounds meet, infinite if the decision may be infeasible; otherwise None."""
        return self.low if self.low in (inf, self.high) else None

    @cached_property
    def witness(self) -> Witness | None:
        """A completion in which a rival beats the decision by `low`; None if `low` is 0."""
        return None if self.build_witness is None else self.build_witness()

    def in_reference_gaps(self, reference_gap: int) -> float | None:
        """The worst regret in units of the reference gap."""
        return None if self.regret is None else self.regret / reference_gap


@dataclass(frozen=True, eq=False)
class Oracle:
    """Decides what can be known in one world. It solves, so scoring never uses it; its answers are stored as judgements.

    It never raises: a fault inside it makes the answer undecided and is added to `faults`.

    `world` may be any world with the same responses: the answers do not depend on which completion represents the hidden one.
    """

    world: World
    optimum: Decision
    ranges: Ranges
    boxes: Boxes | None = None
    """What is known of measured numbers, if it is not what the looks at `world` show."""
    others: tuple[Decision, ...] = ()
    """The optimal decisions beside `optimum`, if the world is tied."""
    faults: list[str] = field(default_factory=list, init=False, repr=False)
    """One line for every answer that is undecided because of an exception inside the oracle."""
    _answers: dict[Any, Risk] = field(default_factory=dict, init=False, repr=False)
    _completions: dict[Any, Completions] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        return f"<Oracle of {self.world.id}>"

    @classmethod
    def from_world(
        cls, world: World, optimum: Decision | None = None, ranges: Ranges | None = None, boxes: Boxes | None = None
    ) -> "Oracle":
        """The oracle of `world`; `optimum` is solved for if it is None, `ranges` default to those of the question."""
        ranges = ranges or world.ranges
        if ranges is None:
            raise InputError(f"{world.family.name} declares no ranges: add Family(knowledge=Knowledge(ranges=...))")
        return cls(world, world.family.solve(world.instance).decision if optimum is None else optimum, ranges, boxes)

    def completions(self, observed: ObservedCalls) -> Completions:
        """Comp(o): the instances that `observed` leaves possible, computed once for all decisions."""
        key = self._key(observed)
        if key not in self._completions:
            responses, family = self._context.responses, self.world.family
            completions = responses.completions(observed.calls, responses.looks(observed))
            if observed.evaluated is not None:
                result = EvaluationResult(observed.evaluated, family.check(self.world.instance, observed.evaluated).value)
                # The ids of a decision that was found feasible exist in every completion.
                ids = frozenset[str]() if result.value is None else family.decision.ids(result.decision)
                completions = replace(completions, mentioned_ids=completions.mentioned_ids | ids, evaluation=result)
            unknowns = family.knowledge.unknowns
            if unknowns is not None and unknowns.idle_rows:
                unscoped = self._context.responses.unscoped_relations
                member = with_idle_rows(completions, unknowns.idle_rows, unknowns.keys_of, unscoped)
                completions = completions if member is completions.instance else replace(completions, instance=member)
            self._completions[key] = completions
        return self._completions[key]

    def optimum_risk(self, observed: ObservedCalls) -> Risk:
        """Whether an optimum is determined, with a witness if none is; the bounds are only as tight as that needs.

        Only a true optimum can be optimal in every completion, so no other decision is asked about.
        """
        risks = []
        for optimum in (self.optimum, *self.others):
            risks.append(self._risk(optimum, observed, enough=1))
            if risks[-1].determination is Determination.DETERMINED:
                return risks[-1]
        return next((risk for risk in risks if risk.determination is Determination.UNDECIDED), risks[0])

    def worst_regret(self, decision: Decision, observed: ObservedCalls) -> Risk:
        """The worst regret of `decision` over all completions."""
        return self._risk(decision, observed, enough=inf)

    @property
    def work(self) -> int:
        """Counted operations of the exact solver for all answers so far."""
        return self._context.effort.work

    @cached_property
    def _context(self) -> TrialContext:
        family, instance = self.world.family, self.world.instance
        responses = WorldResponses(self.world, self.ranges, self.boxes)
        return TrialContext(family, responses, ValueSensitivity(family, instance), self.optimum)

    def _key(self, observed: ObservedCalls) -> Any:
        """What answers depend on: the calls and looks in any order, and the evaluation."""
        looks = frozenset(self._context.responses.looks(observed))
        return frozenset(observed.calls), looks, repr(observed.evaluated)

    def _risk(self, decision: Decision, observed: ObservedCalls, enough: Regret) -> Risk:
        key = repr(decision), self._key(observed), enough
        if key not in self._answers:
            try:
                self._answers[key] = self._find_risk(decision, observed, enough)
            except (MemoryError, OSError):  # the machine's fault, not the oracle's
                raise
            except Exception as error:  # one question must not stop the judging of all others
                self._answers[key] = Risk(0, None, fault=describe_fault(error))
        risk = self._answers[key]
        if risk.fault is not None:
            self.faults.append(risk.fault)
        return risk

    def _find_risk(self, decision: Decision, observed: ObservedCalls, enough: Regret) -> Risk:
        unknowns = self.world.family.knowledge.unknowns or Unknowns()
        completions = self.completions(observed)
        trial = Trial(self._context, unknowns, observed, completions, decision, completions.instance)
        return _find_risk(trial, enough, sound=self.world.family.knowledge.unknowns is not None)


MAX_FAULT_CHARS = 200
"""Characters of an exception's message that are shown."""


def describe_fault(error: Exception) -> str:
    """One line that names an exception and where it was raised."""
    frames = extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = to_one_line(str(error))[:MAX_FAULT_CHARS]
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"


def _find_risk(trial: Trial, enough: Regret, sound: bool) -> Risk:
    """The risk of the decision on trial: first that an id of it is unseen, then that it is infeasible, then that it is beaten.

    `enough` is a regret at which the search may stop; `sound` says whether the family declares its unknowns.
    """
    instance = trial.completions.instance
    if trial.value(instance) is None:
        return Risk(inf, inf, lambda: Witness(instance, trial.context.optimum, inf))
    entity = find_unseen_id(trial)
    if entity is not None:
        return Risk(inf, inf, lambda: witness_with_other_id(trial, entity))
    breaks = find_infeasible_completion(trial)
    if breaks.witness is not None:
        return _risk(RegretBounds(witness=breaks.witness, high=inf))
    return _risk(
        bound_regret(trial, enough) if sound and is_always_feasible(trial, breaks) else bound_from_below(trial, enough)
    )


def _risk(bounds: RegretBounds) -> Risk:
    witness = bounds.witness
    return Risk(bounds.low, bounds.high, None if witness is None else lambda: witness)

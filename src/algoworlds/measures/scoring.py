"""The list of measures that need no solver, and the function that scores an episode by them."""

from collections.abc import Callable
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.decision import Verdict
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.measure import (
    SIGNED_INTEGER,
    YES_OR_NO,
    Domain,
    Evidence,
    Integer,
    Measure,
    NamedIntegers,
    Number,
    Object,
    OneOf,
    Points,
    Text,
)
from algoworlds.worlds.episode import Episode, Outcome, StopReason
from algoworlds.worlds.observation import Status


def entity_grounding(episode: Episode) -> float:
    """Entity grounding in 0..1: the share of the decision's ids that earlier tool responses show; 0 without a decision."""
    ids = frozenset() if episode.decision is None else episode.world.family.decision.ids(episode.decision)
    return sum(map(episode.mentions, ids)) / len(ids) if ids else 0.0


def feasibility(verdict: Verdict) -> int:
    """F: 1 if the checker accepts the submitted decision, else 0."""
    return int(verdict.feasible)


def optimality_gap(key: AnswerKey, verdict: Verdict) -> int | None:
    """Delta: distance of a feasible decision's value from the optimum; None if it is infeasible."""
    return None if verdict.value is None else abs(verdict.value - key.optimum)


def exactness(key: AnswerKey, verdict: Verdict) -> int:
    """E: 1 if the decision is feasible and its value equals the optimum, else 0."""
    return int(verdict.value == key.optimum)


def reference_utility(key: AnswerKey, verdict: Verdict) -> float:
    """U in 0..100: 100 at the optimum, 0 at the reference decision, at worse ones and at infeasible ones."""
    regret = normalized_regret(key, verdict)
    return 0.0 if regret is None else max(0.0, 100.0 * (1.0 - regret))


def normalized_regret(key: AnswerKey, verdict: Verdict) -> float | None:
    """R: the gap in units of the reference gap; None without a feasible decision."""
    distance = optimality_gap(key, verdict)
    return None if distance is None else distance / key.reference_gap


SCORING_VERSION = 2
"""Version of the scoring rules, increased whenever a measure is computed differently; tables never mix versions.

2: a redundant call is one whose records had all been seen before, navigation included; the budget cap means that the last call
was refused for budget and no decision followed; grounding counts ids in records, not column names.
"""

_OBJECTIVE, _FLAG, _COST, _SHARE = "objective units", "0 or 1", "cost units", "share, 0 to 1"


def _optimal_parts(evidence: Evidence) -> dict[str, int]:
    world = evidence.episode.world
    return dict(world.family.check(world.instance, evidence.key.decision).parts)


def _budget_cap(evidence: Evidence) -> int:
    observations = evidence.episode.observations
    return int(bool(observations) and observations[-1].status is Status.OVER_BUDGET)


def _flag(name: str, title: str, meaning: str, caution: str, compute: Callable[[Evidence], int]) -> Measure[Evidence]:
    return Measure(name, title, _FLAG, meaning, caution, YES_OR_NO, compute)


def _calls(name: str, title: str, meaning: str, caution: str, compute: Callable[[Evidence], int]) -> Measure[Evidence]:
    return Measure(name, title, "calls", meaning, caution, Integer(), compute)


def _of_world(
    name: str, title: str, unit: str, meaning: str, domain: Domain, compute: Callable[[Evidence], Any]
) -> Measure[Evidence]:
    return Measure(name, title, unit, meaning, "Of the world, not of the evaluation.", domain, compute)


MEASURES: tuple[Measure[Evidence], ...] = (
    Measure(
        name="outcome",
        title="Outcome",
        unit="category",
        meaning="What the evaluation ended with: a feasible decision, an infeasible one, none, or a protocol violation, "
        "which is to have tried to submit, but never in the required format.",
        caution="Not a stop reason: a decision that was submitted can be infeasible.",
        domain=OneOf(tuple(outcome.value for outcome in Outcome)),
        compute=lambda evidence: evidence.episode.outcome.value,
    ),
    _flag(
        "exact",
        "Exact optimality",
        meaning="Whether the decision is feasible and its value equals the certified optimum, an equality of whole numbers.",
        caution="No partial credit: one unit off counts as nothing. It does not say how the optimum was found.",
        compute=lambda evidence: exactness(evidence.key, evidence.verdict),
    ),
    _flag(
        "feasible",
        "Feasibility",
        meaning="Whether the decision keeps every rule of the task.",
        caution="Not quality: a feasible decision may be the worst one.",
        compute=lambda evidence: feasibility(evidence.verdict),
    ),
    Measure(
        name="objective",
        title="Objective value",
        unit=_OBJECTIVE,
        meaning="The value of a feasible decision.",
        caution="Not comparable across worlds, nor higher is better: some families minimise.",
        domain=SIGNED_INTEGER,
        compute=lambda evidence: evidence.verdict.value,
        optional=True,
    ),
    _of_world(
        "optimum",
        "Certified optimum",
        _OBJECTIVE,
        meaning="The unique optimal value that two exact algorithms agree on.",
        domain=SIGNED_INTEGER,
        compute=lambda evidence: evidence.key.optimum,
    ),
    Measure(
        name="gap",
        title="Gap",
        unit=_OBJECTIVE,
        meaning="Distance of a feasible decision's value from the optimum.",
        caution="Not comparable across worlds; regret is.",
        domain=Integer(),
        compute=lambda evidence: optimality_gap(evidence.key, evidence.verdict),
        optional=True,
    ),
    _of_world(
        "reference_gap",
        "Reference gap",
        _OBJECTIVE,
        meaning="Distance of the myopic reference decision's value from the optimum.",
        domain=Integer(1),
        compute=lambda evidence: evidence.key.reference_gap,
    ),
    Measure(
        name="regret",
        title="Normalized regret",
        unit="reference gaps",
        meaning="Gap to the optimum in units of the reference decision's gap: 0 is optimal, 1 as bad as the reference.",
        caution="Only feasible decisions have one, so a low regret beside low feasibility flatters.",
        domain=Number(),
        compute=lambda evidence: normalized_regret(evidence.key, evidence.verdict),
        optional=True,
    ),
    Measure(
        name="utility",
        title="Reference utility",
        unit="points, 0 to 100",
        meaning="100 at the optimum, 0 at the myopic reference decision and at anything worse or infeasible; linear between.",
        caution="Not a percentage of the optimum's value, and not comparable across families in absolute terms.",
        domain=Number(100.0),
        compute=lambda evidence: reference_utility(evidence.key, evidence.verdict),
    ),
    Measure(
        name="parts",
        title="Objective terms",
        unit=_OBJECTIVE,
        meaning="A feasible decision's value broken into the family's named terms.",
        caution="A better term is no virtue by itself: saving on one at the price of another is how greed fails.",
        domain=NamedIntegers(),
        compute=lambda evidence: dict(evidence.verdict.parts) if evidence.verdict.feasible else None,
        optional=True,
    ),
    _of_world(
        "optimal_parts",
        "Objective terms of the optimum",
        _OBJECTIVE,
        meaning="The optimum broken into the family's named terms.",
        domain=NamedIntegers(),
        compute=_optimal_parts,
    ),
    Measure(
        name="reason",
        title="Why it is infeasible",
        unit="text",
        meaning="The first rule that the checker found broken by the submitted decision.",
        caution="Not the only one that may be broken; no agent ever sees it.",
        domain=Text(),
        compute=lambda evidence: evidence.verdict.reason if evidence.episode.decision is not None else None,
        optional=True,
    ),
    Measure(
        name="decision",
        title="Decision",
        unit="ids",
        meaning="The submitted decision.",
        caution="",
        domain=Object((list, dict)),
        compute=lambda evidence: evidence.decision_arguments(evidence.episode.decision),
        optional=True,
    ),
    _of_world(
        "optimal_decision",
        "Optimal decision",
        "ids",
        meaning="The world's unique optimal decision.",
        domain=Object((list, dict)),
        compute=lambda evidence: evidence.decision_arguments(evidence.key.decision),
    ),
    _flag(
        "sufficiency",
        "Information sufficiency",
        meaning="Whether the responses contain a sufficient set of facts in full; such a trajectory is informative.",
        caution="What was received, not that it was understood; 0 does not rule out a lucky or cleverly inferred optimum.",
        compute=lambda evidence: evidence.discovery.sufficiency,
    ),
    Measure(
        name="coverage",
        title="Discovery coverage",
        unit=_SHARE,
        meaning="Largest share of any sufficient set of facts that the responses contain.",
        caution="99 % may still lack the one fact that decides.",
        domain=Number(1.0),
        compute=lambda evidence: evidence.discovery.coverage,
    ),
    Measure(
        name="grounding",
        title="Entity grounding",
        unit=_SHARE,
        meaning="Share of the ids in the decision that records had shown the agent before; 0 without a decision.",
        caution="Not whether their costs were used correctly.",
        domain=Number(1.0),
        compute=lambda evidence: entity_grounding(evidence.episode),
    ),
    Measure(
        name="sufficient_at",
        title="Sufficient at",
        unit="number of a call",
        meaning="The number of the call after which the responses first contained a sufficient set of facts.",
        caution="The agent does not know that it has reached this point; later calls are not mistakes.",
        domain=Integer(),
        compute=lambda evidence: evidence.discovery.sufficient_at,
        optional=True,
    ),
    _calls(
        "redundant_calls",
        "Redundant calls",
        meaning="Executed information calls, navigation included, all of whose records had been seen before; under a "
        "condition, only if they narrowed no interval either.",
        caution="Not always waste: an agent may re-read to be sure.",
        compute=lambda evidence: evidence.episode.redundant_calls,
    ),
    Measure(
        name="coverage_curve",
        title="Coverage along the calls",
        unit="points of calls and share",
        meaning="Discovery coverage after the calls that changed it, and after the last.",
        caution="A step says how many facts came, not how much they matter.",
        domain=Points(),
        compute=lambda evidence: [list(point) for point in evidence.discovery.curve],
    ),
    _calls(
        "executed_calls",
        "Executed calls",
        meaning="Information calls that were executed and charged; refused calls and the submission do not count.",
        caution="Not an efficiency score: few may mean uninformed.",
        compute=lambda evidence: evidence.episode.executed,
    ),
    _calls(
        "attempted_calls",
        "Attempted calls",
        meaning="Calls of any kind, refused ones, those beyond the first of a turn and the submission included.",
        caution="Not what was paid for: refused calls are free.",
        compute=lambda evidence: evidence.episode.attempts + evidence.ignored,
    ),
    Measure(
        name="spend",
        title="Spend",
        unit=_COST,
        meaning="Cost units paid for executed information calls.",
        caution="Not an efficiency score: cheap may mean uninformed.",
        domain=Integer(),
        compute=lambda evidence: evidence.episode.spent,
    ),
    _of_world(
        "budget",
        "Budget",
        _COST,
        meaning="What the agent could spend in this world: the dearer of two ways to learn enough, and one evaluation.",
        domain=Integer(1),
        compute=lambda evidence: evidence.episode.world.budget,
    ),
    _flag(
        "call_cap",
        "Call cap",
        meaning="Whether the limit of executed information calls ended the evaluation.",
        caution="Not an outcome category.",
        compute=lambda evidence: int(evidence.episode.stop is StopReason.CALL_CAP),
    ),
    _flag(
        "budget_cap",
        "Budget cap",
        meaning="Whether the last call was refused because it cost more than was left, and no decision followed.",
        caution="Not an outcome category.",
        compute=_budget_cap,
    ),
)
"""Every measure and diagnostic of a record, in the order in which they are explained."""


def score(episode: Episode, key: AnswerKey, ignored: int = 0) -> JsonObject:
    """Every measure of `episode` by name, against the answer `key`; `ignored` counts calls that were not executed."""
    evidence = Evidence(episode, key, ignored)
    return {measure.name: measure.compute(evidence) for measure in MEASURES}

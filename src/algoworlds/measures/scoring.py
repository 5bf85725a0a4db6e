"""The list of measures, and what scores an episode by it."""

from collections.abc import Callable
from typing import Any

from algoworlds.measures.discovery import grounding
from algoworlds.measures.domain import SIGNED, YES_OR_NO, Choice, Domain, Number, Object, Points, Prose, Whole
from algoworlds.measures.key import Key
from algoworlds.measures.measure import Evidence, Measure
from algoworlds.measures.outcomes import exact, feasible, gap, normalized_regret, utility
from algoworlds.worlds.episode import Episode, Outcome, Stop
from algoworlds.worlds.observation import Status

SCORING = 2
"""Rises whenever a measure is computed otherwise; tables never mix versions.

2: redundant calls are those all of whose records had been seen before, navigation included; the budget cap is that the last
call was refused for budget and no decision followed; grounding counts ids in records, not names of columns.
"""

_OBJECTIVE, _FLAG, _COST, _SHARE = "objective units", "0 or 1", "cost units", "share, 0 to 1"


def _optimal_parts(evidence: Evidence) -> dict[str, int]:
    world = evidence.episode.world
    return dict(world.family.check(world.instance, evidence.key.decision).parts)


def _budget_cap(evidence: Evidence) -> int:
    made = evidence.episode.observations
    return int(bool(made) and made[-1].status is Status.OVER_BUDGET)


def _flag(name: str, title: str, meaning: str, caution: str, of: Callable[[Evidence], int]) -> Measure[Evidence]:
    return Measure(name, title, _FLAG, meaning, caution, YES_OR_NO, of)


def _calls(name: str, title: str, meaning: str, caution: str, of: Callable[[Evidence], int]) -> Measure[Evidence]:
    return Measure(name, title, "calls", meaning, caution, Whole(), of)


def _of_world(
    name: str, title: str, unit: str, meaning: str, domain: Domain, of: Callable[[Evidence], Any]
) -> Measure[Evidence]:
    return Measure(name, title, unit, meaning, "Of the world, not of the evaluation.", domain, of)


MEASURES: tuple[Measure[Evidence], ...] = (
    Measure(
        name="outcome",
        title="Outcome",
        unit="category",
        meaning="What the evaluation ended with: a feasible decision, an infeasible one, none, or a protocol violation, "
        "which is to have tried to submit, but never in the required format.",
        caution="Not a stop reason: a decision that was submitted can be infeasible.",
        domain=Choice(tuple(each.value for each in Outcome)),
        of=lambda evidence: evidence.episode.outcome.value,
    ),
    _flag(
        "exact",
        "Exact optimality",
        meaning="Whether the decision is feasible and its value equals the certified optimum, an equality of whole numbers.",
        caution="No partial credit: one unit off counts as nothing. It does not say how the optimum was found.",
        of=lambda evidence: exact(evidence.key, evidence.verdict),
    ),
    _flag(
        "feasible",
        "Feasibility",
        meaning="Whether the decision keeps every rule of the task.",
        caution="Not quality: a feasible decision may be the worst one.",
        of=lambda evidence: feasible(evidence.verdict),
    ),
    Measure(
        name="objective",
        title="Objective value",
        unit=_OBJECTIVE,
        meaning="The value of a feasible decision.",
        caution="Not comparable across worlds, nor higher is better: some families minimise.",
        domain=SIGNED,
        of=lambda evidence: evidence.verdict.value,
        optional=True,
    ),
    _of_world(
        "optimum",
        "Certified optimum",
        _OBJECTIVE,
        meaning="The unique optimal value that two exact algorithms agree on.",
        domain=SIGNED,
        of=lambda evidence: evidence.key.optimum,
    ),
    Measure(
        name="gap",
        title="Gap",
        unit=_OBJECTIVE,
        meaning="Distance of a feasible decision's value from the optimum.",
        caution="Not comparable across worlds; regret is.",
        domain=Whole(),
        of=lambda evidence: gap(evidence.key, evidence.verdict),
        optional=True,
    ),
    _of_world(
        "reference_gap",
        "Reference gap",
        _OBJECTIVE,
        meaning="Distance of the myopic reference decision's value from the optimum.",
        domain=Whole(1),
        of=lambda evidence: evidence.key.reference_gap,
    ),
    Measure(
        name="regret",
        title="Normalized regret",
        unit="reference gaps",
        meaning="Gap to the optimum in units of the reference decision's gap: 0 is optimal, 1 as bad as the reference.",
        caution="Only feasible decisions have one, so a low regret beside low feasibility flatters.",
        domain=Number(),
        of=lambda evidence: normalized_regret(evidence.key, evidence.verdict),
        optional=True,
    ),
    Measure(
        name="utility",
        title="Reference utility",
        unit="points, 0 to 100",
        meaning="100 at the optimum, 0 at the myopic reference decision and at anything worse or infeasible; linear between.",
        caution="Not a percentage of the optimum's value, and not comparable across families in absolute terms.",
        domain=Number(100.0),
        of=lambda evidence: utility(evidence.key, evidence.verdict),
    ),
    Measure(
        name="parts",
        title="Objective terms",
        unit=_OBJECTIVE,
        meaning="A feasible decision's value broken into the family's named terms.",
        caution="A better term is no virtue by itself: saving on one at the price of another is how greed fails.",
        domain=Object((int,)),
        of=lambda evidence: dict(evidence.verdict.parts) if evidence.verdict.feasible else None,
        optional=True,
    ),
    _of_world(
        "optimal_parts",
        "Objective terms of the optimum",
        _OBJECTIVE,
        meaning="The optimum broken into the family's named terms.",
        domain=Object((int,)),
        of=_optimal_parts,
    ),
    Measure(
        name="reason",
        title="Why it is infeasible",
        unit="text",
        meaning="The first rule that the checker found broken by the submitted decision.",
        caution="Not the only one that may be broken; no agent ever sees it.",
        domain=Prose(),
        of=lambda evidence: evidence.verdict.reason if evidence.episode.decision is not None else None,
        optional=True,
    ),
    Measure(
        name="decision",
        title="Decision",
        unit="ids",
        meaning="The submitted decision.",
        caution="",
        domain=Object((list, dict)),
        of=lambda evidence: evidence.spelled(evidence.episode.decision),
        optional=True,
    ),
    _of_world(
        "optimal_decision",
        "Optimal decision",
        "ids",
        meaning="The world's unique optimal decision.",
        domain=Object((list, dict)),
        of=lambda evidence: evidence.spelled(evidence.key.decision),
    ),
    _flag(
        "sufficiency",
        "Information sufficiency",
        meaning="Whether the responses contain a sufficient set of facts in full; such a trajectory is informative.",
        caution="What was received, not that it was understood; 0 does not rule out a lucky or cleverly inferred optimum.",
        of=lambda evidence: evidence.discovery.sufficiency,
    ),
    Measure(
        name="coverage",
        title="Discovery coverage",
        unit=_SHARE,
        meaning="Largest share of any sufficient set of facts that the responses contain.",
        caution="99 % may still lack the one fact that decides.",
        domain=Number(1.0),
        of=lambda evidence: evidence.discovery.coverage,
    ),
    Measure(
        name="grounding",
        title="Entity grounding",
        unit=_SHARE,
        meaning="Share of the ids in the decision that records had shown the agent before; 0 without a decision.",
        caution="Not whether their costs were used correctly.",
        domain=Number(1.0),
        of=lambda evidence: grounding(evidence.episode),
    ),
    Measure(
        name="sufficient_at",
        title="Sufficient at",
        unit="number of a call",
        meaning="The number of the call after which the responses first contained a sufficient set of facts.",
        caution="The agent does not know that it has reached this point; later calls are not mistakes.",
        domain=Whole(),
        of=lambda evidence: evidence.discovery.sufficient_at,
        optional=True,
    ),
    _calls(
        "redundant_calls",
        "Redundant calls",
        meaning="Executed information calls, navigation included, all of whose records had been seen before.",
        caution="Not always waste: an agent may re-read to be sure.",
        of=lambda evidence: evidence.episode.redundant_calls,
    ),
    Measure(
        name="coverage_curve",
        title="Coverage along the calls",
        unit="points of calls and share",
        meaning="Discovery coverage after the calls that changed it, and after the last.",
        caution="A step says how many facts came, not how much they matter.",
        domain=Points(),
        of=lambda evidence: [list(point) for point in evidence.discovery.curve],
    ),
    _calls(
        "executed_calls",
        "Executed calls",
        meaning="Information calls that were executed and charged; refused calls and the submission do not count.",
        caution="Not an efficiency score: few may mean uninformed.",
        of=lambda evidence: evidence.episode.executed,
    ),
    _calls(
        "attempted_calls",
        "Attempted calls",
        meaning="Calls of any kind, refused ones, those beyond the first of a turn and the submission included.",
        caution="Not what was paid for: refused calls are free.",
        of=lambda evidence: evidence.episode.attempts + evidence.ignored,
    ),
    Measure(
        name="spend",
        title="Spend",
        unit=_COST,
        meaning="Cost units paid for executed information calls.",
        caution="Not an efficiency score: cheap may mean uninformed.",
        domain=Whole(),
        of=lambda evidence: evidence.episode.spent,
    ),
    _of_world(
        "budget",
        "Budget",
        _COST,
        meaning="What the agent could spend in this world: the dearer of two ways to learn enough, and one evaluation.",
        domain=Whole(1),
        of=lambda evidence: evidence.episode.world.budget,
    ),
    _flag(
        "call_cap",
        "Call cap",
        meaning="Whether the limit of executed information calls ended the evaluation.",
        caution="Not an outcome category.",
        of=lambda evidence: int(evidence.episode.stop is Stop.CALL_CAP),
    ),
    _flag(
        "budget_cap",
        "Budget cap",
        meaning="Whether the last call was refused because it cost more than was left, and no decision followed.",
        caution="Not an outcome category.",
        of=_budget_cap,
    ),
)
"""Every measure and diagnostic that a record holds, in the order in which they are explained."""


def score(episode: Episode, key: Key, ignored: int = 0) -> dict[str, Any]:
    """Every measure of an episode against the key of its world, by name; `ignored` counts calls that it never saw."""
    evidence = Evidence(episode, key, ignored)
    return {measure.name: measure.of(evidence) for measure in MEASURES}

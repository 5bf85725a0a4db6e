"""The list of measures that need the solver, and what judges an episode by it. Records are made without them."""

from math import inf
from typing import Any

from algoworlds.knowledge.exhibit import exhibited
from algoworlds.knowledge.sufficiency.oracle import Knowledge
from algoworlds.measures.domain import Choice, Number, Object, Points, Whole
from algoworlds.measures.hindsight import Footing, Hindsight
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.worlds.episode import Outcome

JUDGING = 1
"""Rises whenever a judged measure is computed otherwise; reports never mix versions."""

UNRANGED = "Undefined where a family declares no ranges, or not what unread cells may do."
_GAPS, _COST, _OBJECTIVE = "reference gaps", "cost units", "objective units"
_ENDS = (*(each.value for each in Footing), *(each.value for each in Outcome if each is not Outcome.FEASIBLE))


def _risked(hindsight: Hindsight) -> int | None:
    """The worst regret where it is known and finite."""
    risked = None if hindsight.risk is None else hindsight.risk.regret
    return None if risked is None or risked == inf else int(risked)


def _infeasible(hindsight: Hindsight) -> int | None:
    return None if hindsight.risk is None else int(hindsight.risk.low == inf)


def _witness(hindsight: Hindsight) -> dict[str, Any] | None:
    """Only where the optimum was not known: a decision that misread what it knew needs no other instance to be worse."""
    episode, risk = hindsight.episode, hindsight.risk
    if risk is None or risk.witness is None or hindsight.knowledge is Knowledge.DETERMINED or episode.decision is None:
        return None
    return exhibited(episode.world, episode.decision, risk.witness)


def _wasted(hindsight: Hindsight) -> int | None:
    known = hindsight.determined_spend
    return None if known is None else hindsight.episode.spent - known


def _ratio(hindsight: Hindsight) -> float | None:
    known, stated = hindsight.determined_spend, hindsight.key.certificate
    return None if known is None or stated is None or not stated.cost else known / stated.cost


def _in_hindsight(hindsight: Hindsight) -> list[list[float]] | None:
    stated, gap = hindsight.key.certificate, hindsight.key.reference_gap
    return None if stated is None else [[spend, risk / gap] for spend, risk in stated.outlay]


JUDGED: tuple[Measure[Hindsight], ...] = (
    Measure(
        name="knowledge",
        title="Knowledge at the end",
        unit="category",
        meaning="Whether one decision is optimal in every instance that the ranges in the question and all responses leave "
        "possible: determined, not determined, or undecided where neither could be proven.",
        caution=f"What could be known, not what the agent understood. {UNRANGED}",
        domain=Choice(tuple(each.value for each in Knowledge)),
        of=lambda hindsight: None if hindsight.knowledge is None else hindsight.knowledge.value,
        optional=True,
    ),
    Measure(
        name="footing",
        title="Footing of the decision",
        unit="category",
        meaning="Decision and knowledge together. Justified: exact, and determined. Lucky: exact, not determined. Misread: "
        "determined, feasible and not exact. Premature: not determined, feasible and not exact. Undecided: feasible, and "
        "nobody could prove whether it was determined. Every other evaluation stands by its outcome.",
        caution=f"Luck may be a good guess: it says that the responses did not prove it. {UNRANGED}",
        domain=Choice(_ENDS),
        of=lambda hindsight: hindsight.footing,
        optional=True,
    ),
    Measure(
        name="determined_at",
        title="Determined at",
        unit="number of a call",
        meaning="The number of the call after which the optimum was determined for the first time.",
        caution="The agent need not have noticed. Undefined if it never was, or if it is undecided whether it was before.",
        domain=Whole(),
        of=lambda hindsight: hindsight.determined_at,
        optional=True,
    ),
    Measure(
        name="determined_spend",
        title="Spend until determined",
        unit=_COST,
        meaning="What had been spent when the optimum was determined.",
        caution="Undefined where the call is.",
        domain=Whole(),
        of=lambda hindsight: hindsight.determined_spend,
        optional=True,
    ),
    Measure(
        name="wasted_spend",
        title="Wasted spend",
        unit=_COST,
        meaning="What was spent after the optimum was determined.",
        caution="Wasted in hindsight: whoever cannot prove the optimum may do well to read on.",
        domain=Whole(),
        of=_wasted,
        optional=True,
    ),
    Measure(
        name="query_ratio",
        title="Query ratio",
        unit="times the least cost",
        meaning="Spend until the optimum was determined, over the cost of the cheapest calls that determine it.",
        caution="That cost is known in hindsight only, and above level 2 perhaps within bounds, where the cheapest calls that "
        "are known count. Undefined where the suite does not state it, or nothing was determined.",
        domain=Number(),
        of=_ratio,
        optional=True,
    ),
    Measure(
        name="worst_regret",
        title="Worst regret",
        unit=_OBJECTIVE,
        meaning="What a feasible decision may lose against the optimum in any instance that the ranges and responses leave "
        "possible: what its submission risked.",
        caution="Undefined where it may be infeasible, or where its bounds do not meet. The true loss is the gap.",
        domain=Whole(),
        of=_risked,
        optional=True,
    ),
    Measure(
        name="worst_regret_gaps",
        title="Worst normalized regret",
        unit=_GAPS,
        meaning="The worst regret in units of the reference decision's gap.",
        caution="Undefined where the worst regret is.",
        domain=Number(),
        of=lambda hindsight: None if (risked := _risked(hindsight)) is None else risked / hindsight.key.reference_gap,
        optional=True,
    ),
    Measure(
        name="may_be_infeasible",
        title="Possibly infeasible",
        unit="0 or 1",
        meaning="Whether a decision that is feasible would have been infeasible in another instance that answers alike.",
        caution="It was feasible in truth: this is what its submission risked.",
        domain=Whole(0, 1),
        of=_infeasible,
        optional=True,
    ),
    Measure(
        name="risk_curve",
        title="Risk along the spend",
        unit="points of cost units and reference gaps",
        meaning="What the optimum itself would have risked after some of the spend, in reference gaps; it ends at 0 if the "
        "optimum was determined. No point where it may be infeasible.",
        caution="The risk of the optimum, not of any decision that the agent had in mind.",
        domain=Points(),
        of=lambda hindsight: None if hindsight.curve is None else [list(point) for point in hindsight.curve],
        optional=True,
    ),
    Measure(
        name="hindsight_curve",
        title="Risk in hindsight",
        unit="points of cost units and reference gaps",
        meaning="The same for the cheapest calls known that determine the optimum, bought in the order of what each is missed "
        "for: so little could have been risked for the same spend.",
        caution="A bound from above on the least possible risk: other calls may risk less before the end. Told only where the "
        "suite was built with certificates.",
        domain=Points(),
        of=_in_hindsight,
        optional=True,
    ),
    Measure(
        name="witness",
        title="Witness",
        unit="object",
        meaning="Where the optimum was not determined: another decision, what both are worth in an instance that answers "
        "alike, and the cells in which that instance differs from the truth to the decision's cost.",
        caution="One of many; the worst that was found.",
        domain=Object((dict, list, int, str, type(None))),
        of=_witness,
        optional=True,
    ),
    Measure(
        name="acquisition_regret",
        title="Acquisition regret",
        unit=_GAPS,
        meaning="Regret of the best decision that could be made of options whose facts were all seen. 0 with sufficient "
        "information.",
        caution="It says nothing of what the agent made of it. Undefined if no decision can be made of what was seen.",
        domain=Number(),
        of=lambda hindsight: hindsight.regret_parts.acquisition,
        optional=True,
    ),
    Measure(
        name="reasoning_regret",
        title="Reasoning regret",
        unit=_GAPS,
        meaning="The rest of the regret: lost in spite of what was seen.",
        caution="Negative where a guess beat what was known, which is luck.",
        domain=Number(least=-inf),
        of=lambda hindsight: hindsight.regret_parts.reasoning,
        optional=True,
    ),
)
"""Every measure of what could have been known, in the order in which they are explained."""


EVERY: tuple[Measure[Any], ...] = (*MEASURES, *JUDGED)
"""All measures, scored and judged."""


def judged(hindsight: Hindsight) -> dict[str, Any]:
    """Every such measure of an episode, by name."""
    return {measure.name: measure.of(hindsight) for measure in JUDGED}

"""The list of measures that need the solver, and the function that judges an episode by them; records do without them."""

from math import inf
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.completions import NumberRef, number_refs
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import ColumnRef
from algoworlds.knowledge.oracle import Determination, describe_fault
from algoworlds.knowledge.sensitivity import ValueSensitivity
from algoworlds.knowledge.trial import Witness
from algoworlds.measures.hindsight import Footing, Hindsight
from algoworlds.measures.measure import Integer, Measure, Number, Object, OneOf, Points
from algoworlds.measures.scoring import MEASURES
from algoworlds.worlds.episode import Outcome
from algoworlds.worlds.world import World

MAX_CELLS = 12
"""Maximum number of cells in a witness, those with the largest effect first."""


def describe_witness(world: World, decision: Decision, witness: Witness) -> JsonObject:
    """The values of `decision` and its rival in `witness`, and the cells that decide between them."""
    family, instance = world.family, witness.instance
    own, other = family.check(instance, decision), family.check(instance, witness.rival)
    return {
        "rival": family.decision.arguments(witness.rival),
        "value": own.value,
        "rival_value": other.value,
        "reason": None if own.feasible else own.reason,
        "cells": [] if own.value is None or other.value is None else _deciding_cells(world, decision, witness),
    }


def _deciding_cells(world: World, decision: Decision, witness: Witness) -> list[JsonObject]:
    """The cells that differ from the truth and that one decision pays for more than the other, largest effect first."""
    sensitivity = ValueSensitivity(world.family, witness.instance)
    shifts, truth = dict[NumberRef, int](), dict[NumberRef, int | None]()
    assert world.ranges is not None
    binding = () if world.family.knowledge.unknowns is None else world.family.knowledge.unknowns.binding
    for column in (column for column in world.ranges.columns if column not in binding):
        changed = _changed_numbers(world, witness.instance, column)
        own, other = (sensitivity.effects_of_numbers(y, list(changed)) for y in (decision, witness.rival))
        effects = {ref: own.get(ref, 0) - other.get(ref, 0) for ref in changed}
        shifts |= {ref: abs(effect * (ref.value - (changed[ref] or 0))) for ref, effect in effects.items() if effect}
        truth |= changed
    ordered = sorted(shifts, key=lambda ref: (-shifts[ref], ref.relation, ref.row, ref.position, ref.list_index or 0))
    return [_cell_to_json(world, ref, truth[ref]) for ref in ordered[:MAX_CELLS]]


def _changed_numbers(world: World, instance: Any, column: ColumnRef) -> dict[NumberRef, int | None]:
    """The numbers of `column` that differ from the truth, with the true number; None if the world has no such row."""
    keys = len(instance.relations[column[0]].keys)
    true_rows = {row[:keys]: row for row in world.instance.rows(column[0])}
    changed = [row for row in instance.rows(column[0]) if row != true_rows.get(row[:keys])]
    rows = {ref: true_rows.get(ref.row[:keys]) for ref in number_refs(instance, column, changed)}
    numbers = {ref: None if row is None else ref._replace(row=row).value for ref, row in rows.items()}
    return {ref: number for ref, number in numbers.items() if number != ref.value}


def _cell_to_json(world: World, ref: NumberRef, true: int | None) -> JsonObject:
    relation = world.instance.relations[ref.relation]
    row = [*map(str, ref.row[: len(relation.keys)]), *([] if ref.list_index is None else [str(ref.list_index + 1)])]
    column = relation.columns[ref.position].name
    return {"table": relation.name, "row": row, "column": column, "true": true, "possible": ref.value}


JUDGING_VERSION = 3
"""Version of the judging rules, increased whenever a judged measure is computed differently; reports never mix versions.

3: regret under a condition is divided at the decision that is best given what was read, and `best_given` says who takes it.
"""

UNRANGED = "Undefined where a family declares no ranges or no unknowns."
_GAPS, _COST, _OBJECTIVE = "reference gaps", "cost units", "objective units"
_FOOTINGS = (
    *(footing.value for footing in Footing),
    *(outcome.value for outcome in Outcome if outcome is not Outcome.FEASIBLE),
)


def _worst_regret(hindsight: Hindsight) -> int | None:
    """The worst regret if it is decided and finite."""
    regret = None if hindsight.risk is None else hindsight.risk.regret
    return None if regret is None or regret == inf else int(regret)


def _witness(hindsight: Hindsight) -> JsonObject | None:
    """The witness, unless the optimum was known: then the decision loses in the true instance already."""
    episode, risk = hindsight.episode, hindsight.risk
    if risk is None or risk.witness is None or hindsight.determination is Determination.DETERMINED or episode.decision is None:
        return None
    return describe_witness(episode.world, episode.decision, risk.witness)


def _query_ratio(hindsight: Hindsight) -> float | None:
    spend, certificate = hindsight.determined_spend, hindsight.key.certificate
    return None if spend is None or certificate is None or not certificate.cost else spend / certificate.cost


JUDGED_MEASURES: tuple[Measure[Hindsight], ...] = (
    Measure(
        name="knowledge",
        title="Knowledge at the end",
        unit="category",
        meaning="Whether one decision is optimal in every instance that the ranges in the question and all responses leave "
        "possible: determined, not determined, or undecided where neither could be proven.",
        caution=f"What could be known, not what the agent understood. {UNRANGED}",
        domain=OneOf(tuple(determination.value for determination in Determination)),
        compute=lambda hindsight: None if hindsight.determination is None else hindsight.determination.value,
        optional=True,
    ),
    Measure(
        name="footing",
        title="Footing of the decision",
        unit="category",
        meaning="Decision and knowledge together. Justified: exact, and determined. Lucky: exact, not determined. Misread: "
        "determined, feasible and not exact. Premature: not determined, feasible and not exact. Undecided: feasible, and "
        "the oracle could not prove whether it was determined. Every other evaluation has its outcome as footing.",
        caution=f"Luck may be a good guess: it says that the responses did not prove it. {UNRANGED}",
        domain=OneOf(_FOOTINGS),
        compute=lambda hindsight: hindsight.footing,
        optional=True,
    ),
    Measure(
        name="determined_at",
        title="Determined at",
        unit="number of a call",
        meaning="The number of the call after which the optimum was determined for the first time.",
        caution="The agent need not have noticed. Undefined if it never was, or if it is undecided whether it was before.",
        domain=Integer(),
        compute=lambda hindsight: hindsight.determined_at,
        optional=True,
    ),
    Measure(
        name="determined_spend",
        title="Spend until determined",
        unit=_COST,
        meaning="What had been spent when the optimum was determined.",
        caution="Undefined where the call is.",
        domain=Integer(),
        compute=lambda hindsight: hindsight.determined_spend,
        optional=True,
    ),
    Measure(
        name="wasted_spend",
        title="Wasted spend",
        unit=_COST,
        meaning="What was spent after the optimum was determined.",
        caution="Wasted in hindsight only: an agent that cannot prove the optimum may do well to read on.",
        domain=Integer(),
        compute=lambda hindsight: None if (needed := hindsight.determined_spend) is None else hindsight.episode.spent - needed,
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
        compute=_query_ratio,
        optional=True,
    ),
    Measure(
        name="worst_regret",
        title="Worst regret",
        unit=_OBJECTIVE,
        meaning="What a feasible decision may lose against the optimum in any instance that the ranges and responses leave "
        "possible: what its submission risked.",
        caution="Undefined where it may be infeasible, or where its bounds do not meet. The true loss is the gap.",
        domain=Integer(),
        compute=_worst_regret,
        optional=True,
    ),
    Measure(
        name="worst_regret_gaps",
        title="Worst normalized regret",
        unit=_GAPS,
        meaning="The worst regret in units of the reference decision's gap.",
        caution="Undefined where the worst regret is.",
        domain=Number(),
        compute=lambda hindsight: (
            None if (regret := _worst_regret(hindsight)) is None else regret / hindsight.key.reference_gap
        ),
        optional=True,
    ),
    Measure(
        name="may_be_infeasible",
        title="Possibly infeasible",
        unit="0 or 1",
        meaning="Whether a decision that is feasible would have been infeasible in another instance that answers alike.",
        caution="It was feasible in truth: this is what its submission risked.",
        domain=Integer(0, 1),
        compute=lambda hindsight: None if hindsight.risk is None else int(hindsight.risk.low == inf),
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
        compute=lambda hindsight: None if hindsight.risk_curve is None else [list(point) for point in hindsight.risk_curve],
        optional=True,
    ),
    Measure(
        name="hindsight_curve",
        title="Risk in hindsight",
        unit="points of cost units and reference gaps",
        meaning="The same curve for the cheapest known calls that determine the optimum, bought in order of importance: so "
        "little could have been risked for the same spend.",
        caution="A bound from above on the least possible risk: other calls may risk less before the end. Defined only where "
        "the suite was built with certificates.",
        domain=Points(),
        compute=lambda hindsight: (
            None
            if (certificate := hindsight.key.certificate) is None
            else [[spend, risk / hindsight.key.reference_gap] for spend, risk in certificate.outlay]
        ),
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
        compute=_witness,
        optional=True,
    ),
    Measure(
        name="best_given",
        title="Best given what was read",
        unit="0 or 1",
        meaning="Under a condition, with sufficient information: whether no decision has a better expected value if every "
        "number that the answers leave possible is equally likely.",
        caution="That convention is not the generator's law, and who looks once and decides well has it too. Undefined in "
        "clear worlds, without sufficient information, or if an evaluation told a value.",
        domain=Integer(0, 1),
        compute=lambda hindsight: hindsight.is_best_given,
        optional=True,
    ),
    Measure(
        name="averaging_regret",
        title="Regret of averaging",
        unit=_GAPS,
        meaning="Under a condition, with sufficient information: the regret of the optimum if every number were the average of "
        "all answers on it.",
        caution="Of what the agent had read, whatever it made of it. Undefined where best given is, or an average is no number "
        "of the problem.",
        domain=Number(),
        compute=lambda hindsight: hindsight.regret_of_reading(lambda answers: sum(answers) // len(answers)),
        optional=True,
    ),
    Measure(
        name="last_answer_regret",
        title="Regret of the last answer",
        unit=_GAPS,
        meaning="The same if every number were what the last answer on it showed.",
        caution="Undefined likewise.",
        domain=Number(),
        compute=lambda hindsight: hindsight.regret_of_reading(lambda answers: answers[-1]),
        optional=True,
    ),
    Measure(
        name="acquisition_regret",
        title="Acquisition regret",
        unit=_GAPS,
        meaning="Regret of the best decision among the options whose facts were all seen. 0 with sufficient information. "
        "Under a condition, with sufficient information: the regret of the decision that is best given what was read.",
        caution="It does not depend on the agent's decision. Undefined if no decision can be made of what was seen.",
        domain=Number(),
        compute=lambda hindsight: hindsight.regret_parts.acquisition,
        optional=True,
    ),
    Measure(
        name="reasoning_regret",
        title="Reasoning regret",
        unit=_GAPS,
        meaning="The rest of the regret: lost although the facts were seen.",
        caution="Negative where a guess beat what was known, which is luck.",
        domain=Number(minimum=-inf),
        compute=lambda hindsight: hindsight.regret_parts.reasoning,
        optional=True,
    ),
)
"""Every measure of what could have been known, in the order in which they are explained."""


ALL_MEASURES: tuple[Measure[Any], ...] = (*MEASURES, *JUDGED_MEASURES)
"""All measures, scored and judged."""


def judge_evaluation(hindsight: Hindsight) -> JsonObject:
    """Every judged measure of an evaluation, by name; a measure that cannot be computed is None and added to `judge.faults`."""
    judgement: JsonObject = {}
    for measure in JUDGED_MEASURES:
        try:
            judgement[measure.name] = measure.compute(hindsight)
        except (MemoryError, OSError):  # the machine's fault, not the oracle's
            raise
        except Exception as error:
            judgement[measure.name] = None
            hindsight.judge.faults.append(f"{measure.name}: {describe_fault(error)}")
    return judgement

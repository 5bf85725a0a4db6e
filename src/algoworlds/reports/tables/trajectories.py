"""Tables of what happened on the way: tool use, spend, sufficiency, tokens, and three recorded trajectories."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from algoworlds.families import family
from algoworlds.reports.aggregate import average, count, percent
from algoworlds.reports.evaluation import SUBOPTIMAL, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Column, Row, Sheet, by_configuration, decimals, sheet
from algoworlds.reports.tables.outcomes import MEASURES, informative
from algoworlds.worlds.episode import Outcome, Status

_SUFFICIENT = (("sufficiency", 1),)


def diagnostics(results: Results) -> Sheet:
    """Trajectory diagnostics, calls, exactness given sufficiency and caps."""
    statistics = {
        "discovery": MEASURES["discovery_coverage"],
        "grounding": percent(lambda each: each.grounding),
        "sufficiency": MEASURES["information_sufficiency"],
        "calls": average(lambda each: each.executed_calls),
        "exact_given_sufficiency": percent(lambda each: each.exact, informative),
        "call_cap": count(lambda each: each.call_cap),
        "budget_cap": count(lambda each: each.budget_cap),
    }
    columns = [
        CONFIGURATION,
        Column("discovery", "Discovery", decimals(2)),
        Column("grounding", "Grounding", decimals(2)),
        Column("sufficiency", "Sufficiency", decimals(2), _SUFFICIENT),
        Column("calls", "Calls", decimals(1)),
        Column("exact_given_sufficiency", "Exact given sufficiency", decimals(2), _SUFFICIENT),
        Column("call_cap", "Information-call cap", decimals(1), (("call_cap", 1),)),
        Column("budget_cap", "Budget cap", decimals(1), (("budget_cap", 1),)),
    ]
    return sheet("diagnostics", results, columns, by_configuration(results, statistics))


def acquisition_spend(results: Results) -> Sheet:
    """Calls and spend, overall and given sufficiency or optimality."""
    statistics = {
        "calls": average(lambda each: each.executed_calls),
        "spend": average(lambda each: each.spend),
        "spend_of_budget": average(lambda each: 100 * each.spend / each.budget),
        "spend_given_sufficiency": average(lambda each: each.spend, informative),
        "spend_given_exact": average(lambda each: each.spend, lambda each: each.exact),
    }
    columns = [
        CONFIGURATION,
        Column("calls", "Calls", decimals(1)),
        Column("spend", "Spend", decimals(1)),
        Column("spend_of_budget", "Spend / budget (%)", decimals(1)),
        Column("spend_given_sufficiency", "Spend given information sufficiency", decimals(1), _SUFFICIENT),
        Column("spend_given_exact", "Spend given exact optimality", decimals(1), (("exact", 1),)),
    ]
    return sheet("acquisition_spend", results, columns, by_configuration(results, statistics))


def information_use(results: Results) -> Sheet:
    """When information became sufficient, what was asked in vain, and where utility was lost."""
    statistics = {
        "calls_to_sufficiency": average(lambda each: each.sufficient_at or 0, lambda each: each.sufficient_at is not None),
        "redundant_calls": average(lambda each: each.redundant_calls),
        "rejected_calls": average(lambda each: each.attempted_calls - each.executed_calls - (each.stop_reason == "submitted")),
        "lost_without": average(lambda each: (100 - each.utility) * (1 - each.sufficiency)),
        "lost_with": average(lambda each: (100 - each.utility) * each.sufficiency),
    }
    columns = [
        CONFIGURATION,
        Column("calls_to_sufficiency", "Calls to sufficiency", decimals(1), _SUFFICIENT),
        Column("redundant_calls", "Redundant calls", decimals(1)),
        Column("rejected_calls", "Rejected calls", decimals(1)),
        Column("lost_without", "Utility lost without sufficiency", decimals(1), (("sufficiency", 0),)),
        Column("lost_with", "Utility lost with sufficiency", decimals(1), _SUFFICIENT),
    ]
    return sheet("information_use", results, columns, by_configuration(results, statistics))


def usage(results: Results) -> Sheet | None:
    """Tokens and cost an evaluation; None if no record has any."""
    if all(each.record["tokens"] is None for each in results.evaluations):
        return None
    statistics = {kind: _reported(_tokens(kind)) for kind in ("input", "output", "reasoning", "cached")}
    statistics["cost"] = _reported(lambda each: each.record["cost"])
    columns = [
        CONFIGURATION,
        *(Column(kind, f"{kind.capitalize()} tokens", decimals(0)) for kind in ("input", "output", "reasoning", "cached")),
        Column("cost", "Cost (USD)", decimals(4)),
    ]
    return sheet("usage", results, columns, by_configuration(results, statistics))


def _tokens(kind: str) -> Callable[[Evaluation], float | None]:
    return lambda each: (each.record["tokens"] or {}).get(kind)


def _reported(of: Callable[[Evaluation], float | None]) -> Callable[[Sequence[Evaluation]], float | None]:
    return average(lambda each: of(each) or 0, lambda each: of(each) is not None)


# -- three recorded trajectories --------------------------------------------------------------------------------------


class Archetype(NamedTuple):
    """A kind of trajectory: its name, who belongs to it, and by what the median one is found."""

    name: str
    holds: Callable[[Evaluation], bool]
    size: Callable[[Evaluation], float]


_ARCHETYPES = (
    Archetype("No sufficient information set in full", lambda each: not each.sufficiency, lambda each: each.coverage),
    Archetype(
        "Sufficient information, infeasible",
        lambda each: each.sufficiency == 1 and each.outcome == Outcome.INFEASIBLE.value,
        lambda each: each.executed_calls,
    ),
    Archetype(
        "Sufficient information, feasible suboptimal",
        lambda each: each.sufficiency == 1 and each.category == SUBOPTIMAL,
        lambda each: each.regret or 0.0,
    ),
)


def trajectory_examples(results: Results) -> Sheet | None:
    """Three archetypes from the records, of models if there are any; None if there is no trajectory of these kinds."""
    labels = results.models or results.configurations
    pool = [each for each in results.evaluations if each.configuration in labels]
    picked = [(kind.name, example) for kind in _ARCHETYPES if (example := _median(kind, pool)) is not None]
    rows = [row for name, example in picked for row in _told(name, example)]
    columns = [Column("field", "Field", str), Column("text", "Recorded trajectory", str)]
    return sheet("trajectory_examples", results, columns, rows) if rows else None


def _median(kind: Archetype, pool: Sequence[Evaluation]) -> Evaluation | None:
    """The lower median of a kind; of those without information, the ones without a decision if there are any."""
    found = [each for each in pool if kind.holds(each)]
    silent = [each for each in found if each.outcome == Outcome.NO_DECISION.value]
    found = sorted(silent or found, key=kind.size)  # stable: ties stay in canonical order
    return found[(len(found) - 1) // 2] if found else None


def _told(name: str, example: Evaluation) -> list[Row]:
    place = f"{family(example.family).title}, {example.interface.capitalize()}, L{example.level}, instance {example.index}"
    told = {
        "Archetype": name,
        "World": f"{place}; {example.configuration}, trial {example.trial}",
        "Recorded calls": inventory(example) or "none",
        "Final result": _result(example),
    }
    where = {"configuration": example.configuration, "world": example.world, "trial": example.trial}
    return [{"field": field, "text": text, **where} for field, text in told.items()]


def inventory(example: Evaluation) -> str:
    """The tools of a trajectory with their counts, in order of first use: executed calls and the submission."""
    made = (Status.EXECUTED.value, Status.SUBMITTED.value)
    counts = Counter(step["tool"] for step in example.record["trajectory"] if step["status"] in made)
    return "; ".join(f"{tool.replace('_', ' ')} ({count})" for tool, count in counts.items())


def _result(example: Evaluation) -> str:
    covered = f"discovery coverage {100 * example.coverage:.1f}%"
    if example.feasible:
        status = "optimum" if example.exact else "non-optimum"
        return f"Feasible {status}; normalized regret {example.regret:.3f}, reference utility {example.utility:.1f}; {covered}"
    if example.outcome == Outcome.INFEASIBLE.value:
        return f"Final decision infeasible; {covered}, entity grounding {100 * example.grounding:.1f}%"
    return f"{example.outcome.replace('_', ' ').capitalize()}; {covered}"

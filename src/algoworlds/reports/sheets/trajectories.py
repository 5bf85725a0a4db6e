"""Sheets of what happened on the way: tool use, spend, sufficiency, tokens, and three recorded trajectories."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from algoworlds.core.work import Sense
from algoworlds.families import family
from algoworlds.reports.aggregate import average, count, percent
from algoworlds.reports.evaluation import SUBOPTIMAL, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_configuration, summarized
from algoworlds.reports.sheets.categories import INFORMATIVE, MEANS, informative
from algoworlds.reports.sheets.sections import DETAILS
from algoworlds.reports.spelling import decimals
from algoworlds.worlds.episode import Outcome
from algoworlds.worlds.observation import Status

_CALLS = summarized("calls", "Calls", decimals(1), average(lambda each: each.executed_calls))

DIAGNOSTICS = Sheet(
    "diagnostics",
    "Trajectories, tools and caps",
    DETAILS,
    """Trajectory, tool use and termination: means over {trials} of what is computed within a trial. Discovery, grounding,
    sufficiency and exact optimality given sufficiency are percentages; calls are executed information calls per evaluation;
    the caps are counts per trial of {worlds} worlds. Grounding is the share of a decision's identifiers seen before (0
    without a decision), not correct use of what was seen.""",
    by_configuration,
    (
        CONFIGURATION,
        summarized("discovery", "Discovery", decimals(2), MEANS["discovery_coverage"], best=Sense.MAX),
        summarized("grounding", "Grounding", decimals(2), percent(lambda each: each.grounding), best=Sense.MAX),
        summarized("sufficiency", "Sufficiency", decimals(2), MEANS["information_sufficiency"], INFORMATIVE, best=Sense.MAX),
        _CALLS,
        summarized(
            "exact_given_sufficiency",
            "Exact given sufficiency",
            decimals(2),
            percent(lambda each: each.exact, informative),
            INFORMATIVE,
            best=Sense.MAX,
        ),
        summarized("call_cap", "Information-call cap", decimals(1), count(lambda each: each.call_cap), ("call_cap", 1)),
        summarized("budget_cap", "Budget cap", decimals(1), count(lambda each: each.budget_cap), ("budget_cap", 1)),
    ),
    paper=True,
)

ACQUISITION_SPEND = Sheet(
    "acquisition_spend",
    "What acquisition cost",
    DETAILS,
    """What acquisition cost: executed information calls, spend in cost units and spend as percentage of each world's own
    budget, averaged within a trial and then over {trials}; the last two columns are the mean spend of the evaluations with
    sufficient information and of the optimal ones. Descriptive: neither efficiency scores nor effects of spending.""",
    by_configuration,
    (
        CONFIGURATION,
        _CALLS,
        summarized("spend", "Spend", decimals(1), average(lambda each: each.spend)),
        summarized("spend_of_budget", "Spend / budget (%)", decimals(1), average(lambda each: 100 * each.spend / each.budget)),
        summarized(
            "spend_given_sufficiency",
            "Spend given information sufficiency",
            decimals(1),
            average(lambda each: each.spend, informative),
            INFORMATIVE,
        ),
        summarized(
            "spend_given_exact",
            "Spend given exact optimality",
            decimals(1),
            average(lambda each: each.spend, lambda each: each.exact),
            ("exact", 1),
        ),
    ),
    paper=True,
)


INFORMATION_USE = Sheet(
    "information_use",
    "Use of information",
    DETAILS,
    """When information became sufficient and what was lost before and after. Calls to sufficiency: calls of any kind until
    then, among informative trajectories; redundant calls: executed calls that brought nothing new. The utility lost per
    evaluation (100 minus reference utility) is split into evaluations without sufficient information and those with it; the
    split is an account, not a cause. Means over {trials}.""",
    by_configuration,
    (
        CONFIGURATION,
        summarized(
            "calls_to_sufficiency",
            "Calls to sufficiency",
            decimals(1),
            average(lambda each: each.sufficient_at or 0, lambda each: each.sufficient_at is not None),
            INFORMATIVE,
        ),
        summarized("redundant_calls", "Redundant calls", decimals(1), average(lambda each: each.redundant_calls)),
        summarized(  # a decision that was accepted is a call, but no information call
            "rejected_calls",
            "Rejected calls",
            decimals(1),
            average(lambda each: each.attempted_calls - each.executed_calls - (each.stop_reason == "submitted")),
        ),
        summarized(
            "lost_without",
            "Utility lost without sufficiency",
            decimals(1),
            average(lambda each: (100 - each.utility) * (1 - each.sufficiency)),
            ("sufficiency", 0),
            best=Sense.MIN,
        ),
        summarized(
            "lost_with",
            "Utility lost with sufficiency",
            decimals(1),
            average(lambda each: (100 - each.utility) * each.sufficiency),
            INFORMATIVE,
            best=Sense.MIN,
        ),
    ),
)

# -- tokens and cost --------------------------------------------------------------------------------------------------

Reading = Callable[[Evaluation], float | None]


def _used(results: Results) -> list[Subject]:
    """None if no record has any tokens."""
    told = any(each.record["tokens"] is not None for each in results.evaluations)
    return by_configuration(results) if told else []


def _reported(key: str, head: str, places: int, of: Reading) -> SheetColumn:
    return summarized(key, head, decimals(places), average(lambda each: of(each) or 0, lambda each: of(each) is not None))


def _tokens(kind: str) -> SheetColumn:
    return _reported(kind, f"{kind.capitalize()} tokens", 0, lambda each: (each.record["tokens"] or {}).get(kind))


USAGE = Sheet(
    "usage",
    "Tokens and cost",
    DETAILS,
    """Tokens and cost (US dollars by the configured prices) per evaluation, as far as the provider reported them; means
    over {trials}. Providers count reasoning tokens differently.""",
    _used,
    (
        CONFIGURATION,
        *map(_tokens, ("input", "output", "reasoning", "cached")),
        _reported("cost", "Cost (USD)", 4, lambda each: each.record["cost"]),
    ),
)

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


def _examples(results: Results) -> list[Subject]:
    """Three archetypes from the records, of models if there are any; none if there is no trajectory of these kinds."""
    labels = results.candidates or results.configurations
    pool = [each for each in results.evaluations if each.configuration in labels]
    picked = [(kind.name, example) for kind in _ARCHETYPES if (example := _median(kind, pool)) is not None]
    return [line for name, example in picked for line in _told(name, example)]


def _median(kind: Archetype, pool: Sequence[Evaluation]) -> Evaluation | None:
    """The lower median of a kind; of those without information, the ones without a decision if there are any."""
    found = [each for each in pool if kind.holds(each)]
    silent = [each for each in found if each.outcome == Outcome.NO_DECISION.value]
    found = sorted(silent or found, key=kind.size)  # stable: ties stay in canonical order
    return found[(len(found) - 1) // 2] if found else None


def _told(name: str, example: Evaluation) -> list[Subject]:
    place = f"{family(example.family).title}, {example.interface.capitalize()}, L{example.level}, instance {example.index}"
    told = {
        "Archetype": name,
        "World": f"{place}; {example.configuration}, trial {example.trial}",
        "Recorded calls": inventory(example) or "none",
        "Final result": _result(example),
    }
    where = {"configuration": example.configuration, "world": example.world, "trial": example.trial}
    return [Subject({"field": field, "text": text, **where}, example) for field, text in told.items()]


def inventory(example: Evaluation) -> str:
    """The tools of a trajectory with their counts, in order of first use: executed calls and the submission."""
    made = (Status.EXECUTED.value, Status.SUBMITTED.value)
    counts = Counter(each.tool for each in example.trajectory if each.status in made)
    return "; ".join(f"{tool.replace('_', ' ')} ({count})" for tool, count in counts.items())


def _result(example: Evaluation) -> str:
    covered = f"discovery coverage {100 * example.coverage:.1f}%"
    if example.feasible:
        status = "optimum" if example.exact else "non-optimum"
        return f"Feasible {status}; normalized regret {example.regret:.3f}, reference utility {example.utility:.1f}; {covered}"
    if example.outcome == Outcome.INFEASIBLE.value:
        return f"Final decision infeasible; {covered}, entity grounding {100 * example.grounding:.1f}%"
    return f"{example.outcome.replace('_', ' ').capitalize()}; {covered}"


TRAJECTORY_EXAMPLES = Sheet(
    "trajectory_examples",
    "Three recorded trajectories",
    DETAILS,
    """Recorded trajectories of three kinds, each the median one of its kind: by coverage among those without sufficient
    information (those without a decision first), by executed calls among the infeasible, by regret among the feasible
    suboptimal. Calls are executed ones and the submission, in order of first use. Examples, not frequencies.""",
    _examples,
    (SheetColumn("field", "Field", str), SheetColumn("text", "Recorded trajectory", str)),
    paper=True,
    grouped=True,
)

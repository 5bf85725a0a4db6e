"""Sheets about trajectories: tool use, spend, sufficiency, tokens, and three recorded examples."""

from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from algoworlds.core.work import Sense
from algoworlds.families import load_family
from algoworlds.reports.aggregate import mean, mean_of, percent_of
from algoworlds.reports.evaluation import SUBOPTIMAL, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects_with_kind,
    count_column,
    decimals,
    summary_column,
)
from algoworlds.reports.sheets.decisions import SUFFICIENT_FILTER, TRIAL_MEANS, has_sufficient_information
from algoworlds.runs.providers.effort import effort_rank
from algoworlds.worlds.episode import Outcome
from algoworlds.worlds.observation import Status

_CALLS = summary_column("calls", "Calls", mean_of(attrgetter("executed_calls")))

DIAGNOSTICS = Sheet(
    "diagnostics",
    "Trajectories, tools and caps",
    DETAILS_SECTION,
    """Trajectory, tool use and termination: means over {trials} of what is computed within a trial. Discovery, grounding,
    sufficiency and exact optimality given sufficiency are percentages; calls are executed information calls per evaluation;
    the caps are counts per trial of {worlds} worlds. Grounding is the share of a decision's identifiers seen before (0
    without a decision), not correct use of what was seen.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        summary_column("discovery", "Discovery", TRIAL_MEANS["discovery_coverage"], places=2, best=Sense.MAX),
        summary_column("grounding", "Grounding", percent_of(attrgetter("grounding")), places=2, best=Sense.MAX),
        summary_column(
            "sufficiency", "Sufficiency", TRIAL_MEANS["information_sufficiency"], SUFFICIENT_FILTER, places=2, best=Sense.MAX
        ),
        _CALLS,
        summary_column(
            "exact_given_sufficiency",
            "Exact given sufficiency",
            percent_of(attrgetter("exact"), has_sufficient_information),
            SUFFICIENT_FILTER,
            places=2,
            best=Sense.MAX,
        ),
        count_column("call_cap", "Information-call cap", ("call_cap", 1)),
        count_column("budget_cap", "Budget cap", ("budget_cap", 1)),
    ),
    in_paper=True,
)

ACQUISITION_SPEND = Sheet(
    "acquisition_spend",
    "What acquisition cost",
    DETAILS_SECTION,
    """What acquisition cost: executed information calls, spend in cost units and spend as percentage of each world's own
    budget, averaged within a trial and then over {trials}; the last two columns are the mean spend of the evaluations with
    sufficient information and of the optimal ones. Descriptive: neither efficiency scores nor effects of spending.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        _CALLS,
        summary_column("spend", "Spend", mean_of(attrgetter("spend"))),
        summary_column(
            "spend_of_budget", "Spend / budget (%)", mean_of(lambda evaluation: 100 * evaluation.spend / evaluation.budget)
        ),
        summary_column(
            "spend_given_sufficiency",
            "Spend given information sufficiency",
            mean_of(attrgetter("spend"), has_sufficient_information),
            SUFFICIENT_FILTER,
        ),
        summary_column(
            "spend_given_exact", "Spend given exact optimality", mean_of(attrgetter("spend"), attrgetter("exact")), ("exact", 1)
        ),
    ),
    in_paper=True,
)


INFORMATION_USE = Sheet(
    "information_use",
    "Use of information",
    DETAILS_SECTION,
    """When information became sufficient and what was lost before and after. Calls to sufficiency: calls of any kind until
    then, among informative trajectories; redundant calls: executed calls that brought nothing new. The utility lost per
    evaluation (100 minus reference utility) is split into evaluations without sufficient information and those with it; the
    split is an account, not a cause. Means over {trials}.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        summary_column(
            "calls_to_sufficiency",
            "Calls to sufficiency",
            mean_of(attrgetter("sufficient_at")),
            SUFFICIENT_FILTER,
        ),
        summary_column("redundant_calls", "Redundant calls", mean_of(attrgetter("redundant_calls"))),
        summary_column(
            "rejected_calls",
            "Rejected calls",
            mean_of(
                lambda evaluation: (
                    evaluation.attempted_calls - evaluation.executed_calls - (evaluation.stop_reason == "submitted")
                )
            ),
        ),
        summary_column(
            "lost_without",
            "Utility lost without sufficiency",
            mean_of(lambda evaluation: (100 - evaluation.utility) * (1 - evaluation.sufficiency)),
            ("sufficiency", 0),
            best=Sense.MIN,
        ),
        summary_column(
            "lost_with",
            "Utility lost with sufficiency",
            mean_of(lambda evaluation: (100 - evaluation.utility) * evaluation.sufficiency),
            SUFFICIENT_FILTER,
            best=Sense.MIN,
        ),
    ),
)

# -- tokens and cost --------------------------------------------------------------------------------------------------


def _usage_subjects(results: Results) -> list[RowSubject]:
    """One row per configuration if any record has tokens."""
    has_tokens = any(evaluation.record["tokens"] is not None for evaluation in results.evaluations)
    return configuration_subjects_with_kind(results) if has_tokens else []


def _token_column(kind: str) -> SheetColumn:
    statistic = mean_of(lambda evaluation: (evaluation.record["tokens"] or {}).get(kind))
    return summary_column(kind, f"{kind.capitalize()} tokens", statistic, places=0)


USAGE = Sheet(
    "usage",
    "Tokens and cost",
    DETAILS_SECTION,
    """Tokens and cost (US dollars by the configured prices) per evaluation, as far as the provider reported them; means
    over {trials}. Providers count reasoning tokens differently.""",
    _usage_subjects,
    (
        CONFIGURATION_COLUMN,
        *map(_token_column, ("input", "output", "reasoning", "cached")),
        summary_column("cost", "Cost (USD)", mean_of(lambda evaluation: evaluation.record["cost"]), places=4),
    ),
)

# -- reasoning effort -----------------------------------------------------------------------------------------------------

MIN_EFFORT_RATIO = 1.1
"""With fewer reasoning tokens a turn than this times those of the next lower effort, an effort changed nothing counted."""


class EffortRow(NamedTuple):
    """A model at one effort: exact optimality in percent, mean counts per evaluation, and a warning if there is one."""

    exact: float
    reasoning: float | None
    """A turn."""
    output: float | None
    cost: float | None
    warning: str


def _effort_subjects(results: Results) -> list[RowSubject]:
    """One row per model and effort, for models with several; the least effort first."""
    by_model: dict[str, list[str]] = {}
    for label, (model, _) in results.efforts.items():
        by_model.setdefault(model, []).append(label)
    rows = []
    for labels in by_model.values():
        before: float | None = None
        for label in sorted(labels, key=lambda label: effort_rank(results.efforts[label].effort)) if len(labels) > 1 else ():
            row = _effort_row(results, label, before)
            before = row.reasoning
            rows.append(RowSubject({"configuration": label, "effort": results.efforts[label].effort}, row))
    return rows


def _effort_row(results: Results, label: str, before: float | None) -> EffortRow:
    """The row of `label`; `before` has the reasoning tokens a turn at the next lower effort."""
    evaluations = [evaluation for trial in results.trials(label) for evaluation in trial]

    def mean_count(read: Callable[[Evaluation], float | None]) -> float | None:
        values = [value for evaluation in evaluations if (value := read(evaluation)) is not None]
        return mean(values) if len(values) == len(evaluations) else None

    reasoning, output = (
        mean_count(lambda evaluation, kind=kind: (evaluation.record["tokens"] or {}).get(kind))  # type: ignore[misc]
        for kind in ("reasoning", "output")
    )
    warning, turns = "", mean([evaluation.record["turns"] for evaluation in evaluations])
    if reasoning is not None and turns:
        reasoning /= turns
    if reasoning is None:
        warning = "reasoning tokens are not reported"
    elif before is not None and reasoning < MIN_EFFORT_RATIO * before:
        warning = "no more reasoning tokens a turn than at the effort before: it may have changed nothing"
    exact = 100 * mean([evaluation.exact for evaluation in evaluations])
    return EffortRow(exact, reasoning, output, mean_count(lambda evaluation: evaluation.record["cost"]), warning)


EFFORT = Sheet(
    "effort",
    "Reasoning effort",
    DETAILS_SECTION,
    """Models that were evaluated at several reasoning efforts, the least first: exact optimality (percent), reasoning tokens
    a turn, and output tokens and cost (US dollars) per evaluation; means, as far as all evaluations report them. A warning
    stands where an effort did not raise the reasoning tokens by a tenth over the effort before: it may not have arrived.""",
    _effort_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("effort", "Effort", str),
        SheetColumn("exact", "Exact optimality", decimals(2), attrgetter("exact")),
        SheetColumn("reasoning", "Reasoning tokens a turn", decimals(0), attrgetter("reasoning")),
        SheetColumn("output", "Output tokens", decimals(0), attrgetter("output")),
        SheetColumn("cost", "Cost (USD)", decimals(4), attrgetter("cost")),
        SheetColumn("warning", "Warning", str, attrgetter("warning")),
    ),
)

# -- three recorded trajectories --------------------------------------------------------------------------------------


class Archetype(NamedTuple):
    """A kind of trajectory: its name, its condition, and the key by which the median one is found."""

    name: str
    matches: Callable[[Evaluation], bool]
    sort_key: Callable[[Evaluation], float]


_ARCHETYPES = (
    Archetype("No sufficient information set in full", lambda evaluation: not evaluation.sufficiency, attrgetter("coverage")),
    Archetype(
        "Sufficient information, infeasible",
        lambda evaluation: evaluation.sufficiency == 1 and evaluation.outcome == Outcome.INFEASIBLE.value,
        attrgetter("executed_calls"),
    ),
    Archetype(
        "Sufficient information, feasible suboptimal",
        lambda evaluation: evaluation.sufficiency == 1 and evaluation.category == SUBOPTIMAL,
        lambda evaluation: evaluation.regret or 0.0,
    ),
)


def _example_subjects(results: Results) -> list[RowSubject]:
    """Four rows per archetype, of a model if there are any; archetypes without a trajectory are left out.

    The example is the lower median of its kind; evaluations without a decision are preferred.
    """
    labels = results.candidates or results.configurations
    rows = []
    for kind in _ARCHETYPES:
        matching = [row for row in results.evaluations if row.configuration in labels and kind.matches(row)]
        silent = [evaluation for evaluation in matching if evaluation.outcome == Outcome.NO_DECISION.value]
        ordered = sorted(silent or matching, key=kind.sort_key)  # stable: ties stay in canonical order
        if ordered:
            rows += _describe_example(kind.name, ordered[(len(ordered) - 1) // 2])
    return rows


def _describe_example(name: str, example: Evaluation) -> list[RowSubject]:
    world = f"{load_family(example.family).title}, {example.interface.capitalize()}, L{example.level}, instance {example.index}"
    texts = {
        "Archetype": name,
        "World": f"{world}; {example.configuration}, trial {example.trial}",
        "Recorded calls": format_tool_counts(example) or "none",
        "Final result": _result_text(example),
    }
    where = {"configuration": example.configuration, "world": example.world, "trial": example.trial}
    return [RowSubject({"field": field, "text": text, **where}, example) for field, text in texts.items()]


def format_tool_counts(example: Evaluation) -> str:
    """The tools of a trajectory with counts of executed calls and the submission, in order of first use."""
    counted = (Status.EXECUTED.value, Status.SUBMITTED.value, Status.COMPUTED.value)
    counts = Counter(call.tool for call in example.trajectory if call.status in counted)
    return "; ".join(f"{tool.replace('_', ' ')} ({count})" for tool, count in counts.items())


def _result_text(example: Evaluation) -> str:
    coverage = f"discovery coverage {100 * example.coverage:.1f}%"
    if example.feasible:
        status = "optimum" if example.exact else "non-optimum"
        return f"Feasible {status}; normalized regret {example.regret:.3f}, reference utility {example.utility:.1f}; {coverage}"
    if example.outcome == Outcome.INFEASIBLE.value:
        return f"Final decision infeasible; {coverage}, entity grounding {100 * example.grounding:.1f}%"
    return f"{example.outcome.replace('_', ' ').capitalize()}; {coverage}"


TRAJECTORY_EXAMPLES = Sheet(
    "trajectory_examples",
    "Three recorded trajectories",
    DETAILS_SECTION,
    """Recorded trajectories of three kinds, each the median one of its kind: by coverage among those without sufficient
    information (those without a decision first), by executed calls among the infeasible, by regret among the feasible
    suboptimal. Calls are executed ones and the submission, in order of first use. Examples, not frequencies.""",
    _example_subjects,
    (SheetColumn("field", "Field", str), SheetColumn("text", "Recorded trajectory", str)),
    in_paper=True,
    grouped=True,
)

"""Sheets about final decisions: headline measures, categories, quality against the reference, outcomes given sufficiency."""

from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from algoworlds.core.work import Sense
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.aggregate import Condition, Metric, Statistic, Summary, mean_of, percent_of, quantile_of, summarize
from algoworlds.reports.evaluation import (
    BETTER_THAN_REFERENCE,
    CATEGORIES,
    NOT_BETTER_THAN_REFERENCE,
    OPTIMAL,
    SUBOPTIMAL,
    UNDECIDED_OUTCOMES,
    Evaluation,
)
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RESULTS_SECTION,
    Sheet,
    SheetColumn,
    configuration_subjects_with_kind,
    count_column,
    format_mean_sd,
    format_p_value,
    format_range,
    summary_column,
)
from algoworlds.reports.statistics import measure_drift

CATEGORY_TITLES = {category: category.replace("_", " ").capitalize() for category in CATEGORIES}
CATEGORY_TITLES |= {OPTIMAL: "Globally optimal", SUBOPTIMAL: "Feasible suboptimal"}

HEADLINE_MEASURES = [
    measure for measure in MEASURES if measure.name in ("exact", "feasible", "utility", "sufficiency", "coverage")
]
"""The three metrics of final decisions and the two diagnostics of trajectories."""

MEASURE_TITLES = {measure.title.lower().replace(" ", "_"): measure.title for measure in HEADLINE_MEASURES}


def _to_percent(measure: Measure[Any]) -> Callable[[Evaluation], float]:
    """`measure` of an evaluation on the scale 0-100: flags and shares become percentages."""
    scale = 1 if measure.unit.startswith("points") else 100
    return lambda evaluation: scale * evaluation.record[measure.name]


HEADLINE_METRICS = {key: _to_percent(measure) for key, measure in zip(MEASURE_TITLES, HEADLINE_MEASURES, strict=True)}
"""The headline measures of an evaluation, on the scale 0-100."""

TRIAL_MEANS: dict[str, Statistic] = {key: mean_of(metric) for key, metric in HEADLINE_METRICS.items()}
"""The mean of each headline measure within a trial."""


def summarize_configuration(results: Results, label: str, statistic: Statistic) -> Summary:
    """The summary of a `statistic` that every trial has."""
    summary = summarize(results.trials(label), statistic)
    assert summary is not None  # results have no empty trial
    return summary


def headline_mean(results: Results, label: str, name: str) -> float:
    """The mean over trials of the headline measure `name`."""
    return summarize_configuration(results, label, TRIAL_MEANS[name]).mean


SUFFICIENT_FILTER = ("sufficiency", 1)
"""Selects evaluations with sufficient information."""


def has_sufficient_information(evaluation: Evaluation) -> bool:
    """Whether the trajectory contains a sufficient information set in full."""
    return evaluation.sufficiency == 1


def in_category(category: str) -> Callable[[Evaluation], bool]:
    """The condition that the final decision is in `category`."""
    return lambda evaluation: evaluation.category == category


def _drift_warning(results: Results) -> dict[str, str]:
    """A warning in the caption about models that seem to have changed during their run."""
    alarms = [
        f"{label} ({drift.early:.1f} % early, {drift.late:.1f} % late, p {format_p_value(drift.holm)})"
        for label, drift in measure_drift(results).items()
        if drift.is_alarm and drift.holm is not None
    ]
    return {"drifting": f"Changed in the course of its run: {', '.join(alarms)}; see the table of drift." if alarms else ""}


MAIN_RESULTS = Sheet(
    "main_results",
    "Headline measures",
    RESULTS_SECTION,
    """Performance on all {worlds} worlds. Mean ± sample standard deviation (n - 1) over {trials}. The deviation is between
    trials on the same worlds, not a confidence interval. All columns are percentages but reference utility, whose scale is
    0-100. Scripted agents stand below the models as floor and ceiling. {drifting}""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        *(
            summary_column(key, MEASURE_TITLES[key], statistic, formatter=format_mean_sd, best=Sense.MAX)
            for key, statistic in TRIAL_MEANS.items()
        ),
    ),
    caption_values=_drift_warning,
    in_paper=True,
)


def _informative_sizes(results: Results) -> dict[str, str]:
    """The number of evaluations behind the conditional percentages."""
    groups = [[row for trial in results.trials(label) for row in trial] for label in results.configurations]
    return {
        "informative": format_range(sum(map(has_sufficient_information, group)) for group in groups),
        "evaluations": format_range(map(len, groups)),
    }


def outcome_columns(condition: Condition, *where: tuple[str, str | int]) -> list[SheetColumn]:
    """How the evaluations that satisfy `condition` end, in percent of them: three columns that add up to 100."""
    kinds: tuple[tuple[str, str, Metric, tuple[str, str | int], Sense | None], ...] = (
        ("optimal", "Globally optimal", in_category(OPTIMAL), ("category", OPTIMAL), Sense.MAX),
        ("suboptimal", "Feasible but suboptimal", in_category(SUBOPTIMAL), ("category", SUBOPTIMAL), None),
        ("other_failure", "Other failure", lambda evaluation: not evaluation.feasible, ("feasible", 0), Sense.MIN),
    )
    return [
        summary_column(key, title, percent_of(metric, condition), *where, selection, best=best)
        for key, title, metric, selection, best in kinds
    ]


CONDITIONAL_OUTCOMES = Sheet(
    "conditional_outcomes",
    "What sufficient information led to",
    RESULTS_SECTION,
    """Information sufficiency, and how the informative trajectories end ({informative} of a configuration's {evaluations}
    evaluations). Each percentage is computed within a trial and then averaged over {trials}; a trial without informative
    trajectories has no conditional percentage. The last three columns add up to 100 before rounding. They describe a
    subset, not an effect of information: sufficiency does not say that the agent recognized or used what it had.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        summary_column(
            "information_sufficiency",
            "Information sufficiency",
            TRIAL_MEANS["information_sufficiency"],
            SUFFICIENT_FILTER,
            best=Sense.MAX,
        ),
        *outcome_columns(has_sufficient_information, SUFFICIENT_FILTER),
    ),
    caption_values=_informative_sizes,
    in_paper=True,
)


_BETTER = {OPTIMAL: Sense.MAX, **{category: Sense.MIN for category in CATEGORIES if category not in (OPTIMAL, SUBOPTIMAL)}}
"""Suboptimal decisions have no better direction: fewer may mean more optima or more failures."""


def _category_columns(*where: tuple[str, str | int]) -> list[SheetColumn]:
    return [
        count_column(key, title, *where, ("category", key), best=_BETTER.get(key)) for key, title in CATEGORY_TITLES.items()
    ]


OUTCOMES = Sheet(
    "outcomes",
    "Final-decision categories",
    DETAILS_SECTION,
    """Mean number of evaluations in each final-decision category per trial of {worlds} worlds, over {trials}. The five
    categories partition the evaluations before rounding.""",
    configuration_subjects_with_kind,
    (CONFIGURATION_COLUMN, *_category_columns()),
    in_paper=True,
)

CONDITIONAL_OUTCOME_COUNTS = Sheet(
    "conditional_outcome_counts",
    "Categories among informative trajectories",
    DETAILS_SECTION,
    """Mean number of evaluations in each final-decision category among those that satisfy information sufficiency, per
    trial of {worlds} worlds, over {trials}. The five categories add up to the first count before rounding.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        count_column("information_sufficiency", "Information sufficiency", SUFFICIENT_FILTER),
        *_category_columns(SUFFICIENT_FILTER),
    ),
    in_paper=True,
)


def _regret_quantile(share: float) -> Statistic:
    return quantile_of(attrgetter("regret"), share, in_category(SUBOPTIMAL))


REFERENCE_QUALITY = Sheet(
    "reference_quality",
    "Quality against the reference decision",
    DETAILS_SECTION,
    """Decision quality against the reference decision. Utility is the mean ± sample standard deviation over {trials}.
    Regret is the gap to the optimum in units of the reference's gap; its median and 90th percentile are taken within a
    trial among feasible decisions that are not optimal (linear interpolation between order statistics) and then averaged.
    The last four columns are mean counts per trial and partition it before rounding: better than reference means regret
    strictly between 0 and 1, reference or worse at least 1.""",
    configuration_subjects_with_kind,
    (
        CONFIGURATION_COLUMN,
        summary_column(
            "utility", "Reference utility", TRIAL_MEANS["reference_utility"], formatter=format_mean_sd, best=Sense.MAX
        ),
        summary_column(
            "median_regret", "Median regret", _regret_quantile(0.5), ("category", SUBOPTIMAL), places=3, best=Sense.MIN
        ),
        summary_column(
            "high_regret", "90th percentile regret", _regret_quantile(0.9), ("category", SUBOPTIMAL), places=3, best=Sense.MIN
        ),
        count_column("optimal", "Globally optimal", ("category", OPTIMAL), best=Sense.MAX),
        count_column("better", "Better than reference", ("quality", BETTER_THAN_REFERENCE)),
        count_column("worse", "Reference or worse", ("quality", NOT_BETTER_THAN_REFERENCE)),
        count_column("failed", "Infeasible, absent or protocol violation", ("feasible", 0), best=Sense.MIN),
    ),
    in_paper=True,
)


# -- the finding of a report in one sentence ------------------------------------------------------------------------------

MYOPIC_AGENT = "greedy"
"""The scripted agent that reads everything and decides myopically; the finding is about it if only scripted agents played."""


class Headline(NamedTuple):
    """The parts of the sentence: configuration, how often it was informed and then optimal, and where it lost."""

    label: str
    informed: str
    optimal: str | None
    lost: str


def find_headline(results: Results) -> Headline:
    """The finding about the best model, or about the myopic agent if only scripted agents played."""
    myopic = [label for label in results.configurations if label == MYOPIC_AGENT]
    candidates = results.candidates or myopic or results.configurations
    label = max(candidates, key=lambda label: headline_mean(results, label, "exact_optimality"))  # they may be in any order
    trials = results.trials(label)
    informed = headline_mean(results, label, "information_sufficiency")
    optimal = summarize(trials, percent_of(attrgetter("exact"), has_sufficient_information))
    missed = [evaluation for trial in trials for evaluation in trial if not evaluation.exact]
    return Headline(
        label, _format_share(informed), None if optimal is None else _format_share(optimal.mean), _describe_losses(missed)
    )


def _format_share(rate: float) -> str:
    """A whole percentage; "all" and "none" only if they are exact."""
    if rate in (0.0, 100.0):
        return "all" if rate else "none"
    return f"{min(99, max(1, round(rate))):.0f} %"


def _describe_losses(missed: Sequence[Evaluation]) -> str:
    """Where most of the `missed` optima were lost: without a decision, in gathering information, or in reasoning."""
    undecided = [evaluation for evaluation in missed if evaluation.outcome in UNDECIDED_OUTCOMES]
    reasoning = sum(map(has_sufficient_information, missed)) - sum(map(has_sufficient_information, undecided))
    reasons = sorted(Counter(evaluation.stop_reason for evaluation in undecided).items(), key=lambda item: (-item[1], item[0]))
    ended = ", ".join(f"{reason.replace('_', ' ')} {count:,}" for reason, count in reasons)
    counts = {
        "in gathering information": len(missed) - len(undecided) - reasoning,
        "in reasoning": reasoning,
        f"because no decision was made (ended by {ended})": len(undecided),
    }
    most = max(counts.values())
    if not most:
        return "nothing is lost"
    places = [place for place, count in counts.items() if count == most]
    if len(places) > 1:
        return f"what is lost is lost {' and '.join(places)} alike"
    much = "all that" if most == len(missed) else "most of what" if 2 * most > len(missed) else "the largest part of what"
    return f"{much} is lost is lost {places[0]}"

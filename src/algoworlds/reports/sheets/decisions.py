"""Sheets about final decisions: headline measures, categories, quality against the reference, outcomes given sufficiency."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from algoworlds.core.work import Sense
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.aggregate import Condition, Metric, Statistic, always, count_where, mean_of, percent_of, quantile_of
from algoworlds.reports.evaluation import (
    BETTER_THAN_REFERENCE,
    CATEGORIES,
    NOT_BETTER_THAN_REFERENCE,
    OPTIMAL,
    SUBOPTIMAL,
    Evaluation,
)
from algoworlds.reports.formatting import format_mean_sd, format_p_value
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RESULTS_SECTION,
    Sheet,
    SheetColumn,
    configuration_subjects_with_kind,
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


def _to_percent(measure: Measure[Any]) -> Metric:
    """`measure` of an evaluation on the scale 0-100: flags and shares become percentages."""
    scale = 1 if measure.unit.startswith("points") else 100
    return lambda evaluation: scale * evaluation.record[measure.name]


HEADLINE_METRICS = {key: _to_percent(measure) for key, measure in zip(MEASURE_TITLES, HEADLINE_MEASURES, strict=True)}
"""The headline measures of an evaluation, on the scale 0-100."""

TRIAL_MEANS: dict[str, Statistic] = {key: mean_of(metric) for key, metric in HEADLINE_METRICS.items()}
"""The mean of each headline measure within a trial."""

SUFFICIENT_FILTER = ("sufficiency", 1)
"""Selects evaluations with sufficient information."""


def has_sufficient_information(evaluation: Evaluation) -> bool:
    """Whether the trajectory contains a sufficient information set in full."""
    return evaluation.sufficiency == 1


def in_category(category: str, condition: Condition = always) -> Callable[[Evaluation], bool]:
    """The condition that the final decision is in `category` and that `condition` holds."""
    return lambda evaluation: evaluation.category == category and bool(condition(evaluation))


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


def _category_columns(condition: Condition = always, *where: tuple[str, str | int]) -> list[SheetColumn]:
    return [
        summary_column(key, title, count_where(in_category(key, condition)), *where, ("category", key), best=_BETTER.get(key))
        for key, title in CATEGORY_TITLES.items()
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
        summary_column(
            "information_sufficiency", "Information sufficiency", count_where(has_sufficient_information), SUFFICIENT_FILTER
        ),
        *_category_columns(has_sufficient_information, SUFFICIENT_FILTER),
    ),
    in_paper=True,
)


def _regret_quantile(share: float) -> Statistic:
    return quantile_of(attrgetter("regret"), share, in_category(SUBOPTIMAL))


def _has_quality(quality: str) -> Condition:
    return lambda evaluation: evaluation.quality == quality


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
        summary_column("optimal", "Globally optimal", count_where(in_category(OPTIMAL)), ("category", OPTIMAL), best=Sense.MAX),
        summary_column(
            "better",
            "Better than reference",
            count_where(_has_quality(BETTER_THAN_REFERENCE)),
            ("quality", BETTER_THAN_REFERENCE),
        ),
        summary_column(
            "worse",
            "Reference or worse",
            count_where(_has_quality(NOT_BETTER_THAN_REFERENCE)),
            ("quality", NOT_BETTER_THAN_REFERENCE),
        ),
        summary_column(
            "failed",
            "Infeasible, absent or protocol violation",
            count_where(lambda evaluation: not evaluation.feasible),
            ("feasible", 0),
            best=Sense.MIN,
        ),
    ),
    in_paper=True,
)

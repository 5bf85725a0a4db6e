"""Sheets of final decisions: headline measures, categories, quality against the reference, and what sufficiency led to."""

from collections.abc import Callable
from typing import Any

from algoworlds.core.work import Sense
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.aggregate import Condition, Reading, Statistic, average, count, percent, spread
from algoworlds.reports.drift import drifts
from algoworlds.reports.evaluation import BETTER, CATEGORIES, OPTIMAL, SUBOPTIMAL, WORSE, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, by_configuration, span, summarized
from algoworlds.reports.sheets.sections import DETAILS, RESULTS
from algoworlds.reports.spelling import decimals, probability, with_sd

_NAMES = {OPTIMAL: "Globally optimal", SUBOPTIMAL: "Feasible suboptimal"}
CATEGORY_NAMES = {each: _NAMES.get(each, each.replace("_", " ").capitalize()) for each in CATEGORIES}
"""The five categories in words."""

HEADLINE = [each for each in MEASURES if each.name in ("exact", "feasible", "utility", "sufficiency", "coverage")]
"""The three final-decision metrics and the two trajectory diagnostics."""

MEASURE_NAMES = {each.title.lower().replace(" ", "_"): each.title for each in HEADLINE}


def _hundredfold(measure: Measure[Any]) -> Reading:
    """An evaluation's measure on the scale 0-100: flags and shares become percentages."""
    scale = 1 if measure.unit.startswith("points") else 100
    return lambda each: scale * each.record[measure.name]


VALUES: dict[str, Reading] = {key: _hundredfold(each) for key, each in zip(MEASURE_NAMES, HEADLINE, strict=True)}
"""The headline measures of an evaluation, on the scale 0-100."""

MEANS: dict[str, Statistic] = {key: average(of) for key, of in VALUES.items()}
"""The same within a trial."""

INFORMATIVE = ("sufficiency", 1)
"""By what evaluations with sufficient information are found."""


def informative(evaluation: Evaluation) -> bool:
    """The trajectory contains a sufficient information set in full."""
    return evaluation.sufficiency == 1


def in_category(category: str, given: Condition | None = None) -> Condition:
    """The final decision falls into a category, and a further condition holds if there is one."""
    return lambda each: each.category == category and (given is None or given(each))


def _drifting(results: Results) -> dict[str, str]:
    """A warning beside the score: who seems to have changed while it was evaluated."""
    told = [
        f"{label} ({each.early:.1f} % early, {each.late:.1f} % late, p {probability(each.holm)})"
        for label, each in drifts(results).items()
        if each.alarming and each.holm is not None
    ]
    return {"drifting": f"Changed in the course of its run: {', '.join(told)}; see the table of drift." if told else ""}


MAIN_RESULTS = Sheet(
    "main_results",
    "Headline measures",
    RESULTS,
    """Performance on all {worlds} worlds. Mean ± sample standard deviation (n - 1) over {trials}. The deviation is between
    trials on the same worlds, not a confidence interval. All columns are percentages but reference utility, whose scale is
    0-100. Scripted agents stand below the models as floor and ceiling. {drifting}""",
    by_configuration,
    (
        CONFIGURATION,
        *(summarized(key, MEASURE_NAMES[key], with_sd, statistic, best=Sense.MAX) for key, statistic in MEANS.items()),
    ),
    words=_drifting,
    paper=True,
)


def _informative_sizes(results: Results) -> dict[str, str]:
    """How many evaluations the conditional percentages are of."""
    made = [[each for trial in results.trials(label) for each in trial] for label in results.configurations]
    return {"informative": span(sum(map(informative, each)) for each in made), "evaluations": span(map(len, made))}


def ended(given: Condition, *where: tuple[str, str | int]) -> list[SheetColumn]:
    """How the evaluations that satisfy a condition end, in percent of them: three columns that add up to all."""
    kinds: tuple[tuple[str, str, Reading, tuple[str, str | int], Sense | None], ...] = (
        ("optimal", "Globally optimal", lambda each: each.category == OPTIMAL, ("category", OPTIMAL), Sense.MAX),
        ("suboptimal", "Feasible but suboptimal", lambda each: each.category == SUBOPTIMAL, ("category", SUBOPTIMAL), None),
        ("other_failure", "Other failure", lambda each: not each.feasible, ("feasible", 0), Sense.MIN),
    )
    return [
        summarized(key, name, decimals(1), percent(of, given), *where, found, best=best) for key, name, of, found, best in kinds
    ]


CONDITIONAL_OUTCOMES = Sheet(
    "conditional_outcomes",
    "What sufficient information led to",
    RESULTS,
    """Information sufficiency, and how the informative trajectories end ({informative} of a configuration's {evaluations}
    evaluations). Each percentage is computed within a trial and then averaged over {trials}; a trial without informative
    trajectories has no conditional percentage. The last three columns add up to 100 before rounding. They describe a
    subset, not an effect of information: sufficiency does not say that the agent recognized or used what it had.""",
    by_configuration,
    (
        CONFIGURATION,
        summarized(
            "information_sufficiency",
            "Information sufficiency",
            decimals(1),
            MEANS["information_sufficiency"],
            INFORMATIVE,
            best=Sense.MAX,
        ),
        *ended(informative, INFORMATIVE),
    ),
    words=_informative_sizes,
    paper=True,
)


_WANTED = {OPTIMAL: Sense.MAX, **{each: Sense.MIN for each in CATEGORIES if each not in (OPTIMAL, SUBOPTIMAL)}}
"""Suboptimal decisions are neither: fewer may mean more optima, or more failures."""


def _category_columns(given: Condition | None = None, *where: tuple[str, str | int]) -> list[SheetColumn]:
    return [
        summarized(key, name, decimals(1), count(in_category(key, given)), *where, ("category", key), best=_WANTED.get(key))
        for key, name in CATEGORY_NAMES.items()
    ]


OUTCOMES = Sheet(
    "outcomes",
    "Final-decision categories",
    DETAILS,
    """Mean number of evaluations in each final-decision category per trial of {worlds} worlds, over {trials}. The five
    categories partition the evaluations before rounding.""",
    by_configuration,
    (CONFIGURATION, *_category_columns()),
    paper=True,
)

CONDITIONAL_OUTCOME_COUNTS = Sheet(
    "conditional_outcome_counts",
    "Categories among informative trajectories",
    DETAILS,
    """Mean number of evaluations in each final-decision category among those that satisfy information sufficiency, per
    trial of {worlds} worlds, over {trials}. The five categories add up to the first count before rounding.""",
    by_configuration,
    (
        CONFIGURATION,
        summarized("information_sufficiency", "Information sufficiency", decimals(1), count(informative), INFORMATIVE),
        *_category_columns(informative, INFORMATIVE),
    ),
    paper=True,
)


def _regret(share: float) -> Statistic:
    return spread(lambda each: each.regret, share, in_category(SUBOPTIMAL))


def _of_quality(quality: str) -> Callable[[Evaluation], bool]:
    return lambda each: each.quality == quality


REFERENCE_QUALITY = Sheet(
    "reference_quality",
    "Quality against the reference decision",
    DETAILS,
    """Decision quality against the reference decision. Utility is the mean ± sample standard deviation over {trials}.
    Regret is the gap to the optimum in units of the reference's gap; its median and 90th percentile are taken within a
    trial among feasible decisions that are not optimal (linear interpolation between order statistics) and then averaged.
    The last four columns are mean counts per trial and partition it before rounding: better than reference means regret
    strictly between 0 and 1, reference or worse at least 1.""",
    by_configuration,
    (
        CONFIGURATION,
        summarized("utility", "Reference utility", with_sd, MEANS["reference_utility"], best=Sense.MAX),
        summarized("median_regret", "Median regret", decimals(3), _regret(0.5), ("category", SUBOPTIMAL), best=Sense.MIN),
        summarized(
            "high_regret", "90th percentile regret", decimals(3), _regret(0.9), ("category", SUBOPTIMAL), best=Sense.MIN
        ),
        summarized(
            "optimal", "Globally optimal", decimals(1), count(in_category(OPTIMAL)), ("category", OPTIMAL), best=Sense.MAX
        ),
        summarized("better", "Better than reference", decimals(1), count(_of_quality(BETTER)), ("quality", BETTER)),
        summarized("worse", "Reference or worse", decimals(1), count(_of_quality(WORSE)), ("quality", WORSE)),
        summarized(
            "failed",
            "Infeasible, absent or protocol violation",
            decimals(1),
            count(lambda each: not each.feasible),
            ("feasible", 0),
            best=Sense.MIN,
        ),
    ),
    paper=True,
)

"""Sheets about what could be known: footing of decisions, outcomes given determination, claims, the price of information."""

from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.decision import Confidence
from algoworlds.core.work import Sense
from algoworlds.knowledge.oracle import Determination
from algoworlds.measures.hindsight import Footing
from algoworlds.reports.aggregate import Metric, mean_of, percent_of, quantile_of, summarize
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    KNOWLEDGE_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects_with_kind,
    decimals,
    format_count,
    side_by_side,
    summary_column,
)
from algoworlds.reports.sheets.decisions import CATEGORY_TITLES, outcome_columns
from algoworlds.reports.sheets.slices import FAMILY_COLUMN, Trials, column_per_configuration, family_subjects
from algoworlds.worlds.episode import Outcome


def _subjects_if(has_data: Callable[[Results], bool]) -> Callable[[Results], list[RowSubject]]:
    """One row per configuration if the results have the data of a sheet."""
    return lambda results: configuration_subjects_with_kind(results) if has_data(results) else []


def _count_all(condition: Callable[[Evaluation], bool]) -> Callable[[Trials], int]:
    """The number of evaluations in all trials that satisfy `condition`."""
    return lambda trials: sum(condition(evaluation) for trial in trials for evaluation in trial)


def _judged_value(name: str) -> Callable[[Evaluation], Any]:
    return lambda evaluation: evaluation.judged_value(name)


def _has_regret_parts(evaluation: Evaluation) -> bool:
    return evaluation.judged_value("reasoning_regret") is not None


FEASIBLE_FILTER = ("feasible", 1)
"""Selects evaluations with a feasible decision."""


def _regret_column(key: str, head: str, metric: Metric) -> SheetColumn:
    return summary_column(key, head, mean_of(metric, _has_regret_parts), FEASIBLE_FILTER, places=3, best=Sense.MIN)


REGRET_PARTS = Sheet(
    "regret_parts",
    "Regret by want of facts and by reasoning",
    DETAILS_SECTION,
    """Normalized regret in two parts, means over {trials} of the n evaluations for which both are defined. Acquisition
    regret: the gap of the best decision that can be made of options whose facts were all seen, found by the exact
    algorithm. Reasoning regret: the rest; it is negative where a guess beat what was known. Both are undefined without a
    feasible decision, and also where a feasible one was submitted although none can be made of what was seen: the last two
    columns are these shares of all evaluations (percent). An account, not a cause.""",
    _subjects_if(lambda results: all(evaluation.judgement is not None for evaluation in results.evaluations)),
    (
        CONFIGURATION_COLUMN,
        SheetColumn("defined", "n", format_count, _count_all(_has_regret_parts)),
        _regret_column("regret", "Normalized regret", attrgetter("regret")),
        _regret_column("acquisition", "Acquisition regret", _judged_value("acquisition_regret")),
        _regret_column("reasoning", "Reasoning regret", _judged_value("reasoning_regret")),
        summary_column(
            "infeasible",
            "Undefined: no feasible decision (%)",
            percent_of(lambda evaluation: not evaluation.feasible),
            ("feasible", 0),
        ),
        summary_column(
            "unknowable",
            "Undefined: nothing decidable of what was seen (%)",
            percent_of(lambda evaluation: bool(evaluation.feasible) and (not _has_regret_parts(evaluation))),
        ),
    ),
)

JUSTIFIED, LUCKY = Footing.JUSTIFIED.value, Footing.LUCKY.value
DETERMINED_FILTER = ("knowledge", Determination.DETERMINED.value)
"""Selects evaluations with a determined optimum."""
FOOTING_TITLES = {footing.value: footing.value.capitalize() for footing in Footing} | {
    outcome.value: CATEGORY_TITLES[outcome.value] for outcome in Outcome if outcome is not Outcome.FEASIBLE
}


def footing_in(*footings: str) -> Callable[[Evaluation], bool]:
    """The condition that the decision has one of `footings`."""
    return lambda evaluation: evaluation.judged_value("footing") in footings


def is_determined(evaluation: Evaluation) -> bool:
    """Whether the optimum was determined at the end."""
    return bool(evaluation.judged_value("knowledge") == Determination.DETERMINED.value)


def is_decidable(evaluation: Evaluation) -> bool:
    """Whether the evaluation was judged and its family declares ranges."""
    return evaluation.judged_value("knowledge") is not None


_judged_subjects = _subjects_if(lambda results: any(map(is_decidable, results.evaluations)))
"""One row per configuration if any evaluation was judged."""


def judged_counts_caption(results: Results) -> dict[str, str]:
    """For captions: the number of evaluations that are not judged, undefined or undecided."""
    judgements = [evaluation.judgement for evaluation in results.evaluations]
    knowledge = Counter(judgement["knowledge"] for judgement in judgements if judgement is not None)
    counts = {
        "not judged": judgements.count(None),
        "undefined (no ranges declared)": knowledge[None],
        "undecided": knowledge[Determination.UNDECIDED.value],
    }
    parts = [f"{count:,} {reason}" for reason, count in counts.items() if count]
    return {"silence": f"Of {len(judgements):,} evaluations {', '.join(parts)}." if parts else "All are decided."}


# -- the footing of decisions ---------------------------------------------------------------------------------------------

FOOTING = Sheet(
    "footing",
    "Justified, lucky, misread, premature",
    KNOWLEDGE_SECTION,
    """How decisions stand, in percent of the evaluations of which it is defined; the columns partition them before
    rounding. Justified: exact, and the optimum was determined by what was read. Lucky: exact, but in some instance that
    answers alike another decision is better. Misread: determined, feasible and not exact. Premature: not determined,
    feasible and not exact. {silence} Means over {trials}.""",
    _judged_subjects,
    (
        CONFIGURATION_COLUMN,
        *(
            summary_column(
                key,
                name,
                percent_of(footing_in(key), is_decidable),
                ("footing", key),
                best=Sense.MAX if key == JUSTIFIED else None,
            )
            for key, name in FOOTING_TITLES.items()
        ),
    ),
    caption_values=judged_counts_caption,
)


def _justified_and_lucky(trials: Trials) -> JsonObject:
    return {footing: summarize(trials, percent_of(footing_in(footing), is_decidable)) for footing in (JUSTIFIED, LUCKY)}


JUSTIFIED_OPTIMA = Sheet(
    "justified_optima",
    "Exact optima by task family: justified / lucky",
    KNOWLEDGE_SECTION,
    """Exact optima split by task family: justified / lucky, in percent of the evaluations of which it is defined, computed
    within a trial and averaged over {trials}. {silence}""",
    lambda results: family_subjects(results) if any(map(is_decidable, results.evaluations)) else [],
    (FAMILY_COLUMN, column_per_configuration(_justified_and_lucky, side_by_side(decimals(1), decimals(1)))),
    caption_values=judged_counts_caption,
    configurations_as_columns=True,
)

DETERMINED_OUTCOMES = Sheet(
    "determined_outcomes",
    "What a determined optimum led to",
    KNOWLEDGE_SECTION,
    """How often the optimum was determined at the end, and how these evaluations end: the same as the table on sufficient
    information, with what could be known in place of the listed fact sets. Percentages are computed within a trial and
    averaged over {trials}; the last three columns add up to 100 before rounding. Determined does not say that the agent
    recognized it. {silence}""",
    _judged_subjects,
    (
        CONFIGURATION_COLUMN,
        summary_column("determined", "Determined", percent_of(is_determined, is_decidable), DETERMINED_FILTER, best=Sense.MAX),
        *outcome_columns(is_determined, DETERMINED_FILTER),
    ),
    caption_values=judged_counts_caption,
)

# -- claims ---------------------------------------------------------------------------------------------------------------

PROVEN, GUESS = Confidence.PROVEN.value, Confidence.GUESS.value


def _claim_count(key: str, head: str, claim: str) -> SheetColumn:
    return SheetColumn(key, head, format_count, _count_all(lambda evaluation: evaluation.claim == claim), (("claim", claim),))


def _claim_rate(key: str, head: str, claim: str, metric: Metric) -> SheetColumn:
    rate = percent_of(metric, lambda evaluation: evaluation.claim == claim and is_decidable(evaluation))
    return summary_column(key, head, rate, ("claim", claim))


CLAIMS = Sheet(
    "claims",
    "What agents said of their decisions",
    KNOWLEDGE_SECTION,
    """An agent may say of its decision that it is proven or a best guess: how many decisions came with either, and in how
    many of these, as far as it is defined, the optimum was determined (percent, means over {trials}). Determined says that
    there was a proof to be had, justified that the decision was the proven one. Claims change no score. {silence}""",
    _subjects_if(lambda results: any(evaluation.claim for evaluation in results.evaluations)),
    (
        CONFIGURATION_COLUMN,
        _claim_count("proven", "Claimed proven", PROVEN),
        _claim_rate("truly", "Proven: determined (%)", PROVEN, is_determined),
        _claim_rate("justly", "Proven: justified (%)", PROVEN, footing_in(JUSTIFIED)),
        _claim_count("guess", "Claimed best guess", GUESS),
        _claim_rate("modestly", "Best guess: determined (%)", GUESS, is_determined),
        _claim_count("silent", "No claim", ""),
        _claim_count("unclear", "Unclear", Confidence.UNCLEAR.value),
    ),
    caption_values=judged_counts_caption,
)

# -- the price of information -----------------------------------------------------------------------------------------------


def _wasted_share(trial: Sequence[Evaluation]) -> float | None:
    """Wasted spend in percent of all spend, over the evaluations that have it."""
    rows = [(row.judged_value("wasted_spend"), row.spend) for row in trial if row.judged_value("wasted_spend") is not None]
    spent = sum(spend for _, spend in rows)
    return 100 * sum(wasted for wasted, _ in rows) / spent if spent else None


INFORMATION_PRICE = Sheet(
    "information_price",
    "The price of information",
    KNOWLEDGE_SECTION,
    """When the optimum became determined, and what was risked where it was not. Calls and spend until then, the share of
    spend that came after it (percent), and the median of spend until then over the least cost of calls that determine the
    optimum, of the evaluations of which each is defined (the ratio only where the suite states that cost). Worst regret:
    the median, in reference gaps, of what feasible decisions risked when they were submitted, and the share of feasible
    decisions (percent) that would have been infeasible in another instance that answers alike. Means over {trials}.
    {silence}""",
    _judged_subjects,
    (
        CONFIGURATION_COLUMN,
        summary_column("calls", "Calls to determination", mean_of(_judged_value("determined_at")), DETERMINED_FILTER),
        summary_column("spend", "Spend until determined", mean_of(_judged_value("determined_spend")), DETERMINED_FILTER),
        summary_column("wasted", "Wasted spend (%)", _wasted_share, DETERMINED_FILTER, best=Sense.MIN),
        summary_column(
            "ratio",
            "Query ratio",
            quantile_of(_judged_value("query_ratio"), 0.5),
            DETERMINED_FILTER,
            places=2,
            best=Sense.MIN,
        ),
        summary_column(
            "risk",
            "Worst normalized regret",
            quantile_of(_judged_value("worst_regret_gaps"), 0.5),
            FEASIBLE_FILTER,
            places=3,
            best=Sense.MIN,
        ),
        summary_column(
            "infeasible",
            "Possibly infeasible (%)",
            percent_of(_judged_value("may_be_infeasible")),
            FEASIBLE_FILTER,
            best=Sense.MIN,
        ),
    ),
    caption_values=judged_counts_caption,
)

"""Sheets about uncertainty: intervals, comparisons, reliability, small cells and drift."""

from collections.abc import Callable
from functools import partial
from itertools import combinations, groupby
from operator import attrgetter

from algoworlds.core.canonical import JsonObject
from algoworlds.core.work import Sense
from algoworlds.reports.aggregate import Interval, mean
from algoworlds.reports.intervals import (
    estimate_rate,
    family_strata,
    rate_interval,
    single_instance_note,
    sum_by_instance,
    wilson_interval,
)
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    STATISTICS_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects,
    decimals,
    format_estimate,
    format_p_value,
    format_signed,
    format_signed_interval,
)
from algoworlds.reports.sheets.decisions import HEADLINE_METRICS, MEASURE_TITLES
from algoworlds.reports.sheets.slices import (
    FAMILY_COLUMN,
    Trials,
    column_per_configuration,
    family_subjects,
    max_trials,
    slice_size_caption,
    solved_counts,
)
from algoworlds.reports.statistics import compare_paired, measure_drift, pass_at_k, pass_hat_k

# -- intervals ------------------------------------------------------------------------------------------------------------


def _estimate(key: str, subject: tuple[Results, str]) -> JsonObject:
    estimate = estimate_rate(*subject, HEADLINE_METRICS[key])
    return _to_percent(estimate.value, rate_interval(estimate))


def _to_percent(share: float, interval: Interval | None) -> JsonObject:
    return {"mean": 100 * share, "interval": None if interval is None else interval.scale(100)}


def _instance_note(results: Results) -> dict[str, str]:
    return {"lonely": single_instance_note(family_strata(results))}


INTERVALS = Sheet(
    "intervals",
    "Intervals for new instances",
    STATISTICS_SECTION,
    """95% intervals for the headline measures over all evaluations. The unit is the hidden instance (all its interfaces and
    trials travel together), drawn within its family: Wilson's score interval for the effective number of units, by the
    standard error within families and Student's t, so that neither few instances nor rates of 0 or 100 feign certainty.
    They speak of new instances of these families on the same footing as the {instances} drawn, not of other families.
    {lonely} The mean and standard deviation of the main table stand first.""",
    lambda results: [RowSubject({"configuration": label}, (results, label)) for label in results.configurations],
    (
        CONFIGURATION_COLUMN,
        *(SheetColumn(key, name, format_estimate, partial(_estimate, key)) for key, name in MEASURE_TITLES.items()),
    ),
    caption_values=_instance_note,
)

# -- comparisons ----------------------------------------------------------------------------------------------------------


def _pairs(results: Results) -> list[tuple[str, str]]:
    """All pairs of models (of agents if there are no models)."""
    return list(combinations(results.candidates or results.configurations, 2))


def _comparison_subjects(results: Results) -> list[RowSubject]:
    """One row per pair of configurations."""
    pairs, counts = _pairs(results), {label: len(results.trials(label)) for label in results.configurations}
    worlds = [
        sum(1 for _ in group) for _, group in groupby(results.trials(results.configurations[0])[0], key=attrgetter("instance"))
    ]
    solved = {label: sum_by_instance(results, label, attrgetter("exact")) for label in counts}
    differences = [  # per instance, in units of 1 / (trials of the first * trials of the second)
        [counts[second] * one - counts[first] * other for one, other in zip(solved[first], solved[second], strict=True)]
        for first, second in pairs
    ]
    units = [1 / (counts[first] * counts[second]) for first, second in pairs]
    tests = compare_paired(family_strata(results), differences, [worlds] * len(pairs), units)
    return [
        RowSubject({"first": first, "second": second}, tested) for (first, second), tested in zip(pairs, tests, strict=True)
    ]


COMPARISONS = Sheet(
    "comparisons",
    "Differences between configurations",
    STATISTICS_SECTION,
    """Differences in exact optimality between configurations (first minus second, percentage points), paired by instance:
    95% interval by the standard error within families and Student's t, p by the exact sign-flip permutation test over
    instances, and p adjusted by Holm over all {pairs} pairs. The interval is about the mean over new instances of these
    families; the test asks whether the two differ at all, whatever the family, and is more cautious. The reading is of the
    first beside the second: higher or lower only where interval and adjusted test agree, else undecided, which is no
    ranking. {lonely}""",
    _comparison_subjects,
    (
        SheetColumn("first", "First", str),
        SheetColumn("second", "Second", str),
        SheetColumn("delta", "First - second", format_signed, attrgetter("delta")),
        SheetColumn("interval", "95% interval", format_signed_interval, attrgetter("interval")),
        SheetColumn("p", "p (sign flip)", format_p_value, attrgetter("p")),
        SheetColumn("holm", "p (Holm)", format_p_value, attrgetter("holm")),
        SheetColumn("reading", "Reading", str, attrgetter("reading")),
    ),
    caption_values=lambda results: {"pairs": len(_pairs(results)), **_instance_note(results)},
)

# -- reliability ----------------------------------------------------------------------------------------------------------


def _pass_rate(probability: Callable[[int, int, int], float], k: int, trials: Trials) -> float | None:
    if k > len(trials):
        return None
    return 100 * mean([probability(count, len(trials), k) for count in solved_counts(trials)])


def _pass_columns(results: Results) -> list[SheetColumn]:
    """pass^k and pass@k for every possible k; pass@1 is the same as pass^1."""
    most = max_trials(results)
    kinds = [(f"pass^{k}", pass_hat_k, k) for k in range(1, most + 1)]
    kinds += [(f"pass@{k}", pass_at_k, k) for k in range(2, most + 1)]
    return [SheetColumn(name, name, decimals(2), partial(_pass_rate, rate, k), best=Sense.MAX) for name, rate, k in kinds]


RELIABILITY = Sheet(
    "reliability",
    "Reliability over repeated trials",
    STATISTICS_SECTION,
    """pass^k: the share of worlds (percent) solved in all of k trials drawn at random from those run; pass@k: in at least
    one of them. pass^1 is the mean exact optimality. High pass@k with low pass^k means luck or inconsistency.""",
    configuration_subjects,
    (CONFIGURATION_COLUMN, _pass_columns),
)

# -- small cells ----------------------------------------------------------------------------------------------------------


def _wilson(trials: Trials) -> JsonObject:
    share = mean([evaluation.exact for trial in trials for evaluation in trial])
    instances = len({evaluation.instance for evaluation in trials[0]})
    return _to_percent(share, wilson_interval(share, instances) if instances > 1 else None)


SMALL_CELLS = Sheet(
    "small_cells",
    "Task families with small counts",
    STATISTICS_SECTION,
    """Exact optimality by task family (percent) with 95% Wilson intervals, whose n is the number of instances, not of
    evaluations ({slice} a family): repeated trials and interfaces of one instance are no new evidence. A cell of 0 does not
    exclude small rates. A family with one instance has no interval.""",
    family_subjects,
    (FAMILY_COLUMN, column_per_configuration(_wilson, format_estimate)),
    caption_values=slice_size_caption(attrgetter("family")),
)

# -- drift ----------------------------------------------------------------------------------------------------------------


DRIFT = Sheet(
    "drift",
    "Drift in the course of a run",
    STATISTICS_SECTION,
    """Did a model change while it was evaluated? A run's schedule puts worlds and trials into random order; exact
    optimality (percent) in its first half stands beside that in its second. p is that of the Mantel-Haenszel test of early
    against late within each of the {worlds} worlds, adjusted by Holm over the models of the report. An alarm (adjusted p <
    0.05) means that something changed with time, such as the model behind a name, its load or its limits: read that model's
    mean with care. It does not say what changed, nor when; and no alarm does not prove that nothing changed: a short lapse,
    or a gain here and a loss there, goes unseen. Scripted agents cannot change and are not tested.""",
    lambda results: [RowSubject({"configuration": label}, drift) for label, drift in measure_drift(results).items()],
    (
        CONFIGURATION_COLUMN,
        SheetColumn("early", "Early half", decimals(2), attrgetter("early")),
        SheetColumn("late", "Late half", decimals(2), attrgetter("late")),
        SheetColumn("p", "p (early = late)", format_p_value, attrgetter("p")),
        SheetColumn("holm", "p (Holm)", format_p_value, attrgetter("holm")),
        SheetColumn("alarm", "Alarm", str, attrgetter("alarm_text")),
    ),
)

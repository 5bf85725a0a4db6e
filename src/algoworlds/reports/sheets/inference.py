"""Sheets of uncertainty: intervals, comparisons, reliability, small cells and drift."""

from collections.abc import Callable
from functools import partial
from itertools import combinations, groupby
from typing import Any, NamedTuple

from algoworlds.core.work import Sense
from algoworlds.reports.aggregate import Interval, mean
from algoworlds.reports.clusters import instance_sums, lonely, rate, strata
from algoworlds.reports.drift import drifts
from algoworlds.reports.intervals import difference_interval, rate_interval, wilson
from algoworlds.reports.intervals import estimate as clustered
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_label
from algoworlds.reports.sheets.categories import MEASURE_NAMES, VALUES
from algoworlds.reports.sheets.sections import STATISTICS
from algoworlds.reports.sheets.structure import FAMILY, Trials, by_family, most_trials, one_a_configuration, slice_sizes, solved
from algoworlds.reports.spelling import decimals, estimate, probability, signed, signed_interval
from algoworlds.reports.statistics import holm, pass_all, pass_any, reading, sign_flip

# -- intervals ------------------------------------------------------------------------------------------------------------


def _estimated(key: str, subject: tuple[Results, str]) -> dict[str, Any]:
    found = rate(*subject, VALUES[key])
    return _with_interval(found.value, rate_interval(found))


def _with_interval(share: float, found: Interval | None) -> dict[str, Any]:
    return {"mean": 100 * share, "interval": None if found is None else found.times(100)}


def _lonely(results: Results) -> dict[str, str]:
    return {"lonely": lonely(strata(results))}


INTERVALS = Sheet(
    "intervals",
    "Intervals for new instances",
    STATISTICS,
    """95% intervals for the headline measures over all evaluations. The unit is the hidden instance (all its interfaces and
    trials travel together), drawn within its family: Wilson's score interval for the effective number of units, by the
    standard error within families and Student's t, so that neither few instances nor rates of 0 or 100 feign certainty.
    They speak of new instances of these families on the same footing as the {instances} drawn, not of other families.
    {lonely} The mean and standard deviation of the main table stand first.""",
    lambda results: [Subject({"configuration": label}, (results, label)) for label in results.configurations],
    (CONFIGURATION, *(SheetColumn(key, name, estimate, partial(_estimated, key)) for key, name in MEASURE_NAMES.items())),
    words=_lonely,
)

# -- comparisons ----------------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """Two configurations' difference, its interval, and p alone and among all comparisons."""

    delta: float
    interval: Interval | None
    p: float
    holm: float

    @property
    def reading(self) -> str:
        """What they say together."""
        return reading(self.interval, self.p, self.holm)


def _pairs(results: Results) -> list[tuple[str, str]]:
    """All pairs of models (of agents, where there is no model)."""
    return list(combinations(results.candidates or results.configurations, 2))


def _compared(results: Results) -> list[Subject]:
    found = {pair: _differences(results, *pair) for pair in _pairs(results)}
    if not found:
        return []
    chances = [sign_flip(differences) for differences in found.values()]
    return [
        Subject({"first": first, "second": second}, _comparison(results, first, second, differences, p, adjusted))
        for ((first, second), differences), p, adjusted in zip(found.items(), chances, holm(chances), strict=True)
    ]


def _comparison(results: Results, first: str, second: str, differences: list[int], p: float, adjusted: float) -> Comparison:
    worlds = [sum(1 for _ in group) for _, group in groupby(results.trials(first)[0], key=lambda each: each.instance)]
    unit = 1 / (len(results.trials(first)) * len(results.trials(second)))
    found = clustered(strata(results), differences, worlds, unit)
    ends = difference_interval(found)
    return Comparison(100 * found.value, None if ends is None else ends.times(100), p, adjusted)


def _differences(results: Results, first: str, second: str) -> list[int]:
    """Per instance, the difference of solved worlds in units of 1 / (trials of one * trials of the other)."""
    ours, theirs = (instance_sums(results, label, lambda each: each.exact) for label in (first, second))
    many, few = len(results.trials(first)), len(results.trials(second))
    return [few * one - many * other for one, other in zip(ours, theirs, strict=True)]


COMPARISONS = Sheet(
    "comparisons",
    "Differences between configurations",
    STATISTICS,
    """Differences in exact optimality between configurations (first minus second, percentage points), paired by instance:
    95% interval by the standard error within families and Student's t, p by the exact sign-flip permutation test over
    instances, and p adjusted by Holm over all {pairs} pairs. The interval is about the mean over new instances of these
    families; the test asks whether the two differ at all, whatever the family, and is more cautious. The reading is of the
    first beside the second: higher or lower only where interval and adjusted test agree, else undecided, which is no
    ranking. {lonely}""",
    _compared,
    (
        SheetColumn("first", "First", str),
        SheetColumn("second", "Second", str),
        SheetColumn("delta", "First - second", signed, lambda each: each.delta),
        SheetColumn("interval", "95% interval", signed_interval, lambda each: each.interval),
        SheetColumn("p", "p (sign flip)", probability, lambda each: each.p),
        SheetColumn("holm", "p (Holm)", probability, lambda each: each.holm),
        SheetColumn("reading", "Reading", str, lambda each: each.reading),
    ),
    words=lambda results: {"pairs": len(_pairs(results)), **_lonely(results)},
)

# -- reliability ----------------------------------------------------------------------------------------------------------


def _share(chance: Callable[[int, int, int], float], drawn: int, trials: Trials) -> float | None:
    if drawn > len(trials):
        return None
    return 100 * mean([chance(times, len(trials), drawn) for times in solved(trials)])


def _one_a_draw(results: Results) -> list[SheetColumn]:
    """pass^k and pass@k for every number of trials that was run; pass@1 is the same as pass^1."""
    drawn = range(1, most_trials(results) + 1)
    kinds = [("pass^", pass_all, each) for each in drawn] + [("pass@", pass_any, each) for each in drawn[1:]]
    return [
        SheetColumn(f"{kind}{each}", f"{kind}{each}", decimals(2), partial(_share, chance, each), best=Sense.MAX)
        for kind, chance, each in kinds
    ]


RELIABILITY = Sheet(
    "reliability",
    "Reliability over repeated trials",
    STATISTICS,
    """pass^k: the share of worlds (percent) solved in all of k trials drawn at random from those run; pass@k: in at least
    one of them. pass^1 is the mean exact optimality. High pass@k with low pass^k means luck or inconsistency.""",
    by_label,
    (CONFIGURATION, _one_a_draw),
)

# -- small cells ----------------------------------------------------------------------------------------------------------


def _wilson(trials: Trials) -> dict[str, Any]:
    share = mean([each.exact for trial in trials for each in trial])
    instances = len({each.instance for each in trials[0]})
    return _with_interval(share, wilson(share, instances) if instances > 1 else None)


SMALL_CELLS = Sheet(
    "small_cells",
    "Task families with small counts",
    STATISTICS,
    """Exact optimality by task family (percent) with 95% Wilson intervals, whose n is the number of instances, not of
    evaluations ({slice} a family): repeated trials and interfaces of one instance are no new evidence. A cell of 0 does not
    exclude small rates. A family with one instance has no interval.""",
    by_family,
    (FAMILY, one_a_configuration(_wilson, estimate)),
    words=slice_sizes(lambda each: each.family),
)

# -- drift ----------------------------------------------------------------------------------------------------------------


DRIFT = Sheet(
    "drift",
    "Drift in the course of a run",
    STATISTICS,
    """Did a model change while it was evaluated? A run's schedule puts worlds and trials into random order; exact
    optimality (percent) in its first half stands beside that in its second. p is that of the Mantel-Haenszel test of early
    against late within each of the {worlds} worlds, adjusted by Holm over the models of the report. An alarm (adjusted p <
    0.05) means that something changed with time, such as the model behind a name, its load or its limits: read that model's
    mean with care. It does not say what changed, nor when; and no alarm does not prove that nothing changed: a short lapse,
    or a gain here and a loss there, goes unseen. Scripted agents cannot change and are not tested.""",
    lambda results: [Subject({"configuration": label}, found) for label, found in drifts(results).items()],
    (
        CONFIGURATION,
        SheetColumn("early", "Early half", decimals(2), lambda each: each.early),
        SheetColumn("late", "Late half", decimals(2), lambda each: each.late),
        SheetColumn("p", "p (early = late)", probability, lambda each: each.p),
        SheetColumn("holm", "p (Holm)", probability, lambda each: each.holm),
        SheetColumn("alarm", "Alarm", str, lambda each: each.alarm),
    ),
)

"""Sheets of uncertainty: intervals, comparisons, reliability, small cells and drift."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, groupby
from typing import Any, NamedTuple

from algoworlds.reports.aggregate import Interval, mean
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import wilson
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_label, summarized
from algoworlds.reports.sheets.categories import MEASURE_NAMES, MEASURES, VALUES
from algoworlds.reports.sheets.sections import STATISTICS
from algoworlds.reports.sheets.structure import FAMILY, Trials, by_family, most_trials, one_a_configuration, solved
from algoworlds.reports.spelling import decimals, estimate, probability, signed, signed_interval
from algoworlds.reports.statistics import (
    Counts,
    Drift,
    bootstrap,
    cochran,
    holm,
    pass_all,
    pass_any,
    resample,
    sign_flip,
)

_FINE = 10**9
"""Measures are summed as integers in units of 1e-9, so that a bootstrap is the same on every machine."""


def instance_sums(results: Results, label: str, of: Callable[[Evaluation], int]) -> list[int]:
    """An integer measure summed over all interfaces and trials of each hidden instance."""
    sums = dict.fromkeys(results.instances, 0)
    for trial in results.trials(label):
        for each in trial:
            sums[each.instance] += of(each)
    return list(sums.values())


def strata(results: Results) -> list[int]:
    """How many instances each family has."""
    counts: dict[str, set[str]] = {name: set() for name in results.families}
    for each in results.trials(results.configurations[0])[0]:
        counts[each.family].add(each.instance)
    return [len(instances) for instances in counts.values()]


# -- intervals ------------------------------------------------------------------------------------------------------------


def _resampled(results: Results) -> list[Subject]:
    """One line a configuration; none if no family has two instances to resample."""
    if max(strata(results)) < 2:
        return []
    weights = resample(strata(results))
    return [Subject({"configuration": label}, (results, label, weights)) for label in results.configurations]


def _estimated(key: str, subject: tuple[Results, str, Counts]) -> dict[str, Any]:
    results, label, weights = subject
    fine = instance_sums(results, label, lambda each: round(_FINE * VALUES[key](each)))
    sizes = instance_sums(results, label, lambda each: 1)
    return {"mean": sum(fine) / sum(sizes) / _FINE, "interval": bootstrap(weights, fine, sizes, 1 / _FINE)}


INTERVALS = Sheet(
    "intervals",
    "Intervals for new instances",
    STATISTICS,
    """95% intervals for the headline measures: a bootstrap of hidden instances within each family (all interfaces and
    trials of an instance travel together; 10,000 draws, percentiles). They speak of new instances of these families on the
    same footing as the {instances} drawn, not of other families; a family with one instance adds no width. The mean and
    standard deviation of the main table stand first.""",
    _resampled,
    (CONFIGURATION, *(SheetColumn(key, name, estimate, partial(_estimated, key)) for key, name in MEASURE_NAMES.items())),
)

# -- comparisons ----------------------------------------------------------------------------------------------------------


class Comparison(NamedTuple):
    """Two configurations' difference, its interval, and p alone and among all comparisons."""

    delta: float
    interval: Interval
    p: float
    holm: float


def _pairs(results: Results) -> list[tuple[str, str]]:
    """All pairs of models (of agents, where there is no model)."""
    return list(combinations(results.models or results.configurations, 2))


def _compared(results: Results) -> list[Subject]:
    found = {pair: _differences(results, *pair) for pair in _pairs(results)}
    if not found:
        return []
    weights = resample(strata(results))
    first_trial = results.trials(results.configurations[0])[0]
    worlds = [sum(1 for _ in group) for _, group in groupby(first_trial, key=lambda each: each.instance)]
    chances = [sign_flip(differences) for differences in found.values()]
    lines = []
    for ((first, second), differences), p, adjusted in zip(found.items(), chances, holm(chances), strict=True):
        scale = 100 / (len(results.trials(first)) * len(results.trials(second)))
        delta = scale * sum(differences) / len(results.worlds)
        made = Comparison(delta, bootstrap(weights, differences, worlds, scale), p, adjusted)
        lines.append(Subject({"first": first, "second": second}, made))
    return lines


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
    95% interval by the same bootstrap, p by the exact sign-flip permutation test over instances, and p adjusted by Holm
    over all {pairs} pairs. A difference whose adjusted p is large is no ranking.""",
    _compared,
    (
        SheetColumn("first", "First", str),
        SheetColumn("second", "Second", str),
        SheetColumn("delta", "First - second", signed, lambda each: each.delta),
        SheetColumn("interval", "95% interval", signed_interval, lambda each: each.interval),
        SheetColumn("p", "p (sign flip)", probability, lambda each: each.p),
        SheetColumn("holm", "p (Holm)", probability, lambda each: each.holm),
    ),
    words=lambda results: {"pairs": len(_pairs(results))},
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
        SheetColumn(f"{kind}{each}", f"{kind}{each}", decimals(2), partial(_share, chance, each))
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


def _wilson(trials: Sequence[Sequence[Evaluation]]) -> dict[str, Any]:
    rate = mean([each.exact for trial in trials for each in trial])
    low, high = wilson(rate, len({each.instance for each in trials[0]}))
    return {"mean": 100 * rate, "interval": Interval(100 * low, 100 * high)}


SMALL_CELLS = Sheet(
    "small_cells",
    "Task families with small counts",
    STATISTICS,
    """Exact optimality by task family (percent) with 95% Wilson intervals, whose n is the number of instances, not of
    evaluations: repeated trials and interfaces of one instance are no new evidence. A cell of 0 does not exclude small
    rates.""",
    by_family,
    (FAMILY, one_a_configuration(_wilson, estimate)),
)

# -- drift ----------------------------------------------------------------------------------------------------------------


def _repeated(results: Results) -> list[Subject]:
    """One line a configuration; none if no configuration has two trials."""
    return by_label(results) if most_trials(results) > 1 else []


def _drift(of: Callable[[Drift], Any]) -> Callable[[Trials], Any]:
    def value(trials: Trials) -> Any:
        found = cochran([[each.exact for each in trial] for trial in trials])
        return None if found is None else of(found)

    return value


DRIFT = Sheet(
    "drift",
    "Drift between trials",
    STATISTICS,
    """Do the trials of a configuration differ by more than chance? Cochran's Q over the {worlds} worlds, with p from the
    chi-square distribution. An alarm (p < 0.05) means that something changed between trials: read that configuration's mean
    with care. No alarm does not prove that nothing changed.""",
    _repeated,
    (
        CONFIGURATION,
        summarized("exact_optimality", "Exact optimality", decimals(2), MEASURES["exact_optimality"]),
        SheetColumn("q", "Cochran's Q", decimals(1), _drift(lambda found: found.q)),
        SheetColumn("freedom", "Degrees of freedom", str, _drift(lambda found: found.freedom)),
        SheetColumn("p", "p", probability, _drift(lambda found: found.p)),
        SheetColumn("alarm", "Alarm", str, _drift(lambda found: "drift" if found.alarming else "none")),
    ),
)

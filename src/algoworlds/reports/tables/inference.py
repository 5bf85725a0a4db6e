"""Tables of uncertainty: intervals, comparisons, reliability, small cells and drift."""

from collections.abc import Callable
from itertools import combinations, groupby
from typing import Any

from algoworlds.reports.aggregate import Interval, mean, summarize, within
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import wilson
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION,
    FAMILY,
    Column,
    Row,
    Sheet,
    by_family,
    decimals,
    interval,
    of_family,
    probability,
    sheet,
    signed,
    signed_interval,
)
from algoworlds.reports.statistics import bootstrap, cochran, holm, pass_all, pass_any, resample, sign_flip
from algoworlds.reports.tables.outcomes import MEASURE_NAMES, MEASURES, VALUES
from algoworlds.reports.tables.structure import solved

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


def intervals(results: Results) -> Sheet | None:
    """Bootstrap intervals of the headline measures; None if no family has two instances to resample."""
    if max(strata(results)) < 2:
        return None
    weights = resample(strata(results))

    def cell(label: str, key: str) -> dict[str, Any]:
        fine = instance_sums(results, label, lambda each: round(_FINE * VALUES[key](each)))
        sizes = instance_sums(results, label, lambda each: 1)
        return {"mean": sum(fine) / sum(sizes) / _FINE, "interval": bootstrap(weights, fine, sizes, 1 / _FINE)}

    rows: list[Row] = [
        {"configuration": label} | {key: cell(label, key) for key in MEASURES} for label in results.configurations
    ]
    columns = [CONFIGURATION, *(Column(key, name, _estimate) for key, name in MEASURE_NAMES.items())]
    return sheet("intervals", results, columns, rows)


def _estimate(value: dict[str, Any]) -> str:
    return f"{decimals(1)(value['mean'])} {interval(value['interval'])}"


def comparisons(results: Results) -> Sheet | None:
    """Paired differences between all models (between agents, where there is no model); None without a pair."""
    labels = results.models or results.configurations
    found = [(first, second, _differences(results, first, second)) for first, second in combinations(labels, 2)]
    if not found:
        return None
    weights = resample(strata(results))
    worlds = [sum(1 for _ in group) for _, group in groupby(_first_trial(results), key=lambda each: each.instance)]
    chances = [sign_flip(differences) for _, _, differences in found]
    rows: list[Row] = []
    for (first, second, differences), p, adjusted in zip(found, chances, holm(chances), strict=True):
        scale = 100 / (len(results.trials(first)) * len(results.trials(second)))
        delta = scale * sum(differences) / len(results.worlds)
        ends = bootstrap(weights, differences, worlds, scale)
        rows.append({"first": first, "second": second, "delta": delta, "interval": ends, "p": p, "holm": adjusted})
    columns = [
        Column("first", "First", str),
        Column("second", "Second", str),
        Column("delta", "First - second", signed),
        Column("interval", "95% interval", signed_interval),
        Column("p", "p (sign flip)", probability),
        Column("holm", "p (Holm)", probability),
    ]
    return sheet("comparisons", results, columns, rows, pairs=len(rows))


def _first_trial(results: Results) -> tuple[Evaluation, ...]:
    return results.trials(results.configurations[0])[0]


def _differences(results: Results, first: str, second: str) -> list[int]:
    """Per instance, the difference of solved worlds in units of 1 / (trials of one * trials of the other)."""
    ours, theirs = (instance_sums(results, label, lambda each: each.exact) for label in (first, second))
    many, few = len(results.trials(first)), len(results.trials(second))
    return [few * one - many * other for one, other in zip(ours, theirs, strict=True)]


def reliability(results: Results) -> Sheet:
    """pass^k and pass@k for every number of trials that was run."""
    most = max(len(results.trials(label)) for label in results.configurations)
    kinds = {"pass^": pass_all, "pass@": pass_any}
    names = [(f"{kind}{drawn}", chance, drawn) for kind, chance in kinds.items() for drawn in range(1, most + 1)]
    names.remove(("pass@1", pass_any, 1))  # the same as pass^1

    def share(label: str, chance: Callable[[int, int, int], float], drawn: int) -> float | None:
        count = len(results.trials(label))
        if drawn > count:
            return None
        return 100 * mean([chance(times, count, drawn) for times in solved(results.trials(label))])

    rows: list[Row] = [
        {"configuration": label} | {name: share(label, chance, drawn) for name, chance, drawn in names}
        for label in results.configurations
    ]
    return sheet("reliability", results, [CONFIGURATION, *(Column(name, name, decimals(2)) for name, _, _ in names)], rows)


def small_cells(results: Results) -> Sheet:
    """Wilson intervals of exact optimality by family."""

    def cell(name: str, label: str) -> dict[str, Any]:
        trials = within(results, label, of_family(name))
        rate = mean([each.exact for trial in trials for each in trial])
        low, high = wilson(rate, len({each.instance for each in trials[0]}))
        return {"mean": 100 * rate, "interval": Interval(100 * low, 100 * high)}

    rows, keys = by_family(results, cell)
    named = zip(keys, results.configurations, strict=True)
    columns = [FAMILY, *(Column(key, label, _estimate, (("configuration", label),)) for key, label in named)]
    return sheet("small_cells", results, columns, rows)


def drift(results: Results) -> Sheet | None:
    """Cochran's Q between trials; None if no configuration has two trials."""
    if all(len(results.trials(label)) < 2 for label in results.configurations):
        return None
    columns = [
        CONFIGURATION,
        Column("exact_optimality", "Exact optimality", decimals(2)),
        Column("q", "Cochran's Q", decimals(1)),
        Column("freedom", "Degrees of freedom", str),
        Column("p", "p", probability),
        Column("alarm", "Alarm", str),
    ]
    return sheet("drift", results, columns, [_drift(results, label) for label in results.configurations])


def _drift(results: Results, label: str) -> Row:
    trials = results.trials(label)
    found = cochran([[each.exact for each in trial] for trial in trials])
    row = {"configuration": label, "exact_optimality": summarize(trials, MEASURES["exact_optimality"])}
    if found is None:
        return row | dict.fromkeys(("q", "freedom", "p", "alarm"))
    return row | found._asdict() | {"alarm": "drift" if found.alarming else "none"}

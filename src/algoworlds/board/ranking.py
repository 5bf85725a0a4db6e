"""The ranking of a board: places with tie groups, and how stable they are.

A configuration's place is 1 plus the number of configurations that are significantly better: the paired difference in exact
optimality has an interval above 0 and a sign-flip test that holds after Holm's adjustment over all pairs. Configurations with
the same place are tied. Stability is measured by resampling instances within families.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import attrgetter

import numpy as np

from algoworlds.reports.aggregate import Interval
from algoworlds.reports.intervals import TAIL_PROBABILITY, estimate_rate, family_strata, rate_interval, sum_by_instance
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import HEADLINE_METRICS
from algoworlds.reports.statistics import BOOTSTRAP_RESAMPLES, compare_paired, resample_counts

EXACT_OPTIMALITY = "exact_optimality"


@dataclass(frozen=True)
class Standing:
    """Where a configuration stands on the board; shares are in percent."""

    label: str
    place: int
    """1 plus the number of configurations that are significantly better."""
    tied_with: int
    """How many other configurations have the same place."""
    exact: float
    interval: Interval | None
    places: tuple[int, int]
    """The range of places by plain order in 95 % of the resamples."""
    first_share: float
    """In how many resamples no configuration was better."""


def rank_configurations(results: Results) -> list[Standing]:
    """The standings of all configurations of `results`, best first."""
    labels, strata = results.configurations, family_strata(results)
    solved = {label: sum_by_instance(results, label, attrgetter("exact")) for label in labels}
    worlds = [sum(1 for _ in group) for _, group in groupby(results.trials(labels[0])[0], key=attrgetter("instance"))]
    trials = {label: len(results.trials(label)) for label in labels}
    better = _count_better(labels, solved, trials, worlds, strata)
    places, first = _resample_places([solved[label] for label in labels], [trials[label] for label in labels], worlds, strata)
    counts = list(better.values())
    standings = []
    for index, label in enumerate(labels):
        estimate = estimate_rate(results, label, HEADLINE_METRICS[EXACT_OPTIMALITY])
        interval = rate_interval(estimate)
        standings.append(
            Standing(
                label,
                1 + better[label],
                counts.count(better[label]) - 1,
                100 * estimate.value,
                interval and interval.scale(100),
                places[index],
                first[index],
            )
        )
    return sorted(standings, key=lambda standing: (standing.place, -standing.exact, standing.label))


def _count_better(
    labels: Sequence[str], solved: dict[str, list[int]], trials: dict[str, int], worlds: list[int], strata: list[int]
) -> dict[str, int]:
    """By label, how many configurations are significantly better."""
    better, pairs = dict.fromkeys(labels, 0), list(combinations(labels, 2))
    if not pairs:
        return better
    differences = [
        [trials[second] * one - trials[first] * other for one, other in zip(solved[first], solved[second], strict=True)]
        for first, second in pairs
    ]
    units = [1 / (trials[first] * trials[second]) for first, second in pairs]
    tests = compare_paired(strata, differences, [worlds] * len(pairs), units)
    for (first, second), tested in zip(pairs, tests, strict=True):
        if tested.reading in ("higher", "lower"):
            better[second if tested.reading == "higher" else first] += 1
    return better


def _resample_places(
    solved: Sequence[Sequence[int]], trials: Sequence[int], worlds: Sequence[int], strata: Sequence[int]
) -> tuple[list[tuple[int, int]], list[float]]:
    """By configuration, the range of its places over resampled instances, and the percentage in which it is first.

    All configurations played the same worlds, so their rates have one denominator but for the number of trials; to compare
    them exactly, solved worlds are multiplied to a common number of trials.
    """
    common = int(np.lcm.reduce(np.array(trials, dtype=np.int64)))
    factors = np.array([common // count for count in trials], dtype=np.int64)
    totals = resample_counts(strata) @ (np.array(solved, dtype=np.int64) * factors[:, None]).T
    places = 1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)
    cut = round(TAIL_PROBABILITY * BOOTSTRAP_RESAMPLES)
    ordered = np.sort(places, axis=0)
    ranges = [(int(low), int(high)) for low, high in zip(ordered[cut], ordered[-cut - 1], strict=True)]
    return ranges, (100 * (places == 1).mean(axis=0)).tolist()

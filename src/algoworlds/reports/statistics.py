"""Statistics beyond mean, deviation and interval: the bootstrap of the paper, tests, reliability, drift.

Everything is reproducible to the last bit on any machine: resampling uses the raw stream of a fixed bit generator and integer
sums, and tests are exact where possible.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.reports.aggregate import Interval, mean
from algoworlds.reports.intervals import SIGNIFICANCE_LEVEL, TAIL_PROBABILITY, difference_interval, estimate_mean
from algoworlds.reports.results import Results

BOOTSTRAP_RESAMPLES = 10_000
_SEED = 20_260_101
_HALF = np.uint64(32)

ResampleCounts = NDArray[np.int64]


# -- bootstrap --------------------------------------------------------------------------------------------------------


def resample_counts(strata: Sequence[int]) -> ResampleCounts:
    """How often each resample contains each unit; units are drawn with replacement within their stratum.

    `strata` has the sizes of the strata; their units are consecutive columns. Only raw 64-bit words of the generator are used,
    because NumPy promises their stream for all versions: the upper half of a word times n, shifted right, is a number below n.
    """
    generator, counts = np.random.PCG64(_SEED), []
    for size in strata:
        words = generator.random_raw(BOOTSTRAP_RESAMPLES * size)
        units = (((words >> _HALF) * np.uint64(size)) >> _HALF).astype(np.int64)
        cells = np.repeat(np.arange(BOOTSTRAP_RESAMPLES, dtype=np.int64) * size, size) + units
        counts.append(np.bincount(cells, minlength=BOOTSTRAP_RESAMPLES * size).reshape(BOOTSTRAP_RESAMPLES, size))
    return np.hstack(counts).astype(np.int64)


def bootstrap_interval(weights: ResampleCounts, totals: Sequence[int], sizes: Sequence[int], scale: float = 1.0) -> Interval:
    """The percentile interval of scale * sum(totals) / sum(sizes); its ends are order statistics of the resamples."""
    draws = scale * (weights @ np.array(totals, dtype=np.int64)) / (weights @ np.array(sizes, dtype=np.int64))
    ordered = np.sort(draws)
    low, high = (math.ceil(round(share * len(ordered), 6)) - 1 for share in (TAIL_PROBABILITY, 1 - TAIL_PROBABILITY))
    return Interval(float(ordered[low]), float(ordered[high]))


# -- tests ------------------------------------------------------------------------------------------------------------


def sign_flip_test(differences: Sequence[int]) -> float:
    """Two-sided p of the exact sign-flip permutation test: every difference is as likely as its opposite.

    The distribution of the sum over all sign patterns is built unit by unit; nothing is sampled.
    """
    unit = math.gcd(*differences)
    if unit == 0:
        return 1.0
    sizes = [abs(difference) // unit for difference in differences if difference]
    largest, observed = sum(sizes), abs(sum(differences)) // unit
    probabilities = np.zeros(2 * largest + 1)  # of the sums -largest..largest
    probabilities[largest] = 1.0
    for size in sizes:  # the ends are still 0, so np.roll wraps nothing around
        probabilities = (np.roll(probabilities, size) + np.roll(probabilities, -size)) / 2
    return 1.0 if observed == 0 else min(1.0, 2 * math.fsum(probabilities[largest + observed :]))


def mcnemar_test(wins: int, losses: int) -> float:
    """Two-sided p of McNemar's exact test: a discordant pair is equally likely a win or a loss."""
    pairs = wins + losses
    tail = sum(math.comb(pairs, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << pairs))


def holm_adjust(p_values: Sequence[float]) -> list[float]:
    """`p_values` adjusted for multiple tests by Holm's step-down rule."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


class PairedDifference(NamedTuple):
    """A difference in percentage points, its interval, the p of its test, and p adjusted for other tests."""

    delta: float
    interval: Interval | None
    p: float
    holm: float

    @property
    def reading(self) -> str:
        """The conclusion from interval and tests."""
        if self.interval is None:
            return "no interval"
        excludes_zero, rejected = not self.interval.low <= 0 <= self.interval.high, self.p < SIGNIFICANCE_LEVEL
        if excludes_zero != rejected:
            return "undecided: interval and test disagree"
        if not excludes_zero:
            return "undecided"
        if self.holm >= SIGNIFICANCE_LEVEL:
            return "undecided: not after Holm"
        return "higher" if self.interval.low > 0 else "lower"


def compare_paired(
    strata: Sequence[int], differences: Sequence[Sequence[int]], sizes: Sequence[Sequence[int]], scales: Sequence[float]
) -> list[PairedDifference]:
    """Test several differences that are paired by instance: one row of `differences`, `sizes` and `scales` for each.

    See `estimate_mean` for `strata`, sizes and scales. The values of p are adjusted over all rows.
    """
    p_values = list(map(sign_flip_test, differences))
    rows = []
    for row, (p, adjusted) in enumerate(zip(p_values, holm_adjust(p_values), strict=True)):
        estimate = estimate_mean(strata, differences[row], sizes[row], scales[row])
        interval = difference_interval(estimate)
        rows.append(PairedDifference(100 * estimate.value, interval and interval.scale(100), p, adjusted))
    return rows


# -- drift ------------------------------------------------------------------------------------------------------------


class ScheduleHalves(NamedTuple):
    """Evaluations of one world in the two halves of a schedule, and how many of them were optimal."""

    early: int
    early_exact: int
    late: int
    late_exact: int


def mantel_haenszel_test(worlds: Iterable[ScheduleHalves]) -> float | None:
    """Two-sided p of the Mantel-Haenszel test: within worlds, are early evaluations as likely optimal as late ones?

    The order of a schedule is random, so without drift every arrangement of the outcomes of a world is equally likely. None if
    no world has both outcomes and evaluations in both halves.
    """
    surplus = variance = 0.0
    for early, early_exact, late, late_exact in worlds:
        count, exact = early + late, early_exact + late_exact
        surplus += early_exact - early * exact / count
        variance += early * late * exact * (count - exact) / (count**2 * max(1, count - 1))
    return math.erfc(abs(surplus) / math.sqrt(2 * variance)) if variance else None


# -- reliability ------------------------------------------------------------------------------------------------------


def pass_hat_k(solved: int, trials: int, drawn: int) -> float:
    """pass^k: the chance that all of k trials drawn without replacement solved the world."""
    return math.comb(solved, drawn) / math.comb(trials, drawn)


def pass_at_k(solved: int, trials: int, drawn: int) -> float:
    """pass@k: the chance that at least one of k trials drawn without replacement solved the world."""
    return 1 - math.comb(trials - solved, drawn) / math.comb(trials, drawn)


class Drift(NamedTuple):
    """Exact optimality (percent) in both halves of a schedule, p of their difference within worlds, and p adjusted by Holm."""

    early: float | None = None
    late: float | None = None
    p: float | None = None
    holm: float | None = None
    untested_reason: str = ""

    @property
    def is_alarm(self) -> bool:
        """Whether the halves differ significantly after adjusting for all models."""
        return self.holm is not None and self.holm < SIGNIFICANCE_LEVEL

    @property
    def alarm_text(self) -> str:
        """The result of the test, or the reason why there was none."""
        return self.untested_reason or ("drift" if self.is_alarm else "none")


def measure_drift(results: Results) -> dict[str, Drift]:
    """The drift of every model."""
    drifts = {label: _compare_halves(results, label) for label in results.candidates}
    tested = [(label, drift.p) for label, drift in drifts.items() if drift.p is not None]
    for (label, _), adjusted in zip(tested, holm_adjust([p for _, p in tested]), strict=True):
        drifts[label] = drifts[label]._replace(holm=adjusted)
    return drifts


def _compare_halves(results: Results, label: str) -> Drift:
    trials = results.trials(label)
    if not results.schedule:
        return Drift(untested_reason="no test: records without their schedule")
    if len(trials) == 1:
        return Drift(untested_reason="no test: one trial")
    scheduled = sorted((row for trial in trials for row in trial), key=lambda row: results.schedule[row.id])
    middle = (len(scheduled) + 1) // 2
    counts: dict[str, list[int]] = {}
    for position, evaluation in enumerate(scheduled):
        world, half = counts.setdefault(evaluation.world, [0, 0, 0, 0]), 0 if position < middle else 2
        world[half] += 1
        world[half + 1] += evaluation.exact
    p = mantel_haenszel_test([ScheduleHalves(*count) for count in counts.values()])
    early, late = (100 * mean([row.exact for row in half]) for half in (scheduled[:middle], scheduled[middle:]))
    return Drift(early, late, p, untested_reason="" if p is not None else "no test: no world changed")

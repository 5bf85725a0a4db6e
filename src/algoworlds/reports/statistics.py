"""Statistics beyond mean, deviation and interval: the paper's bootstrap, tests, reliability, drift.

Everything here is reproducible to the last bit on any machine: resampling uses the raw stream of a fixed bit generator and
sums of integers, and tests are exact where they can be.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.reports.aggregate import Interval
from algoworlds.reports.intervals import LEVEL, TAIL

DRAWS = 10_000
"""Resamples of a bootstrap."""

_SEED = 20_260_101
_HALF = np.uint64(32)

Counts = NDArray[np.int64]


# -- bootstrap --------------------------------------------------------------------------------------------------------


def resample(strata: Sequence[int]) -> Counts:
    """How often each of DRAWS resamples holds each unit; units are drawn with replacement within their stratum.

    Strata are given by their sizes, their units in a row. Only the generator's raw 64-bit words are used, whose stream is
    promised for all versions; the upper half of a word times n, shifted down, is a number below n.
    """
    generator = np.random.PCG64(_SEED)
    return np.hstack([_stratum(generator, size) for size in strata])


def _stratum(generator: np.random.PCG64, size: int) -> Counts:
    words = generator.random_raw(DRAWS * size)
    units = (((words >> _HALF) * np.uint64(size)) >> _HALF).astype(np.int64)
    places = np.repeat(np.arange(DRAWS, dtype=np.int64) * size, size) + units
    return np.bincount(places, minlength=DRAWS * size).reshape(DRAWS, size).astype(np.int64)


def bootstrap(weights: Counts, totals: Sequence[int], sizes: Sequence[int], scale: float = 1.0) -> Interval:
    """The percentile interval of scale * (sum of totals) / (sum of sizes); the ends are order statistics of the draws."""
    draws = scale * (weights @ np.array(totals, dtype=np.int64)) / (weights @ np.array(sizes, dtype=np.int64))
    ordered = np.sort(draws)
    low, high = (math.ceil(round(share * len(ordered), 6)) - 1 for share in (TAIL, 1 - TAIL))
    return Interval(float(ordered[low]), float(ordered[high]))


# -- tests ------------------------------------------------------------------------------------------------------------


def sign_flip(differences: Sequence[int]) -> float:
    """Two-sided p of the exact sign-flip permutation test: each unit's difference is as likely as its opposite.

    The distribution of the sum under all sign patterns is built unit by unit; no pattern is sampled.
    """
    unit = math.gcd(*differences)
    if unit == 0:
        return 1.0
    sizes = [abs(each) // unit for each in differences if each]
    reach, observed = sum(sizes), abs(sum(differences)) // unit
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in sizes:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2  # the ends are still empty, so nothing wraps round
    return 1.0 if observed == 0 else min(1.0, 2 * math.fsum(chances[reach + observed :]))


def mcnemar(wins: int, losses: int) -> float:
    """Two-sided p of McNemar's exact test: a discordant pair is as likely a win as a loss."""
    pairs = wins + losses
    tail = sum(math.comb(pairs, count) for count in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << pairs))


def holm(chances: Sequence[float]) -> list[float]:
    """P-values adjusted for testing all of them together, by Holm's step-down rule."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    adjusted, largest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = largest
    return adjusted


def reading(found: Interval | None, p: float, adjusted: float) -> str:
    """What an interval of a difference, its test and its test among others say together; where they disagree, so it says."""
    if found is None:
        return "no interval"
    apart, rejected = not found.low <= 0 <= found.high, p < LEVEL
    if apart != rejected:
        return "undecided: interval and test disagree"
    if not apart:
        return "undecided"
    if adjusted >= LEVEL:
        return "undecided: not after Holm"
    return "higher" if found.low > 0 else "lower"


# -- drift ------------------------------------------------------------------------------------------------------------


class Halves(NamedTuple):
    """One world in the two halves of a run's schedule: its evaluations and how many of them were optimal."""

    early: int
    early_exact: int
    late: int
    late_exact: int


def mantel_haenszel(worlds: Iterable[Halves]) -> float | None:
    """Two-sided p of the Mantel-Haenszel test: within worlds, is early as likely optimal as late?

    The order of a schedule is random, so under no drift every arrangement of a world's outcomes is equally likely. None
    where no world was met in both halves with both outcomes: then nothing can be told.
    """
    surplus = variance = 0.0
    for early, early_exact, late, late_exact in worlds:
        count, exact = early + late, early_exact + late_exact
        surplus += early_exact - early * exact / count
        variance += early * late * exact * (count - exact) / (count**2 * max(1, count - 1))
    return math.erfc(abs(surplus) / math.sqrt(2 * variance)) if variance else None


# -- reliability ------------------------------------------------------------------------------------------------------


def pass_all(solved: int, trials: int, drawn: int) -> float:
    """pass^k: the chance that all of k trials drawn without replacement solved the world."""
    return math.comb(solved, drawn) / math.comb(trials, drawn)


def pass_any(solved: int, trials: int, drawn: int) -> float:
    """pass@k: the chance that at least one of k trials drawn without replacement solved the world."""
    return 1 - math.comb(trials - solved, drawn) / math.comb(trials, drawn)

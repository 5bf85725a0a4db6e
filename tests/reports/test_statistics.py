"""Statistics against brute force, known values and invariants."""

import itertools
import math
import random
from statistics import NormalDist

import numpy as np
import pytest

from algoworlds.reports.aggregate import Interval
from algoworlds.reports.statistics import (
    BOOTSTRAP_RESAMPLES,
    PairedDifference,
    ScheduleHalves,
    bootstrap_interval,
    holm_adjust,
    mantel_haenszel_test,
    mcnemar_test,
    pass_at_k,
    pass_hat_k,
    resample_counts,
    sign_flip_test,
)


@pytest.mark.parametrize("seed", range(8))
def test_sign_flip_is_exact(seed):
    source = random.Random(seed)
    differences = [source.randint(-6, 7) for _ in range(11)]
    observed = abs(sum(differences))
    patterns = itertools.product((1, -1), repeat=len(differences))
    extreme = sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in patterns)
    assert sign_flip_test(differences) == pytest.approx(extreme / 2 ** len(differences))
    assert sign_flip_test([3 * difference for difference in differences]) == sign_flip_test(differences)


def test_sign_flip_without_differences():
    assert sign_flip_test([0, 0, 0]) == 1.0
    assert sign_flip_test([2, -2]) == 1.0


def test_sign_flip_of_single_pairs_is_mcnemar():
    assert sign_flip_test([1] * 25 + [-1] * 8 + [0] * 87) == pytest.approx(mcnemar_test(25, 8))


def test_holm():
    assert holm_adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_adjust([0.6, 0.5]) == [1.0, 1.0]
    assert holm_adjust([]) == []


@pytest.mark.parametrize(
    ("ends", "p", "adjusted", "reading"),
    [
        ((1, 9), 0.01, 0.04, "higher"),
        ((-9, -1), 0.01, 0.04, "lower"),
        ((1, 9), 0.01, 0.06, "undecided: not after Holm"),
        ((1, 9), 0.07, 0.4, "undecided: interval and test disagree"),
        ((-1, 9), 0.04, 0.04, "undecided: interval and test disagree"),
        ((-1, 9), 0.3, 1.0, "undecided"),
        ((0, 9), 0.05, 1.0, "undecided"),
        (None, 0.001, 0.002, "no interval"),
    ],
)
def test_reading_combines_interval_and_test(ends, p, adjusted, reading):
    assert PairedDifference(0.0, None if ends is None else Interval(*ends), p, adjusted).reading == reading


def test_pass_rates_count_draws():
    for trials, solved in ((3, 0), (3, 1), (3, 2), (3, 3), (5, 2)):
        outcomes = [1] * solved + [0] * (trials - solved)
        for drawn in range(1, trials + 1):
            draws = list(itertools.combinations(outcomes, drawn))
            assert pass_hat_k(solved, trials, drawn) == pytest.approx(sum(map(all, draws)) / len(draws))
            assert pass_at_k(solved, trials, drawn) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_mantel_haenszel_worked_by_hand():
    """Two worlds of four trials, two in each half: 2-0 and 1-0 of them optimal early and late.

    Surplus 2 - 1 and 1 - 1/2; variances 2*2*2*2/(16*3) = 1/3 and 2*2*1*3/(16*3) = 1/4; chi-square 2.25 / (7/12) = 27/7,
    whose p is that of a normal variable beyond its root.
    """
    found = mantel_haenszel_test([ScheduleHalves(2, 2, 2, 0), ScheduleHalves(2, 1, 2, 0)])
    assert found == pytest.approx(2 * (1 - NormalDist().cdf(math.sqrt(27 / 7))))
    assert mantel_haenszel_test([ScheduleHalves(2, 0, 2, 2), ScheduleHalves(2, 0, 2, 1)]) == pytest.approx(found)


def test_mantel_haenszel_uses_only_worlds_with_both_outcomes_and_halves():
    silent = [
        ScheduleHalves(3, 1, 0, 0),
        ScheduleHalves(0, 0, 3, 2),
        ScheduleHalves(1, 1, 2, 2),
        ScheduleHalves(2, 0, 1, 0),
        ScheduleHalves(1, 1, 0, 0),
    ]
    assert mantel_haenszel_test(silent) is None
    assert mantel_haenszel_test([]) is None
    telling = [ScheduleHalves(2, 2, 1, 0)] * 6
    assert mantel_haenszel_test(silent + telling) == pytest.approx(mantel_haenszel_test(telling))


def test_mantel_haenszel_has_mean_and_variance_of_all_arrangements():
    worlds = [ScheduleHalves(1, 1, 2, 0), ScheduleHalves(2, 2, 1, 0), ScheduleHalves(2, 1, 2, 2)]
    outcomes = [[1] * (world.early_exact + world.late_exact) for world in worlds]
    padded = [ones + [0] * (world.early + world.late - len(ones)) for ones, world in zip(outcomes, worlds, strict=True)]
    sums = [
        sum(sum(order[: world.early]) for order, world in zip(orders, worlds, strict=True))
        for orders in itertools.product(*map(itertools.permutations, padded))
    ]
    observed = sum(world.early_exact for world in worlds)
    away = abs(observed - np.mean(sums)) / np.std(sums)
    assert mantel_haenszel_test(worlds) == pytest.approx(math.erfc(away / math.sqrt(2)))


def test_resampling_stays_within_strata():
    weights = resample_counts([12, 1, 5])
    assert weights.shape == (BOOTSTRAP_RESAMPLES, 18)
    for begin, end in ((0, 12), (12, 13), (13, 18)):
        assert (weights[:, begin:end].sum(axis=1) == end - begin).all()
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.05


def test_resampling_is_reproducible():
    """The stream and its use must never change: published intervals depend on them."""
    weights = resample_counts([3, 4])
    assert weights[:3].tolist() == [[1, 1, 1, 2, 0, 1, 1], [1, 0, 2, 0, 1, 1, 2], [0, 1, 2, 1, 2, 0, 1]]
    assert (weights == resample_counts([3, 4])).all()


def test_a_bootstrap_interval_has_the_right_width_and_lies_on_the_grid():
    source = random.Random(5)
    values = [source.choice((-3, -1, 0, 0, 0, 1, 2, 3)) for _ in range(120)]
    low, high = bootstrap_interval(resample_counts([120]), values, [3] * 120, 100)
    error = 100 / 3 * np.std(values) / math.sqrt(120)
    centre = 100 * sum(values) / 360
    assert (low, high) == pytest.approx((centre - 1.96 * error, centre + 1.96 * error), abs=0.15 * error)
    assert all(abs(end * 3.6 - round(end * 3.6)) < 1e-9 for end in (low, high))


def test_bootstrap_ends_are_order_statistics():
    draws = np.arange(BOOTSTRAP_RESAMPLES, dtype=np.int64)[::-1].reshape(-1, 1)
    sizes = np.ones((BOOTSTRAP_RESAMPLES, 1), dtype=np.int64)
    assert bootstrap_interval(np.hstack([draws, sizes]), [1, 0], [0, 1]) == (249, 9749)


def test_stratum_without_variation_adds_no_width():
    values = [5] * 12 + [0] * 12
    assert bootstrap_interval(resample_counts([12, 12]), values, [1] * 24) == (2.5, 2.5)
    low, high = bootstrap_interval(resample_counts([24]), values, [1] * 24)
    assert high - low > 1

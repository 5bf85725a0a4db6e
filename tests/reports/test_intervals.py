"""Intervals against their definitions, tables of the t distribution and worked examples."""

import math
import random
import statistics

import pytest

from algoworlds.reports.intervals import (
    TAIL_PROBABILITY,
    difference_interval,
    estimate_mean,
    rate_interval,
    t_quantile,
    t_survival,
    wilson_interval,
)


@pytest.mark.parametrize(("solved", "units", "high"), [(0, 72, 5.1), (0, 12, 24.3), (12, 12, 100.0), (6, 12, 74.6)])
def test_wilson(solved, units, high):
    low, top = wilson_interval(solved / units, units)
    assert round(100 * top, 1) == high
    mirrored = wilson_interval(1 - solved / units, units)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((low, top))
    assert 0 <= low <= solved / units <= top <= 1


def test_wilson_solves_its_equation():
    """The ends are the rates from which the measured one is 1.96 standard errors away."""
    for end in wilson_interval(0.3, 40):
        assert abs(0.3 - end) == pytest.approx(1.96 * math.sqrt(end * (1 - end) / 40))


@pytest.mark.parametrize(
    ("tail", "freedom", "value"),
    [
        (0.025, 1, 12.7062),
        (0.025, 2, 4.30265),
        (0.025, 3, 3.18245),
        (0.025, 10, 2.22814),
        (0.025, 110, 1.98177),
        (0.005, 20, 2.84534),
    ],
)
def test_t_tables(tail, freedom, value):
    assert t_quantile(tail, freedom) == pytest.approx(value, rel=5e-6)
    assert t_survival(t_quantile(tail, freedom), freedom) == pytest.approx(tail)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30])
def test_t_survival_is_the_integral_of_its_density(freedom):
    scale = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)
    for value in (0.1, 1.0, 2.5):
        slope = (t_survival(value + 1e-5, freedom) - t_survival(value - 1e-5, freedom)) / 2e-5
        assert slope == pytest.approx(-scale * (1 + value**2 / freedom) ** (-(freedom + 1) / 2), rel=1e-4)


# -- estimates --------------------------------------------------------------------------------------------------------


def test_estimate_worked_by_hand():
    """Families {0, 2} and {1, 4} of 6: mean 7/24; variances of their means 2/2 and 4.5/2, the error is sqrt(3.25) / 2 / 6."""
    found = estimate_mean([2, 2], [0, 2, 1, 4], [6, 6, 6, 6])
    assert found.value == pytest.approx(7 / 24)
    assert found.standard_error == pytest.approx(math.sqrt(3.25) / 2 / 6)
    assert (found.degrees_of_freedom, found.instances) == (2, 4)
    assert found.events == pytest.approx(7 / 6)


@pytest.mark.parametrize(
    ("strata", "totals", "freedom"),
    [
        ([2, 2], [0, 6, 0, 6], 2),  # equally variable: all degrees of freedom, never more
        ([2, 2], [0, 6, 3, 3], 2),  # one varies: 3, but there are only 2
        ([3, 3, 3], [0, 0, 6, 3, 3, 3, 0, 0, 0], 4),  # one of three varies: 2 + 2 of 6
        ([3, 3], [0, 0, 6, 0, 0, 3], (1 + 1 / 4) ** 2 / ((1 + 1 / 16) / 4)),  # variances as 4 to 1, which exceeds 4
        ([4, 2, 2], [0, 0, 6, 6, 3, 3, 3, 3], 5),  # the family of four alone: 3 + 2
    ],
)
def test_degrees_of_freedom_count_strata_that_vary(strata, totals, freedom):
    most = sum(strata) - len(strata)
    estimate = estimate_mean(strata, totals, [6] * len(totals))
    assert estimate.degrees_of_freedom == pytest.approx(min(most, freedom))


def test_t_quantile_is_interpolated_between_whole_degrees_of_freedom():
    """By tables: 2.3060 at 8, 2.2622 at 9; the expansion of Cornish and Fisher gives 2.2827 at 8.5."""
    assert t_quantile(TAIL_PROBABILITY, 8.5) == pytest.approx(2.2827, abs=3e-4)
    assert t_quantile(TAIL_PROBABILITY, 8) > t_quantile(TAIL_PROBABILITY, 8.01) > t_quantile(TAIL_PROBABILITY, 8.99)
    assert t_quantile(TAIL_PROBABILITY, 8.999999) == pytest.approx(t_quantile(TAIL_PROBABILITY, 9), rel=1e-6)


def test_standard_error_of_one_stratum_is_that_of_a_mean():
    source = random.Random(4)
    values = [source.randint(-6, 6) for _ in range(15)]
    found = estimate_mean([15], values, [6] * 15, 100)
    assert found.standard_error == pytest.approx(100 / 6 * statistics.stdev(values) / math.sqrt(15))
    assert found.events == pytest.approx(100 / 6 * sum(map(abs, values)))


def test_single_instance_gets_the_pooled_variance():
    """Within the three families of two, squares about the mean add up to 3/2 with 3 degrees of freedom: variance 1/2."""
    totals, sizes = [0, 1, 0, 1, 1, 0, 1], [1] * 7
    assert estimate_mean([2, 2, 2, 1], totals, sizes).standard_error == pytest.approx(math.sqrt(0.5 * 7) / 7)


def test_differences_between_families_add_no_error():
    assert estimate_mean([3, 3], [5, 5, 5, 0, 0, 0], [6] * 6).standard_error == 0


# -- intervals --------------------------------------------------------------------------------------------------------


def test_one_instance_per_family_has_no_interval():
    alone = estimate_mean([1] * 10, [1, 0] * 5, [1] * 10)
    assert alone.value == 0.5
    assert rate_interval(alone) is None
    assert difference_interval(alone) is None


def test_difference_worked_by_hand():
    found = estimate_mean([3], [3, 1, 2], [6, 6, 6])
    low, high = difference_interval(found)
    half = t_quantile(TAIL_PROBABILITY, 2) / 6 / math.sqrt(3)
    assert (low, high) == pytest.approx((1 / 3 - half, 1 / 3 + half))


def test_interval_of_no_difference_has_width():
    """Ten families of 12: t is 1.982, so that 3.2 points either way remain possible."""
    low, high = difference_interval(estimate_mean([12] * 10, [0] * 120, [6] * 120))
    assert (low, high) == pytest.approx((-0.0317, 0.0317), abs=5e-5)


def test_interval_of_differences_that_cancel_out_has_width():
    """One family +1, the other -1, both without spread: as wide as no event among eight instances, 6 degrees of freedom."""
    reach = t_quantile(TAIL_PROBABILITY, 6) ** 2
    low, high = difference_interval(estimate_mean([4, 4], [6] * 4 + [-6] * 4, [6] * 8))
    assert (low, high) == pytest.approx((-reach / (8 + reach), reach / (8 + reach)))


@pytest.mark.parametrize(("solved", "ends"), [(0, (0.0, 0.0317)), (6, (0.9683, 1.0))])
def test_intervals_of_none_and_all_have_width(solved, ends):
    low, high = rate_interval(estimate_mean([12] * 10, [solved] * 120, [6] * 120))
    assert (low, high) == pytest.approx(ends, abs=5e-5)


def test_rate_interval_follows_from_the_standard_error():
    """The measured rate is t standard errors from either end; errors scale as the root of rate * (1 - rate)."""
    source = random.Random(9)
    found = estimate_mean([5] * 8, [source.randint(0, 6) for _ in range(40)], [6] * 40)
    reach, own = t_quantile(TAIL_PROBABILITY, 32), found.value * (1 - found.value)
    for end in rate_interval(found):
        assert abs(end - found.value) == pytest.approx(reach * found.standard_error * math.sqrt(end * (1 - end) / own))


def test_less_than_one_event_counts_every_instance_once():
    """Five of 720 evaluations are less than an instance of six: the interval is Wilson's of 120 instances."""
    rare = estimate_mean([12] * 10, [5] + [0] * 119, [6] * 120)
    assert rare.degrees_of_freedom == pytest.approx(13)  # only one family varies
    reach = t_quantile(TAIL_PROBABILITY, rare.degrees_of_freedom)
    assert rate_interval(rare) == wilson_interval(rare.value, 120, reach)
    common = estimate_mean([12] * 10, [6] + [0] * 119, [6] * 120)
    assert rate_interval(common) == wilson_interval(
        common.value, common.value * (1 - common.value) / common.standard_error**2, reach
    )


def test_interval_of_the_best_of_many_is_wider_at_its_low_end_only():
    found = estimate_mean([4] * 10, [1, 2, 5, 6] * 10, [6] * 40)
    plain, best = rate_interval(found), rate_interval(found, picked_from=7)
    assert best.low < plain.low
    assert best.high == plain.high
    assert (
        best.low
        == wilson_interval(
            found.value, found.value * (1 - found.value) / found.standard_error**2, t_quantile(TAIL_PROBABILITY / 7, 30)
        ).low
    )

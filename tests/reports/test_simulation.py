"""Intervals, tests and alarms hold in simulated experiments; the methods they replaced do not."""

import math

import pytest

from algoworlds.reports.intervals import estimate_mean, rate_interval
from algoworlds.reports.statistics import bootstrap_interval, resample_counts
from bench.simulate import Design
from bench.statistics import (
    AT_MOST,
    MODELS,
    Target,
    all_measurements,
    best_of_models,
    designs,
    differences,
    drift,
    false_alarms,
    interval_of_rate,
    noticed_steps,
    rates,
    unequal_designs,
)

DRAWS = 500


def percentile_bootstrap(strata, totals, sizes):
    """The stratified percentile bootstrap."""
    if strata not in percentile_bootstrap.weights:
        percentile_bootstrap.weights[strata] = resample_counts(strata)
    return bootstrap_interval(percentile_bootstrap.weights[strata], totals, sizes)


percentile_bootstrap.weights = {}


def test_every_statistic_holds_in_a_short_simulation():
    measured = list(all_measurements(0.03))
    assert [row for row in measured if not row.holds] == []
    assert {row.statistic for row in measured if row.share is None} == {
        "interval of a rate",
        "interval of a difference of 0 points",
        "interval of a difference of 10 points",
    }


def test_alarm_has_the_power_that_the_glossary_states():
    """A step of 12 points is noticed in 90-100 % of reports, one of 5 points in 20-47 %; allow three standard errors."""
    for design in (Design((12,) * 10, 0.6), Design((12,) * 10, 0.2)):
        assert noticed_steps(design, 100, 12).share >= 0.81
        assert 0.08 <= noticed_steps(design, 100, 5).share <= 0.62


def test_simulation_is_repeatable():
    design = Design((2,) * 10, 0.4)
    assert (design.outcomes(3) == design.outcomes(3)).all()
    assert (design.halves(3) == design.halves(3)).all()


def test_simulation_has_its_nominal_rate():
    for design in designs((2, 12), (0.02, 0.4, 0.9, 1.0)):
        outcomes = design.outcomes(DRAWS)
        assert design.truth == pytest.approx(design.rate)
        error = math.sqrt(design.rate * (1 - design.rate) / (DRAWS * sum(design.counts)))
        assert abs(outcomes.mean() - design.rate) <= 3 * error


@pytest.mark.parametrize(
    "design",
    [
        *designs((2,), (0.4,)),
        *designs((3,), (0.9,)),
        *(pytest.param(design, marks=pytest.mark.full) for design in designs((2, 3), (0.1, 0.4, 0.9))),
    ],
    ids=lambda design: design.name,
)
def test_percentile_bootstrap_covers_slices_too_rarely(design):
    """Resampling within families of n instances understates the variance by (n - 1) / n."""
    assert rates(design, DRAWS).holds
    old = rates(design, DRAWS, percentile_bootstrap)
    assert not old.holds
    assert 0.7 < old.share < 0.9
    assert differences(design, DRAWS).holds
    assert not differences(design, DRAWS, method=percentile_bootstrap).holds


def test_percentile_bootstrap_covers_rare_rates_too_rarely():
    for design in designs((3, 12), (0.02,)):
        assert rates(design, DRAWS).holds
        assert rates(design, DRAWS, percentile_bootstrap).share < 0.9


@pytest.mark.parametrize("design", [unequal_designs((2,))[0], unequal_designs((3,), (0.2,))[0]], ids=lambda design: design.name)
def test_families_without_variation_do_not_count_as_degrees_of_freedom(design):
    """With families as unequal as in the paper, counting them makes intervals too narrow."""

    def all_degrees_of_freedom(strata, totals, sizes):
        return rate_interval(estimate_mean(strata, totals, sizes)._replace(degrees_of_freedom=sum(strata) - len(strata)))

    new, old = (rates(design, 3 * DRAWS, method) for method in (interval_of_rate, all_degrees_of_freedom))
    assert new.share - old.share > 0.015
    assert new.share > 0.925 - 3 * new.error
    assert old.share < 0.93


def test_best_of_seven_needs_the_correction():
    """Without the correction the interval misses too often."""
    for design in designs((3, 12), (0.4,)):
        assert best_of_models(design, DRAWS, (1.0,) * MODELS).holds
        assert not best_of_models(design, 4 * DRAWS, (1.0,) * MODELS, among=1).holds


def cochran(worlds, outcomes):
    """P of Cochran's Q between three trials, by number: exp(-Q / 2)."""
    sums, worlds = outcomes.sum(axis=0), outcomes.sum(axis=1)
    changing = 3 * worlds.sum() - (worlds**2).sum()
    return math.exp(-(3 * (sums**2).sum() - sums.sum() ** 2) / changing) if changing else None


def test_comparing_trials_by_number_detects_no_drift():
    """Half of all successes lost halfway: the schedule shows it, trials by number do not."""
    for design in designs((12,), (0.4, 0.9)):
        assert drift(design, 200, 0.5).share > 0.95
        assert drift(design, 200, 0.5, cochran).share < 0.12
        assert drift(design, DRAWS).holds


def test_seven_steady_configurations_raise_few_alarms():
    """Without a correction a quarter to a third of such reports raise an alarm."""
    plain, corrected = false_alarms(Design((12,) * 10, 0.4), 300)
    assert plain.share > 0.2
    assert not plain._replace(target=AT_MOST).holds
    assert corrected.holds


def test_shares_are_compared_within_three_standard_errors():
    measured = rates(Design((2,) * 10, 0.4), 100, interval_of_rate)._replace(target=Target("", 0.5, 0.5), draws=100)
    assert measured._replace(share=0.65).holds
    assert not measured._replace(share=0.66).holds
    assert measured._replace(share=0.35).holds
    assert not measured._replace(share=0.34).holds

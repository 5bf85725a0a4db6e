"""Trial first, sample deviation, positive denominators, stated quantiles."""

import statistics

import numpy as np
import pytest

from algoworlds.reports.aggregate import mean_of, percent_of, quantile, quantile_of, sample_sd, summarize, summarize_values
from algoworlds.reports.evaluation import Evaluation
from tests.reports.synthetic import record

ONE = ("fleet_dispatch", 1, 1, "direct")


def evaluation(category="optimal", **options):
    return Evaluation.from_record(record("A", ONE, 1, category, **options))


def test_the_deviation_is_the_samples():
    values = [67 / 2.4, 61 / 2.4, 62 / 2.4]
    assert sample_sd(values) == pytest.approx(statistics.stdev(values))
    assert sample_sd([3.0]) is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 97])
def test_quantiles_are_numpys_linear_ones(share, count):
    values = np.random.default_rng(count).random(count).tolist()
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share, method="linear")))
    assert quantile([], share) is None


def test_trial_without_a_value_is_left_out():
    assert summarize_values([10.0, None, 20.0]) == (15.0, pytest.approx(7.0710678), (10.0, None, 20.0))
    assert summarize_values([None, None]) is None


def test_trials_have_equal_weight():
    """Two of two, then none of one: the mean of trial percentages is 50, the pooled percentage would be 67."""
    trials = [[evaluation(), evaluation()], [evaluation("infeasible"), evaluation("infeasible", sufficient=False)]]
    exact_given_sufficiency = percent_of(lambda row: row.exact, lambda row: row.sufficiency)
    assert summarize(trials, exact_given_sufficiency).mean == 50
    assert mean_of(lambda row: row.spend, lambda row: row.exact)(trials[1]) is None


def test_regret_quantiles_ignore_missing_values():
    trial = [evaluation("suboptimal", gap=gap) for gap in (41, 82)] + [evaluation("infeasible"), evaluation()]
    assert quantile_of(lambda row: row.regret, 0.5, lambda row: not row.exact)(trial) == 1.5

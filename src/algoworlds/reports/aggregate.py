"""Trial first: a statistic is computed within each trial, then its mean and sample standard deviation over the trials.

A statistic of no evaluations is None and its trial does not enter the mean, so a conditional percentage averages over trials
with a positive denominator. Sums are exact (fsum), so results do not depend on the order of work.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results

Metric = Callable[[Evaluation], float | None]
"""A number of an evaluation; None where it has no value."""
Condition = Callable[[Evaluation], object]
Statistic = Callable[[Sequence[Evaluation]], float | None]


class Summary(NamedTuple):
    """Mean and sample standard deviation (None for a single value) over trials, and the values of all trials."""

    mean: float
    sd: float | None
    trials: tuple[float | None, ...]


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float

    def scale(self, factor: float) -> "Interval":
        """Both ends multiplied by `factor`."""
        return Interval(factor * self.low, factor * self.high)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


def sample_sd(values: Sequence[float]) -> float | None:
    """The standard deviation with divisor n - 1; None for a single value."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def quantile(values: Iterable[float], share: float) -> float | None:
    """The quantile at position share * (n - 1), linearly interpolated between order statistics; None without values."""
    ordered = sorted(values)
    if not ordered:
        return None
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def summarize_values(values: Sequence[float | None]) -> Summary | None:
    """The summary of one value per trial; None if no trial has a value."""
    present = [value for value in values if value is not None]
    return Summary(mean(present), sample_sd(present), tuple(values)) if present else None


def summarize(trials: Sequence[Sequence[Evaluation]], statistic: Statistic) -> Summary | None:
    """The summary over `trials` of a `statistic` within each trial."""
    return summarize_values([statistic(trial) for trial in trials])


def filter_trials(results: Results, configuration: str, condition: Condition) -> list[list[Evaluation]]:
    """The evaluations of each trial of `configuration` that satisfy `condition`."""
    return [[evaluation for evaluation in trial if condition(evaluation)] for trial in results.trials(configuration)]


# -- statistics of a trial --------------------------------------------------------------------------------------------


def always(evaluation: Evaluation) -> bool:
    """The condition that always holds."""
    return True


def mean_of(metric: Metric, condition: Condition = always, scale: int = 1) -> Statistic:
    """`scale` times the mean of `metric` over the evaluations that have a value and satisfy `condition`."""

    def statistic(trial: Sequence[Evaluation]) -> float | None:
        values = [scale * value for value in _values(metric, condition, trial)]
        return mean(values) if values else None

    return statistic


def percent_of(metric: Metric, condition: Condition = always) -> Statistic:
    """100 times the mean of `metric` over the evaluations that have a value and satisfy `condition`."""
    return mean_of(metric, condition, 100)


def count_where(condition: Condition) -> Statistic:
    """The number of evaluations that satisfy `condition`."""
    return lambda trial: float(sum(1 for evaluation in trial if condition(evaluation)))


def quantile_of(metric: Metric, share: float, condition: Condition = always) -> Statistic:
    """A quantile of `metric` over the evaluations that have a value and satisfy `condition`."""
    return lambda trial: quantile(_values(metric, condition, trial), share)


def _values(metric: Metric, condition: Condition, trial: Sequence[Evaluation]) -> list[float]:
    values = (metric(evaluation) for evaluation in trial if condition(evaluation))
    return [value for value in values if value is not None]

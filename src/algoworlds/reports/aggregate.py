"""Trial first: a statistic is computed within each trial, then its mean and sample standard deviation over the trials.

A statistic of no evaluations has no value (None) and that trial does not enter the mean, so a conditional percentage is
an average over positive denominators only. Sums are exact to the last bit (fsum), so no order of work can show.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results

Reading = Callable[[Evaluation], float]
Condition = Callable[[Evaluation], object]
Statistic = Callable[[Sequence[Evaluation]], float | None]


class Summary(NamedTuple):
    """Mean and sample standard deviation (None for a single value) over trials, and the trials' own values."""

    mean: float
    sd: float | None
    trials: tuple[float | None, ...]


class Interval(NamedTuple):
    """Two ends of an interval."""

    low: float
    high: float

    def times(self, factor: float) -> "Interval":
        """The same on another scale."""
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
    """Linear interpolation between order statistics: position share * (n - 1), counted from 0; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def across(values: Sequence[float | None]) -> Summary | None:
    """The summary of one value a trial; None if no trial has one."""
    present = [value for value in values if value is not None]
    return Summary(mean(present), sample_sd(present), tuple(values)) if present else None


def summarize(trials: Sequence[Sequence[Evaluation]], statistic: Statistic) -> Summary | None:
    """A statistic within each trial, then over the trials."""
    return across([statistic(trial) for trial in trials])


def within(results: Results, configuration: str, given: Condition) -> list[list[Evaluation]]:
    """A slice of each trial of a configuration."""
    return [[each for each in trial if given(each)] for trial in results.trials(configuration)]


# -- statistics of a trial --------------------------------------------------------------------------------------------


def everything(evaluation: Evaluation) -> bool:
    """The condition that always holds."""
    return True


def average(of: Reading, given: Condition = everything) -> Statistic:
    """The mean of a measure over the evaluations that satisfy a condition."""

    def statistic(trial: Sequence[Evaluation]) -> float | None:
        values = [of(each) for each in trial if given(each)]
        return mean(values) if values else None

    return statistic


def percent(of: Reading, given: Condition = everything) -> Statistic:
    """A hundred times the mean of a measure, given a condition."""
    return average(lambda each: 100 * of(each), given)


def count(given: Condition) -> Statistic:
    """How many evaluations satisfy a condition."""
    return lambda trial: float(sum(1 for each in trial if given(each)))


def spread(of: Callable[[Evaluation], float | None], share: float, given: Condition = everything) -> Statistic:
    """A quantile of a measure over the evaluations that have it and satisfy a condition."""

    def statistic(trial: Sequence[Evaluation]) -> float | None:
        return quantile([value for each in trial if given(each) and (value := of(each)) is not None], share)

    return statistic

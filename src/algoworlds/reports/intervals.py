"""Intervals for new instances of the same families, from the instances that were drawn.

Families are strata and an instance is one unit: all its interfaces and trials stay together. The variance within a stratum of
n instances has divisor n - 1, and the ends come from the t distribution with Satterthwaite's degrees of freedom, so that
families without variation do not count. With families as unequal as in the paper, 95 % intervals of a rate hold in 92-96 % of
simulations at two instances per family, in 94-97 % at three and in 94-96 % at twelve; degrees of freedom that count every
family reach 90-94 %, 92-95 % and 94-96 %. With one instance per family nothing is known about the next one, and there is no
interval. `python -m bench.statistics` measures how often the intervals hold.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from algoworlds.reports.aggregate import Interval, always
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results

SIGNIFICANCE_LEVEL = 0.05
"""How often a 95% interval may miss; a test rejects below this p."""
TAIL_PROBABILITY = SIGNIFICANCE_LEVEL / 2
_NORMAL_QUANTILE = 1.96

MIN_EVENTS = 1.0
"""With events of less than one whole instance the spread says nothing, and every instance counts as one unit."""


class Estimate(NamedTuple):
    """A mean over instances drawn within strata, its standard error, and the size of the sample."""

    value: float
    standard_error: float
    degrees_of_freedom: float
    """Satterthwaite's degrees of freedom, at most the instances beyond the first of each stratum; 0 if there are none."""
    instances: int
    events: float
    """The sum of absolute values, in instances: how many were solved, or differ between two configurations."""


def estimate_mean(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int], scale: float = 1.0) -> Estimate:
    """Estimate scale * sum(totals) / sum(sizes), with one total and one size per instance.

    Instances are ordered by stratum; `strata` has the number of instances in each. A stratum with a single instance gets the
    pooled variance of the others.

    Degrees of freedom are V^2 / sum(v^2 / (f + 2)), where V is the sum of the variances v of strata with f degrees of freedom.
    Satterthwaite's formula has f instead of f + 2; but it needs the fourth power of the true deviation, and that of the sample
    is too large by the factor 1 + 2 / f.
    """
    whole, number = sum(sizes), sum(strata)
    value = sum(totals) / whole
    deviations = iter([(total - value * size) / whole for total, size in zip(totals, sizes, strict=True)])
    squares = [_sum_of_squares(list(islice(deviations, count))) for count in strata]
    freedom = number - len(strata)
    pooled = math.fsum(squares) / freedom if freedom else 0.0
    variances = [(count * square / (count - 1), count - 1) for square, count in zip(squares, strata, strict=True) if count > 1]
    variances.append((strata.count(1) * pooled, freedom))
    variance = math.fsum(part for part, _ in variances)
    if variance:
        fourth_powers = math.fsum(part**2 / (own_freedom + 2) for part, own_freedom in variances)
        effective = min(float(freedom), variance**2 / fourth_powers)
    else:
        effective = float(freedom)
    events = number * sum(map(abs, totals)) / whole
    return Estimate(scale * value, scale * math.sqrt(variance), effective, number, scale * events)


def _sum_of_squares(values: Sequence[float]) -> float:
    """The sum of squares around the mean; exactly 0 for equal values."""
    if len(set(values)) == 1:
        return 0.0
    centre = math.fsum(values) / len(values)
    return math.fsum((value - centre) ** 2 for value in values)


# -- intervals --------------------------------------------------------------------------------------------------------


def rate_interval(estimate: Estimate, picked_from: int = 1) -> Interval | None:
    """Wilson's interval of a mean of values in 0..1, for the effective number of units that gives its standard error.

    An estimate that was picked as the highest of several is too high on average, so its low end is corrected for
    `picked_from` estimates (Bonferroni). The high end needs no correction: the truly best one can only be higher.
    """
    freedom = estimate.degrees_of_freedom
    if not freedom:
        return None
    units = float(estimate.instances)
    if estimate.standard_error:
        units = estimate.value * (1 - estimate.value) / estimate.standard_error**2
        if min(estimate.events, estimate.instances - estimate.events) < MIN_EVENTS:
            units = min(units, estimate.instances)
    low, high = (
        wilson_interval(estimate.value, units, t_quantile(tail, freedom))
        for tail in (TAIL_PROBABILITY / picked_from, TAIL_PROBABILITY)
    )
    return Interval(low.low, high.high)


def difference_interval(estimate: Estimate) -> Interval | None:
    """The t interval of a mean of paired differences in -1..1.

    If the spread says nothing, it is at least as wide as Wilson's interval of no event.
    """
    if not estimate.degrees_of_freedom:
        return None
    t = t_quantile(TAIL_PROBABILITY, estimate.degrees_of_freedom)
    half = t * estimate.standard_error
    if estimate.events < MIN_EVENTS or not estimate.standard_error:
        half = max(half, t**2 / (estimate.instances + t**2))
    return Interval(max(-1.0, estimate.value - half), min(1.0, estimate.value + half))


def wilson_interval(rate: float, units: float, z: float = _NORMAL_QUANTILE) -> Interval:
    """Wilson's score interval of a `rate` (0..1) measured on `units` independent units, at the quantile `z`."""
    spread = z * math.sqrt(rate * (1 - rate) / units + z**2 / (4 * units**2))
    centre, scale = rate + z**2 / (2 * units), 1 + z**2 / units
    return Interval(max(0.0, min(rate, (centre - spread) / scale)), min(1.0, max(rate, (centre + spread) / scale)))


# -- the t distribution -----------------------------------------------------------------------------------------------


@cache
def t_quantile(tail: float, freedom: float) -> float:
    """The value that Student's t exceeds with probability `tail` < 1/2, rounded to twelve digits: the same on every machine.

    Between whole degrees of freedom, of which there is at least 1, it is interpolated linearly in their reciprocals.
    """
    whole = math.floor(freedom)
    if whole != freedom:
        share = (1 / whole - 1 / freedom) / (1 / whole - 1 / (whole + 1))
        value = t_quantile(tail, whole) * (1 - share) + t_quantile(tail, whole + 1) * share
        return float(f"{value:.12g}")
    low, high = 0.0, 1.0
    while t_survival(high, whole) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if t_survival(middle, whole) > tail else (low, middle)
    return float(f"{high:.12g}")


def t_survival(value: float, freedom: int) -> float:
    """P(T > value) for Student's t with integer degrees of freedom, by the finite series in the cosine of atan(t / sqrt(n))."""
    angle = math.atan(value / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    term = cosine if freedom % 2 else 1.0
    total = 0.0
    for order in range(1 + freedom % 2, freedom, 2):
        total += term
        term *= cosine**2 * order / (order + 1)
    inside = 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total
    return (1 - inside) / 2


# -- results --------------------------------------------------------------------------------------------------------------

_UNITS_PER_ONE = 10**9
"""Values are summed as integers in units of 1e-9, so that sums do not depend on the order of work."""


def sum_by_instance(results: Results, label: str, metric: Callable[[Evaluation], int]) -> list[int]:
    """An integer `metric` summed over all interfaces and trials of each hidden instance."""
    sums = dict.fromkeys(results.instances, 0)
    for trial in results.trials(label):
        for evaluation in trial:
            sums[evaluation.instance] += metric(evaluation)
    return list(sums.values())


def family_strata(results: Results, condition: Callable[[Evaluation], bool] = always) -> list[int]:
    """The number of instances of each family that satisfy `condition`; families without any are left out."""
    instances: dict[str, set[str]] = {}
    for evaluation in filter(condition, results.trials(results.configurations[0])[0]):
        instances.setdefault(evaluation.family, set()).add(evaluation.instance)
    return list(map(len, instances.values()))


def single_instance_note(strata: list[int]) -> str:
    """What a caption says about families with a single instance; empty if there are none."""
    single = strata.count(1)
    if not single:
        return ""
    if single == len(strata):
        return "There is no interval: with one instance a family nothing is known of another one."
    return f"{single} of the {len(strata)} families have one instance and are taken to vary as the others do."


def estimate_rate(results: Results, label: str, metric: Callable[[Evaluation], float]) -> Estimate:
    """Estimate, as a share, a `metric` on the scale 0-100 over all evaluations of a configuration."""
    totals = sum_by_instance(results, label, lambda evaluation: round(_UNITS_PER_ONE * metric(evaluation)))
    sizes = sum_by_instance(results, label, lambda evaluation: 1)
    return estimate_mean(family_strata(results), totals, sizes, 0.01 / _UNITS_PER_ONE)


def best_model_interval(results: Results, label: str) -> Interval | None:
    """The interval of exact optimality, in percent, of the best model of a report.

    The highest of several was probably lucky, so the low end allows for the number of models.
    """
    estimate = estimate_rate(results, label, lambda evaluation: 100 * evaluation.exact)
    interval = rate_interval(estimate, picked_from=max(1, len(results.candidates)))
    return None if interval is None else interval.scale(100)

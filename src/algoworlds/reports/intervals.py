"""Intervals for new instances of the same families, from the instances that were drawn.

Families are strata and an instance is one unit: all its interfaces and trials travel together. The variance within a stratum
of n instances has divisor n - 1 and ends are taken from the t distribution, so that a slice with two instances a family is
covered as well as a whole suite; with one instance a family nothing is known of the next one, and there is no interval.
`python -m bench.statistics` measures how often the intervals hold.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from algoworlds.reports.aggregate import Interval

LEVEL = 0.05
"""How often a 95% interval may miss, and below which p a test rejects."""
TAIL = LEVEL / 2
_Z = 1.96

TOO_FEW = 1.0
"""Events of less than one whole instance: their spread says nothing, and every instance counts as one unit."""


class Estimate(NamedTuple):
    """A mean over instances drawn within strata, its standard error, and how much both rest on."""

    value: float
    error: float
    freedom: int
    """Instances beyond the first of each stratum."""
    instances: int
    events: float
    """The absolute measure added up over instances, in instances: how many were solved, or tell two configurations apart."""


def estimate(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int], scale: float = 1.0) -> Estimate:
    """The estimate of scale * (sum of totals) / (sum of sizes), one total and size an instance, strata in a row.

    A stratum with a single instance is taken to vary as the others do.
    """
    whole, number = sum(sizes), sum(strata)
    value = sum(totals) / whole
    deviations = [(total - value * size) / whole for total, size in zip(totals, sizes, strict=True)]
    squares = [_squares(part) for part in _split(deviations, strata)]
    freedom = number - len(strata)
    pooled = math.fsum(squares) / freedom if freedom else 0.0
    variance = math.fsum(
        pooled if count == 1 else square * count / (count - 1) for square, count in zip(squares, strata, strict=True)
    )
    events = number * sum(map(abs, totals)) / whole
    return Estimate(scale * value, scale * math.sqrt(variance), freedom, number, scale * events)


def _split(values: Sequence[float], strata: Sequence[int]) -> Iterator[Sequence[float]]:
    begin = 0
    for count in strata:
        yield values[begin : begin + count]
        begin += count


def _squares(values: Sequence[float]) -> float:
    """The sum of squares about the mean; exactly 0 for equal values."""
    if len(set(values)) == 1:
        return 0.0
    centre = math.fsum(values) / len(values)
    return math.fsum((value - centre) ** 2 for value in values)


# -- intervals --------------------------------------------------------------------------------------------------------


def rate_interval(found: Estimate, among: int = 1) -> Interval | None:
    """Wilson's interval of a mean of values in 0..1, for as many units as would have given its standard error.

    Picked as the highest of several, an estimate is too high on average: its low end then pays for all of them (by
    Bonferroni). Its high end need not, for the truly best one can only have come out lower still.
    """
    if not found.freedom:
        return None
    units = _effective(found)
    low, high = (wilson(found.value, units, t_quantile(tail, found.freedom)) for tail in (TAIL / among, TAIL))
    return Interval(low.low, high.high)


def _effective(found: Estimate) -> float:
    """How many independent units tell as much; at most the instances where too few differ from the rest to show a spread."""
    if not found.error:
        return found.instances
    units = found.value * (1 - found.value) / found.error**2
    rare = min(found.events, found.instances - found.events) < TOO_FEW
    return min(units, found.instances) if rare else units


def difference_interval(found: Estimate) -> Interval | None:
    """The t interval of a mean of paired differences in -1..1.

    Where their spread says nothing it is at least as wide as Wilson's interval of no event.
    """
    if not found.freedom:
        return None
    reach = t_quantile(TAIL, found.freedom)
    half = reach * found.error
    if found.events < TOO_FEW or not found.error:
        half = max(half, reach**2 / (found.instances + reach**2))
    return Interval(max(-1.0, found.value - half), min(1.0, found.value + half))


def wilson(rate: float, units: float, reach: float = _Z) -> Interval:
    """The score interval of a rate (0..1) measured on so many independent units; its ends are so many errors away."""
    spread = reach * math.sqrt(rate * (1 - rate) / units + reach**2 / (4 * units**2))
    centre, scale = rate + reach**2 / (2 * units), 1 + reach**2 / units
    return Interval(max(0.0, min(rate, (centre - spread) / scale)), min(1.0, max(rate, (centre + spread) / scale)))


# -- the t distribution -----------------------------------------------------------------------------------------------


@cache
def t_quantile(tail: float, freedom: int) -> float:
    """The value that Student's t exceeds with a given probability below one half, to twelve digits, alike on every machine."""
    low, high = 0.0, 1.0
    while t_survival(high, freedom) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if t_survival(middle, freedom) > tail else (low, middle)
    return float(f"{high:.12g}")


def t_survival(value: float, freedom: int) -> float:
    """P(T > value) for Student's t with whole degrees of freedom: the finite series in the cosine of an angle."""
    angle = math.atan(value / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    term = cosine if freedom % 2 else 1.0
    total = 0.0
    for order in range(1 + freedom % 2, freedom, 2):
        total += term
        term *= cosine**2 * order / (order + 1)
    inside = 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total
    return (1 - inside) / 2

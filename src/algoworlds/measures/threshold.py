"""Adaptive measurement: how many bits of executed work a player optimizes, by family, from few evaluations.

Psychometric function of a family, of a world whose executed work is 2^x:

    P(exact | x) = (1 - lapse) sigmoid(slope (threshold - x) + c(lapse)),   c(lapse) = logit(0.5 / (1 - lapse)),

so that a player is exactly optimal half of the time at its threshold, whatever its lapse rate. Families are tied together by
a hierarchical prior (`Hyper`): thresholds scatter around a common centre, slopes and lapses around common ones. All of it lies
on grids, and every quantity that a choice depends on is a 64-bit integer: tables of logarithms and exponentials come from
correctly rounded decimal arithmetic, sums and products are exact. So the same outcomes choose the same worlds everywhere.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

BIT = 20
"""Units of a bit in which work and thresholds are counted."""
THRESHOLDS = np.arange(2 * BIT, 32 * BIT + 1, BIT // 4, dtype=np.int64)
"""Thresholds on the grid: from far below the easiest worlds to far above the hardest ones."""
SLOPES = (19, 30, 48, 77, 123, 197)
"""Slopes on the grid, in 64ths of a logit per bit: 0.3 to 3.1."""
LAPSES = (0, 40, 120, 280, 450)
"""Lapse rates on the grid, per mille; from 500 on no world would be solved half of the time."""
CENTRES = np.arange(3 * BIT, 31 * BIT + 1, BIT, dtype=np.int64)
"""Centres of the thresholds of all families; each is equally likely."""
SPREADS = (1, 2, 4)
"""Standard deviations of thresholds around their centre, in bits; each is equally likely."""
SLOPE_CENTRES = (30, 48, 77, 123)
"""Centres of slopes; each is equally likely. Slopes scatter log-normally around it."""
SLOPE_SPREAD = Decimal("0.35")
LAPSE_WEIGHTS = ((90, 9, 1, 0, 0), (25, 50, 20, 4, 1), (2, 8, 30, 40, 20))
"""Weights of lapse rates where a player hardly ever, sometimes, or often fails for other reasons than difficulty."""
LAPSE_LEVEL_WEIGHTS = (6, 3, 1)
OUTLIER = 16
"""One family in so many may lie anywhere on the scale, whatever the others do."""

_LOGIT, _LIMIT = 32, 12
"""Units of a logit in tables, and the logit at which tables end."""
_NAT, _DECAY = 1 << 16, 1 << 7
"""Units of a nat in log-likelihoods, and in the table of exponentials."""
_ONE = 1 << 30
"""The total to which weights are normalised."""
_P = 1 << 20
"""Units of a probability."""
_ENTROPY_STEPS = 1 << 10
_MATHS = Context(prec=24)
LEVEL = 950
"""The probability of an interval, per mille."""
TRIVIAL_SHARE = 8
"""Every so manyth evaluation of a family is at its easiest world, from the first one on: it shows lapses."""


class Outcome(NamedTuple):
    """One finished evaluation: its family, the work of its world in tenths of a bit, and whether it was exact."""

    family: str
    tenths: int
    exact: bool


class Point(NamedTuple):
    """A difficulty to play: a family, and tenths of a bit of work."""

    family: str
    tenths: int


def _decimals(function: Callable[[], list[int]]) -> Ints:
    """The integers that `function` computes in decimal arithmetic of 24 digits, as an array that cannot be changed."""
    with localcontext(_MATHS):
        table = np.array(function(), np.int64)
    table.flags.writeable = False
    return table


@cache
def _success_tables() -> tuple[Ints, Ints, Ints]:
    """By lapse and quantised logit: P, ln P and ln (1 - P), the logarithms in 2^-16 nats."""

    def compute() -> list[int]:
        numbers = []
        for lapse in LAPSES:
            scale = 1 - Decimal(lapse) / 1000
            for k in range(-_LIMIT * _LOGIT, _LIMIT * _LOGIT + 1):
                success = scale / (1 + (-Decimal(k) / _LOGIT).exp())
                numbers += [int((number * unit).to_integral()) for number, unit in ((success, _P), (success.ln(), _NAT))]
                numbers.append(int(((1 - success).ln() * _NAT).to_integral()))
        return numbers

    table = _decimals(compute).reshape(len(LAPSES), -1, 3)
    return table[..., 0], table[..., 1], table[..., 2]


@cache
def _decays() -> Ints:
    """2^30 exp(-k / 128), until it is 0."""
    return _decimals(lambda: [int((_ONE * (-Decimal(k) / _DECAY).exp()).to_integral()) for k in range(22 * _DECAY)])


@cache
def _entropies() -> Ints:
    """The entropy of a coin in 2^-20 nats, by its probability in steps of 2^-10."""

    def entropy(k: int) -> int:
        p = Decimal(k) / _ENTROPY_STEPS
        return 0 if p in (0, 1) else int((-_P * (p * p.ln() + (1 - p) * (1 - p).ln())).to_integral())

    return _decimals(lambda: [entropy(k) for k in range(_ENTROPY_STEPS + 1)])


@cache
def _offsets() -> Ints:
    """c(lapse) in units of a logit."""
    rates = [Decimal(lapse) / 1000 for lapse in LAPSES]
    return _decimals(lambda: [int(((Decimal("0.5") / (Decimal("0.5") - rate)).ln() * _LOGIT).to_integral()) for rate in rates])


@cache
def _cells(tenths: int) -> tuple[Ints, Ints, Ints]:
    """P, ln P and ln (1 - P) at a work, by threshold, slope and lapse."""
    x = tenths * BIT // 10
    logits = (THRESHOLDS[:, None] - x) * np.array(SLOPES) * _LOGIT // (64 * BIT)
    index = np.clip(logits[..., None] + _offsets(), -_LIMIT * _LOGIT, _LIMIT * _LOGIT) + _LIMIT * _LOGIT
    success, right, wrong = (table[np.arange(len(LAPSES)), index] for table in _success_tables())
    return success, right, wrong


class Hyper(NamedTuple):
    """The hierarchical prior: the weights of thresholds, slopes and lapses of a family under every hyperparameter."""

    thresholds: Ints
    """By centre and spread together; rows sum to about 2^16."""
    slopes: Ints
    """By slope centre; rows sum to about 2^12."""
    lapses: Ints
    """By lapse level; rows sum to about 2^12."""
    weights: Ints
    """Of all hyperparameters, flat."""


@cache
def hyper_prior() -> Hyper:
    """The prior of everything."""

    def bell(distance: Decimal, width: Decimal) -> Decimal:
        return (-(distance * distance) / (2 * width * width)).exp()

    def normalise(row: Sequence[Decimal | int], total: int) -> list[int]:
        whole = sum(map(Decimal, row))
        return [int((Decimal(weight) * total / whole).to_integral()) for weight in row]

    def thresholds() -> list[int]:
        numbers, flat = [], (1 << 16) // (OUTLIER * len(THRESHOLDS))
        for centre, spread in product(CENTRES.tolist(), SPREADS):
            row = [bell(Decimal(int(at)) - centre, Decimal(spread * BIT)) for at in THRESHOLDS]
            numbers += [weight + flat for weight in normalise(row, (1 << 16) * (OUTLIER - 1) // OUTLIER)]
        return numbers

    def slopes() -> list[int]:
        logs = [Decimal(slope).ln() for slope in SLOPES]
        rows = [[bell(log - Decimal(centre).ln(), SLOPE_SPREAD) for log in logs] for centre in SLOPE_CENTRES]
        return [weight for row in rows for weight in normalise(row, 1 << 12)]

    lapses = _decimals(lambda: [weight for row in LAPSE_WEIGHTS for weight in normalise(row, 1 << 12)])
    by_centre = _decimals(thresholds).reshape(-1, len(THRESHOLDS))
    weights = np.tile(np.array(LAPSE_LEVEL_WEIGHTS, np.int64), len(by_centre) * len(SLOPE_CENTRES))
    slope_rows = _decimals(slopes).reshape(len(SLOPE_CENTRES), -1)
    return Hyper(by_centre, slope_rows, lapses.reshape(len(LAPSE_WEIGHTS), -1), _normalise(weights))


def _normalise(weights: Ints) -> Ints:
    """Nonnegative weights scaled so that they sum to about 2^30; weights may sum to anything below 2^62."""
    total = int(weights.sum())
    shift = max(0, int(weights.max()).bit_length() - 32)
    return (weights >> shift) * _ONE // max(1, total >> shift)


@dataclass(frozen=True)
class Likelihood:
    """What the outcomes of one family say, by threshold, slope and lapse."""

    logs: Ints

    @classmethod
    def flat(cls) -> "Likelihood":
        """Before any outcome."""
        return cls(np.zeros((len(THRESHOLDS), len(SLOPES), len(LAPSES)), np.int64))

    def after(self, tenths: int, exact: bool, times: int = 1) -> "Likelihood":
        """After an evaluation of a world of this work, or several with the same outcome."""
        _, right, wrong = _cells(tenths)
        return Likelihood(self.logs + times * (right if exact else wrong))

    def expecting(self, tenths: int, chance: int) -> "Likelihood":
        """While an evaluation is under way that is exact with a probability of `chance` / 2^20: both outcomes in part."""
        _, right, wrong = _cells(tenths)
        return Likelihood(self.logs + (right * chance + wrong * (_P - chance)) // _P)

    @cached_property
    def weights(self) -> Ints:
        """The likelihood itself; the largest is 2^30."""
        decays = _decays()
        index = (self.logs.max() - self.logs) * _DECAY // _NAT
        return np.where(index < len(decays), decays[np.minimum(index, len(decays) - 1)], 0)

    @cached_property
    def evidence(self) -> Ints:
        """The probability of the outcomes under every hyperparameter, up to a factor; flat."""
        prior = hyper_prior()
        slopes, lapses = self.weights.shape[1:]
        by_centre = (prior.thresholds @ self.weights.reshape(len(THRESHOLDS), -1) >> 16).reshape(-1, slopes, lapses)
        by_slope = np.einsum("hsl,cs->hcl", by_centre, prior.slopes)
        return (np.einsum("hcl,kl->hck", by_slope, prior.lapses) >> 24).ravel()  # type: ignore[no-any-return]


def _join_evidence(evidences: Iterable[Ints]) -> Ints:
    """The weights of all hyperparameters after independent evidence."""
    weights = hyper_prior().weights
    for evidence in evidences:
        weights = _normalise(weights * evidence)
    return weights


def _prior_of_family(hyper_weights: Ints) -> Ints:
    """The prior of a family's threshold, slope and lapse under weighted hyperparameters; sums to about 2^30."""
    prior = hyper_prior()
    shaped = hyper_weights.reshape(len(prior.thresholds), len(prior.slopes), len(prior.lapses))
    by_lapse = np.einsum("hck,kl->hcl", shaped, prior.lapses)
    by_slope = np.einsum("hcl,cs->hsl", by_lapse, prior.slopes) >> 20  # at most 2^34 in all
    flat = prior.thresholds.T @ by_slope.reshape(len(prior.thresholds), -1)
    return _normalise(flat).reshape(len(THRESHOLDS), len(SLOPES), len(LAPSES))


@dataclass(frozen=True)
class Posterior:
    """What is known of one family: the weights of threshold, slope and lapse."""

    prior: Ints
    likelihood: Likelihood

    @cached_property
    def weights(self) -> Ints:
        """Weights that sum to about 2^30."""
        return _normalise(self.prior * self.likelihood.weights)

    @cached_property
    def threshold_weights(self) -> Ints:
        """The weights of thresholds alone."""
        marginal: Ints = self.weights.sum(axis=(1, 2))
        return marginal

    def quantile(self, per_mille: int) -> int:
        """A quantile of the threshold in 1000ths of a bit, linear between the edges of the grid's cells."""
        below, total = 0, int(self.threshold_weights.sum())
        step = 1000 * int(THRESHOLDS[1] - THRESHOLDS[0]) // BIT
        for at, weight in zip(THRESHOLDS.tolist(), self.threshold_weights.tolist(), strict=True):
            if weight and (below + weight) * 1000 >= total * per_mille:
                inside = step * (total * per_mille - 1000 * below) // (1000 * weight)
                return int(1000 * at // BIT - step // 2 + inside)
            below += weight
        raise AssertionError("quantiles lie on the grid")

    @cached_property
    def interval(self) -> tuple[int, int]:
        """The 95 % interval of the threshold, in 1000ths of a bit."""
        outside = (1000 - LEVEL) // 2
        return self.quantile(outside), self.quantile(1000 - outside)

    def width_within(self, offered: Sequence[int]) -> int:
        """How much of the interval lies between the easiest and the hardest world, in 1000ths of a bit.

        Beyond them a threshold is only known by a bound, which further evaluations do not improve.
        """
        low, high = (min(max(end, 100 * min(offered)), 100 * max(offered)) for end in self.interval)
        return high - low

    def chance(self, tenths: int) -> int:
        """The probability of an exact decision at a work, in 2^-20."""
        return int((self.weights * _cells(tenths)[0]).sum()) // int(self.weights.sum())

    def information(self, tenths: int) -> int:
        """What an evaluation at this work is expected to say about the threshold, in 2^-20 nats."""
        by_threshold = (self.weights * _cells(tenths)[0]).sum(axis=(1, 2))
        total, weights = int(self.weights.sum()), self.threshold_weights
        known = by_threshold // np.maximum(weights, 1) * _ENTROPY_STEPS // _P
        mean = int(by_threshold.sum()) // total * _ENTROPY_STEPS // _P
        entropies = _entropies()
        return int(entropies[mean]) - int((entropies[np.minimum(known, _ENTROPY_STEPS)] * weights).sum()) // total

    def expecting(self, tenths: int) -> "Posterior":
        """The posterior while an evaluation at this work is under way."""
        return Posterior(self.prior, self.likelihood.expecting(tenths, self.chance(tenths)))


def likelihoods(families: Sequence[str], outcomes: Iterable[Outcome]) -> dict[str, Likelihood]:
    """What the outcomes say, by family; their order does not matter."""
    by_family = {name: Likelihood.flat() for name in families}
    for (family, tenths, exact), times in Counter(outcomes).items():
        by_family[family] = by_family[family].after(tenths, exact, times)
    return by_family


def posteriors(families: Sequence[str], outcomes: Iterable[Outcome]) -> dict[str, Posterior]:
    """What is known of every family, with what the other families say about it."""
    by_family = likelihoods(families, outcomes)
    evidences = {name: likelihood.evidence for name, likelihood in by_family.items()}
    others = {name: _join_evidence(evidence for other, evidence in evidences.items() if other != name) for name in families}
    return {name: Posterior(_prior_of_family(others[name]), by_family[name]) for name in families}


def choose_points(offered: Mapping[str, Sequence[int]], outcomes: Sequence[Outcome], count: int, width: int) -> list[Point]:
    """The next `count` difficulties to play at the same time, from those `offered` by family, in tenths of a bit.

    Every point goes to the family whose interval is widest inside its scale, and there to the difficulty that is expected to
    say most about the threshold, given what is under way. Families where that interval is at most `width` 1000ths of a bit
    are left out; empty if there is none left. A pure function of its arguments; the order of `outcomes` does not matter.
    """
    current = posteriors(list(offered), outcomes)
    plays = {name: sum(outcome.family == name for outcome in outcomes) for name in offered}
    points: list[Point] = []
    while len(points) < count:
        widths = {name: current[name].width_within(tenths) for name, tenths in offered.items()}
        open_families = [name for name in offered if widths[name] > width or plays[name] == 0]
        if not open_families:
            break
        # A family without any evaluation comes first, so that the first round sees all of them.
        name = max(open_families, key=lambda name: (plays[name] == 0, widths[name]))
        if plays[name] % TRIVIAL_SHARE == 0:
            tenths = min(offered[name])
        else:
            tenths = max(offered[name], key=lambda at: (current[name].information(at), -at))
        points.append(Point(name, tenths))
        plays[name] += 1
        current[name] = current[name].expecting(tenths)
    return points


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the width of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class FamilyEstimate:
    """What is known of one family, in numbers to read."""

    threshold: Estimate
    slope: Estimate
    """In logits per bit."""
    lapse: Estimate


def _estimate(values: Sequence[float], weights: Ints) -> Estimate:
    """The mean and the interval of a grid's values, linear between cells."""
    shares = weights / weights.sum()
    middle = np.cumsum(shares) - shares / 2
    outside = (1000 - LEVEL) / 2000
    low, high = np.interp([outside, 1 - outside], middle, values)
    return Estimate(float(np.dot(shares, values)), float(low), float(high))


def estimate_family(posterior: Posterior) -> FamilyEstimate:
    """Threshold, slope and lapse of a family: posterior means and central 95 % intervals."""
    weights, (low, high) = posterior.threshold_weights, posterior.interval
    mean = float(np.dot(weights / weights.sum(), THRESHOLDS / BIT))
    return FamilyEstimate(
        Estimate(mean, low / 1000, high / 1000),
        _estimate([slope / 64 for slope in SLOPES], posterior.weights.sum(axis=(0, 2))),
        _estimate([lapse / 1000 for lapse in LAPSES], posterior.weights.sum(axis=(0, 1))),
    )


def threshold_shares(posterior: Posterior) -> list[float]:
    """The probability of every threshold of the grid."""
    weights = posterior.threshold_weights
    return (weights / weights.sum()).tolist()  # type: ignore[no-any-return]


def estimate_ability(families: Sequence[str], outcomes: Sequence[Outcome]) -> Estimate:
    """The mean threshold of the families: its posterior mean and 95 % interval, by a normal distribution.

    Given the hyperparameters, families are independent: the variance is that within them plus that between them.
    """
    by_family, prior = likelihoods(families, outcomes), hyper_prior()
    shares = _join_evidence(likelihood.evidence for likelihood in by_family.values()).astype(float)
    shares /= shares.sum()
    grid, size = THRESHOLDS / BIT, (len(prior.thresholds), len(prior.slopes), len(prior.lapses))
    means, variances = np.zeros(size), np.zeros(size)
    for likelihood in by_family.values():
        seen = np.einsum("tsl,cs,kl->tck", likelihood.weights.astype(float), prior.slopes, prior.lapses)
        moments = [np.einsum("ht,tck->hck", prior.thresholds * grid**power, seen) for power in range(3)]
        moments[0] = np.maximum(moments[0], 1e-300)
        mean = moments[1] / moments[0]
        means += mean
        variances += moments[2] / moments[0] - mean**2
    means, variances = means.ravel() / len(by_family), variances.ravel() / len(by_family) ** 2
    centre = float(shares @ means)
    deviation = float(np.sqrt(max(0.0, float(shares @ (variances + (means - centre) ** 2)))))
    return Estimate(centre, centre - 1.96 * deviation, centre + 1.96 * deviation)


def success_curve(posterior: Posterior, tenths: Iterable[int]) -> list[float]:
    """The posterior mean of the psychometric function at some works, to draw."""
    return [posterior.chance(at) / _P for at in tenths]

"""`python -m bench.statistics`: how often every interval, test and alarm of a report holds, beside what it promises.

The statistics are those of `algoworlds.reports`, called as its tables call them on simulated experiments.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from rich.console import Console

from algoworlds.cli.printing import print_table
from algoworlds.grid import Grid
from algoworlds.reports.aggregate import Interval
from algoworlds.reports.intervals import difference_interval, estimate, rate_interval, wilson
from algoworlds.reports.statistics import Halves, bootstrap, holm, mantel_haenszel, mcnemar, resample, sign_flip
from bench.simulate import EVALUATIONS, TRIALS, Design

FAMILIES, MODELS = 10, 7
LEVEL = 0.05
SLACK = 1e-9
"""An end that equals the truth but for rounding covers it."""


class Wanted(NamedTuple):
    """What is promised, and between which shares a measured one should lie."""

    nominal: str
    low: float
    high: float


COVERED = Wanted(".95", 0.93, 0.97)
AT_LEAST = Wanted(">= .95", 0.93, 1.0)
SIZE = Wanted(".05", 0.03, 0.065)
AT_MOST = Wanted("<= .05", 0.0, 0.055)
POWER = Wanted(">= .92", 0.92, 1.0)
SHOWN = Wanted("none", 0.0, 1.0)
"""Measured to be known, promised nowhere."""


class Measured(NamedTuple):
    """A share of simulations beside what is wanted of it; None where the statistic rightly has no value."""

    what: str
    design: str
    wanted: Wanted
    share: float | None
    draws: int

    @property
    def error(self) -> float:
        """The standard error of a share, at the nearest value that is wanted."""
        chance = min(max(self.share or 0.0, self.wanted.low), self.wanted.high)
        return sqrt(chance * (1 - chance) / self.draws)

    @property
    def holds(self) -> bool:
        """Whether the share lies where it should, give or take three standard errors of the simulation."""
        if self.share is None:
            return True
        return self.wanted.low - 3 * self.error <= self.share <= self.wanted.high + 3 * self.error


# -- intervals --------------------------------------------------------------------------------------------------------

Method = Callable[[Sequence[int], Sequence[int], Sequence[int]], Interval | None]
"""From the sizes of strata and every instance's total and size to an interval."""


def of_rate(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int]) -> Interval | None:
    """As the sheet of intervals does."""
    return rate_interval(estimate(strata, totals, sizes))


def of_difference(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int]) -> Interval | None:
    """As the sheet of comparisons does."""
    return difference_interval(estimate(strata, totals, sizes))


def rates(design: Design, draws: int, method: Method = of_rate) -> Measured:
    """Coverage of a rate over all instances."""
    totals = design.outcomes(draws).sum(axis=(1, 3, 4))
    wanted = COVERED if 0.05 < design.rate < 0.95 else AT_LEAST
    return _covered("interval of a rate", design, wanted, design.truth, _intervals(design, totals, method))


def differences(design: Design, draws: int, ease: float = 1.0, method: Method = of_difference) -> Measured:
    """Coverage of the difference between two configurations, the second of which is less able."""
    totals = design.outcomes(draws, (1.0, ease)).sum(axis=(3, 4))
    found = _intervals(design, totals[:, 0] - totals[:, 1], method)
    what = f"interval of a difference of {100 * design.rate * (1 - ease):.0f} points"
    wanted = COVERED if 0.05 < design.rate < 0.95 else AT_LEAST
    return _covered(what, design, wanted, design.truth * (1 - ease), found)


def best(design: Design, draws: int, ease: Sequence[float], among: int = MODELS) -> Measured:
    """Coverage of the rate of whichever configuration came out best."""
    totals = design.outcomes(draws, ease).sum(axis=(3, 4))
    places = totals.sum(axis=2).argmax(axis=1)
    sizes, chosen = [EVALUATIONS] * sum(design.counts), totals[np.arange(draws), places].tolist()
    found = [rate_interval(estimate(design.counts, each, sizes), among) for each in chosen]
    hits = [each.low <= design.truth * ease[place] <= each.high for each, place in zip(found, places, strict=True) if each]
    kind = "equal" if len(set(ease)) == 1 else "unequal"
    return Measured(f"interval of the best of {len(ease)} {kind}", design.name, AT_LEAST, sum(hits) / draws, draws)


def cells(design: Design, draws: int) -> Measured:
    """Coverage of one family's rate, where an instance counts once."""
    count = design.counts[-1]
    totals = design.outcomes(draws).sum(axis=(1, 3, 4))[:, -count:].sum(axis=1).tolist()
    found = [wilson(each / (count * EVALUATIONS), count) for each in totals]
    return _covered("interval of a family's rate", design, AT_LEAST, float(design.chances[-1]), found)


def paper_bootstrap(design: Design, draws: int) -> Measured:
    """Coverage of the paper's interval of Direct minus Mediated, which resamples all instances alike."""
    weights = resample([sum(design.counts)])
    sums = _sides(design, draws).sum(axis=2).tolist()
    found = [bootstrap(weights, each, [TRIALS] * len(each)) for each in sums]
    return _covered("the paper's bootstrap, Direct - Mediated", design, SHOWN, 0.0, found)


def _intervals(design: Design, totals: np.ndarray, method: Method) -> list[Interval | None]:
    sizes = [EVALUATIONS] * sum(design.counts)
    return [method(design.counts, each, sizes) for each in totals.tolist()]


def _covered(what: str, design: Design, wanted: Wanted, truth: float, found: Sequence[Interval | None]) -> Measured:
    hits = [each.low - SLACK <= truth <= each.high + SLACK for each in found if each is not None]
    return Measured(what, design.name, wanted, sum(hits) / len(hits) if hits else None, len(found))


# -- tests ------------------------------------------------------------------------------------------------------------


def _sides(design: Design, draws: int) -> np.ndarray:
    """By simulation, instance and trial: Direct minus Mediated, which are equally hard here."""
    direct, mediated = np.moveaxis(design.outcomes(draws)[:, 0].astype(np.int64), 2, 0)
    return direct - mediated


def interfaces(design: Design, draws: int) -> Iterator[Measured]:
    """How often tests find a difference between interfaces where there is none."""
    sides = _sides(design, draws)
    flips = [sign_flip(each) < LEVEL for each in sides.sum(axis=2).tolist()]
    pairs = [mcnemar(int((each > 0).sum()), int((each < 0).sum())) < LEVEL for each in sides]
    yield _rejected("sign flip, Direct = Mediated", design, AT_MOST, flips)
    yield _rejected("McNemar over pairs (too optimistic)", design, SHOWN, pairs)


def comparisons(design: Design, draws: int) -> Iterator[Measured]:
    """How often equal configurations are told apart: a pair of them, any pair of seven, and that after Holm's correction."""
    totals = design.outcomes(draws, (1.0,) * MODELS).sum(axis=(3, 4))
    found = [[sign_flip((one - two).tolist()) for one, two in combinations(each, 2)] for each in totals]
    yield _rejected("sign flip, two equal", design, AT_MOST, [p < LEVEL for each in found for p in each[:1]])
    yield _rejected("sign flip, any of 21 pairs of equals", design, SHOWN, [min(each) < LEVEL for each in found])
    yield _rejected("the same after Holm", design, AT_MOST, [min(holm(each)) < LEVEL for each in found])


def disagreements(design: Design, draws: int, ease: float) -> Measured:
    """How often interval and test beside each other disagree about zero, which the sheet then says in words."""
    totals = design.outcomes(draws, (1.0, ease)).sum(axis=(3, 4))
    apart = (totals[:, 0] - totals[:, 1]).tolist()
    ends = _intervals(design, totals[:, 0] - totals[:, 1], of_difference)
    found = [(each.low <= 0 <= each.high) == (sign_flip(one) < LEVEL) for one, each in zip(apart, ends, strict=True) if each]
    return _rejected("interval and sign flip disagree", design, SHOWN, found)


def _rejected(what: str, design: Design, wanted: Wanted, found: Sequence[bool]) -> Measured:
    return Measured(what, design.name, wanted, sum(found) / len(found), len(found))


# -- the alarm --------------------------------------------------------------------------------------------------------

Alarm = Callable[[Sequence[Halves], np.ndarray], float | None]


def of_schedule(worlds: Sequence[Halves], outcomes: np.ndarray) -> float | None:
    """As the sheet of drift does; it does not look at the trials' numbers."""
    return mantel_haenszel(worlds)


def drift(design: Design, draws: int, lost: float = 0.0, alarm: Alarm = of_schedule) -> Measured:
    """How often one configuration's trials raise the alarm if a share of its successes is lost from halfway on."""
    found = [p is not None and p < LEVEL for p in _alarms(design, draws, lost, alarm)]
    what = f"drift, {100 * lost:.0f} % of successes lost halfway" if lost else "drift, none there"
    return _rejected(what, design, POWER if lost else SIZE, found)


def accused(design: Design, draws: int) -> Iterator[Measured]:
    """How often a report on seven steady configurations accuses any of drift, without and with Holm's correction."""
    found = [1.0 if p is None else p for p in _alarms(design, draws * MODELS, 0.0, of_schedule)]
    reports = [found[begin : begin + MODELS] for begin in range(0, len(found), MODELS)]
    yield _rejected("drift, any of 7 steady, uncorrected", design, SHOWN, [min(each) < LEVEL for each in reports])
    yield _rejected("the same after Holm", design, AT_MOST, [min(holm(each)) < LEVEL for each in reports])


def _alarms(design: Design, draws: int, lost: float, alarm: Alarm) -> list[float | None]:
    early = design.halves(draws)
    kept = np.random.default_rng(draws).random(early.shape) >= lost
    exact = design.outcomes(draws)[:, 0].reshape(early.shape) & (early | kept)
    parts = [early, exact & early, ~early, exact & ~early]
    counts = np.stack([each.sum(axis=2) for each in parts], axis=2).tolist()
    return [alarm([Halves(*world) for world in worlds], each) for worlds, each in zip(counts, exact, strict=True)]


# -- all --------------------------------------------------------------------------------------------------------------


def designs(sizes: Sequence[int], rates: Sequence[float], alike: Sequence[float] = (0.5,)) -> list[Design]:
    """Every combination, with the same number of instances in each of ten families."""
    return [Design((size,) * FAMILIES, rate, each) for size in sizes for rate in rates for each in alike]


def everything(scale: float = 1.0) -> Iterator[Measured]:
    """All measurements; the scale thins the simulations."""
    many, some, few = (round(scale * draws) for draws in (4000, 2000, 1000))
    uneven = Design((1, 3) * (FAMILIES // 2), 0.4)
    every = (0.02, 0.1, 0.4, 0.9, 1.0)
    for each in [*designs((1,), (0.4,)), *designs((2, 3, 12), every, (0.2, 0.5, 0.8)), uneven]:
        yield rates(each, many)
    for each in [*designs((1,), (0.4,)), *designs((2, 3, 12), (0.02, 0.1, 0.4, 0.9)), uneven]:
        yield differences(each, many)
        yield differences(each, many, 0.75)
    for each in designs((2, 3, 12), (0.1, 0.4)):
        yield best(each, some, (1.0,) * MODELS)
        yield best(each, some, (1.0, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2))
    for each in designs((2, 3, 12), (0.02, 0.1, 0.4, 0.9, 1.0)):
        yield cells(each, many)
    for each in designs((2, 3, 12), (0.1, 0.4)):
        yield paper_bootstrap(each, few)
        yield from interfaces(each, some)
        yield from comparisons(each, few)
        yield disagreements(each, some, 0.75)
    for each in designs((2, 3, 12), (0.1, 0.4, 0.9)):
        yield drift(each, some)
        yield from accused(each, few)
    for each in designs((12,), (0.4, 0.9)):
        yield drift(each, some, 0.25)
        yield drift(each, some, 0.5)


def main() -> None:
    """Print every measurement, and a mark where it is not what is wanted."""
    heads = ("statistic", "design (families x instances)", "nominal", "measured", "+- (3 s.e.)", "simulations", "")
    print_table(Console(highlight=False), Grid("statistics", "", heads, tuple(map(_row, everything()))))


def _row(found: Measured) -> tuple[str, ...]:
    share = ("none", "") if found.share is None else (f"{found.share:.3f}", f"{3 * found.error:.3f}")
    return found.what, found.design, found.wanted.nominal, *share, str(found.draws), "" if found.holds else "off"


if __name__ == "__main__":
    main()

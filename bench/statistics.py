"""`python -m bench.statistics`: how often the intervals, tests and alarms of a report hold, next to their nominal values.

The statistics of `algoworlds.reports` are applied to simulated experiments in the same way as in its tables.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import numpy as np
from rich.console import Console

from algoworlds.cli.tables import print_table
from algoworlds.grid import Grid
from algoworlds.reports.aggregate import Interval
from algoworlds.reports.intervals import difference_interval, estimate_mean, rate_interval, wilson_interval
from algoworlds.reports.statistics import (
    ScheduleHalves,
    bootstrap_interval,
    holm_adjust,
    mantel_haenszel_test,
    mcnemar_test,
    resample_counts,
    sign_flip_test,
)
from bench.simulate import EVALUATIONS, STAGE_FAILURES, TRIALS, Design, LadderDesign

FAMILIES, MODELS = 10, 7
LEVEL = 0.05
ROUNDING = 1e-9
"""An end that differs from the truth by rounding only covers it."""


class Target(NamedTuple):
    """The nominal value of a share, and the range in which the measured share must be."""

    nominal: str
    low: float
    high: float


COVERED = Target(".95", 0.93, 0.97)
AT_LEAST = Target(">= .95", 0.93, 1.0)
SIZE = Target(".05", 0.03, 0.065)
AT_MOST = Target("<= .05", 0.0, 0.055)
POWER = Target(">= .92", 0.92, 1.0)
INFORMATION = Target("none", 0.0, 1.0)
"""Measured for information; nothing is promised."""


class Measured(NamedTuple):
    """A measured share of simulations and its target; the share is None if the statistic must not have a value."""

    statistic: str
    design: str
    target: Target
    share: float | None
    draws: int

    @property
    def error(self) -> float:
        """The standard error of the share, at the nearest value in the target range."""
        share = min(max(self.share or 0.0, self.target.low), self.target.high)
        return sqrt(share * (1 - share) / self.draws)

    @property
    def holds(self) -> bool:
        """Whether the share is in the target range, plus or minus three standard errors of the simulation."""
        if self.share is None:
            return True
        return self.target.low - 3 * self.error <= self.share <= self.target.high + 3 * self.error


# -- intervals --------------------------------------------------------------------------------------------------------

Method = Callable[[Sequence[int], Sequence[int], Sequence[int]], Interval | None]
"""From the sizes of strata and the total and size of every instance to an interval."""


def interval_of_rate(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int]) -> Interval | None:
    """The interval in the sheet of intervals."""
    return rate_interval(estimate_mean(strata, totals, sizes))


def interval_of_difference(strata: Sequence[int], totals: Sequence[int], sizes: Sequence[int]) -> Interval | None:
    """The interval in the sheet of comparisons."""
    return difference_interval(estimate_mean(strata, totals, sizes))


def rates(design: Design, draws: int, method: Method = interval_of_rate) -> Measured:
    """Coverage of the interval of a rate over all instances."""
    totals = design.outcomes(draws).sum(axis=(1, 3, 4))
    target = COVERED if 0.05 < design.rate < 0.95 else AT_LEAST
    return _coverage("interval of a rate", design.name, target, design.truth, _intervals(design, totals, method))


def differences(design: Design, draws: int, ease: float = 1.0, method: Method = interval_of_difference) -> Measured:
    """Coverage of the interval of the difference between two configurations; `ease` scales the rate of the second."""
    totals = design.outcomes(draws, (1.0, ease)).sum(axis=(3, 4))
    intervals = _intervals(design, totals[:, 0] - totals[:, 1], method)
    statistic = f"interval of a difference of {100 * design.rate * (1 - ease):.0f} points"
    target = COVERED if 0.05 < design.rate < 0.95 else AT_LEAST
    return _coverage(statistic, design.name, target, design.truth * (1 - ease), intervals)


def best_of_models(design: Design, draws: int, ease: Sequence[float], among: int = MODELS) -> Measured:
    """Coverage of the interval of the configuration with the highest measured rate."""
    totals = design.outcomes(draws, ease).sum(axis=(3, 4))
    winners = totals.sum(axis=2).argmax(axis=1)
    sizes, highest = [EVALUATIONS] * sum(design.counts), totals[np.arange(draws), winners].tolist()
    intervals = [rate_interval(estimate_mean(design.counts, total, sizes), among) for total in highest]
    hits = [
        interval.low <= design.truth * ease[winner] <= interval.high
        for interval, winner in zip(intervals, winners, strict=True)
        if interval
    ]
    kind = "equal" if len(set(ease)) == 1 else "unequal"
    return Measured(f"interval of the best of {len(ease)} {kind}", design.name, AT_LEAST, sum(hits) / draws, draws)


def small_cells(design: Design, draws: int) -> Measured:
    """Coverage of the Wilson interval of one family, where every instance counts once."""
    count = design.counts[-1]
    totals = design.outcomes(draws).sum(axis=(1, 3, 4))[:, -count:].sum(axis=1).tolist()
    intervals = [wilson_interval(total / (count * EVALUATIONS), count) for total in totals]
    return _coverage("interval of a family's rate", design.name, AT_LEAST, float(design.probabilities[-1]), intervals)


def paper_bootstrap(design: Design, draws: int) -> Measured:
    """Coverage of the bootstrap interval of the paper for Direct minus Mediated, which ignores families."""
    weights = resample_counts([sum(design.counts)])
    sums = _interface_differences(design, draws).sum(axis=2).tolist()
    intervals = [bootstrap_interval(weights, total, [TRIALS] * len(total)) for total in sums]
    return _coverage("the paper's bootstrap, Direct - Mediated", design.name, INFORMATION, 0.0, intervals)


def _intervals(design: Design, totals: np.ndarray, method: Method) -> list[Interval | None]:
    sizes = [EVALUATIONS] * sum(design.counts)
    return [method(design.counts, total, sizes) for total in totals.tolist()]


def _coverage(statistic: str, design: str, target: Target, truth: float, intervals: Sequence[Interval | None]) -> Measured:
    present = [interval for interval in intervals if interval is not None]
    hits = [interval.low - ROUNDING <= truth <= interval.high + ROUNDING for interval in present]
    return Measured(statistic, design, target, sum(hits) / len(hits) if hits else None, len(intervals))


def stage_losses(design: LadderDesign, draws: int) -> Iterator[Measured]:
    """Coverage of the intervals in the sheet of losses: of every stage, and of the total."""
    successes, truth, evaluations = design.successes(draws), design.truth, design.evaluations
    unsolved, sizes = evaluations - successes, [evaluations] * sum(design.counts)
    steps = successes[:, 1:] - successes[:, :-1]
    losses = [(steps[:, track], truth[track + 1] - truth[track], interval_of_difference) for track in range(len(truth) - 1)]
    losses += [(unsolved[:, -1], 1 - truth[-1], interval_of_rate), (unsolved[:, 0], 1 - truth[0], interval_of_rate)]
    for name, (totals, loss, method) in zip([*STAGE_FAILURES, "total"], losses, strict=True):
        intervals = [method(design.counts, total, sizes) for total in totals.tolist()]
        yield _coverage(f"interval of a loss: {name}", design.name, COVERED, loss, intervals)


# -- tests ------------------------------------------------------------------------------------------------------------


def _interface_differences(design: Design, draws: int) -> np.ndarray:
    """Direct minus Mediated by simulation, instance and trial; both are equally hard here."""
    direct, mediated = np.moveaxis(design.outcomes(draws)[:, 0].astype(np.int64), 2, 0)
    return direct - mediated


def interfaces(design: Design, draws: int) -> Iterator[Measured]:
    """How often tests find a difference between interfaces that does not exist."""
    differences = _interface_differences(design, draws)
    flips = [sign_flip_test(total) < LEVEL for total in differences.sum(axis=2).tolist()]
    pairs = [mcnemar_test(int((pair > 0).sum()), int((pair < 0).sum())) < LEVEL for pair in differences]
    yield _share("sign flip, Direct = Mediated", design, AT_MOST, flips)
    yield _share("McNemar over pairs (too optimistic)", design, INFORMATION, pairs)


def comparisons(design: Design, draws: int) -> Iterator[Measured]:
    """How often equal configurations seem to differ: one pair, any pair of seven, and any pair after Holm's correction."""
    totals = design.outcomes(draws, (1.0,) * MODELS).sum(axis=(3, 4))
    p_values = [[sign_flip_test((one - two).tolist()) for one, two in combinations(total, 2)] for total in totals]
    yield _share("sign flip, two equal", design, AT_MOST, [row[0] < LEVEL for row in p_values])
    yield _share("sign flip, any of 21 pairs of equals", design, INFORMATION, [min(row) < LEVEL for row in p_values])
    yield _share("the same after Holm", design, AT_MOST, [min(holm_adjust(row)) < LEVEL for row in p_values])


def disagreements(design: Design, draws: int, ease: float) -> Measured:
    """How often interval and test disagree about zero; the sheet then says so."""
    totals = design.outcomes(draws, (1.0, ease)).sum(axis=(3, 4))
    differences = totals[:, 0] - totals[:, 1]
    intervals = _intervals(design, differences, interval_of_difference)
    disagree = [
        (interval.low <= 0 <= interval.high) == (sign_flip_test(difference) < LEVEL)
        for difference, interval in zip(differences.tolist(), intervals, strict=True)
        if interval
    ]
    return _share("interval and sign flip disagree", design, INFORMATION, disagree)


def _share(statistic: str, design: Design, target: Target, events: Sequence[bool]) -> Measured:
    return Measured(statistic, design.name, target, sum(events) / len(events), len(events))


# -- the alarm --------------------------------------------------------------------------------------------------------

Alarm = Callable[[Sequence[ScheduleHalves], np.ndarray], float | None]


def schedule_alarm(worlds: Sequence[ScheduleHalves], outcomes: np.ndarray) -> float | None:
    """The test in the sheet of drift; it ignores the numbers of trials."""
    return mantel_haenszel_test(worlds)


def drift(design: Design, draws: int, lost: float = 0.0, alarm: Alarm = schedule_alarm) -> Measured:
    """How often a configuration raises the alarm if the share `lost` of its successes is lost in the second half."""
    alarms = [p is not None and p < LEVEL for p in _alarms(design, draws, lost, alarm)]
    statistic = f"drift, {100 * lost:.0f} % of successes lost halfway" if lost else "drift, none there"
    return _share(statistic, design, POWER if lost else SIZE, alarms)


def false_alarms(design: Design, draws: int) -> Iterator[Measured]:
    """How often a report on seven steady configurations raises an alarm, without and with Holm's correction."""
    p_values = [1.0 if p is None else p for p in _alarms(design, draws * MODELS, 0.0, schedule_alarm)]
    reports = [p_values[start : start + MODELS] for start in range(0, len(p_values), MODELS)]
    yield _share("drift, any of 7 steady, uncorrected", design, INFORMATION, [min(report) < LEVEL for report in reports])
    yield _share("the same after Holm", design, AT_MOST, [min(holm_adjust(report)) < LEVEL for report in reports])


def noticed_steps(design: Design, reports: int, points: int) -> Measured:
    """How often a report notices, after Holm, the one of its seven configurations that gets `points` worse halfway."""
    drifting = _alarms(design, reports, points / (100 * design.rate), schedule_alarm)
    steady = _alarms(design, reports * (MODELS - 1), 0.0, schedule_alarm)
    p_values = [1.0 if p is None else p for p in (*drifting, *steady)]
    adjusted = [holm_adjust([p_values[number], *p_values[reports + number :: reports]])[0] for number in range(reports)]
    return _share(f"drift by {points} points halfway, noticed after Holm", design, INFORMATION, [p < LEVEL for p in adjusted])


def _alarms(design: Design, draws: int, lost: float, alarm: Alarm) -> list[float | None]:
    early = design.halves(draws)
    survives = np.random.default_rng(draws).random(early.shape) >= lost
    exact = design.outcomes(draws)[:, 0].reshape(early.shape) & (early | survives)
    parts = [early, exact & early, ~early, exact & ~early]
    counts = np.stack([part.sum(axis=2) for part in parts], axis=2).tolist()
    return [
        alarm([ScheduleHalves(*world) for world in worlds], outcomes) for worlds, outcomes in zip(counts, exact, strict=True)
    ]


# -- all --------------------------------------------------------------------------------------------------------------


def designs(sizes: Sequence[int], rates: Sequence[float], alike: Sequence[float] = (0.5,)) -> list[Design]:
    """All combinations, with the same number of instances in all ten families."""
    return [Design((size,) * FAMILIES, rate, share) for size in sizes for rate in rates for share in alike]


UNEQUAL_FAMILIES = {
    0.2: (0.0, 0.0, 0.0, 0.0, 0.02, 0.05, 0.1, 0.3, 0.6, 0.93),
    0.28: (0.0, 0.01, 0.03, 0.06, 0.13, 0.2, 0.35, 0.5, 0.7, 0.82),
    0.4: (0.0, 0.0, 0.02, 0.08, 0.2, 0.4, 0.6, 0.8, 0.95, 0.95),
}
"""By mean rate, rates of families that are as unequal as those in the paper: some are never solved, some nearly always."""


def unequal_designs(sizes: Sequence[int], alike: Sequence[float] = (0.5,)) -> list[Design]:
    """Designs whose families are as unequal as those in the paper, with the same number of instances in each."""
    return [
        Design((size,) * FAMILIES, rate, share, UNEQUAL_FAMILIES[rate])
        for size in sizes
        for rate in UNEQUAL_FAMILIES
        for share in alike
    ]


LADDERS = [LadderDesign((size,) * FAMILIES, trials) for size, trials in ((3, 1), (12, 1), (12, 3), (30, 1))]


def all_measurements(scale: float = 1.0) -> Iterator[Measured]:
    """All measurements; `scale` multiplies the number of simulations."""
    many, some, few = (round(scale * draws) for draws in (4000, 2000, 1000))
    uneven = Design((1, 3) * (FAMILIES // 2), 0.4)
    all_rates = (0.02, 0.1, 0.4, 0.9, 1.0)
    unequal = unequal_designs((2, 3, 12), (0.2, 0.5, 0.8))
    for design in [*designs((1,), (0.4,)), *designs((2, 3, 12), all_rates, (0.2, 0.5, 0.8)), uneven, *unequal]:
        yield rates(design, many)
    for design in [*designs((1,), (0.4,)), *designs((2, 3, 12), (0.02, 0.1, 0.4, 0.9)), uneven, *unequal_designs((2, 3, 12))]:
        yield differences(design, many)
        yield differences(design, many, 0.75)
    for ladder in LADDERS:
        yield from stage_losses(ladder, some)
    for design in designs((2, 3, 12), (0.1, 0.4)):
        yield best_of_models(design, some, (1.0,) * MODELS)
        yield best_of_models(design, some, (1.0, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2))
    for design in designs((2, 3, 12), all_rates):
        yield small_cells(design, many)
    for design in designs((2, 3, 12), (0.1, 0.4)):
        yield paper_bootstrap(design, few)
        yield from interfaces(design, some)
        yield from comparisons(design, few)
        yield disagreements(design, some, 0.75)
    for design in designs((2, 3, 12), (0.1, 0.4, 0.9)):
        yield drift(design, some)
        yield from false_alarms(design, few)
    for design in designs((12,), (0.4, 0.9)):
        yield drift(design, some, 0.25)
        yield drift(design, some, 0.5)
    for design in [*designs((12,), (0.2, 0.4, 0.6, 0.9)), *unequal_designs((12,))]:
        yield noticed_steps(design, round(scale * 300), 12)
        yield noticed_steps(design, round(scale * 300), 5)


def main() -> None:
    """Print all measurements and mark those that miss their target."""
    heads = ("statistic", "design (families x instances)", "nominal", "measured", "+- (3 s.e.)", "simulations", "")
    print_table(Console(highlight=False), Grid("statistics", "", heads, tuple(map(_table_row, all_measurements()))))


def _table_row(row: Measured) -> tuple[str, ...]:
    share = ("none", "") if row.share is None else (f"{row.share:.3f}", f"{3 * row.error:.3f}")
    return row.statistic, row.design, row.target.nominal, *share, str(row.draws), "" if row.holds else "off"


if __name__ == "__main__":
    main()

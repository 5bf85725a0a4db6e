"""`python -m bench.thresholds`: the adaptive measurement on simulated players with known psychometric functions.

Coverage of the 95 % intervals, bias, and how many evaluations it takes until every threshold is known within a bit, against a
fixed grid over the same scale whose evaluations are read by the same statistics. With `--short`, the short form instead.
"""

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from statistics import fmean, median
from typing import NamedTuple

from rich.console import Console

from algoworlds.cli.tables import print_table
from algoworlds.grid import Grid
from algoworlds.measures.threshold import (
    FamilyEstimate,
    Outcome,
    Point,
    choose_points,
    estimate_ability,
    estimate_family,
    posteriors,
)
from algoworlds.suites.suite import LITE_WORLDS, default_suite, lite_suite

FAMILIES = tuple(f"family_{at}" for at in range(10))
OFFERED = {name: tuple(range(60, 281, 5)) for name in FAMILIES}
ROUND, WITHIN, BUDGET = 20, 2000, 200
GRID_ROUNDS = 2
"""Rounds of the grid between two looks at its intervals."""
MOST = 3_200
"""Evaluations after which a simulation of the time to a bit gives up."""


class Player(NamedTuple):
    """Threshold, slope (logits per bit) and lapse rate of a player in one family."""

    threshold: float
    slope: float
    lapse: float

    def chance(self, tenths: int) -> float:
        """The probability of an exact decision."""
        logit = self.slope * (self.threshold - tenths / 10) + math.log(0.5 / (0.5 - self.lapse))
        return (1 - self.lapse) / (1 + math.exp(-max(-500.0, logit)))


def draw_player(rng: random.Random, slope: float | None = None) -> dict[str, Player]:
    """A player by family: thresholds around a centre anywhere on the scale, slopes and lapses of realistic sizes."""
    centre, spread = rng.uniform(9, 25), rng.choice((1, 2, 3))
    common, lapse = slope or rng.choice((0.5, 0.75, 1.2, 1.6)), rng.choice((0, 0.02, 0.02, 0.05, 0.1))
    return {
        name: Player(min(27.0, max(7.0, rng.gauss(centre, spread))), common * math.exp(rng.gauss(0, 0.3)), lapse)
        for name in FAMILIES
    }


def play(player: dict[str, Player], points: Sequence[Point], rng: random.Random) -> list[Outcome]:
    """The outcomes of some points."""
    return [Outcome(name, tenths, rng.random() < player[name].chance(tenths)) for name, tenths in points]


def grid_rounds() -> Iterator[list[Point]]:
    """The same difficulties for every family, evenly over the scale, round after round in between."""
    offset = 0.5
    while True:
        tenths = [60 + round(220 * ((at + offset) / 2 % 1) / 5) * 5 for at in range(2)]
        yield [Point(name, at) for at in tenths for name in FAMILIES]
        offset = (offset + 0.618034) % 1


def measure(player: dict[str, Player], rng: random.Random, budget: int, adaptive: bool, within: int = WITHIN) -> list[Outcome]:
    """All outcomes until every family is known within `within` 1000ths of a bit (both sides), or the budget ends."""
    outcomes: list[Outcome] = []
    grid = grid_rounds()
    while len(outcomes) < budget:
        if adaptive:
            points = choose_points(OFFERED, outcomes, min(ROUND, budget - len(outcomes)), within)
        else:
            known = posteriors(FAMILIES, outcomes)
            done = all(posterior.width_within(OFFERED[name]) <= within for name, posterior in known.items())
            points = [] if done else [point for _ in range(GRID_ROUNDS) for point in next(grid)]
        if not points:
            break
        outcomes += play(player, points, rng)
    return outcomes


class Accuracy(NamedTuple):
    """How well the thresholds of some players were found."""

    covered: float
    bias: float
    error: float
    """Root of the mean squared error in bits."""
    half_width: float
    ability_covered: float
    evaluations: float


def assess(count: int, budget: int, adaptive: bool = True, within: int = WITHIN, first: int = 0) -> Accuracy:
    """Measure `count` players."""
    covered, errors, widths, abilities, used = [], list[float](), [], [], []
    for number in range(first, first + count):
        rng = random.Random(number)
        player = draw_player(rng)
        outcomes = measure(player, rng, budget, adaptive, within)
        known = posteriors(FAMILIES, outcomes)
        estimates: dict[str, FamilyEstimate] = {name: estimate_family(known[name]) for name in FAMILIES}
        for name, estimate in estimates.items():
            truth, threshold = player[name].threshold, estimate.threshold
            covered.append(threshold.low <= truth <= threshold.high)
            errors.append(threshold.value - truth)
            widths.append(threshold.half_width)
        ability, truth = estimate_ability(FAMILIES, outcomes), fmean(one.threshold for one in player.values())
        abilities.append(ability.low <= truth <= ability.high)
        used.append(len(outcomes))
    error = math.sqrt(fmean(one * one for one in errors))
    return Accuracy(fmean(covered), fmean(errors), error, fmean(widths), fmean(abilities), fmean(used))


def evaluations_needed(count: int, slope: float, adaptive: bool) -> float:
    """The median number of evaluations until all ten thresholds are known within a bit, for players with this slope."""
    needed = []
    for number in range(count):
        rng = random.Random(number)
        needed.append(len(measure(draw_player(rng, slope), rng, MOST, adaptive)))
    return median(needed)


SPLIT_WORKS = (160, 200, 230, 255)
"""About the work of levels 1 to 4, in tenths of a bit."""


def fixed_form(points: Sequence[Point], count: int) -> tuple[float, float, float]:
    """Of a fixed form, for simulated players: the standard error of the exact rate, the error of the ability, its coverage."""
    rates, errors, covered = list[float](), list[float](), list[bool]()
    for number in range(count):
        rng = random.Random(number)
        player = draw_player(rng)
        outcomes = play(player, points, rng)
        chances = [player[name].chance(tenths) for name, tenths in points]
        rates.append(fmean(outcome.exact for outcome in outcomes) - fmean(chances))
        ability, truth = estimate_ability(FAMILIES, outcomes), fmean(one.threshold for one in player.values())
        errors.append(ability.value - truth)
        covered.append(ability.low <= truth <= ability.high)
    return math.sqrt(fmean(one**2 for one in rates)), math.sqrt(fmean(one**2 for one in errors)), fmean(covered)


def print_short_forms(console: Console, count: int) -> None:
    """The suite lite beside one trial of the development split, and beside a measurement of as many evaluations."""
    names = dict(zip(default_suite().families, FAMILIES, strict=True))
    lite = [Point(names[point.family], point.tenths) for point in lite_suite().points]
    split = [Point(name, tenths) for name in FAMILIES for tenths in SPLIT_WORKS for _ in range(6)]
    rows = []
    for title, points in (("lite", lite), ("development split, one trial", split)):
        rate, error, covered = fixed_form(points, count)
        rows.append((title, str(len(points)), f"{100 * rate:.1f}", f"{error:.2f}", f"{100 * covered:.0f} %"))
    found = list[float]()
    for number in range(count):
        rng = random.Random(number)
        player = draw_player(rng)
        outcomes = measure(player, rng, LITE_WORLDS, adaptive=True)
        found.append(estimate_ability(FAMILIES, outcomes).value - fmean(one.threshold for one in player.values()))
    rows.append(("measure --evaluations 48", str(LITE_WORLDS), "", f"{math.sqrt(fmean(one**2 for one in found)):.2f}", ""))
    head = ("form", "worlds", "standard error of the exact rate (points)", "error of the ability (bits)", "ability covered")
    print_table(console, Grid("short", "fixed forms", head, tuple(rows)))


def main() -> None:
    """Print the simulation tables of docs/measuring.md."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--short", action="store_true", help="only the fixed short form")
    options = parser.parse_args()
    count, console = options.players, Console()
    print_short_forms(console, count)
    if options.short:
        return
    rows = []
    for name, adaptive, budget in (("adaptive", True, BUDGET), ("adaptive", True, 100), ("fixed grid", False, BUDGET)):
        found = assess(count, budget, adaptive, within=1 if not adaptive else WITHIN)
        cells = (f"{100 * found.covered:.1f} %", f"{found.bias:+.2f}", f"{found.error:.2f}", f"{found.half_width:.2f}")
        rows.append((name, str(budget), *cells, f"{100 * found.ability_covered:.0f} %", f"{found.evaluations:.0f}"))
    head = ("design", "budget", "covered", "bias", "error", "half-width", "ability covered", "used")
    print_table(console, Grid("accuracy", f"{count} simulated players, ten families each", head, tuple(rows)))
    rows = []
    for slope in (0.5, 1.0, 2.0):
        fewer = max(10, count // 10)
        ours, grid = (evaluations_needed(fewer, slope, adaptive) for adaptive in (True, False))
        rows.append((f"{slope:g}", f"{ours:.0f}", f"{'at least ' if grid >= MOST else ''}{grid:.0f}", f"{grid / ours:.1f}"))
    head = ("slope", "adaptive", "fixed grid", "ratio")
    print_table(console, Grid("needed", "evaluations until all ten thresholds are known within a bit", head, tuple(rows)))


if __name__ == "__main__":
    main()

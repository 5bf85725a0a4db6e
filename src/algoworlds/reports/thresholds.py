"""What measurements say: thresholds, slopes and lapses by family, abilities, and how players compare."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.families import load_family
from algoworlds.grid import Grid
from algoworlds.measures.threshold import (
    BIT,
    THRESHOLDS,
    Estimate,
    FamilyEstimate,
    Outcome,
    Posterior,
    estimate_ability,
    estimate_family,
    posteriors,
    threshold_shares,
)
from algoworlds.reports.sheet import FilledSheet, Section, SheetHeading
from algoworlds.runs.measurement import MeasurementDirectory, read_round
from algoworlds.suites.suite import ScalePoint
from algoworlds.worlds.admission import Coordinate, admit
from algoworlds.worlds.world import World, build_world

BIN = 2
"""The width in bits of the parts of the scale in which rates are stated."""
EASY = 100
"""Tenths of a bit up to which a world counts as trivial: failures there have other reasons than difficulty."""
NEAR = 10
"""Tenths of a bit around a threshold within which evaluations tell what it costs to reach it."""
THRESHOLDS_SECTION = Section(
    "thresholds",
    "Thresholds",
    "Measured on fresh worlds of other difficulties than the suite's: the executed work, as log2, at which a player is exactly "
    "optimal half of the time.",
)
FORMAT, PROTOCOL, WRONG = "format", "protocol", "wrong"
FAILURE_BY_OUTCOME = {"feasible": WRONG, "infeasible": FORMAT, "no_decision": PROTOCOL, "protocol_violation": PROTOCOL}
"""What kind of failure an inexact evaluation is: a decision that is not one, no decision at all, or a wrong decision."""


class Evaluated(NamedTuple):
    """One evaluation of a measurement."""

    point: ScalePoint
    record: JsonObject
    justified: bool | None
    """Whether the decision could be known to be optimal; None if the run is not judged."""

    @property
    def outcome(self) -> Outcome:
        """The outcome that thresholds are estimated from."""
        return Outcome(self.point.family, self.point.tenths, bool(self.record["exact"]))


class Bin(NamedTuple):
    """A part of the scale: its ends in bits, and what happened in it."""

    low: int
    high: int
    evaluations: int
    exact: int
    utility: float | None
    justified: float | None


@dataclass(frozen=True)
class FamilyResult:
    """What a measurement says about one family."""

    family: str
    posterior: Posterior
    estimate: FamilyEstimate
    evaluated: tuple[Evaluated, ...]
    scale: tuple[int, ...]

    @property
    def exact(self) -> int:
        """How many evaluations were exactly optimal."""
        return sum(one.outcome.exact for one in self.evaluated)

    @property
    def easy_failures(self) -> dict[str, int]:
        """Failures on trivial worlds by kind."""
        return count_failures(one for one in self.evaluated if one.point.tenths <= EASY)

    @property
    def side(self) -> str:
        """Empty, or "below" or "above" if the threshold lies outside the worlds of the family, so that it is only a bound."""
        if self.estimate.threshold.value < self.scale[0] / 10:
            return "below"
        return "above" if self.estimate.threshold.value > self.scale[-1] / 10 else ""

    @property
    def bits_to_state(self) -> float:
        """The bits to state: the threshold, or the end of its interval that bounds it."""
        threshold = self.estimate.threshold
        return {"": threshold.value, "below": threshold.high, "above": threshold.low}[self.side]

    @property
    def cost(self) -> JsonObject:
        """What evaluations near the threshold took, on average; None where nothing is known."""
        near = [one.record for one in self.evaluated if abs(one.point.tenths - 10 * self.estimate.threshold.value) <= NEAR]
        return {
            "evaluations": len(near),
            "calls": _mean(sum(step["charged"] > 0 for step in record["trajectory"]) for record in near),
            "turns": _mean(record["turns"] for record in near),
            "tokens": _mean(_tokens(record) for record in near if record["tokens"]),
            "usd": _mean(record["cost"] for record in near if record["cost"] is not None),
        }

    @property
    def json(self) -> JsonObject:
        """The result as a document."""
        estimate = self.estimate
        return {
            "family": self.family,
            "evaluations": len(self.evaluated),
            "exact": self.exact,
            "threshold": estimate_json(estimate.threshold),
            "bound": self.side or None,
            "slope": estimate_json(estimate.slope),
            "lapse": estimate_json(estimate.lapse),
            "easy_failures": self.easy_failures,
            "cost": self.cost,
            "bins": [part._asdict() for part in bin_evaluations(self.evaluated)],
        }


@dataclass(frozen=True)
class MeasurementResults:
    """What one measurement says."""

    label: str
    kind: str
    families: tuple[str, ...]
    evaluated: tuple[Evaluated, ...]
    rounds: int
    is_finished: bool

    @classmethod
    def from_directory(cls, directory: MeasurementDirectory) -> "MeasurementResults":
        """The results of the finished rounds of a measurement."""
        plan, rounds, evaluated = directory.plan, directory.finished_rounds, list[Evaluated]()
        for one in rounds:
            judged = {(slot.world, slot.trial): slot for slot in one.run.judged_slots}
            for point, record in read_round(one):
                slot = judged.get((record["world"], record["trial"]))
                footing = "undecided" if slot is None else one.run.read_judgement(slot)["footing"]
                evaluated.append(Evaluated(point, record, None if footing == "undecided" else footing == "justified"))
        over = not plan.next_points([one.outcome for one in evaluated])
        return cls(plan.label, plan.kind.value, plan.families, tuple(evaluated), len(rounds), over)

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcomes, in order."""
        return [one.outcome for one in self.evaluated]

    @cached_property
    def by_family(self) -> dict[str, FamilyResult]:
        """The result of every family."""
        known = posteriors(self.families, self.outcomes)
        return {
            name: FamilyResult(
                name,
                known[name],
                estimate_family(known[name]),
                tuple(one for one in self.evaluated if one.point.family == name),
                tuple(sorted(load_family(name).scale)),
            )
            for name in self.families
        }

    @cached_property
    def ability(self) -> Estimate:
        """The mean threshold over the families."""
        return estimate_ability(self.families, self.outcomes)

    @property
    def json(self) -> JsonObject:
        """The results as a document."""
        return {
            "label": self.label,
            "kind": self.kind,
            "evaluations": len(self.evaluated),
            "rounds": self.rounds,
            "finished": self.is_finished,
            "ability": estimate_json(self.ability),
            "easy_failures": count_failures(one for one in self.evaluated if one.point.tenths <= EASY),
            "families": [result.json for result in self.by_family.values()],
        }


def estimate_json(estimate: Estimate) -> JsonObject:
    """An estimate as a document, rounded to thousandths."""
    return {"value": round(estimate.value, 3), "low": round(estimate.low, 3), "high": round(estimate.high, 3)}


def count_failures(evaluated: Iterable[Evaluated]) -> dict[str, int]:
    """Evaluations by what they failed at, and all of them."""
    counts = dict.fromkeys(("evaluations", FORMAT, PROTOCOL, WRONG), 0)
    for one in evaluated:
        counts["evaluations"] += 1
        if not one.outcome.exact:
            counts[FAILURE_BY_OUTCOME[one.record["outcome"]]] += 1
    return counts


def bin_evaluations(evaluated: Sequence[Evaluated]) -> list[Bin]:
    """The parts of the scale that have evaluations, with their rates."""
    bins: dict[int, list[Evaluated]] = {}
    for one in evaluated:
        bins.setdefault(one.point.tenths // (10 * BIN), []).append(one)
    return [
        Bin(
            BIN * at,
            BIN * (at + 1),
            len(ones),
            sum(one.outcome.exact for one in ones),
            _mean(one.record["utility"] for one in ones if one.record.get("utility") is not None),
            _mean(one.justified for one in ones if one.justified is not None),
        )
        for at, ones in sorted(bins.items())
    ]


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return round(fmean(known), 4) if known else None


def _tokens(record: JsonObject) -> int:
    return sum(record["tokens"].get(kind) or 0 for kind in ("input", "output"))


# -- comparison -----------------------------------------------------------------------------------------------------------


def difference(one: Posterior, other: Posterior) -> Estimate:
    """The difference of two thresholds that were measured independently: its mean and 95 % interval."""
    shares = np.convolve(threshold_shares(one), threshold_shares(other)[::-1])
    step = float(THRESHOLDS[1] - THRESHOLDS[0]) / BIT
    values = step * (np.arange(len(shares)) - len(THRESHOLDS) + 1)
    middle = np.cumsum(shares) - shares / 2
    low, high = np.interp([0.025, 0.975], middle, values)
    return Estimate(float(shares @ values), float(low), float(high))


def ability_difference(one: MeasurementResults, other: MeasurementResults) -> Estimate:
    """The difference of two abilities, by a normal distribution."""
    value = one.ability.value - other.ability.value
    half = (one.ability.half_width**2 + other.ability.half_width**2) ** 0.5
    return Estimate(value, value - half, value + half)


def tie_groups(results: Sequence[MeasurementResults]) -> list[list[str]]:
    """Players from the ablest down, in groups: each group holds all that cannot be told apart from its first."""
    left = sorted(results, key=lambda one: (-one.ability.value, one.label))
    groups = []
    while left:
        first, rest = left[0], left[1:]
        tied = [one for one in rest if ability_difference(first, one).low <= 0]
        groups.append([first.label, *(one.label for one in tied)])
        left = [one for one in rest if one not in tied]
    return groups


def comparison_json(results: Sequence[MeasurementResults]) -> JsonObject:
    """All pairs of players: the difference of their abilities and thresholds, and the groups of ties."""
    pairs = []
    for one, other in combinations(results, 2):
        shared = [name for name in one.families if name in other.by_family]
        by_family = {
            name: estimate_json(difference(one.by_family[name].posterior, other.by_family[name].posterior)) for name in shared
        }
        ability = estimate_json(ability_difference(one, other))
        pairs.append({"one": one.label, "other": other.label, "ability": ability, "families": by_family})
    return {"pairs": pairs, "tie_groups": tie_groups(results)}


# -- tables ---------------------------------------------------------------------------------------------------------------


def format_bits(estimate: Estimate) -> str:
    """An estimate with its interval, like 13.2 [12.4, 14.1]."""
    return f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


def threshold_grid(results: MeasurementResults) -> Grid:
    """The table of one measurement."""
    rows = [_family_row(result) for result in results.by_family.values()]
    failures = count_failures(one for one in results.evaluated if one.point.tenths <= EASY)
    exact = sum(outcome.exact for outcome in results.outcomes)
    total = f"{exact} / {len(results.evaluated)}"
    rows.append(("all (mean threshold)", format_bits(results.ability), "", "", total, _failure_text(failures), ""))
    head = ("family", "threshold (bits)", "slope", "lapse", "exact / played", "failed on trivial worlds", "about")
    caption = (
        f"{results.label}: the executed work, as log2, at which it is exactly optimal half of the time, with 95 % intervals. "
        f"Slope: logits per bit. Lapse: failures that difficulty does not explain. Trivial worlds have up to 2^{EASY // 10} "
        "of work; there, format means an infeasible decision and protocol none at all."
    )
    return Grid("thresholds", caption, head, tuple(rows))


def _family_row(result: FamilyResult) -> tuple[str, ...]:
    estimate = result.estimate
    bounds = {"below": f"< {estimate.threshold.high:.1f}", "above": f"> {estimate.threshold.low:.1f}"}
    threshold = bounds.get(result.side) or format_bits(estimate.threshold)
    return (
        load_family(result.family).title,
        threshold,
        f"{estimate.slope.value:.2f}",
        f"{100 * estimate.lapse.value:.0f} %",
        f"{result.exact} / {len(result.evaluated)}",
        _failure_text(result.easy_failures),
        "" if result.side else describe_size(result.family, estimate.threshold.value),
    )


def _failure_text(counts: dict[str, int]) -> str:
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in (FORMAT, PROTOCOL, WRONG) if counts[kind])
    return f"{parts or 'none'} of {counts['evaluations']}"


def scale_grid(results: MeasurementResults) -> Grid:
    """Rates along the scale, over all families."""

    def percent(value: float | None) -> str:
        return "" if value is None else f"{100 * value:.0f} %"

    rows = [
        (
            f"2^{part.low} to 2^{part.high}",
            str(part.evaluations),
            percent(part.exact / part.evaluations),
            "" if part.utility is None else f"{part.utility:.0f}",
            percent(part.justified),
        )
        for part in bin_evaluations(results.evaluated)
    ]
    head = ("work", "evaluations", "exact", "utility", "justified")
    caption = (
        f"{results.label}: rates along the scale, all families together. Utility: 0 for a myopic decision "
        "and 100 for the optimum. Justified: of evaluations that algoworlds judge has read."
    )
    return Grid("rates along the scale", caption, head, tuple(rows))


def comparison_grid(results: Sequence[MeasurementResults]) -> Grid:
    """Every pair of players: the difference of abilities, and in how many families each of them is ahead."""
    rows = []
    for one, other in combinations(results, 2):
        shared = [name for name in one.families if name in other.by_family]
        differences = [difference(one.by_family[name].posterior, other.by_family[name].posterior) for name in shared]
        ahead, behind = sum(gap.low > 0 for gap in differences), sum(gap.high < 0 for gap in differences)
        counts = (str(ahead), str(behind), str(len(shared) - ahead - behind))
        rows.append((one.label, other.label, format_bits(ability_difference(one, other)), *counts))
    head = ("player", "other", "difference of abilities (bits)", "families ahead", "behind", "open")
    groups = "; ".join(" = ".join(group) for group in tie_groups(results))
    return Grid(
        "comparison", f"Differences with 95 % intervals. Groups that cannot be told apart: {groups}.", head, tuple(rows)
    )


def named_grids(measured: Sequence[MeasurementResults]) -> dict[str, Grid]:
    """The tables of some measurements by name."""
    grids = {}
    for number, results in enumerate(measured, 1):
        grids[f"thresholds_{number}"], grids[f"scale_{number}"] = threshold_grid(results), scale_grid(results)
    return grids | ({"threshold_comparison": comparison_grid(measured)} if len(measured) > 1 else {})


def threshold_sheets(measured: Sequence[MeasurementResults]) -> dict[str, FilledSheet]:
    """The tables of some measurements as sheets of a report."""
    sheets = {}
    for name, grid in named_grids(measured).items():
        heading = SheetHeading(name, grid.name.capitalize(), THRESHOLDS_SECTION, grid.caption)
        sheets[name] = FilledSheet(name, grid.caption, grid.head, grid.rows, heading, grid)
    return sheets


# -- sizes and example worlds ---------------------------------------------------------------------------------------------


def example_coordinate(family: str, bits: float) -> Coordinate:
    """A public world of about so much work, to look at."""
    scale = load_family(family).scale
    return Coordinate.from_bits(family, min(max(bits, min(scale) / 10), max(scale) / 10), 1)


def describe_size(family: str, bits: float) -> str:
    """How large worlds of so much work are, like `8 jobs, 4 vehicles`: the public rosters of an example world."""
    instance: Any = admit(example_coordinate(family, bits)).instance
    named = {name: rows for name, rows in instance.public_tables.items() if isinstance(rows, (tuple, list, frozenset))}
    counts = [(len(rows), name) for name, rows in named.items() if name in load_family(family).template.rosters]
    return ", ".join(f"{count} {_plural(name, count)}" for count, name in counts)


def _plural(name: str, count: int) -> str:
    words = name.replace("_", " ")
    if count == 1 or words == "series":
        return words
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}es" if words.endswith(("s", "x", "ch")) else f"{words}s"


def example_world(family: str, bits: float, interface: Interface = Interface.DIRECT) -> World:
    """An example world of about so much work."""
    return build_world(admit(example_coordinate(family, bits)), interface)

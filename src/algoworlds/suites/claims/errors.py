"""Errors under conditions: whether over a whole suite they are uniform and independent of everything hidden.

Every error is divided by its width. A test is a sum that has mean 0 if errors are random, with its variance, or counts of bins.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import erfc, sqrt
from typing import Any

from algoworlds.core.completions import number_refs
from algoworlds.core.condition import Look, Spot
from algoworlds.suites.bundle import Bundle
from algoworlds.worlds.world import World

BINS = 16
"""Bins of equal size for the test of uniformity."""
MIN_WIDTH = 8
"""Narrower errors have too few values to be counted in bins."""
_LEVEL = 0.001
"""Family-wise significance level of the tests."""


@dataclass
class ErrorScores:
    """What the errors of some worlds of one family and condition add up to."""

    family: str
    condition: str
    observed: Counter[int] = field(default_factory=Counter)
    """Errors by bin."""
    expected: Counter[int] = field(default_factory=Counter)
    sums: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By test: a sum with mean 0, and its variance."""

    def add(self, test: str, products: Iterable[float], variance: float) -> None:
        """Add products of errors with something independent of them."""
        total, before = self.sums.get(test, (0.0, 0.0))
        self.sums[test] = total + sum(products), before + variance

    def add_scores(self, other: "ErrorScores") -> None:
        """Add the scores of other worlds."""
        self.observed.update(other.observed)
        self.expected.update(other.expected)
        for test, (total, variance) in other.sums.items():
            self.add(test, [total], variance)


def true_numbers(world: World) -> Iterator[tuple[Spot, int]]:
    """Every measured number of a world's instance."""
    for name, column in world.family.conditions.measured:
        keys = len(world.instance.relations[name].keys)
        for ref in number_refs(world.instance, (name, column), world.instance.rows(name)):
            yield Spot(name, column, ref.row[:keys], ref.list_index), ref.value


def error_scores(bundle: Bundle, world: World) -> ErrorScores:
    """The scores of one conditioned world; the same for all its interfaces."""
    law, scores = world.law, ErrorScores(world.family.name, bundle.coordinate.condition)
    assert law is not None
    true, chosen = dict(true_numbers(world)), world.family.decision.ids(bundle.decision)
    calls = [call for call in world.catalog if call.tool in world.family.measuring_tools]
    first, second = ([_errors(world, call, true, phase) for call in calls] for phase in (0, min(1, len(law.widths) - 2)))
    if not law.condition.is_renewed:  # a number has one error, wherever it is shown
        first = [{spot: error for errors in first for spot, error in errors.items()}]
    unit = _variance(law.widths[0])
    for errors in first:
        spots = list(errors)
        for spot in spots if law.widths[0] >= MIN_WIDTH else ():
            scores.observed[_bin(errors[spot], law.widths[0])] += 1
        for error in range(-law.widths[0], law.widths[0] + 1):
            scores.expected[_bin(error, law.widths[0])] += len(spots)  # in parts of 2 * width + 1
        aspects = {
            "the true number": [float(true[spot]) for spot in spots],
            "membership in the optimum": [float(not chosen.isdisjoint(_flat(spot.keys))) for spot in spots],
        }
        for test, values in aspects.items():
            centred = _centre(values)
            own = [errors[spot] / law.widths[0] for spot in spots]
            spread = sum(value * value for value in centred)
            if spread:
                scores.add(test, [sum(map(_product, own, centred)) / sqrt(spread)], unit)
    if law.condition.is_renewed and len(law.widths) > 2:
        for one, other in zip(first, second, strict=True):
            scores.add("its next answer", _joint_errors(one, other, law.widths[:2]), unit * _variance(law.widths[1]) * len(one))
        for one, other in pairwise(first):
            both = one.keys() & other.keys()
            scores.add("another question", _joint_errors(one, other, law.widths[:1] * 2), unit * unit * len(both))
    size = 2 * law.widths[0] + 1
    scores.expected = Counter({index: count / size for index, count in scores.expected.items()})
    if law.widths[0] < MIN_WIDTH:
        scores.expected.clear()
    return scores


def _errors(world: World, call: Any, true: dict[Spot, int], phase: int) -> dict[Spot, int]:
    readings = world.readings(Look(call, phase)).items()
    return {spot: (box.low + box.high) // 2 - true[spot] for spot, box in readings}


def _joint_errors(one: dict[Spot, int], other: dict[Spot, int], widths: Sequence[int]) -> list[float]:
    return [one[spot] / widths[0] * other[spot] / widths[1] for spot in one.keys() & other.keys()]


def _variance(width: int) -> float:
    """The variance of an error divided by its width."""
    return (width + 1) / (3 * width)


def _bin(error: int, width: int) -> int:
    return (error + width) * BINS // (2 * width + 1)


def _centre(values: list[float]) -> list[float]:
    mean = sum(values) / max(len(values), 1)
    return [value - mean for value in values]


def _product(one: float, other: float) -> float:
    return one * other


def _flat(keys: Sequence[Any]) -> Iterator[str]:
    for key in keys:
        yield from key if isinstance(key, tuple) else (key,)


def error_units(scores: Iterable[ErrorScores]) -> list[tuple[str, str | None]]:
    """One unit per family and condition: whether errors are what chance gives (Holm-Bonferroni over all tests)."""
    groups: dict[tuple[str, str], ErrorScores] = {}
    for score in scores:
        key = score.family, score.condition
        groups.setdefault(key, ErrorScores(*key)).add_scores(score)
    tests = sorted((p, test, key) for key, group in groups.items() for test, p in _p_values(group))
    problems, rejected = dict.fromkeys(groups, ""), True
    for at, (p, test, key) in enumerate(tests):
        rejected = rejected and p <= _LEVEL / (len(tests) - at)
        if rejected and not problems[key]:
            problems[key] = f"errors depend on {test} (p = {p:.2g})"
    return [(f"{family}, {condition}", problems[family, condition] or None) for family, condition in groups]


def _p_values(group: ErrorScores) -> Iterator[tuple[str, float]]:
    for test, (total, variance) in group.sums.items():
        yield test, erfc(abs(total) / sqrt(2 * variance)) if variance else 1.0
    if group.expected:
        bins, sizes = range(BINS), group.expected
        statistic = sum((group.observed[at] - sizes[at]) ** 2 / sizes[at] for at in bins if sizes[at])
        freedom = sum(1 for at in bins if sizes[at]) - 1
        # Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal
        deviate = ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / sqrt(2 / (9 * freedom))
        yield "their own size", erfc(deviate / sqrt(2)) / 2

"""Order leaks: whether ids, positions or records are ordered so that the optimum stands out against chance.

Each order is tested twice: for options near its beginning or end, and for options far from its middle.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import erfc, sqrt
from statistics import fmean
from typing import Any

from algoworlds.core.column import Int
from algoworlds.core.decision import AssignmentShape, DecisionShape, IdListShape
from algoworlds.core.interface import RelationPart
from algoworlds.core.relation import Row
from algoworlds.families.family import AnyFamily
from algoworlds.suites.bundle import Bundle
from algoworlds.worlds.world import World

PositionWeight = Callable[[int, int], float]
"""The weight of a position in a list of a given size."""

_LEVEL = 0.001
"""Family-wise significance level of the tests."""
_MIN_CORRELATED = 4
"""Entities with rows; fewer correlate by chance."""
FROM_MIDDLE_SUFFIX = " from the middle"
POSITION_WEIGHTS: Mapping[str, PositionWeight] = {
    "": lambda position, size: float(position),
    FROM_MIDDLE_SUFFIX: lambda position, size: (position - (size - 1) / 2) ** 2,
}
"""The two tests of an order, by the suffix of its name."""


@dataclass(frozen=True)
class OrderScore:
    """Covariance of the decision with one order of a roster, and its variance if the order is random."""

    family: str
    order: str
    score: float
    variance: float


def order_scores(bundle: Bundle, world: World) -> list[OrderScore]:
    """Scores of the optimum by id, by position in the question, and by position in the records."""
    instance, family = bundle.instance, world.family
    ordered_records = cache(world.store.ordered_records)
    scores: list[OrderScore] = []
    for name, relation in instance.relations.items():
        if not relation.is_roster:
            continue
        orders = {"id": sorted(getattr(instance, name)), "record": _record_order(world, ordered_records, name)}
        if relation.public:
            orders["position"] = list(getattr(instance, name))
        scores += _roster_scores(family, instance, bundle.optima, name, orders)
    return scores


def position_scores(family: AnyFamily, instance: Any, decision: Any) -> list[OrderScore]:
    """Scores of a decision by position in the question only, which needs no world."""
    rosters = [name for name, relation in instance.relations.items() if relation.is_roster and relation.public]
    orders = [(name, {"position": list(getattr(instance, name))}) for name in rosters]
    return [score for name, order in orders for score in _roster_scores(family, instance, (decision,), name, order)]


def position_correlations(instance: Any) -> Iterator[tuple[tuple[str, str], float]]:
    """By public roster and hidden number of its entities: the rank correlation of the number with the position.

    A number is the mean of a column over the rows of an entity, or the ratio, product, sum or difference of two such means.
    """
    for roster in (name for name, relation in instance.relations.items() if relation.is_roster and relation.public):
        items = getattr(instance, roster)
        columns = dict(_mean_columns(instance, roster))
        numbers = dict(columns)
        for (one, left), (other, right) in combinations(columns.items(), 2):
            for sign, combine in _COMBINATIONS.items():
                pairs = {item: (left[item], right[item]) for item in left if item in right}
                numbers[f"{one} {sign} {other}"] = {item: combine(*pair) for item, pair in pairs.items()}
        for name, values in numbers.items():
            ranks = {value: rank for rank, value in enumerate(sorted(set(values.values())))}
            score, variance = score_order({item: ranks[value] for item, value in values.items()}, items, POSITION_WEIGHTS[""])
            if variance and len(values) >= _MIN_CORRELATED:
                yield (roster, name), score / sqrt(variance * (len(values) - 1))


_COMBINATIONS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "/": lambda left, right: left / (right or 1),
    "*": lambda left, right: left * right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
}


def _mean_columns(instance: Any, roster: str) -> Iterator[tuple[str, dict[str, Fraction]]]:
    """Every hidden column of numbers whose rows name an entity of `roster`, with the mean by entity."""
    for name, relation in instance.relations.items():
        for at, column in enumerate(relation.columns):
            if column.roster_name != roster or relation.public or not relation.fact:
                continue
            for number_at, numbers in enumerate(relation.columns):
                by_item: dict[str, list[int]] = {}
                for row in instance.rows(name) if isinstance(numbers, Int) else ():
                    for item in column.ids(row[at]):
                        by_item.setdefault(item, []).append(row[number_at])
                if by_item:
                    means = {item: Fraction(sum(values), len(values)) for item, values in by_item.items()}
                    yield f"{name}.{numbers.name}" + (f" by {column.name}" if column.name != roster else ""), means


def _roster_scores(
    family: AnyFamily, instance: Any, optima: Sequence[Any], roster: str, orders: Mapping[str, list[str]]
) -> Iterator[OrderScore]:
    for aspect, weights in _mean_weights([dict(_decision_weights(family.decision, one, instance, roster)) for one in optima]):
        for order, items in orders.items():
            for suffix, weight in POSITION_WEIGHTS.items():
                score, variance = score_order(weights, items, weight)
                if variance:
                    yield OrderScore(family.name, order + aspect + suffix, score, variance)


def _mean_weights(optima: Sequence[Mapping[str, Mapping[str, int]]]) -> Iterator[tuple[str, dict[str, float]]]:
    """By aspect, the mean weight of every entity over the optima that say something about it."""
    for aspect in optima[0]:
        known = [weights[aspect] for weights in optima if aspect in weights]
        items = dict.fromkeys(item for weights in known for item in weights)
        yield aspect, {item: fmean(weights[item] for weights in known if item in weights) for item in items}


def _decision_weights(shape: DecisionShape, decision: Any, instance: Any, roster: str) -> Iterator[tuple[str, dict[str, int]]]:
    """What a decision says about the entities of a roster: chosen or not, in which order, with which option."""
    items, chosen = getattr(instance, roster), shape.ids(decision)
    yield "", {item: int(item in chosen) for item in items}
    if isinstance(shape, AssignmentShape) and set(decision) == set(items):
        rosters = (getattr(instance, name) for name, relation in instance.relations.items() if relation.is_roster)
        options = next(options for options in rosters if set(decision.values()) <= set(options))
        yield " and option", {item: options.index(option) for item, option in decision.items()}
    elif isinstance(shape, IdListShape) and shape.ordered and chosen <= set(items):
        yield " and turn", {item: at for at, item in enumerate(decision)}


def score_order(weights: Mapping[str, float], order: Sequence[str], position_weight: PositionWeight) -> tuple[float, float]:
    """The covariance of decision weights and position weights in `order`, and its variance over random orders."""
    own = [weights[item] for item in order if item in weights]
    size = len(own)
    positions = [position_weight(position, size) for position in range(size)]
    middle, mean = sum(positions) / max(size, 1), sum(own) / max(size, 1)
    score = sum((position - middle) * (weight - mean) for position, weight in zip(positions, own, strict=True))
    spread = sum((position - middle) ** 2 for position in positions) * sum((weight - mean) ** 2 for weight in own)
    return score, spread / max(size - 1, 1)


def _record_order(world: World, ordered_records: Callable[[RelationPart], list[Row]], roster: str) -> list[str]:
    """The entities of a roster in the order in which the private records first mention them."""
    mentioned: dict[str, None] = {}
    for name, parts in world.family.layouts[world.interface].parts.items():
        relation = world.instance.relations[name]
        columns = {column.name: column for column in relation.columns if column.roster_name == roster}
        if not relation.fact or not columns:
            continue
        for part in parts:
            cells = [(at, columns[column]) for at, column in enumerate(part.columns) if column in columns]
            mentioned |= dict.fromkeys(
                item for row in ordered_records(part) for at, column in cells for item in column.ids(row[at])
            )
    return list(mentioned)


def order_leak_units(scores: list[OrderScore]) -> list[tuple[str, str | None]]:
    """One unit per family and order: whether the optimum is where chance would put it (Holm-Bonferroni)."""
    groups: dict[tuple[str, str], list[OrderScore]] = {}
    for score in scores:
        groups.setdefault((score.family, score.order), []).append(score)
    # Two-sided, by the normal distribution of the sum of independent standardized scores.
    sums = {key: sum(score.score / sqrt(score.variance) for score in group) for key, group in groups.items()}
    tests = sorted((erfc(abs(sums[key]) / sqrt(2 * len(group))), key) for key, group in groups.items())
    units, rejected = [], True
    for at, (p, (family, order)) in enumerate(tests):
        rejected = rejected and p <= _LEVEL / (len(tests) - at)
        units.append((f"{family} by {order}", f"the optimum is not where chance puts it (p = {p:.2g})" if rejected else None))
    return units

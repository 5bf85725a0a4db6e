"""Orders that must not tell the optimum: where chance would put its options, and where they stand.

An order is looked at twice: from its beginning to its end, and from its middle to both ends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import erfc, sqrt
from typing import Any

from algoworlds.core.decision import Each, Listed, Shape
from algoworlds.core.interface import Part
from algoworlds.core.relation import Row
from algoworlds.suites.bundle import Bundle
from algoworlds.worlds.world import World

Law = Callable[[int, int], float]
"""What a place in a list of some size is counted as."""


def _down(place: int, size: int) -> float:
    """How far down the list it is."""
    return float(place)


def _out(place: int, size: int) -> float:
    """How far from the middle it is, squared: large at both ends."""
    return (place - (size - 1) / 2) ** 2


MIDDLE = " from the middle"
LAWS: Mapping[str, Law] = {"": _down, MIDDLE: _out}
"""The two looks at an order, by what they add to its name."""


@dataclass(frozen=True)
class Ranks:
    """How the decision stands to an order of a roster: a sum of products, and its law if the order tells nothing."""

    family: str
    order: str
    score: float
    variance: float


def ranks(bundle: Bundle, world: World) -> list[Ranks]:
    """The standing of the optimum by id, by position in the question, and by place in the records."""
    instance, family = bundle.instance, world.family
    listed, found = cache(world.store.listed), []
    for name, relation in instance.relations.items():
        if not relation.is_roster:
            continue
        orders = {"id": sorted(getattr(instance, name)), "record": _record_order(world, listed, name)}
        if relation.public:
            orders["position"] = list(getattr(instance, name))
        for what, weights in _weights(family.decision, bundle.decision, instance, name):
            for order, items in orders.items():
                for where, law in LAWS.items():
                    score, variance = standing(weights, items, law)
                    found += [Ranks(family.name, order + what + where, score, variance)] if variance else []
    return found


def _weights(shape: Shape, decision: Any, instance: Any, roster: str) -> Iterator[tuple[str, dict[str, int]]]:
    """What a decision says about the entities of a roster: chosen or not, in which order, with which option."""
    items, chosen = getattr(instance, roster), shape.ids(decision)
    yield "", {item: int(item in chosen) for item in items}
    if isinstance(shape, Each) and set(decision) == set(items):
        places = {option: at for at, option in enumerate(_roster_of(instance, decision.values()))}
        yield " and option", {item: places[option] for item, option in decision.items()}
    elif isinstance(shape, Listed) and shape.ordered and chosen <= set(items):
        yield " and turn", {item: at for at, item in enumerate(decision)}


def _roster_of(instance: Any, options: Any) -> Sequence[str]:
    """The roster that some options come from, in the order in which the question lists it."""
    wanted = set(options)
    rosters = (getattr(instance, name) for name, each in instance.relations.items() if each.is_roster)
    return next(roster for roster in rosters if wanted <= set(roster))


def standing(weights: Mapping[str, int], listed: Sequence[str], law: Law) -> tuple[float, float]:
    """How far the weights go with the places in a list, less what chance expects; and the variance of that."""
    weighed = [weights[item] for item in listed if item in weights]
    size = len(weighed)
    places = [law(place, size) for place in range(size)]
    middle, mean = sum(places) / max(size, 1), sum(weighed) / max(size, 1)
    score = sum((place - middle) * (weight - mean) for place, weight in zip(places, weighed, strict=True))
    spread = sum((place - middle) ** 2 for place in places) * sum((weight - mean) ** 2 for weight in weighed)
    return score, spread / max(size - 1, 1)


def _record_order(world: World, listed: Callable[[Part], list[Row]], roster: str) -> list[str]:
    """The entities of a roster in the order in which the private records first mention them."""
    met: dict[str, None] = {}
    for name, parts in world.family.layouts[world.interface].parts.items():
        relation = world.instance.relations[name]
        places = {column.name: column for column in relation.columns if column.of == roster}
        if not relation.fact or not places:
            continue
        for part in parts:
            cells = [(at, places[column]) for at, column in enumerate(part.columns) if column in places]
            met |= dict.fromkeys(item for row in listed(part) for at, column in cells for item in column.ids(row[at]))
    return list(met)


def order_leaks(found: list[Ranks]) -> list[tuple[str, str | None]]:
    """One unit a family and order: whether the optimum stands where chance would put it (Holm, level 0.001)."""
    groups: dict[tuple[str, str], list[Ranks]] = {}
    for each in found:
        groups.setdefault((each.family, each.order), []).append(each)
    tests = sorted((p_value(group), key) for key, group in groups.items())
    units, refused = [], True
    for at, (p, (family, order)) in enumerate(tests):
        refused = refused and p <= 0.001 / (len(tests) - at)
        units.append((f"{family} by {order}", f"the optimum is not where chance puts it (p = {p:.2g})" if refused else None))
    return units


def p_value(group: list[Ranks]) -> float:
    """Two-sided, by the normal law of a sum of independent scores in units of their spread."""
    return erfc(abs(sum(each.score / sqrt(each.variance) for each in group)) / sqrt(2 * len(group)))

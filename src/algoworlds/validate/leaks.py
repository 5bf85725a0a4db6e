"""Leaks: what public text must not contain, and orders that must not tell the optimum."""

import re
from dataclasses import dataclass
from math import erfc, sqrt

from algoworlds.model.canonical import canonical_text
from algoworlds.model.column import Int, Ints
from algoworlds.validate.claims import Claims
from algoworlds.worlds.world import World

_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")
"""Numbers that stand alone; digits inside ids are none."""

_TELLING = 1_000
"""Hidden numbers below this are too common in texts to tell anything."""


def leaks(claims: Claims, world: World) -> str | None:
    """What a world's public text gives away, if anything."""
    public = claims.question + canonical_text(claims.tools) + canonical_text(claims.prices)
    if public != world.question + canonical_text(world.tools) + canonical_text(world.prices):
        return "the public text is not what the public tables give"
    numbers = set(map(int, _NUMBER.findall(public)))
    tables = claims.instance.public_tables
    sizes = {len(table) for table in tables.values() if isinstance(table, tuple)}
    stated = {*world.prices.values(), world.budget, *sizes, *map(int, _NUMBER.findall(str(tables)))}
    secret = {"the optimum": claims.optimum, "the reference value": claims.reference_value, "the work": claims.work.total}
    for name, value in secret.items():
        if abs(value) in numbers:
            return f"the public text contains {name}"
    if (numbers - stated) & _hidden_numbers(claims):
        return "the public text contains a hidden value"
    if any(item in public and item not in str(tables) for item in world.family.decision.ids(claims.decision)):
        return "the public text names an option of the optimum that only responses may show"
    if claims.coordinate.seed in public or claims.instance.digest in public:
        return "the public text contains the seed or a digest"
    return None


def _hidden_numbers(claims: Claims) -> set[int]:
    found: set[int] = set()
    for name, relation in claims.instance.relations.items():
        if relation.fact:
            for row in claims.instance.rows(name):
                for column, cell in zip(relation.columns, row, strict=True):
                    found |= (
                        {abs(cell)} if isinstance(column, Int) else set(map(abs, cell)) if isinstance(column, Ints) else set()
                    )
    return {value for value in found if value >= _TELLING}


@dataclass(frozen=True)
class Ranks:
    """Where the chosen options of a roster stand in some order: their mean rank, and its law if the order tells nothing."""

    family: str
    order: str
    mean: float
    expected: float
    variance: float


def ranks(claims: Claims, world: World) -> list[Ranks]:
    """The standing of the optimum's options by id, by position in the question, and by place in the records."""
    instance, chosen, found = claims.instance, world.family.decision.ids(claims.decision), []
    for name, relation in instance.relations.items():
        roster = getattr(instance, name)
        picked = chosen & set(roster) if relation.is_roster else frozenset()
        if not 0 < len(picked) < len(roster):
            continue
        orders = {"id": sorted(roster), "record": _record_order(world, name)}
        if relation.public:
            orders["position"] = list(roster)
        size, k = len(roster), len(picked)
        for order, listed in orders.items():
            mean = sum(at for at, item in enumerate(listed, 1) if item in picked) / k
            found.append(Ranks(world.family.name, order, mean, (size + 1) / 2, (size + 1) * (size - k) / (12 * k)))
    return found


def _record_order(world: World, roster: str) -> list[str]:
    """The entities of a roster in the order in which the private records first mention them."""
    met: dict[str, None] = {}
    for name, parts in world.family.layouts[world.interface].parts.items():
        relation = world.instance.relations[name]
        places = {column.name: column for column in relation.columns if column.of == roster}
        if not relation.fact or not places:
            continue
        for part in parts:
            cells = [(at, places[column]) for at, column in enumerate(part.columns) if column in places]
            for row in world.store.listed(part):
                met |= dict.fromkeys(item for at, column in cells for item in column.ids(row[at]))
    return list(met)


def order_leaks(found: list[Ranks]) -> list[tuple[str, str | None]]:
    """One unit a family and order: whether the optimum's options stand where chance would put them (Holm, level 0.001)."""
    groups: dict[tuple[str, str], list[Ranks]] = {}
    for each in found:
        groups.setdefault((each.family, each.order), []).append(each)
    tests = sorted((_p_value(group), key) for key, group in groups.items())
    units, refused = [], True
    for at, (p, (family, order)) in enumerate(tests):
        refused = refused and p <= 0.001 / (len(tests) - at)
        units.append(
            (f"{family} by {order}", f"chosen options are not where chance puts them (p = {p:.2g})" if refused else None)
        )
    return units


def _p_value(group: list[Ranks]) -> float:
    """Two-sided, by the normal law of the sum of independent mean ranks."""
    variance = sum(each.variance for each in group)
    return erfc(abs(sum(each.mean - each.expected for each in group)) / sqrt(2 * variance))

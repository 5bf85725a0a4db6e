"""The nearest instances against all instances: by the definition of an exchange and of a move."""

from itertools import combinations, product

import pytest

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.families import FAMILIES
from algoworlds.knowledge import certificate as certificates
from algoworlds.knowledge.conflicts import nearby_instances
from algoworlds.worlds.world import load_world
from tests.measures.universes import UNIVERSES, every_item_is_sold_singly, no_two_deliver_the_same

PROMISED = Ranges(
    {("price", "price"): Range(1, 9)},
    tuple(Promise(promise.__doc__, promise) for promise in (every_item_is_sold_singly, no_two_deliver_the_same)),
)
SOLD = ["a", "b", "x", "y", "u", "v", "axu", "ayv", "bxv"]
"""A shop of two beds, tables and lamps, each sold singly, and three sets."""


def shop(recipes):
    tickets = [f"t{at}" for at in range(len(recipes))]
    covers = {(ticket, item) for ticket, recipe in zip(tickets, recipes, strict=True) for item in recipe}
    return FAMILIES["basket_assembly"].instance(
        item=tuple("abxyuv"), ticket=tickets, covers=covers, price=dict.fromkeys(tickets, 5)
    )


def exchanged_or_moved(recipes):
    """Whether two tickets have exchanged recipes that differ in two items, or one holds an item instead of another."""
    changed = [(old, new) for old, new in zip(SOLD, recipes, strict=True) if old != new]
    if any(len(set(old) ^ set(new)) != 2 for old, new in changed):
        return False
    moved = len(changed) == 1 and len(changed[0][0]) == len(changed[0][1])
    return moved or (len(changed) == 2 and changed[0] == changed[1][::-1])


def test_shops_in_which_little_differs_are_all_found():
    possible = [*"abxyuv", *map("".join, product("ab", "xy", "uv"))]
    near = set()
    for (one, other), new in product(combinations(range(len(SOLD)), 2), product(possible, repeat=2)):
        recipes = [*SOLD]
        recipes[one], recipes[other] = new
        if exchanged_or_moved(recipes) and not any(PROMISED.violations(shop(recipes))):
            near.add(shop(recipes).covers)
    found = [
        nearby_instance.covers
        for nearby_instance in nearby_instances(shop(SOLD), PROMISED, FAMILIES["basket_assembly"].knowledge.unknowns)
    ]
    assert len(found) == len(set(found))
    assert set(found) == near


def test_pairs_that_share_a_participant_change_places():
    _, ranges, universe, _ = UNIVERSES["matchings_of_few"]
    every = list(universe())
    truth = every[len(every) // 3]
    alike = [instance for instance in every if instance.replace(member=truth.member) == truth]
    near = {instance.member for instance in alike if len(instance.member ^ truth.member) == 4}
    found = [
        nearby_instance.member
        for nearby_instance in nearby_instances(truth, ranges, FAMILIES["sequential_matching"].knowledge.unknowns)
    ]
    assert len(found) == len(set(found)) > 0
    assert set(found) == near


@pytest.mark.parametrize("name", ["basket_assembly-0-1", "sequential_matching-0-2"])
def test_one_hitting_set_is_enough_where_the_nearest_instances_are_ruled_out_first(name, monkeypatch):
    asked, hitting = [], certificates.cheapest_hitting_set
    monkeypatch.setattr(certificates, "cheapest_hitting_set", lambda *given: asked.append(given) or hitting(*given))
    assert certificates.find_certificate(load_world(name)).is_exact
    assert len(asked) == 1

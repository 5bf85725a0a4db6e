"""Conflicts: the nearest instances, and the cheapest calls that hit all conflicts, against enumeration."""

from itertools import combinations, product

import pytest

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.knowledge import certificate as certificates
from algoworlds.knowledge.conflicts import (
    MAX_CP_SAT_WORK,
    cheapest_hitting_set,
    clique_cuts,
    minimal_conflicts,
    nearby_instances,
)
from algoworlds.worlds.world import load_world
from tests.knowledge.universes import UNIVERSES, every_item_is_sold_singly, no_two_deliver_the_same

PLACE = load_world("sequential_matching-0-3")


def person(name):
    return Call("read_participant", name)


def row(name):
    return Call("read_compatibility_row", name)


def between(sides, joined):
    """Conflicts over who shares which pair with somebody: one of two people on the other side is read, or somebody's row."""
    for own, others in (sides, sides[::-1]):
        for one, (first, second) in product(own, combinations(others, 2)):
            if joined(one, first, second):
                yield frozenset({row(one), person(first), row(first), person(second), row(second)})


def draw_conflicts(stream):
    """Random conflicts of few calls, some of them between two sides."""
    sides = ["abc"[: stream.integer(2, 3)], "xyz"[: stream.integer(2, 3)]]
    calls = [tool(name) for name in "".join(sides) for tool in (person, row)]
    others = [frozenset(stream.sample(calls, stream.integer(1, 4))) for _ in range(stream.below(4))]
    return [*others, *between(sides, lambda *_: stream.below(5) > 0)]


def every_set(conflicts):
    """All sets of calls that hit all conflicts."""
    calls = sorted(frozenset().union(*conflicts))
    for size in range(len(calls) + 1):
        yield from (
            set(combination)
            for combination in combinations(calls, size)
            if not any(map(set(combination).isdisjoint, conflicts))
        )


@pytest.mark.parametrize("number", range(12))
def test_no_cheaper_calls_hit_all_conflicts_and_every_cut_holds_for_all_that_do(number):
    conflicts = draw_conflicts(Stream("hitting", number))
    found, sets = cheapest_hitting_set(conflicts, PLACE), list(every_set(conflicts))
    assert set(found.calls) in sets
    assert found.lower_bound == PLACE.cost(found.calls) == min(map(PLACE.cost, sets))
    for cut in clique_cuts(minimal_conflicts(conflicts)):
        assert min(sum(cut.weights.get(call, 0) for call in chosen) for chosen in sets) >= cut.lower_bound


def test_of_what_is_in_conflict_pairwise_all_but_one_must_be_known():
    """Unless somebody's row is read, which settles all of it."""
    found = list(clique_cuts(minimal_conflicts(between(["ab", "wxyz"], lambda *_: True))))
    others = {tool(name): 1 for name in "wxyz" for tool in (person, row)}
    assert [(cut.weights, cut.lower_bound) for cut in found] == [({row(one): 3, **others}, 3) for one in "ab"]


def test_conflicts_that_hold_another_one_say_nothing():
    small, large = frozenset({row("a")}), frozenset({row("a"), person("x")})
    assert minimal_conflicts([large, small, large]) == [small]


def test_what_is_in_conflict_pairwise_costs_no_search():
    """As in a matching of twenty-six people; without cuts all work is spent before the bounds meet."""
    conflicts = between(["abcdefghijklm", "nopqrstuvwxyz"], lambda *three: Stream("joined", *three).below(20) > 0)
    found = cheapest_hitting_set(conflicts, PLACE)
    assert found.lower_bound == PLACE.cost(found.calls)
    assert found.work < MAX_CP_SAT_WORK / 5


# -- nearby instances --

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

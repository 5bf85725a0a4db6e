"""Conflicts: nearby instances and cheapest hitting sets, compared with enumeration."""

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
from tests.knowledge.universes import UNIVERSES, every_item_is_sold_singly, recipes_are_distinct

WORLD = load_world("sequential_matching-0-3")


def person(name):
    return Call("read_participant", name)


def row(name):
    return Call("read_compatibility_row", name)


def matching_conflicts(sides, joined):
    """Conflicts of a matching: for `one` and two people of the other side, one of the two must be read, or a row."""
    for own, others in (sides, sides[::-1]):
        for one, (first, second) in product(own, combinations(others, 2)):
            if joined(one, first, second):
                yield frozenset({row(one), person(first), row(first), person(second), row(second)})


def draw_conflicts(stream):
    """Random conflicts of few calls, some of them those of a matching."""
    sides = ["abc"[: stream.integer(2, 3)], "xyz"[: stream.integer(2, 3)]]
    calls = [tool(name) for name in "".join(sides) for tool in (person, row)]
    others = [frozenset(stream.sample(calls, stream.integer(1, 4))) for _ in range(stream.below(4))]
    return [*others, *matching_conflicts(sides, lambda *_: stream.below(5) > 0)]


def hitting_sets(conflicts):
    """All sets of calls that hit all `conflicts`."""
    calls = sorted(frozenset().union(*conflicts))
    for size in range(len(calls) + 1):
        yield from (
            set(combination)
            for combination in combinations(calls, size)
            if not any(map(set(combination).isdisjoint, conflicts))
        )


@pytest.mark.parametrize("number", range(12))
def test_hitting_set_is_cheapest_and_cuts_exclude_no_hitting_set(number):
    conflicts = draw_conflicts(Stream("hitting", number))
    found, sets = cheapest_hitting_set(conflicts, WORLD), list(hitting_sets(conflicts))
    assert set(found.calls) in sets
    assert found.lower_bound == WORLD.cost(found.calls) == min(map(WORLD.cost, sets))
    for cut in clique_cuts(minimal_conflicts(conflicts)):
        assert min(sum(cut.weights.get(call, 0) for call in chosen) for chosen in sets) >= cut.lower_bound


def test_clique_cut_requires_all_but_one_of_pairwise_conflicts():
    """Unless the row of `one` is read, which settles all of these conflicts."""
    found = list(clique_cuts(minimal_conflicts(matching_conflicts(["ab", "wxyz"], lambda *_: True))))
    others = {tool(name): 1 for name in "wxyz" for tool in (person, row)}
    assert [(cut.weights, cut.lower_bound) for cut in found] == [({row(one): 3, **others}, 3) for one in "ab"]


def test_conflict_that_contains_another_one_is_dropped():
    small, large = frozenset({row("a")}), frozenset({row("a"), person("x")})
    assert minimal_conflicts([large, small, large]) == [small]


def test_clique_cuts_spare_the_search_in_a_large_matching():
    """Twenty-six people: without cuts all work is spent before the bounds meet."""
    conflicts = matching_conflicts(["abcdefghijklm", "nopqrstuvwxyz"], lambda *three: Stream("joined", *three).below(20) > 0)
    found = cheapest_hitting_set(conflicts, WORLD)
    assert found.lower_bound == WORLD.cost(found.calls)
    assert found.work < MAX_CP_SAT_WORK / 5


# -- nearby instances --

PROMISED = Ranges(
    {("price", "price"): Range(1, 9)},
    tuple(Promise(promise.__doc__, promise) for promise in (every_item_is_sold_singly, recipes_are_distinct)),
)
SOLD = ["a", "b", "x", "y", "u", "v", "axu", "ayv", "bxv"]
"""A shop of two beds, tables and lamps, each sold singly, and three sets."""


def shop(recipes):
    tickets = [f"t{at}" for at in range(len(recipes))]
    covers = {(ticket, item) for ticket, recipe in zip(tickets, recipes, strict=True) for item in recipe}
    return FAMILIES["basket_assembly"].instance(
        item=tuple("abxyuv"), ticket=tickets, covers=covers, price=dict.fromkeys(tickets, 5)
    )


def is_exchange_or_move(recipes):
    """Whether two tickets exchanged recipes that differ in two items, or one ticket holds one other item."""
    changed = [(old, new) for old, new in zip(SOLD, recipes, strict=True) if old != new]
    if any(len(set(old) ^ set(new)) != 2 for old, new in changed):
        return False
    moved = len(changed) == 1 and len(changed[0][0]) == len(changed[0][1])
    return moved or (len(changed) == 2 and changed[0] == changed[1][::-1])


def test_nearby_shops_are_all_found_once():
    possible = [*"abxyuv", *map("".join, product("ab", "xy", "uv"))]
    near = set()
    for (one, other), new in product(combinations(range(len(SOLD)), 2), product(possible, repeat=2)):
        recipes = [*SOLD]
        recipes[one], recipes[other] = new
        if is_exchange_or_move(recipes) and not any(PROMISED.violations(shop(recipes))):
            near.add(shop(recipes).covers)
    unknowns = FAMILIES["basket_assembly"].knowledge.unknowns
    found = [nearby.covers for nearby in nearby_instances(shop(SOLD), PROMISED, unknowns)]
    assert len(found) == len(set(found))
    assert set(found) == near


def test_nearby_matchings_exchange_pairs_that_share_a_participant():
    _, ranges, universe, _ = UNIVERSES["matchings_of_few"]
    instances = list(universe())
    truth = instances[len(instances) // 3]
    alike = [instance for instance in instances if instance.replace(member=truth.member) == truth]
    near = {instance.member for instance in alike if len(instance.member ^ truth.member) == 4}
    unknowns = FAMILIES["sequential_matching"].knowledge.unknowns
    found = [nearby.member for nearby in nearby_instances(truth, ranges, unknowns)]
    assert len(found) == len(set(found)) > 0
    assert set(found) == near


@pytest.mark.parametrize("name", ["basket_assembly-0-1", "sequential_matching-0-2"])
def test_nearby_instances_make_one_hitting_set_enough(name, monkeypatch):
    questions, hitting = [], certificates.cheapest_hitting_set
    monkeypatch.setattr(certificates, "cheapest_hitting_set", lambda *given: questions.append(given) or hitting(*given))
    assert certificates.find_certificate(load_world(name)).is_exact
    assert len(questions) == 1

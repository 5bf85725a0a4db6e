"""The cheapest calls that hit all conflicts, and what cliques of conflicts amount to: against all sets of calls."""

from itertools import combinations, product

import pytest

from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.knowledge.hitting_sets import MAX_CP_SAT_WORK, cheapest_hitting_set, clique_cuts, minimal_conflicts
from algoworlds.worlds.world import load_world

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

"""Residues along a chain: what can still be met, walks that meet it, and residues whose cheapest plan stands apart."""

from itertools import pairwise, product

import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families.residues import Chain, Move, Stage, distant, remote

# o -> p by a (1) or b (0), o -> q by c (2); p -> z by d (1); q -> z by e (1) or f (0). Modulo 4: a d 2, b d 1, c e 3, c f 2.
STEPS = {
    "o": [Move("a", 1, "p"), Move("b", 0, "p"), Move("c", 2, "q")],
    "p": [Move("d", 1, "z")],
    "q": [Move("e", 1, "z"), Move("f", 0, "z")],
    "z": [],
}


def chain(owed, modulus=4, goals=("z",)):
    return Chain(STEPS, "o", goals, owed, modulus)


def test_completions_are_sets_of_bits():
    assert chain(0).completions() == {"z": 0b1, "q": 0b11, "p": 0b10, "o": 0b1110}
    assert chain(0, goals="pq").completions() == {"z": 0, "q": 0b1, "p": 0b1, "o": 0b111}
    assert chain(0, modulus=3).completions()["o"] == 0b111  # c e wraps


def test_a_walk_is_offered_what_leaves_a_completion():
    seen = []

    def last(plan, choices):
        seen.append((plan, choices))
        return choices[-1]

    assert chain(2).walk(last, "none") == ("c", "f")
    assert seen == [((), ["a", "c"]), (("c",), ["f"])]
    assert chain(1).walk(last, "none") == ("b", "d")


def test_a_walk_ends_at_a_goal_with_nothing_owed():
    assert Chain({"z": []}, "z", "z", 0, 5).walk(lambda plan, choices: choices[0], "none") == ()


def test_a_residue_that_no_walk_meets_is_refused_before_any_choice():
    with pytest.raises(InstanceError, match="no way"):
        chain(0).walk(lambda plan, choices: pytest.fail("asked"), "no way")


def test_neighbours_are_the_plans_that_pass_one_or_two_other_places():
    stream = Stream("neighbours")
    places = {0: ["o"], 1: list("abc"), 2: list("def"), 3: list("gh"), 4: list("ijk")}
    pairs = [(u, v) for at in range(4) for u, v in product(places[at], places[at + 1]) if stream.below(5)]
    steps = {u: [Move(v, stream.below(3), v) for tail, v in pairs if tail == u] for at in places for u in places[at]}
    residue = {(u, step.choice): step.residue for u, leaving in steps.items() for step in leaving}

    def total(plan):
        return sum(residue[edge] for edge in pairwise(("o", *plan))) % 3

    plans = [plan for plan in product(*list(places.values())[1:]) if all(edge in residue for edge in pairwise(("o", *plan)))]
    for plan in plans:
        around = Chain(steps, "o", places[4], total(plan), 3)
        apart = {other: sum(a != b for a, b in zip(plan, other, strict=True)) for other in plans if total(other) == total(plan)}
        found = list(around.neighbours(plan))
        assert sorted(found) == sorted(other for other, count in apart.items() if count in (1, 2))


def test_tables_beyond_memory_are_refused():
    with pytest.raises(TooLarge, match="of memory"):
        chain(0, modulus=2**40).completions()


def by_enumeration(stages, residues, M, apart):
    """The same residues from all plans, written out."""
    plans = [((0,), 0, 0)]
    for stage, added in zip(stages, residues, strict=True):
        plans = [
            ((*plan, v), cost + price, (r + rho) % M)
            for plan, cost, r in plans
            for v, ways in enumerate(zip(*stage, added, strict=True))
            for u, price, rho in zip(*ways, strict=True)
            if u == plan[-1]
        ]
    least = {residue: min((cost, plan) for plan, cost, r in plans if r == residue) for residue in {r for *_, r in plans}}
    _, best = min(least.values())
    far = [r for r in sorted(least) if sum(u != v for u, v in zip(least[r][1], best, strict=True)) >= apart]
    return {r: least[r][0] for r in far}


def test_distant_residues_are_those_of_enumeration():
    found = []
    for number, M in product(range(40), (1, 5, 11)):
        stream = Stream("distant", number, M)
        sizes = [1, *stream.integers(4, 2, 3)]
        stages, residues = [], []
        for tails, heads in pairwise(sizes):
            before = [stream.shuffled(range(tails)) for _ in range(heads)]
            cost = [stream.integers(tails, 0, 10**9) for _ in range(heads)]
            stages.append(Stage(before, cost))
            residues.append([stream.integers(tails, 0, M - 1) for _ in range(heads)])
        for apart in (1, 2, 3):
            found += distant(stages, [residues], M, apart)
            assert found[-1] == by_enumeration(stages, residues, M, apart)
    assert len(set(map(len, found))) > 5


def lonely(*draws):
    """One stage of plans that cost 0, 1, 2, ..., and some draws of their residues."""
    (count,) = set(map(len, draws))
    return [Stage([[0]] * count, [[cost] for cost in range(count)])], [[[[residue] for residue in each]] for each in draws]


def test_the_dearer_half_of_distant_residues_is_left_to_choose_from():
    assert remote(*lonely([0, 3, 1, 4, 2]), 5, 1) == (0, [1, 4, 2])
    assert remote(*lonely([0, 2, 1]), 3, 1) == (0, [2, 1])
    assert remote(*lonely([2]), 3, 1) == (0, [])


def test_of_some_draws_the_one_whose_residues_are_met_last_is_taken():
    assert remote(*lonely([0, 1, 0, 2], [0, 0, 2, 1], [0, 0, 1, 2]), 3, 1) == (1, [2, 1])


def test_residues_shared_by_all_ways_need_one_column():
    stages = [Stage([[0], [0]], [[1], [2]]), Stage([[1, 0], [0, 1]], [[5, 1], [1, 3]])]
    short, long = [[[0], [1]], [[1], [2]]], [[[0], [1]], [[1, 1], [2, 2]]]
    assert distant(stages, [short], 3, 1) == distant(stages, [long], 3, 1) == [by_enumeration(stages, long, 3, 1)]

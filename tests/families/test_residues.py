"""Residue chains: reachable residues, walks, neighbours, and residues whose cheapest path is far from the cheapest of all."""

from itertools import pairwise, product

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import load_family
from algoworlds.families.residues import (
    Move,
    NarrowResidues,
    ResidueChain,
    distant_residues,
    draw_stage_residues,
    select_hardest_draw,
)
from algoworlds.hardness.algorithms import join_routes
from algoworlds.hardness.attackers import Attack

# o -> p by a (1) or b (0), o -> q by c (2); p -> z by d (1); q -> z by e (1) or f (0). Modulo 4: a d 2, b d 1, c e 3, c f 2.
STEPS = {
    "o": [Move("a", 1, "p"), Move("b", 0, "p"), Move("c", 2, "q")],
    "p": [Move("d", 1, "z")],
    "q": [Move("e", 1, "z"), Move("f", 0, "z")],
    "z": [],
}


def chain(owed, modulus=4, goals=("z",)):
    return ResidueChain(STEPS, "o", goals, owed, modulus)


def test_reachable_residues_are_bit_sets():
    assert chain(0).reachable_residues() == {"z": 0b1, "q": 0b11, "p": 0b10, "o": 0b1110}
    assert chain(0, goals="pq").reachable_residues() == {"z": 0, "q": 0b1, "p": 0b1, "o": 0b111}
    assert chain(0, modulus=3).reachable_residues()["o"] == 0b111  # c e wraps


def test_walk_offers_only_choices_that_can_meet_the_target():
    offers = []

    def last(plan, choices):
        offers.append((plan, choices))
        return choices[-1]

    assert chain(2).walk(last, "none") == ("c", "f")
    assert offers == [((), ["a", "c"]), (("c",), ["f"])]
    assert chain(1).walk(last, "none") == ("b", "d")


def test_walk_ends_at_a_goal_with_nothing_owed():
    assert ResidueChain({"z": []}, "z", "z", 0, 5).walk(lambda plan, choices: choices[0], "none") == ()


def test_unreachable_target_is_rejected_before_any_choice():
    with pytest.raises(InstanceError, match="no way"):
        chain(0).walk(lambda plan, choices: pytest.fail("chosen"), "no way")


def test_neighbours_differ_in_one_or_two_nodes():
    stream = Stream("neighbours")
    nodes = {0: ["o"], 1: list("abc"), 2: list("def"), 3: list("gh"), 4: list("ijk")}
    pairs = [(u, v) for at in range(4) for u, v in product(nodes[at], nodes[at + 1]) if stream.below(5)]
    steps = {u: [Move(v, stream.below(3), v) for tail, v in pairs if tail == u] for at in nodes for u in nodes[at]}
    residue = {(u, step.choice): step.residue for u, leaving in steps.items() for step in leaving}

    def total(plan):
        return sum(residue[edge] for edge in pairwise(("o", *plan))) % 3

    plans = [plan for plan in product(*list(nodes.values())[1:]) if all(edge in residue for edge in pairwise(("o", *plan)))]
    for plan in plans:
        plan_chain = ResidueChain(steps, "o", nodes[4], total(plan), 3)
        apart = {other: sum(a != b for a, b in zip(plan, other, strict=True)) for other in plans if total(other) == total(plan)}
        neighbours = list(plan_chain.neighbours(plan))
        assert sorted(neighbours) == sorted(other for other, count in apart.items() if count in (1, 2))


def test_rejects_tables_beyond_memory():
    with pytest.raises(TooLarge, match="of memory"):
        chain(0, modulus=2**40).reachable_residues()


def by_enumeration(stages, residues, M, apart):
    """The same residues by enumerating all plans."""
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


def test_distant_residues_agree_with_enumeration():
    results = []
    for number, M in product(range(40), (1, 5, 11)):
        stream = Stream("distant", number, M)
        sizes = [1, *stream.integers(4, 2, 3)]
        stages, residues = [], []
        for tails, heads in pairwise(sizes):
            before = [stream.shuffled(range(tails)) for _ in range(heads)]
            cost = [stream.integers(tails, 0, 10**9) for _ in range(heads)]
            stages.append((before, cost))
            residues.append([stream.integers(tails, 0, M - 1) for _ in range(heads)])
        for apart in (1, 2, 3):
            results += distant_residues(stages, [residues], M, apart)[0]
            assert results[-1] == by_enumeration(stages, residues, M, apart)
    assert len(set(map(len, results))) > 5


def single_stage(*draws):
    """One stage of plans that cost 0, 1, 2, ..., and some draws of their residues."""
    (count,) = set(map(len, draws))
    return [([[0]] * count, [[cost] for cost in range(count)])], [[[[residue] for residue in draw]] for draw in draws]


def test_targets_are_the_dearer_half_of_distant_residues():
    assert select_hardest_draw(*single_stage([0, 3, 1, 4, 2]), 5, 1) == (0, [1, 4, 2])
    assert select_hardest_draw(*single_stage([0, 2, 1]), 3, 1) == (0, [2, 1])
    assert select_hardest_draw(*single_stage([2]), 3, 1) == (0, [])


def test_selects_the_draw_that_is_met_latest():
    assert select_hardest_draw(*single_stage([0, 1, 0, 2], [0, 0, 2, 1], [0, 0, 1, 2]), 3, 1) == (1, [2, 1])


def test_bounds_are_path_costs_up_to_a_state_and_the_least_cost_after_it():
    # One node, then two of cost 1 and 2, then one reached from them at 5 and 3; residues 0, then 1 and 2, then 0.
    stages = [([[0], [0]], [[1], [2]]), ([[0, 1]], [[5, 3]])]
    _, (bounds,) = distant_residues(stages, [[[[1], [2]], [[0, 0]]]], 3, 1)
    assert sorted(bounds[bounds < 100].tolist()) == [5, 5, 6, 6]  # residue 2 by the second node, residue 1 by the first


def test_targets_leave_states_to_expand():
    stages, draws = single_stage([0, 3, 1, 4, 2])  # every state is a whole path, of cost 0 to 4
    assert select_hardest_draw(stages, draws, 5, 1, least_open=3) == (0, [4, 2])
    assert select_hardest_draw(stages, draws, 5, 1, least_open=4) == (0, [2])
    assert select_hardest_draw(stages, draws, 5, 1, least_open=26) == (0, [])


def test_narrow_residues_are_sums_of_few_units():
    narrow = NarrowResidues.draw(101, (2, 1, 2), Stream("narrow"))
    one, two = narrow.units
    allowed = {(one * x + two * y) % 101 for x, y in product(range(3), repeat=2)}
    table = narrow.table(50, 20, Stream("table"))
    assert set(table.ravel().tolist()) == allowed
    assert len(set(narrow.offsets(500, Stream("offsets")).tolist())) > 90
    zero = np.count_nonzero(table == 0) / table.size
    assert 0.15 < zero < 0.35  # each unit is left out with chance one half


def test_units_are_units_of_the_modulus():
    assert all(set(NarrowResidues.draw(12, (3, 0, 1), Stream("units", n)).units) <= {1, 5, 7, 11} for n in range(20))


def test_residues_of_a_stage_are_shifted_together():
    tables = draw_stage_residues(40, 30, 101, (1, 0, 2), 2, Stream("stages"))
    assert tables.shape == (2, 40, 30)
    assert {len(set(row.tolist())) for table in tables for row in table} == {3}
    assert len({int(row.min()) for table in tables for row in table}) > 30


def test_residues_without_units_are_uniform():
    uniform = draw_stage_residues(40, 30, 7, (0, 0, 0), 2, Stream("uniform"))
    assert (uniform == Stream("uniform").integer_table(80, 30, 0, 6).reshape(2, 40, 30)).all()


@pytest.mark.parametrize("name", ["transit_routing", "authorization_planning", "evidence_joined_routing"])
def test_joined_routes_need_many_evaluations_at_level_2(name):
    family = load_family(name)
    for number in range(3):
        instance = family.generate(family.config(2), Stream("joined", number))
        attack = Attack(family, instance, family.solve(instance).value, 4_000, Stream("attack"))
        assert attack.run(join_routes).found_at is None  # uniform residues: 2,500 to 3,950 in the median


@pytest.mark.parametrize("name", ["transit_routing", "authorization_planning", "evidence_joined_routing"])
def test_classes_of_residues_do_not_depend_on_costs(name):
    """Within a stage, the ranks of residues and of costs are unrelated."""
    family = load_family(name)
    tables = {
        "transit_routing": lambda i: [(s, i.time[s, e], r) for (s, e), r in i.residue.items()],
        "authorization_planning": lambda i: [(s, i.base_price[s, v], r) for (s, v), r in i.clearance.items()],
        "evidence_joined_routing": lambda i: [(s, i.arc_costs[a], r) for (s, a), (_, r) in i.freight.items()],
    }
    correlations = []
    for number in range(20):
        instance = family.generate(family.config(2), Stream("unrelated", number))
        stages = {}
        for stage, cost, residue in tables[name](instance):
            stages.setdefault(stage, []).append((cost, residue))
        classes = {s: {r: [c for c, rho in rows if rho == r] for r in {rho for _, rho in rows}} for s, rows in stages.items()}
        for by_residue in classes.values():
            largest = max(by_residue.values(), key=len)  # the commonest class costs as much as the others
            others = [cost for costs in by_residue.values() if costs is not largest for cost in costs]
            if others:
                correlations.append(np.mean(largest) - np.mean(others))
    assert abs(np.mean(correlations)) < 3.5 * np.std(correlations) / len(correlations) ** 0.5


def test_residues_shared_by_all_arcs_need_one_column():
    stages = [([[0], [0]], [[1], [2]]), ([[1, 0], [0, 1]], [[5, 1], [1, 3]])]
    short, long = [[[0], [1]], [[1], [2]]], [[[0], [1]], [[1, 1], [2, 2]]]
    assert (
        distant_residues(stages, [short], 3, 1)[0]
        == distant_residues(stages, [long], 3, 1)[0]
        == [by_enumeration(stages, long, 3, 1)]
    )

"""Sequential Matching: hand-worked numbers and how the optimum moves when the instance does (F3, F5, F6, F7, F8, F12)."""

from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError, InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from tests.certified import certified_instance
from tests.oracles.sequential_matching import small
from tests.unsolved import unsolved_world

FAMILY = FAMILIES["sequential_matching"]

# Left a, b, c in this order; right x, y, z. The pair az has a price but is not compatible, c and y have no pair at all.
CELLS = ("ax", "ay", "az", "bx", "by", "bz", "cx", "cz")
HAND = {
    "family": "sequential_matching",
    "participant": ["a", "b", "c", "x", "y", "z"],
    "pair": list(CELLS),
    "member": [[person, pair] for pair in CELLS for person in pair],
    "compatible": {
        "a": {"x": True, "y": True, "z": False},
        "b": {"x": True, "y": True, "z": True},
        "c": {"x": True, "y": False, "z": True},
    },
    "pair_cost": {"ax": 1, "ay": 4, "az": 0, "bx": 6, "by": 2, "bz": 5, "cx": 3, "cz": 2},
    "handoff": {"x": {"y": 5, "z": 1}, "y": {"x": 1, "z": 2}, "z": {"x": 1, "y": 0}},
    "rate": 2,
}
# x y z: 1 + 2 + 2 + 2 (5 + 2) = 19. y x z: 4 + 6 + 2 + 2 (1 + 1) = 16. y z x: 4 + 5 + 3 + 2 (2 + 1) = 18. Nothing else fits.


def hand(**changes):
    return SequentialMatching.from_json(HAND | changes)


def both(instance):
    return FAMILY.solve(instance), FAMILY.verify(instance)


def test_hand_worked_instance():
    for solution in both(hand()):
        assert (solution.value, solution.decision, solution.optima) == (16, ("ay", "bx", "cz"), 1)


def test_work_of_the_hand_worked_instance():
    # First left participant: 3 checks, 2 transitions, 2 updates (x, y). Then, reached (S, j), checks 3 + outside each:
    #   {x}, x: 5 checks, b takes y or z, 2 transitions, 2 updates        {y}, y: the same with x or z
    #   {x,y}, x and y: 2 * 4 checks, c takes z, 2 transitions; 12 + 2 sets the minimum, 13 + 4 does not lower it
    #   {x,z}, z: 4 checks, c may not take y        {y,z}, z: 4 checks, c takes x, 1 transition, 1 update
    #   {x,y,z}, x and z: 2 * 3 checks
    work = FAMILY.solve(hand()).work
    assert work == (8, 9, 35, 8, 3)
    assert work.total == 63


def test_reference_and_descent_of_the_hand_worked_instance():
    instance = hand()
    assert FAMILY.reference(instance) == ("ax", "by", "cz")
    assert FAMILY.check(instance, FAMILY.reference(instance)).value == 19
    assert FAMILY.hardness.descend(instance, FAMILY.reference(instance)) == ("ay", "bx", "cz")
    drawn = {FAMILY.hardness.sample(instance, Stream("drawn", number)) for number in range(30)}
    assert drawn == {("ax", "by", "cz"), ("ay", "bx", "cz"), ("ay", "bz", "cx")}


def test_ties_are_counted():
    handoff, cost = HAND["handoff"], HAND["pair_cost"]
    # x y z: 5 + 2 (5 + 2) = 19; y x z: 12 + 2 (1 + 1) = 16; y z x: 12 + 2 (2 + 0) = 16, with another last match.
    apart = hand(handoff=handoff | {"z": {"x": 0, "y": 0}})
    # x y z: 5 + 2 (4 + 0) = 13; y x z: 13 + 2 (0 + 0) = 13, with the same last match; y z x: 12 + 2 (0 + 1) = 14.
    together = hand(handoff=handoff | {"x": {"y": 4, "z": 0}, "y": {"x": 0, "z": 0}}, pair_cost=cost | {"bx": 7})
    # The same tie, beaten: y z x: 12 + 2 (0 + 0) = 12.
    beaten = together.replace(handoff={**together.handoff, ("z", "x"): 0})
    assert [(solution.value, solution.optima) for solution in both(apart)] == [(16, 2)] * 2
    assert [(solution.value, solution.optima) for solution in both(together)] == [(13, 2)] * 2
    assert [(solution.value, solution.optima) for solution in both(beaten)] == [(12, 1)] * 2


def test_no_feasible_matching_is_a_clear_result():
    nowhere = {person: dict.fromkeys("xyz", False) for person in "abc"}
    crowded = HAND["compatible"] | {"a": {"x": True, "y": False, "z": False}, "b": {"x": True, "y": False, "z": False}}
    for compatible in (nowhere, crowded):
        instance = hand(compatible=compatible)
        for solution in both(instance):
            assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
        with pytest.raises(InstanceError, match="no matching"):
            FAMILY.reference(instance)
    assert FAMILY.solve(hand(compatible=nowhere)).work == (0, 0, 3, 0, 0)


def test_no_and_one_participant_a_side():
    empty = {"participant": [], "pair": [], "member": [], "pair_cost": {}, "handoff": {}, "rate": 7}
    for solution in both(SequentialMatching.from_json(empty)):
        assert (solution.value, solution.decision, solution.optima) == (0, (), 1)
    one = empty | {"participant": ["a", "x"], "pair": ["ax"], "member": [["a", "ax"], ["x", "ax"]], "pair_cost": {"ax": -5}}
    for solution in both(SequentialMatching.from_json(one)):
        assert (solution.value, solution.decision, solution.optima) == (-5, ("ax",), 1)
    for solution in both(SequentialMatching.from_json(one | {"compatible": {"a": {"x": False}}})):
        assert solution.optima == 0


def test_participants_are_compatible_where_a_pair_joins_them_unless_said_otherwise():
    instance = SequentialMatching.from_json({name: table for name, table in HAND.items() if name != "compatible"})
    assert instance.per_side == 3
    assert {cell for cell, able in instance.compatible.items() if not able} == {("c", "y")}
    for solution in both(instance):  # a may take z now: z y x costs 0 + 2 + 3 + 2 (0 + 1) = 7
        assert (solution.value, solution.decision, solution.optima) == (7, ("az", "by", "cx"), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"participant": ["a", "b", "c", "x", "y"]}, "participant"),
        ({"per_side": 2}, "as many right ones"),
        ({"member": HAND["member"][1:]}, "exactly one left and one right"),
        ({"member": [*HAND["member"], ["b", "ax"]]}, "exactly one left and one right"),
        (
            {"pair": [*CELLS, "twin"], "member": [*HAND["member"], ["a", "twin"], ["x", "twin"]]},
            "pair_cost has no entry for twin",
        ),
        ({"compatible": {"a": HAND["compatible"]["a"]}}, "compatible has no entry for b x"),
        ({"compatible": HAND["compatible"] | {"x": {"a": True}}}, "wrong sides"),
        ({"compatible": HAND["compatible"] | {"c": {"x": True, "y": True, "z": True}}}, "no pair joins .* c and y"),
        ({"handoff": {"x": {"y": 5, "z": 1}, "y": {"x": 1, "z": 2}}}, "handoff has no entry for z x"),
        ({"handoff": HAND["handoff"] | {"a": {"b": 1}}}, "wrong sides or the same"),
        ({"rate": 1.5}, "rate"),
    ],
)
def test_broken_instances_are_refused_with_a_reason(change, message):
    with pytest.raises(InstanceError, match=message):
        hand(**change)


def test_two_pairs_of_the_same_participants_are_refused():
    twin = {"pair": [*CELLS, "twin"], "member": [*HAND["member"], ["a", "twin"], ["x", "twin"]]}
    with pytest.raises(InstanceError, match="two pairs join the same"):
        hand(**twin, pair_cost=HAND["pair_cost"] | {"twin": 1})


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "not every participant in exactly one pair"),
        (("ax", "by"), "not every participant in exactly one pair"),
        (("ax", "bx", "cz"), "not every participant in exactly one pair"),
        (("ax", "ax", "ax"), "not every participant in exactly one pair"),
        (("ax", "by", "cz", "cz"), "not every participant in exactly one pair"),
        (("ax", "by", "cy"), "an unknown pair"),
        (("a", "b", "c"), "an unknown pair"),
        (("", "by", "cz"), "an unknown pair"),
        (("az", "by", "cx"), "an incompatible pair"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(hand(), decision).reason == reason


def test_checker_names_the_parts_whatever_the_order():
    for decision in permutations(("ax", "by", "cz")):
        assert FAMILY.check(hand(), decision).parts == {"pairs": 5, "handoffs": 14}


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    instance = hand(
        pair_cost=dict.fromkeys(CELLS, huge) | {"bx": huge - 1},
        handoff={j: {t: huge for t in "xyz" if t != j} for j in "xyz"} | {"y": {"x": huge - 1, "z": huge}},
    )
    for solution in both(instance):
        assert (solution.value, solution.decision) == (3 * huge - 1 + 2 * (2 * huge - 1), ("ay", "bx", "cz"))
    with pytest.raises(TooLarge, match="too large to add"):
        FAMILY.solve(instance.replace(rate=huge))


def test_a_state_space_beyond_memory_is_refused():
    n = 30
    lefts, rights = [f"l{i}" for i in range(n)], [f"r{j}" for j in range(n)]
    instance = SequentialMatching(
        participant=[*lefts, *rights],
        pair=[i + j for i, j in product(lefts, rights)],
        member=[(person, i + j) for i, j in product(lefts, rights) for person in (i, j)],
        pair_cost={i + j: 1 for i, j in product(lefts, rights)},
        handoff=dict.fromkeys(permutations(rights, 2), 1),
        rate=1,
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(instance)


# -- worlds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", Interface)
def test_no_call_of_a_plan_is_superfluous_but_the_last_row(interface):
    world = unsolved_world(FAMILY.name, interface=interface)
    for name, plan in world.plans.items():
        for left_out in (0, world.instance.per_side, len(plan) - 2, len(plan) - 1):
            kept = [*plan[:left_out], *plan[left_out + 1 :]]
            superfluous = name == "rows" and left_out == world.instance.per_side
            assert (Episode(world, kept).facts == world.instance.facts) is superfluous, (name, left_out)


def test_a_participant_shows_half_of_a_pair_and_a_row_the_whole():
    world = unsolved_world(FAMILY.name)
    q = world.instance.per_side
    for person in (world.instance.participant[0], world.instance.participant[-1]):
        alone, row = Episode(world), Episode(world)
        alone.call("read_participant", {"participant": person})
        row.call("read_compatibility_row", {"participant": person})
        assert len(alone.facts) == 2 * q
        assert {fact.row[0] for fact in alone.facts if fact.relation == "member"} == {person}
        assert len(row.facts) == 3 * q
        assert alone.facts < row.facts
        pairs = {pair for pair, ends in world.instance.pair_ends.items() if person in ends}
        assert {fact.row[1] for fact in row.facts if fact.relation == "member"} == pairs


def test_a_tool_cannot_go_through_a_column_that_it_does_not_show():
    tools = [replace(tool, self_join=tool.self_join and "cost") for tool in FAMILY.template.tools]
    with pytest.raises(DeclarationError, match="read_compatibility_row goes through the unknown column 'cost'"):
        replace(FAMILY, template=replace(FAMILY.template, tools=tuple(tools)))


def test_pages_must_be_aligned_and_whole():
    world = unsolved_world(FAMILY.name)
    episode = Episode(world)
    for start, length in ((5, 10), (0, 5), (100, 10), (-10, 10)):
        assert episode.call("read_pair_window", {"start": start, "length": length}).status is Status.BAD_WINDOW
    episode.call("read_pair_window", {"start": 90, "length": 10})
    assert {fact.row[0] for fact in episode.facts} == set(world.instance.pair[90:])


def test_everyone_is_compatible_with_equally_many():
    for level, degree in ((0, 5), (1, 9), (2, 11), (3, 13), (4, 14)):
        instance = FAMILY.generate(FAMILY.levels[level], Stream("degrees", level))
        able = [cell for cell, compatible in instance.compatible.items() if compatible]
        assert {sum(person in cell for cell in able) for person in instance.participant} == {degree}


def test_removing_a_chosen_pair_is_worse_or_infeasible():
    admitted = certified_instance("sequential_matching", 1, 1)
    for pair in admitted.solution.decision:
        cell = admitted.instance.pair_ends[pair]
        without = FAMILY.solve(admitted.instance.replace(compatible={**admitted.instance.compatible, cell: False}))
        assert without.value is None or without.value > admitted.optimum


# -- how the optimum moves --------------------------------------------------------------------------------------------

numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_and_shifting_costs_moves_the_value_and_not_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    costs = {pair: alpha * cost + beta for pair, cost in instance.pair_cost.items()}
    before, after = FAMILY.solve(instance), FAMILY.solve(instance.replace(pair_cost=costs, rate=alpha * instance.rate))
    assert before.optima == after.optima
    if before.value is not None:
        assert after.value == alpha * before.value + beta * instance.per_side
        assert not before.unique or before.decision == after.decision


@given(numbers)
def test_minutes_and_rate_only_count_as_a_product(number):
    instance = small(Stream("hypothesis", number))
    minutes = {move: instance.rate * time for move, time in instance.handoff.items()}
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(instance.replace(handoff=minutes, rate=1)) == algorithm(instance)


@given(numbers, st.randoms(use_true_random=False))
def test_the_order_of_right_participants_does_not_matter(number, shuffler):
    instance = small(Stream("hypothesis", number))
    rights = shuffler.sample(instance.right, len(instance.right))
    shuffled = instance.replace(participant=[*instance.left, *rights])
    assert FAMILY.solve(instance).agrees_with(FAMILY.solve(shuffled))
    assert FAMILY.verify(instance).agrees_with(FAMILY.verify(shuffled))


@given(numbers)
def test_reading_the_sequence_backward_turns_every_handoff_round(number):
    instance = small(Stream("hypothesis", number))
    backward = instance.replace(
        participant=[*reversed(instance.left), *instance.right],
        handoff={(t, j): minutes for (j, t), minutes in instance.handoff.items()},
    )
    assert FAMILY.solve(instance).agrees_with(FAMILY.solve(backward))
    assert FAMILY.verify(instance).agrees_with(FAMILY.verify(backward))


@given(numbers, st.lists(st.integers(-100, 100), min_size=5, max_size=5))
def test_a_toll_on_arrival_may_be_paid_by_the_pair_instead(number, tolls):
    instance = small(Stream("hypothesis", number))
    toll = dict(zip(instance.right, tolls, strict=False))
    moved = instance.replace(
        handoff={(j, t): minutes + toll[t] for (j, t), minutes in instance.handoff.items()},
        pair_cost={
            pair: instance.pair_cost[pair] - (left != instance.left[0]) * instance.rate * toll[right]
            for pair, (left, right) in instance.pair_ends.items()
        },
    )
    assert FAMILY.solve(moved).agrees_with(FAMILY.solve(instance))


@given(numbers)
def test_two_who_only_fit_each_other_change_nothing_and_fewer_compatible_pairs_never_help(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    joined = {**instance.compatible, **{("l", j): False for j in instance.right}, **{(i, "r"): False for i in instance.left}}
    loose = {move: 0 for j in instance.right for move in ((j, "r"), ("r", j))}
    after = FAMILY.solve(
        instance.replace(
            participant=[*instance.left, "l", *instance.right, "r"],
            per_side=instance.per_side + 1,
            pair=(*instance.pair, "lr"),
            member=instance.member | {("l", "lr"), ("r", "lr")},
            compatible=joined | {("l", "r"): True},
            pair_cost={**instance.pair_cost, "lr": 0},
            handoff={**instance.handoff, **loose},
        )
    )
    assert (after.value, after.optima) == (before.value, before.optima)
    if before.unique:
        assert after.decision == tuple(sorted((*before.decision, "lr")))
    for cell in list(instance.compatible)[:3]:
        fewer = FAMILY.solve(instance.replace(compatible={**instance.compatible, cell: False}))
        assert fewer.value is None or (before.value is not None and fewer.value >= before.value)

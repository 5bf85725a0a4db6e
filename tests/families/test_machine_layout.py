"""Machine Layout: hand-worked numbers, what distances imply, and how the optimum follows changes (F3, F8, F12)."""

from dataclasses import replace
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.completions import Completions
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError, InstanceError, TooLarge
from algoworlds.families import FAMILIES, read_instance
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.machine_layout.knowledge import MAX_LINES, cases, deduce
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance
from tests.oracles.machine_layout import small
from tests.unsolved import unsolved_world

FAMILY = FAMILIES["machine_layout"]

# Three machines; the aisle runs r, p, q. Pairs may be written in either order.
HAND = {
    "family": "machine_layout",
    "machine": ["a", "b", "c"],
    "slot": ["p", "q", "r"],
    "flow": {"a": {"b": 5}, "c": {"a": 1, "b": 2}},
    "distance": {"p": {"q": 1, "r": 1}, "r": {"q": 2}},
    "adjustment": {"a": {"p": 0, "q": 4, "r": 1}, "b": {"p": 7, "q": 3, "r": 6}, "c": {"p": 2, "q": 5, "r": 9}},
}
# Orders along q, p, r (handling = the flow of the two outer machines once more than the sum of all flows, 8):
# a b c: 8 + 1 + 4 + 7 + 9 = 29.   a c b: 8 + 5 + 4 + 2 + 6 = 25.   b a c: 8 + 2 + 3 + 0 + 9 = 22.
# b c a: 8 + 5 + 3 + 2 + 1 = 19.   c a b: 8 + 2 + 5 + 0 + 6 = 21.   c b a: 8 + 1 + 5 + 7 + 1 = 22.


def test_hand_worked_instance():
    instance = MachineLayout.from_json(HAND)
    assert instance.line_order == ("q", "p", "r")
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (19, {"a": "r", "b": "q", "c": "p"}, 1)


def test_work_of_hand_worked_instance():
    # Cuts: a 6, b 7, c 3. Values of sets, candidates in the order a, b, c, along q, p, r:
    # a 4 + 6 = 10; b 3 + 7 = 10; c 5 + 3 = 8: one update each.
    # ab: a last 10 + 0, b last 10 + 7: 10 + 3 = 13, one update. ac: a 8 + 0, c 10 + 2: 8 + 7 = 15, one.
    # bc: b 8 + 7, c 10 + 2: 12 + 6 = 18, two. abc: a 18 + 1 = 19, b 15 + 6 = 21, c 13 + 9 = 22: one.
    # 8 sets; 7 * 3 checks; members of all sets 12, two transitions each; 3 + 1 + 1 + 2 + 1 = 8 updates.
    work = FAMILY.solve(MachineLayout.from_json(HAND)).work
    assert work == (8, 24, 21, 8, 3)
    assert work.total == 8 + 2 * 3 * 8 + 8


def test_checker_values_and_parts():
    instance = MachineLayout.from_json(HAND)
    values = {order: FAMILY.check(instance, dict(zip(order, "qpr", strict=True))).value for order in permutations("abc")}
    assert {"".join(order): value for order, value in values.items()} == {
        "abc": 29, "acb": 25, "bac": 22, "bca": 19, "cab": 21, "cba": 22,
    }  # fmt: skip
    assert FAMILY.check(instance, {"a": "r", "b": "q", "c": "p"}).parts == {"handling": 13, "adjustments": 6}


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ({}, "not exactly one entry per machine"),
        ({"a": "p", "b": "q"}, "not exactly one entry per machine"),
        ({"a": "p", "b": "q", "c": "r", "d": "p"}, "not exactly one entry per machine"),
        ({"p": "a", "q": "b", "r": "c"}, "not exactly one entry per machine"),
        ({"a": "p", "b": "q", "c": "s"}, "an unknown slot"),
        ({"a": "p", "b": "q", "c": ""}, "an unknown slot"),
        ({"a": "p", "b": "q", "c": "q"}, "a slot is used twice"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(MachineLayout.from_json(HAND), decision).reason == reason


def test_reference_and_descent_of_hand_worked_instance():
    instance = MachineLayout.from_json(HAND)
    # a takes p for 0; b takes q for 3 + 5 before r for 6 + 5; c is left with r: 0 + 8 + 9 + 1 + 4 = 22.
    assert FAMILY.reference(instance) == {"a": "p", "b": "q", "c": "r"}
    assert FAMILY.hardness.descend(instance, FAMILY.reference(instance)) == {"a": "r", "b": "q", "c": "p"}  # a and c swapped


def test_reference_counts_the_flow_to_machines_placed_before():
    adjustment = {"a": {"p": 9, "q": 0, "r": 9}, "b": {"p": 1, "q": 0, "r": 0}, "c": {"p": 0, "q": 0, "r": 0}}
    instance = MachineLayout.from_json(HAND | {"adjustment": adjustment})
    # a takes q; b pays 1 + 5 in p next to it, 0 + 2 * 5 in r.
    assert FAMILY.reference(instance) == {"a": "q", "b": "p", "c": "r"}


def test_ties_are_counted():
    mirrored = MachineLayout.from_json(HAND | {"adjustment": {a: dict.fromkeys("pqr", 0) for a in "abc"}})
    for solution in (FAMILY.solve(mirrored), FAMILY.verify(mirrored)):
        assert (solution.value, solution.optima) == (9, 2)  # a and c at the ends, in either order


@pytest.mark.parametrize("size", [0, 1, 2])
def test_smallest_floors(size):
    machines, slots = ["a", "b"][:size], ["p", "q"][:size]
    instance = MachineLayout(
        machine=machines,
        slot=slots,
        flow=dict.fromkeys(combinations(machines, 2), 3),
        adjustment={(a, s): 1 + (a == "a") * (s == "p") for a in machines for s in slots},
    )
    expected = [(0, {}), (2, {"a": "p"}), (5, {"a": "q", "b": "p"})][size]
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert ((solution.value, solution.decision), solution.optima) == (expected, 1)
    assert FAMILY.check(instance, FAMILY.reference(instance)).feasible


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    flows = {"a": {"b": huge, "c": huge}, "b": {"c": -huge}}
    instance = MachineLayout.from_json(HAND | {"flow": flows})
    # b and c outside: huge + huge - 2 huge, at a in p: 0 + 3 + 9 or 0 + 6 + 5.
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (11, {"a": "p", "b": "r", "c": "q"}, 1)
    with pytest.raises(InstanceError, match="too large"):
        MachineLayout.from_json(HAND | {"flow": flows | {"b": {"c": JSON_INTEGER_LIMIT}}})


def flat(size, flow=1):
    machines, slots = [f"m{a}" for a in range(size)], [f"s{s}" for s in range(size)]
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow=dict.fromkeys(combinations(machines, 2), flow),
        adjustment=dict.fromkeys(((a, s) for a in machines for s in slots), 1),
    )


def test_rejects_instances_beyond_memory_or_int64():
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(flat(40))
        with pytest.raises(TooLarge, match="too large to add"):
            algorithm(flat(12, JSON_INTEGER_LIMIT - 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slot": ["p", "q", "r", "s"]}, "adjustment has no entry for a s"),
        ({"machine": ["a", "b"], "flow": {"a": {"b": 1}}, "adjustment": {}}, "adjustment has no entry"),
        ({"flow": {"a": {"b": 5}, "c": {"a": 1}}}, "flow has no entry for the pair b c"),
        ({"flow": {"a": {"b": 5, "c": 1, "a": 0}, "b": {"c": 2}}}, "flow: a does not make a pair with itself"),
        ({"flow": {"a": {"b": 5, "c": 1}, "b": {"c": 2, "a": 6}}}, "flow: two different values for the pair b a"),
        ({"flow": {"a": {"b": 5, "x": 1}, "b": {"c": 2}}}, "'x' is not a known machine"),
        ({"flow": 3}, "flow: expected machine_a -> machine_b -> flow"),
        ({"distance": {"p": {"q": 1, "r": 1}}}, "distance has no entry for the pair q r"),
        ({"distance": {"p": {"q": 1, "r": 1}, "q": {"r": 1}}}, "no order of the slots on a unit line"),
        ({"distance": {"p": {"q": 1, "r": 2}, "q": {"r": 2}}}, "no order of the slots on a unit line"),
        ({"distance": {"p": {"q": 2, "r": 2}, "q": {"r": 4}}}, "no order of the slots on a unit line"),
        ({"distance": {"p": {"q": 0, "r": 1}, "q": {"r": 1}}}, "at least 1"),
    ],
)
def test_rejects_inconsistent_tables(change, message):
    with pytest.raises(InstanceError, match=message):
        MachineLayout.from_json(HAND | change)


def test_rejects_unequal_numbers_of_slots_and_machines():
    adjustment = {a: {**row, "s": 1} for a, row in HAND["adjustment"].items()}
    distance = {"p": {"q": 1, "r": 1, "s": 2}, "r": {"q": 2, "s": 1}, "s": {"q": 3}}
    with pytest.raises(InstanceError, match="3 machines need as many slots, not 4"):
        MachineLayout.from_json(HAND | {"slot": [*"pqrs"], "adjustment": adjustment, "distance": distance})


def test_pairs_in_either_order_and_default_distances():
    instance = MachineLayout.from_json(HAND)
    assert list(instance.flow.items()) == [(("a", "b"), 5), (("a", "c"), 1), (("b", "c"), 2)]
    both = {"a": {"b": 5, "c": 1}, "b": {"a": 5, "c": 2}, "c": {"a": 1, "b": 2}}
    assert MachineLayout.from_json(HAND | {"flow": both}) == instance
    assert read_instance(instance.canonical_json) == instance
    without = {name: table for name, table in HAND.items() if name != "distance"}
    assert MachineLayout.from_json(without).distance == {("p", "q"): 1, ("p", "r"): 2, ("q", "r"): 1}


# -- what distances imply ---------------------------------------------------------------------------------------------


def distances(order, slots):
    return {(s, t): abs(order.index(s) - order.index(t)) for s, t in combinations(slots, 2)}


def implied_distances(read, slots):
    """The distances on which all unit lines that agree with `read` agree, by trying every order."""
    lines = [distances(order, slots) for order in permutations(slots)]
    fitting = [line for line in lines if all(line[pair] == d for pair, d in read.items())]
    return {pair: d for pair, d in fitting[0].items() if all(line[pair] == d for line in fitting)}


def as_facts(distances):
    return frozenset(Fact("distance", (*pair, d)) for pair, d in distances.items())


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_rows_imply_exactly_what_all_fitting_lines_share(size):
    slots = "vwxyz"[:size]
    for order in permutations(slots):
        line = distances(order, slots)
        for rows in (chosen for count in range(1, size + 1) for chosen in combinations(slots, count)):
            read = {pair: d for pair, d in line.items() if set(pair) & set(rows)}
            implied = deduce(as_facts(read), {"slot": tuple(slots)})
            assert implied == as_facts(implied_distances(read, slots)), (order, rows)
            if len(rows) >= 2 or order[0] in rows or order[-1] in rows:
                assert implied == as_facts(line)


@settings(max_examples=100, deadline=None)
@given(st.permutations("uvwxyz"), st.sampled_from("uvwxyz"), st.sets(st.integers(0, 14)))
def test_deduction_from_one_row_and_further_distances(order, centre, extra):
    line = distances(order, "uvwxyz")
    read = {pair: d for at, (pair, d) in enumerate(line.items()) if centre in pair or at in extra}
    assert deduce(as_facts(read), {"slot": tuple("uvwxyz")}) == as_facts(implied_distances(read, "uvwxyz"))


def test_no_deduction_without_a_complete_row_or_from_other_facts():
    slots, other = {"slot": ("w", "x", "y", "z")}, frozenset({Fact("flow", ("a", "b", 3)), Fact("adjustment", ("a", "w", 1))})
    most = as_facts({("w", "x"): 1, ("w", "y"): 2, ("x", "z"): 2})
    for facts in (frozenset(), most, other, most | other):
        assert deduce(facts, slots) == facts
    row = as_facts({("w", "x"): 1, ("w", "y"): 1, ("w", "z"): 2})
    assert deduce(row | other, slots) == row | other | as_facts({("x", "y"): 2})  # z may stand beyond x or beyond y


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 20).flatmap(lambda size: st.permutations(range(size))), st.data())
def test_any_two_rows_fix_a_line_of_any_length(order, data):
    slots = tuple(f"s{at:02}" for at in range(len(order)))
    line = distances([slots[at] for at in order], slots)
    rows = data.draw(st.lists(st.sampled_from(slots), min_size=2, max_size=2, unique=True))
    read = {pair: d for pair, d in line.items() if set(pair) & set(rows)}
    assert deduce(as_facts(read), {"slot": slots}) == as_facts(line)


@settings(max_examples=100, deadline=None)
@given(st.permutations("vwxyz"), st.sets(st.integers(0, 9)))
def test_cases_are_all_lines_that_fit_the_distances_read(order, positions):
    line = distances(order, "vwxyz")
    read = {pair: d for at, (pair, d) in enumerate(line.items()) if at in positions}
    lines = [distances(permutation, "vwxyz") for permutation in permutations("vwxyz")]
    fitting = [other for other in lines if read.items() <= other.items()]
    instances = list(cases(floor(order, read), {}))
    assert instances[0].distance == line
    if len(fitting) > 2 * MAX_LINES:
        assert instances[-1] is None
    else:
        expected = {tuple(other.values()) for other in fitting}
        assert sorted(tuple(instance.distance.values()) for instance in instances) == sorted(expected)


def test_cases_of_a_middle_row_end_quickly():
    slots = [f"s{at:02}" for at in range(20)]
    read = {pair: d for pair, d in distances(slots, slots).items() if slots[10] in pair}
    assert list(cases(floor(slots, read), {}))[-1] is None  # nine pairs of slots may be swapped


def floor(order, read):
    """Completions of a floor with the slots in this order of which the distances `read` were read."""
    slots = sorted(order)
    flow, adjustment = dict.fromkeys(combinations(slots, 2), 1), dict.fromkeys(product(slots, slots), 1)
    tables = {"machine": slots, "slot": slots, "flow": flow, "adjustment": adjustment}
    instance = MachineLayout(**tables, distance=distances(order, slots))
    return Completions(instance, as_facts(read), frozenset(), frozenset(), FAMILY.ranges_at(0))


# -- access -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [3, 4])
@pytest.mark.parametrize("interface", Interface)
def test_both_plans_rebuild_the_large_levels(level, interface):
    world = unsolved_world(FAMILY.name, level, 1, interface)
    for plan in world.plans.values():
        assert world.instance_from_facts(Episode(world, plan).facts) == world.instance


def test_rejects_navigation_tool_that_carries_links_and_reveals_facts():
    survey, *others = FAMILY.template.tools
    template = replace(FAMILY.template, tools=(replace(survey, reveals=("machine", "slot", "flow")), *others))
    with pytest.raises(DeclarationError, match="it must not reveal the fact 'flow'"):
        replace(FAMILY, template=template)


def test_roster_order_is_unrelated_to_the_line():
    lines = [draw_instance(Coordinate("machine_layout", 1, index), 0) for index in range(1, 31)]
    assert all(instance.line_order not in (instance.slot, instance.slot[::-1]) for instance in lines)
    assert len({tuple(map(instance.slot.index, instance.line_order)) for instance in lines}) == len(lines)


# -- how the optimum follows changes ------------------------------------------------------------------------------------

numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000), st.integers(-50, 50), st.integers(-50, 50))
def test_scaling_and_shifting_keeps_the_optimum(number, alpha, beta, gamma):
    instance = small(Stream("hypothesis", number))
    moved = instance.replace(
        flow={pair: alpha * flow + gamma for pair, flow in instance.flow.items()},
        adjustment={pair: alpha * cost + beta for pair, cost in instance.adjustment.items()},
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(moved)
    shift = beta * len(instance.machine) + gamma * sum(instance.distance.values())  # equal flows cost the same anywhere
    assert (after.value, after.optima) == (alpha * before.value + shift, before.optima)
    assert not before.unique or before.decision == after.decision


@given(numbers)
def test_mirroring_the_adjustments_mirrors_the_layout(number):
    instance = small(Stream("hypothesis", number))
    mirror = dict(zip(instance.line_order, reversed(instance.line_order), strict=True))
    mirrored = instance.replace(adjustment={(a, mirror[s]): cost for (a, s), cost in instance.adjustment.items()})
    before, after = FAMILY.solve(instance), FAMILY.solve(mirrored)
    assert (before.value, before.optima) == (after.value, after.optima)
    assert not before.unique or after.decision == {a: mirror[s] for a, s in before.decision.items()}


@given(numbers)
def test_machine_fixed_beyond_the_end_adds_its_own_cost(number):
    # One more slot at the end of the line and a machine without flow that pays dearly anywhere else.
    instance = small(Stream("hypothesis", number))
    line = (*instance.line_order, "end")
    position = {s: at for at, s in enumerate(line)}
    longer = MachineLayout(
        machine=(*instance.machine, "idle"),
        slot=line,
        flow={**instance.flow, **{(a, "idle"): 0 for a in instance.machine}},
        distance={(s, t): position[t] - position[s] for s, t in combinations(line, 2)},
        adjustment={
            **instance.adjustment,
            **{(a, "end"): 10**14 for a in instance.machine},
            **{("idle", s): 10**14 for s in instance.slot},
            ("idle", "end"): 7,
        },
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(longer)
    assert (after.value, after.optima) == (before.value + 7, before.optima)
    assert not before.unique or after.decision == {**before.decision, "idle": "end"}


def test_raising_a_chosen_adjustment_moves_the_machine():
    admitted = certified_instance("machine_layout", 1, 1)
    for pair in admitted.solution.decision.items():
        dearer = {**admitted.instance.adjustment, pair: 10**6}
        solution = FAMILY.solve(admitted.instance.replace(adjustment=dearer))
        assert solution.value > admitted.optimum
        assert solution.decision[pair[0]] != pair[1]


def test_question_lists_rosters_but_not_the_line():
    admitted = certified_instance("machine_layout", 1, 1)
    question = build_world(admitted, Interface.DIRECT).question
    assert ", ".join(admitted.instance.slot) in question
    assert ", ".join(admitted.instance.machine) in question
    assert "{" not in question.split("Decision format")[0]

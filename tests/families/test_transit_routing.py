"""Transit Routing: hand-worked numbers, and how the optimum follows changes of the instance (F3, F4, F5, F6, F8, F12)."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.completions import Completions
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.worlds.admission import Coordinate, draw_instance
from tests.certified import certified_instance
from tests.oracles.transit_routing import decisions, small
from tests.unsolved import unsolved_world

FAMILY = FAMILIES["transit_routing"]

PER_LEG = ("time", "residue", "membership")

# Three stations, two lines. Changing from x to y costs 2, from y to x 7. The residues must add up to 1 modulo 3.
HAND = {
    "family": "transit_routing",
    "station": ["s", "t", "u"],
    "line": ["x", "y"],
    "leg": ["a", "b", "c", "f", "g", "h"],
    "time": {"s": {"a": 5, "b": 3}, "t": {"c": 4, "f": 1}, "u": {"g": 2, "h": 2}},
    "residue": {"s": {"a": 0, "b": 1}, "t": {"c": 1, "f": 0}, "u": {"g": 0, "h": 2}},
    "membership": {"s": {"a": "x", "b": "y"}, "t": {"c": "x", "f": "y"}, "u": {"g": "x", "h": "y"}},
    "transfer": {"x": [0, 2], "y": [7, 0]},
    "target": 1,
    "modulus": 3,
}
# Routes that meet the target: a c g = 11 + 0, b f g = 6 + 7 = 13, b c h = 9 + 7 + 2 = 18. Without it, b f h = 6 would win.


def test_hand_worked_instance():
    instance = TransitRouting.from_json(HAND)
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (11, ("a", "c", "g"), 1)


def test_work_of_hand_worked_instance():
    # Predecessors into x: x 0, y 7; into y: y 0, x 2. States (residue, line): value.
    # Stage 1, 2 legs: 2 transitions, checks, updates; 0x: 5, 1y: 3.
    # A scan takes 4 checks if its first line is reached (bound, reached, value; then the bound of the second stops it) and
    # 5 if only its second is (bound, reached; bound, reached, value). Each has one transition and one update.
    # Stage 2: from 0x c 4, f 5; from 1y c 5, f 4. 1x: 9, 0y: 8, 2x: 14, 1y: 4. So 18 checks, 4 transitions and updates.
    # Stage 3: from 0y g 5, h 4; from 1x and 1y g 4, h 4; from 2x g 4, h 5. So 26 checks, 6 transitions and updates.
    # States 2 + 4 + 6, the last being 0x 17, 0y 6, 1x 11, 1y 18, 2x 16, 2y 10.
    work = FAMILY.solve(TransitRouting.from_json(HAND)).work
    assert work == (12, 12, 46, 12, 3)
    assert work.total == 85


def test_scan_stops_only_when_strictly_worse():
    # One leg into z from x (value 9, transfer 0) and y (value 1, some transfer). The least value is 1, so the bound of
    # y, 1 + 1 + transfer, passes up to the stored 9 + 0 + 1 = 10: at 8 it improves nothing, and at 9 it is stopped.
    def instance(transfer):
        return TransitRouting.from_json(
            HAND
            | {"station": ["s", "t"], "line": ["x", "y", "z"], "leg": ["a", "b", "c"], "modulus": 1, "target": 0}
            | {"time": {"s": {"a": 9, "b": 1}, "t": {"c": 1}}, "residue": {"s": {"a": 0, "b": 0}, "t": {"c": 0}}}
            | {"membership": {"s": {"a": "x", "b": "y"}, "t": {"c": "z"}}}
            | {"transfer": {"x": [0, 0, 0], "y": [0, 0, transfer], "z": [99, 99, 99]}}
        )

    cases = {7: (9, ("b", "c"), 1), 8: (10, ("a", "c"), 2), 9: (10, ("a", "c"), 1)}
    for transfer, expected in cases.items():
        solution, again = FAMILY.solve(instance(transfer)), FAMILY.verify(instance(transfer))
        assert (solution.value, solution.decision, solution.optima) == expected
        assert solution.agrees_with(again)
    # Stage 1: 2 transitions, checks, updates. The scan: x bound, reached, value; y the same unless stopped; z bound stops.
    assert FAMILY.solve(instance(7)).work == (3, 4, 9, 4, 2)
    assert FAMILY.solve(instance(8)).work == (3, 4, 9, 3, 2)
    assert FAMILY.solve(instance(9)).work == (3, 3, 6, 3, 2)


def test_ties_are_counted():
    tied = TransitRouting.from_json(HAND | {"transfer": {"x": [0, 2], "y": [5, 0]}})  # b f g is 11 as well
    for solution in (FAMILY.solve(tied), FAMILY.verify(tied)):
        assert (solution.value, solution.optima) == (11, 2)


def test_legs_of_one_stage_may_share_line_and_residue():
    twins = {"s": {"a": 5, "b": 3}, "t": {"c": 4, "f": 4}, "u": {"g": 2, "h": 2}}
    same = {"s": {"a": 0, "b": 1}, "t": {"c": 1, "f": 1}, "u": {"g": 0, "h": 2}}
    lines = {"s": {"a": "x", "b": "y"}, "t": {"c": "x", "f": "x"}, "u": {"g": "x", "h": "y"}}
    instance = TransitRouting.from_json(HAND | {"time": twins, "residue": same, "membership": lines})
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.optima) == (11, 2)


def test_infeasible_instance_has_no_optimum():
    even = {"s": {"a": 0, "b": 0}, "t": {"c": 0, "f": 2}, "u": {"g": 0, "h": 0}}
    bare = {name: {key: legs for key, legs in HAND[name].items() if key != "u"} for name in PER_LEG}
    for change in ({"residue": even, "modulus": 4}, bare | {"leg": ["a", "b", "c", "f"]}):
        instance = TransitRouting.from_json(HAND | change)
        for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
            assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
        for walk in (FAMILY.reference, lambda instance: FAMILY.hardness.sample(instance, Stream("walk"))):
            with pytest.raises(InstanceError, match="no route"):
                walk(instance)


@pytest.mark.parametrize(("target", "expected"), [(0, (0, (), 1)), (1, (None, None, 0))])
def test_journey_without_stations(target, expected):
    bare = {"station": [], "leg": [], "time": {}, "residue": {}, "membership": {}}
    instance = TransitRouting.from_json(HAND | bare | {"target": target})
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == expected
    assert FAMILY.check(instance, ()).feasible == (target == 0)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "not exactly one leg per station"),
        (("a", "c"), "not exactly one leg per station"),
        (("a", "c", "g", "g"), "not exactly one leg per station"),
        (("a", "c", "nowhere"), "a leg does not leave its station"),
        (("c", "a", "g"), "a leg does not leave its station"),
        (("a", "a", "a"), "a leg does not leave its station"),
        (("s", "x", ""), "a leg does not leave its station"),
        (("b", "f", "h"), "the residues miss the target"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(TransitRouting.from_json(HAND), decision).reason == reason


def test_checker_reports_parts():
    verdict = FAMILY.check(TransitRouting.from_json(HAND), ("b", "c", "h"))
    assert (verdict.parts, verdict.value) == ({"travel": 9, "transfers": 9}, 18)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"residue": {**HAND["residue"], "u": {"g": 0, "h": 3}}}, "not below the modulus"),
        ({"target": 3}, "not below the modulus"),
        ({"modulus": 0}, "at least 1"),
        ({"time": {**HAND["time"], "u": {"g": 2}}}, "same legs"),
        ({"membership": {**HAND["membership"], "u": {"g": "x", "a": "y"}}}, "same legs"),
        ({"leg": [*HAND["leg"], "z"]}, "to 0 stations"),
        (
            {name: {**HAND[name], "u": {**HAND[name]["u"], "a": HAND[name]["s"]["a"]}} for name in PER_LEG},
            "belongs to 2 stations",
        ),
        ({"transfer": {"x": [0, 2, 3], "y": [7, 0]}}, "one per line"),
        ({"transfer": {"x": [0, 2]}}, "no entry"),
    ],
)
def test_rejects_inconsistent_tables(change, problem):
    with pytest.raises(InstanceError, match=problem):
        TransitRouting.from_json(HAND | change)


def test_reference_takes_cheapest_step_that_can_meet_target():
    # From s: b (3) is cheaper than a (5). From t: f 1 + 0 before c 4 + 7. From u: only g meets the target.
    assert FAMILY.reference(TransitRouting.from_json(HAND)) == ("b", "f", "g")


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    instance = TransitRouting.from_json(
        HAND
        | {"time": {"s": {"a": huge, "b": huge - 1}, "t": {"c": huge, "f": huge}, "u": {"g": huge, "h": -huge}}}
        | {"transfer": {"x": [huge, huge], "y": [huge, huge]}}
    )  # a c g = 5 huge, b f g = 5 huge - 1, b c h = 3 huge - 1
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (3 * huge - 1, ("b", "c", "h"), 1)


@pytest.mark.parametrize("sign", [1, -1])
def test_large_values_do_not_hide_a_missed_target(sign):
    # 60 stations with one leg each, residues 0 and target 1: the largest values that int64 sums admit, of either sign.
    stations, huge = [f"s{i}" for i in range(60)], sign * (JSON_INTEGER_LIMIT - 1)
    steps = {station: f"e{i}" for i, station in enumerate(stations)}
    tables = {
        name: {station: {leg: value} for station, leg in steps.items()}
        for name, value in (("time", huge), ("residue", 0), ("membership", "x"))
    }
    lone = {"station": stations, "leg": list(steps.values()), "line": ["x"], "transfer": {"x": [huge]}, "modulus": 2}
    missed, met = (TransitRouting.from_json(HAND | tables | lone | {"target": target}) for target in (1, 0))
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert (algorithm(missed).value, algorithm(missed).optima) == (None, 0)
        assert (algorithm(met).value, algorithm(met).optima) == (119 * huge, 1)


def test_rejects_sums_beyond_int64_and_tables_beyond_memory():
    stations = [f"s{i}" for i in range(300)]
    long = HAND | {
        "station": stations,
        "leg": [f"e{i}" for i in range(300)],
        "transfer": {"x": [0, 2], "y": [JSON_INTEGER_LIMIT - 1, 0]},
    }
    for name, value in (("time", 1), ("residue", 0), ("membership", "x")):
        long[name] = {station: {f"e{i}": value} for i, station in enumerate(stations)}
    wide = HAND | {"modulus": 2**40}
    for algorithm, (document, problem) in product((FAMILY.solve, FAMILY.verify), ((long, "2\\^61"), (wide, "of memory"))):
        with pytest.raises(TooLarge, match=problem):
            algorithm(TransitRouting.from_json(document))


@pytest.mark.parametrize(("level", "modulus"), [(1, 3), (2, 31), (3, 131), (4, 409)])
def test_moduli_of_the_levels(level, modulus):
    assert FAMILY.generate(FAMILY.levels[level], Stream("modulus", level)).modulus == modulus


def test_targets_vary_and_differ_in_five_stages_from_residue_blind_route():
    targets = set()
    for index in range(1, 9):
        instance = draw_instance(Coordinate("transit_routing", 2, index), 0)
        free = FAMILY.solve(dict(FAMILY.hardness.blind_instances(instance))["residues"]).decision
        best = FAMILY.solve(instance).decision
        assert sum(one != other for one, other in zip(free, best, strict=True)) >= 5
        targets.add(instance.target)
    assert len(targets) > 4


numbers = st.integers(0, 10**6)


def solve_before_and_after(instance, **changes):
    return FAMILY.solve(instance), FAMILY.solve(instance.replace(**changes))


@given(numbers, st.integers(1, 1000), st.integers(-50, 50), st.integers(-50, 50))
def test_scaling_and_shifting_costs_keeps_the_optimum(number, alpha, beta, gamma):
    instance = small(Stream("hypothesis", number))
    before, after = solve_before_and_after(
        instance,
        time={pair: alpha * time + beta for pair, time in instance.time.items()},
        transfer={line: [alpha * cost + gamma for cost in row] for line, row in instance.transfer.items()},
    )
    assert before.optima == after.optima
    if before.value is not None:
        d = len(instance.station)
        assert after.value == alpha * before.value + beta * d + gamma * max(d - 1, 0)
        assert not before.unique or before.decision == after.decision


@given(numbers, st.lists(st.integers(-99, 99), min_size=4, max_size=4))
def test_potentials_on_lines_change_nothing(number, heights):
    instance = small(Stream("hypothesis", number))
    if not instance.station:
        return
    height = dict(zip(instance.line, heights, strict=False))
    first, last = instance.station[0], instance.station[-1]
    before, after = solve_before_and_after(  # the heights of the first and last line cancel in the times at both ends
        instance,
        time={
            pair: time + height[instance.membership[pair]] * ((pair[0] == first) - (pair[0] == last))
            for pair, time in instance.time.items()
        },
        transfer={
            one: [cost + height[other] - height[one] for other, cost in zip(instance.line, row, strict=True)]
            for one, row in instance.transfer.items()
        },
    )
    assert before.agrees_with(after)


@given(numbers)
def test_reversed_journey_costs_the_same(number):
    instance = small(Stream("hypothesis", number))
    columns = list(zip(*instance.transfer.values(), strict=True))
    back = instance.replace(station=instance.station[::-1], transfer=dict(zip(instance.line, columns, strict=True)))
    for algorithm in (FAMILY.solve, FAMILY.verify):
        there, home = algorithm(instance), algorithm(back)
        assert (there.value, there.optima) == (home.value, home.optima)
        assert not there.unique or there.decision == home.decision[::-1]


@given(numbers, st.integers(0, 9), st.integers(0, 9))
def test_shifting_residues_of_one_station_shifts_the_target(number, shift, at):
    instance = small(Stream("hypothesis", number))
    M = instance.modulus
    if not instance.station:
        return
    station = instance.station[at % len(instance.station)]
    residue = {pair: (rho + shift * (pair[0] == station)) % M for pair, rho in instance.residue.items()}
    before, after = solve_before_and_after(instance, residue=residue, target=(instance.target + shift) % M)
    assert before.agrees_with(after)


@given(numbers, st.randoms(use_true_random=False))
def test_order_of_lines_does_not_matter(number, shuffler):
    instance = small(Stream("hypothesis", number))
    order = shuffler.sample(range(len(instance.line)), len(instance.line))
    mixed = instance.replace(
        line=[instance.line[at] for at in order],
        transfer={line: [row[at] for at in order] for line, row in instance.transfer.items()},
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(instance).agrees_with(algorithm(mixed))


@given(numbers, st.integers(0, 9), st.integers(0, 9))
def test_dominated_leg_and_unused_line_change_nothing(number, at, rho):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    if not instance.station or not before.feasible:
        return
    step, free = (instance.station[at % len(instance.station)], "slow"), [-(10**13)] * len(instance.line)
    more = instance.replace(
        line=(*instance.line, "idle"),
        leg=(*instance.leg, "slow"),
        time={**instance.time, step: 10**14},
        residue={**instance.residue, step: rho % instance.modulus},
        membership={**instance.membership, step: instance.line[0]},
        transfer={line: [*instance.transfer.get(line, free), -(10**13)] for line in (*instance.line, "idle")},
    )
    assert FAMILY.solve(more).agrees_with(before)
    assert FAMILY.verify(more).agrees_with(before)


@settings(max_examples=60, deadline=None)
@given(numbers)
def test_descent_ends_in_local_optimum(number):
    instance = small(Stream("hypothesis", number))
    if not FAMILY.solve(instance).feasible:
        return
    for start in (FAMILY.reference(instance), FAMILY.hardness.sample(instance, Stream("start", number))):
        end = FAMILY.hardness.descend(instance, start)
        value = FAMILY.check(instance, end).value
        assert value <= FAMILY.check(instance, start).value
        near = [y for y in decisions(instance) if sum(a != b for a, b in zip(y, end, strict=True)) <= 2]
        values = [FAMILY.check(instance, y).value for y in near]
        assert value == min(other for other in values if other is not None)


def test_descent_takes_the_best_move_first():
    instance = draw_instance(Coordinate("transit_routing", 0, 1), 0)
    legs = {station: [leg for at, leg in instance.time if at == station] for station in instance.station}
    route, expected = list(FAMILY.reference(instance)), [FAMILY.reference(instance)]
    while True:
        positions = [*combinations(range(20), 1), *combinations(range(20), 2)]
        near = [
            tuple(dict(zip(at, new, strict=True)).get(i, leg) for i, leg in enumerate(route))
            for at in positions
            for new in product(*(legs[instance.station[i]] for i in at))
        ]
        values = {y: value for y in near if (value := FAMILY.check(instance, y).value) is not None}
        best = min(values, key=values.__getitem__)
        if values[best] >= FAMILY.check(instance, tuple(route)).value:
            break
        route = list(best)
        expected.append(best)
    assert len(expected) > 1
    assert FAMILY.hardness.descend(instance, expected[0]) == expected[-1]


def test_removing_a_chosen_leg_is_worse_or_infeasible():
    admitted = certified_instance("transit_routing", 1, 1)
    instance = admitted.instance
    for step in zip(instance.station, admitted.solution.decision, strict=True):
        tables = {name: {pair: value for pair, value in getattr(instance, name).items() if pair != step} for name in PER_LEG}
        without = FAMILY.solve(instance.replace(leg=[leg for leg in instance.leg if leg != step[1]], **tables))
        assert without.value is None or without.value > admitted.optimum


def test_ids_with_a_plus_are_not_misread_as_copies_of_legs():
    plain = unsolved_world(FAMILY.name, 0).instance
    instance = plain.rename_ids(lambda name: f"{name}+{name}")
    completions = Completions(instance, frozenset(), frozenset(), frozenset(), FAMILY.ranges_at(0))
    decision = FAMILY.reference(instance)
    (relaxation,) = FAMILY.knowledge.unknowns.relaxations(completions, instance, decision)
    rival = FAMILY.solve(relaxation.instance).decision
    real = FAMILY.knowledge.unknowns.real_decision(completions, rival)
    assert set(real) <= set(instance.leg)
    assert FAMILY.check(instance, real).feasible
    completed, same = FAMILY.knowledge.unknowns.complete_for_rival(completions, instance, decision, rival)
    assert (same, completed.valid) == (real, True)

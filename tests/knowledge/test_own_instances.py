"""Random valid instances outside the shipped ranges: the oracle never fails, and no sampled completion contradicts it."""

from math import inf

import pytest

from algoworlds.core.column import Ints
from algoworlds.core.completions import with_numbers
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range, Ranges, hidden_number_columns
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import World
from tests.knowledge.enumeration import assert_witness_holds, every_call
from tests.oracles import oracle as enumerator

INSTANCES = 5

SHARES = (0, 60, 90)
"""Percent of all calls that are made."""

FIXED = {("choice", "choice"): (0, 1), ("option", "option"): (0, 1)}
"""Ranges that the rules of a family prescribe."""


def ranges_around(instance, stream):
    """Ranges that hold all numbers of an instance, and up to 2 more at each end."""
    columns = {}
    for ref in hidden_number_columns(type(instance)):
        relation = instance.relations[ref[0]]
        at = relation.position(ref[1])
        column, cells = relation.columns[at], [row[at] for row in instance.rows(ref[0])]
        numbers = [number for cell in cells for number in (cell if isinstance(cell, tuple) else (cell,))] or [0]
        low, high = min(numbers) - stream.below(3), max(numbers) + stream.below(3)
        if not isinstance(column, Ints) and column.low is not None:
            low = max(low, column.low)
        if "residue" in ref[1] or "clearance" in ref[1]:
            low, high = 0, instance.modulus - 1
        if ref == ("distance", "distance"):
            low, high = 1, max(1, len(instance.slot) - 1)
        columns[ref] = Range(*FIXED.get(ref, (low, high)))
    return Ranges(columns)


def sample_completion(oracle, observed, stream):
    """The member with random unread numbers, if that is a completion; otherwise None."""
    completions, world = oracle.completions(observed), oracle.world
    binding = world.family.knowledge.unknowns.binding
    spans = {}
    for column in oracle.ranges.columns:
        if column not in binding and column[0] not in world.family.knowledge.unknowns.structure:
            spans |= completions.unread_ranges(column)
    numbers = {ref: stream.choice((span.low, span.high, stream.integer(span.low, span.high))) for ref, span in spans.items()}
    instance = with_numbers(completions.instance, numbers)
    if not instance.valid or any(oracle.ranges.violations(instance)):
        return None
    evaluated = observed.evaluated
    if evaluated is not None:
        values = [world.family.check(other, evaluated).value for other in (instance, world.instance)]
        if values[0] != values[1]:
            return None
    return instance


@pytest.mark.parametrize("name", FAMILIES)
def test_oracle_never_fails_on_random_instances(name):
    family, judged = FAMILIES[name], 0
    for number in range(100):
        if judged == INSTANCES:
            break
        stream = Stream("own", name, number)
        instance = enumerator(name).small(stream.child("small"))
        solution = family.solve(instance) if instance.magnitude() < 10**9 else None
        if solution is None or not solution.feasible:
            continue
        judged += 1
        world, ranges = World(Coordinate(name, 0, 1), instance, Interface.DIRECT), ranges_around(instance, stream)
        decisions = [decision for _, decision in zip(range(100), enumerator(name).decisions(instance), strict=False)]
        calls = every_call(world)
        for share in SHARES:
            made = tuple(call for call in calls if stream.below(100) < share)
            for evaluated in (None, stream.choice(decisions), solution.decision):
                observed, oracle = ObservedCalls(made, evaluated), Oracle.from_world(world, solution.decision, ranges)
                known = oracle.optimum_risk(observed)
                decision = stream.choice([solution.decision, *decisions[:20]])
                risk = oracle.worst_regret(decision, observed)
                assert oracle.faults == [], (instance.json, observed)
                assert_witness_holds(world, ranges, made, solution.decision, known)
                assert_witness_holds(world, ranges, made, decision, risk)
                sample = sample_completion(oracle, observed, stream)
                best = None if sample is None else family.solve(sample).value
                for bound, chosen in ((known.high, solution.decision), (risk.high, decision)):
                    if best is not None and bound is not None:
                        own = family.check(sample, chosen).value
                        regret = inf if own is None else abs(own - best)
                        assert regret <= bound, (instance.json, observed, sample.json)
    assert judged == INSTANCES


def test_fleet_of_the_readme_is_judged():
    """Pairs without a route cost are not eligible; while eligibility is unread they may be, at any cost."""
    fleet = FleetDispatch(
        vehicle=("v", "w"),
        job=("j",),
        capacity={"v": 2, "w": 2},
        activation={"v": 1, "w": 1},
        load={"j": 1},
        route_cost={("v", "j"): 5},
    )
    world = World(Coordinate("fleet_dispatch", 0, 1), fleet, Interface.DIRECT)
    ranges = Ranges(
        {
            ("capacity", "capacity"): Range(1, 3),
            ("activation", "activation_cost"): Range(1, 2),
            ("load", "load"): Range(1, 2),
            ("route_cost", "route_cost"): Range(1, 9),
        }
    )
    oracle, calls = Oracle.from_world(world, ranges=ranges), every_call(world)
    without = {
        tool: tuple(call for call in calls if call.tool not in tools)
        for tool, tools in {
            "eligibility": {"read_job", "read_dispatch_window"},
            "routes": {"read_route_row", "read_dispatch_window"},
            "both": {"read_job", "read_route_row", "read_dispatch_window"},
            "nothing": set(),
        }.items()
    }
    answers = {name: oracle.optimum_risk(ObservedCalls(made)).determination for name, made in without.items()}
    assert answers == {
        "eligibility": Determination.DETERMINED,  # the row of w shows no route cost, so w cannot be eligible
        "routes": Determination.DETERMINED,
        "both": Determination.NOT_DETERMINED,
        "nothing": Determination.DETERMINED,
    }
    assert oracle.faults == []


def test_infeasible_evaluation_of_a_path_is_judged():
    """Substitute rows change residues in the relation whose quantities are then varied."""
    stages, nodes = ("s0", "s1"), ("o", "x", "y", "z")
    keys = [("s0", "a0"), ("s0", "a1"), ("s1", "b0"), ("s1", "b1")]
    for residue in range(2):
        routing = EvidenceJoinedRouting(
            stage=stages,
            component=("c",),
            tariff_class=("k",),
            node=nodes,
            arc=tuple(arc for _, arc in keys),
            ends=dict(zip(keys, (("o", "x"), ("o", "y"), ("x", "z"), ("y", "z")), strict=True)),
            freight=dict(zip(keys, ((1, residue), (2, 1), (1, 0), (3, 1)), strict=True)),
            exception=dict.fromkeys(keys, "k"),
            tariff={("c", "k"): 1},
            required={"c": residue},
            source="o",
            target="z",
            modulus=2,
        )
        world = World(Coordinate("evidence_joined_routing", 0, 1), routing, Interface.DIRECT)
        ranges = ranges_around(routing, Stream("infeasible", residue))
        oracle, calls = Oracle.from_world(world, ranges=ranges), every_call(world)
        for evaluated in (("a0",), ("a1", "b1"), ("a0", "b1")):
            for tool in sorted({call.tool for call in calls}):
                made = tuple(call for call in calls if call.tool != tool)
                risk = oracle.worst_regret(oracle.optimum, ObservedCalls(made, evaluated))
                assert_witness_holds(world, ranges, made, oracle.optimum, risk)
        assert oracle.faults == []

"""Numbers that one decision may use more than once: branch and bound against all ends and all decisions."""

from itertools import combinations, product

import pytest

from algoworlds.core.completions import with_numbers
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import load_family
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.knowledge import regret_bounds
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Oracle
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import World
from tests.oracles import oracle as enumerator

INSTANCES = 12
LOW, HIGH = 1, 9


def layout(stream):
    """Four machines: every layout uses all six flows, some of them over several slots."""
    machines, slots = ("m0", "m1", "m2", "m3"), ("s0", "s1", "s2", "s3")
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow={pair: stream.integer(LOW, HIGH) for pair in combinations(machines, 2)},
        adjustment={pair: stream.integer(LOW, 20) for pair in product(machines, slots)},
    )


def journey(stream):
    """Five stations, each with a leg of every line: a route may pay the same transfer twice."""
    lines, legs = ("x", "y", "z"), [(f"s{at}", f"e{at}{line}") for at in range(5) for line in "xyz"]
    return TransitRouting(
        station=tuple(f"s{at}" for at in range(5)),
        line=lines,
        leg=tuple(leg for _, leg in legs),
        time={leg: stream.integer(LOW, HIGH) for leg in legs},
        residue=dict.fromkeys(legs, 0),
        membership={leg: leg[1][-1] for leg in legs},
        transfer={line: tuple(0 if other == line else stream.integer(LOW, HIGH) for other in lines) for line in lines},
        target=0,
        modulus=1,
    )


CASES = {
    "flow": (
        "machine_layout",
        layout,
        {("flow", "flow"): (LOW, HIGH), ("distance", "distance"): (1, 3), ("adjustment", "adjustment"): (LOW, 20)},
    ),
    "transfer": (
        "transit_routing",
        journey,
        {
            ("time", "travel_time"): (LOW, HIGH),
            ("residue", "residue"): (0, 0),
            ("target", "target_residue"): (0, 0),
            ("transfer", "transfer_costs"): (LOW, HIGH, 0),
        },
    ),
}
"""By the relation of the shared numbers: the family, a function that draws instances, and their ranges."""


def calls_without(world, relation, stream):
    """All calls but some random ones of the tool that reveals `relation`."""
    for tool in world.family.template.tools:
        arguments = list(tool.argument.domain(world.public))
        kept = stream.sample(arguments, stream.below(len(arguments))) if relation in tool.reveals else arguments
        yield from (Call.from_arguments(tool.name, arguments) for arguments in kept)


def worst_over_ends(oracle, observed, decision):
    """The worst regret of `decision` over all combinations of ends and all decisions."""
    completions, family = oracle.completions(observed), oracle.world.family
    decisions, worst = list(enumerator(family.name).decisions(oracle.world.instance)), 0
    spans = {ref: span for column in oracle.ranges.columns for ref, span in completions.unread_ranges(column).items()}
    for ends in product(*((span.low, span.high) for span in spans.values())):
        instance = with_numbers(completions.instance, dict(zip(spans, ends, strict=True)))
        values = [family.check(instance, decision).value for decision in decisions]
        worst = max(worst, family.check(instance, decision).value - min(value for value in values if value is not None))
    return worst


@pytest.mark.parametrize("relation", CASES)
def test_branching_finds_the_worst_of_all_ends(relation, monkeypatch):
    """The bounds meet at the true worst regret, and some questions need branching."""
    name, draw, columns = CASES[relation]
    stream, branched = Stream("branching", name), []
    choose = regret_bounds._branching_number

    def count_branching(*arguments):
        ref = choose(*arguments)
        branched.append(ref is not None)
        return ref

    monkeypatch.setattr(regret_bounds, "_branching_number", count_branching)
    ranges = Ranges({ref: Range(*ends) for ref, ends in columns.items()})
    for _ in range(INSTANCES):
        world = World(Coordinate(name, 0, 1), draw(stream), Interface.DIRECT)
        oracle, observed = Oracle.from_world(world, ranges=ranges), ObservedCalls(tuple(calls_without(world, relation, stream)))
        for decision in (oracle.optimum, load_family(name).hardness.sample(world.instance, stream)):
            risk = oracle.worst_regret(decision, observed)
            assert risk.regret == worst_over_ends(oracle, observed, decision), (world.instance.json, observed, decision)
    assert any(branched)

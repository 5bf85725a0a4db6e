"""Families from outside: factors that may be 0 and hidden tables that may be empty, against enumeration in both directions."""

from math import inf

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from tests.knowledge import metered
from tests.knowledge.enumeration import Universe, assert_witness_holds, decisions_to_evaluate, questions

NAMES = (
    "one_option_that_may_be_free",
    "two_options_that_may_be_free",
    "yields_of_either_sign",
    "two_yields",
    "surcharges_of_some",
    "options_that_may_be_barred",
)


@pytest.fixture(scope="module")
def universes():
    with pytest.MonkeyPatch.context() as patched:
        for name, family in metered.OUTSIDE.items():
            patched.setitem(FAMILIES, name, family)
        metered.register()
        yield {name: Universe(name, metered.METERED, metered.decisions) for name in NAMES}


@pytest.mark.parametrize("count", [20, pytest.param(60, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", NAMES)
def test_answers_never_contradict_enumeration(universes, name, count):
    universe, stream, determinations = universes[name], Stream("attack", name), []
    for truth, calls in questions(universe, stream, count):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        for evaluated in [None, *decisions_to_evaluate(universe, truth, calls, stream)]:
            observed, expected = ObservedCalls(calls, evaluated), universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            known = oracle.optimum_risk(observed)
            if evaluated is None:
                determinations.append(known.determination)
            possible = {Determination.DETERMINED: expected == 0, Determination.NOT_DETERMINED: expected > 0}
            assert possible.get(known.determination, True), (known, expected, world.instance.json, observed)
            for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
                risk = oracle.worst_regret(decision, observed)
                regret = universe.worst_regret(truth, calls, decision, evaluated)
                high = inf if risk.high is None else risk.high
                assert risk.low <= regret <= high, (world.instance.json, observed, decision)
                assert_witness_holds(world, universe.ranges, calls, decision, risk)
        assert oracle.faults == []
    assert {Determination.DETERMINED, Determination.NOT_DETERMINED} <= set(determinations)
    assert determinations.count(Determination.UNDECIDED) <= len(determinations) // 4

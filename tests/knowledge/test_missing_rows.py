"""Rows that completions may have and the hidden instance lacks: nothing is said to be known before their absence was read."""

from math import inf

import pytest

from algoworlds.core.stream import Stream
from algoworlds.knowledge.certificate import find_certificate
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from tests.knowledge.enumeration import Universe, assert_witness_holds, decisions_to_evaluate, every_call, questions
from tests.knowledge.universes import OPEN_UNIVERSES


@pytest.mark.parametrize("name", OPEN_UNIVERSES)
def test_answers_never_contradict_enumeration(name):
    universe, stream, determinations, undecided = Universe(name), Stream("missing", name), [], 0
    for truth, calls in questions(universe, stream, 40, decisions=1):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        for evaluated in [None, *decisions_to_evaluate(universe, truth, calls, stream)]:
            observed = ObservedCalls(calls, evaluated)
            for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
                risk, expected = (
                    oracle.worst_regret(decision, observed),
                    universe.worst_regret(truth, calls, decision, evaluated),
                )
                assert risk.low <= expected <= (inf if risk.high is None else risk.high), (world.instance.json, observed)
                assert_witness_holds(world, universe.ranges, calls, decision, risk)
            determinations.append(oracle.optimum_risk(observed).determination)
        assert oracle.faults == []
    undecided = determinations.count(Determination.UNDECIDED)
    assert {Determination.DETERMINED, Determination.NOT_DETERMINED} <= set(determinations)
    assert undecided <= len(determinations) // 4, undecided


def test_policy_without_interactions_must_be_read():
    """Its table has no rows, but only the policy says so."""
    universe, priced = Universe("migrations_without_interactions"), 0
    for truth in Stream("policy").sample(range(len(universe.worlds)), 60):
        world = universe.worlds[truth]
        if world.instance.factor or len(universe.feasible(truth)) < 2:
            continue
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        others = tuple(call for call in every_call(world) if call.tool != "read_support_policy")
        expected = universe.worst_regret(truth, others, oracle.optimum)
        assert oracle.optimum_risk(ObservedCalls(others)).determination is not Determination.DETERMINED
        certificate = find_certificate(world, oracle.optimum, universe.ranges)
        assert universe.worst_regret(truth, certificate.calls, oracle.optimum) == 0
        assert ("read_support_policy" in {call.tool for call in certificate.calls}) or not expected
        priced += expected > 0
    assert priced

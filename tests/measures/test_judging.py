"""What could have been known: the footings partition all evaluations, and each judged measure is what it says."""

from dataclasses import replace
from itertools import product

import pytest

from algoworlds.core.interface import Interface
from algoworlds.knowledge.certificate import Certificate
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle
from algoworlds.measures.hindsight import FOOTINGS, Footing, Hindsight, Judge
from algoworlds.measures.judging import JUDGED, judged
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import MEASURES
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.world import build
from tests.certified import certified


@pytest.fixture(scope="module", params=["fleet_dispatch", "sequential_matching"])
def admitted(request):
    return certified(request.param, 0, 1)


@pytest.fixture(scope="module", params=[Interface.DIRECT, Interface.SPLIT], ids=lambda each: each.value)
def world(admitted, request):
    return build(admitted, request.param)


@pytest.fixture(scope="module")
def judge(admitted, world):
    return Judge.of(world, Key.of(admitted, world))


def plan_of(world):
    return min(world.plans.values(), key=world.cost)


def ended(world, calls, decision=None):
    """An episode that makes some calls and submits a decision, if there is one."""
    episode = Episode(world, calls)
    if decision is not None:
        episode.call(world.family.template.closing.submit, world.family.decision.arguments(decision))
    return episode


def seen(admitted, judge, episode):
    return judged(Hindsight(episode, Key.of(admitted, episode.world), judge=judge))


def endings(admitted, world):
    """Evaluations of every kind, by how they must stand."""
    plan, best, other = plan_of(world), admitted.solution.decision, admitted.family.reference(admitted.instance)
    submit, shape = world.family.template.closing.submit, world.family.decision
    refused, empty = Episode(world, plan), {name: type(each)() for name, each in shape.arguments(best).items()}
    refused.call(submit, "no JSON")
    return {
        "justified": ended(world, plan, best),
        "lucky": ended(world, plan[:-3], best),
        "misread": ended(world, plan, other),
        "premature": ended(world, plan[:-3], other),
        "infeasible": ended(world, plan, shape.parse(empty)),
        "no_decision": ended(world, plan),
        "protocol_violation": refused,
    }


def test_standings_partition_all_evaluations(admitted, world, judge):
    """Every evaluation has exactly one, whatever could be known: a feasible decision one of five, any other its outcome."""
    for footing, episode in endings(admitted, world).items():
        assert seen(admitted, judge, episode)["footing"] == footing
    named = [each.value for each in Footing] + [each.value for each in Outcome if each is not Outcome.FEASIBLE]
    assert {*endings(admitted, world), "undecided"} == set(named)
    assert len(set(named)) == len(named)
    decided = [each for each in Knowledge if each is not Knowledge.UNDECIDED]
    assert set(FOOTINGS) == set(product((0, 1), decided))
    assert set(FOOTINGS.values()) == set(Footing) - {Footing.UNDECIDED}


def test_what_nobody_can_prove_is_undecided(admitted, world, judge):
    """Both ends of the bounds apart: neither justified nor lucky, and no call is named."""

    class Unsure(Oracle):
        def known(self, observed):
            found = super().known(observed)
            return type(found)(0, None)

    unsure = Judge(Unsure(judge.oracle.world, judge.oracle.optimum, judge.oracle.ranges), judge.unseen)
    found = seen(admitted, unsure, ended(world, plan_of(world), admitted.solution.decision))
    assert (found["knowledge"], found["footing"], found["determined_at"]) == ("undecided", "undecided", None)


def test_without_ranges_nothing_of_knowledge_is_said(admitted, world, judge):
    found = seen(admitted, Judge(None, judge.unseen), ended(world, plan_of(world), admitted.solution.decision))
    assert {name for name, value in found.items() if value is not None} == {"acquisition_regret", "reasoning_regret"}
    silent = seen(admitted, Judge(None, judge.unseen), ended(world, plan_of(world)))
    assert silent["footing"] == "no_decision"


def test_every_judged_measure_is_in_its_domain(admitted, world, judge):
    names = [each.name for each in (*MEASURES, *JUDGED)]
    assert len(set(names)) == len(names)
    for episode in endings(admitted, world).values():
        found = seen(admitted, judge, episode)
        assert [each.fault(found[each.name]) for each in JUDGED] == [None] * len(JUDGED)


def test_the_call_that_determined_is_found_by_halving(admitted, world, judge):
    """The same call that a look after every one finds; what follows it is wasted, and what was paid before is not."""
    again = plan_of(world)[:2]
    episode = ended(world, [*plan_of(world), *again], admitted.solution.decision)
    known = [judge.oracle.known(Observed.of(episode, at)).knowledge for at in range(episode.attempts + 1)]
    at, found = known.index(Knowledge.DETERMINED), seen(admitted, judge, episode)
    assert found["determined_at"] == at
    assert found["determined_spend"] == sum(each.charged for each in episode.observations[:at])
    assert found["determined_spend"] + found["wasted_spend"] == episode.spent
    assert found["wasted_spend"] >= world.cost(again) > 0
    assert found["risk_curve"][-1] == [episode.spent, 0.0]
    assert [risk for _, risk in found["risk_curve"]] == sorted((risk for _, risk in found["risk_curve"]), reverse=True)


def test_the_query_ratio_needs_the_least_cost(admitted, world, judge):
    episode, key = ended(world, plan_of(world), admitted.solution.decision), Key.of(admitted, world)
    assert judged(Hindsight(episode, key, judge=judge))["query_ratio"] is None
    stated = Certificate((), 10, 10, ((5, 3 * key.reference_gap), (10, 0)))
    found = judged(Hindsight(episode, replace(key, certificate=stated), judge=judge))
    assert found["query_ratio"] == found["determined_spend"] / 10
    assert found["hindsight_curve"] == [[5, 3.0], [10, 0.0]]


def test_a_witness_is_told_by_the_cells_that_make_it_one(admitted, world, judge):
    """With these cells as told, and the others as read, the rival is the better decision by what is told."""
    episode = ended(world, plan_of(world)[:-1], admitted.solution.decision)
    found = seen(admitted, judge, episode)
    told, sense = found["witness"], admitted.family.sense
    assert found["footing"] == "lucky"
    assert found["worst_regret"] == abs(told["value"] - told["rival_value"]) > 0
    assert sense.better(told["rival_value"], than=told["value"])
    assert admitted.family.decision.parse(told["rival"]) != admitted.solution.decision
    assert told["cells"]
    for cell in told["cells"]:
        assert cell["true"] != cell["possible"]
        assert cell["table"] in admitted.instance.relations


def test_interfaces_that_tell_alike_share_a_judge(admitted):
    """Whatever links stand between its records, a call tells the same facts in both worlds of a pair."""
    direct, mediated = (build(admitted, each) for each in (Interface.DIRECT, Interface.MEDIATED))
    shared = Judge.of(mediated, Key.of(admitted, mediated))
    for footing, episode in endings(admitted, mediated).items():
        found, own = seen(admitted, shared, episode), Oracle.of(mediated, admitted.solution.decision)
        assert found["footing"] == footing
        assert found["knowledge"] == own.known(Observed.of(episode)).knowledge.value
        assert found == seen(admitted, shared, endings(admitted, direct)[footing])

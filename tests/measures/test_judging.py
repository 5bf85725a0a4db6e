"""What could have been known: the footings partition all evaluations, and each judged measure is what it says."""

from dataclasses import replace
from itertools import product

import pytest

from algoworlds.core.interface import Interface
from algoworlds.knowledge.certificate import Certificate
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.measures.hindsight import FOOTING_BY_DETERMINATION, Footing, Hindsight, Judge
from algoworlds.measures.judging import JUDGED_MEASURES, judge_evaluation
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import MEASURES
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.world import build_world
from tests.certified import certified


@pytest.fixture(scope="module", params=["fleet_dispatch", "sequential_matching"])
def admitted(request):
    return certified(request.param, 0, 1)


@pytest.fixture(scope="module", params=[Interface.DIRECT, Interface.SPLIT], ids=lambda interface: interface.value)
def world(admitted, request):
    return build_world(admitted, request.param)


@pytest.fixture(scope="module")
def judge(admitted, world):
    return Judge.from_world(world, AnswerKey.from_admitted(admitted, world))


def plan_of(world):
    return min(world.plans.values(), key=world.cost)


def play_to_end(world, calls, decision=None):
    """An episode that makes some calls and submits a decision, if there is one."""
    episode = Episode(world, calls)
    if decision is not None:
        episode.call(world.family.template.decision_tools.submit, world.family.decision.arguments(decision))
    return episode


def judge_episode(admitted, judge, episode):
    return judge_evaluation(Hindsight(episode, AnswerKey.from_admitted(admitted, episode.world), judge=judge))


def endings(admitted, world):
    """Evaluations of every kind, by how they must stand."""
    plan, best, other = plan_of(world), admitted.solution.decision, admitted.family.reference(admitted.instance)
    submit, shape = world.family.template.decision_tools.submit, world.family.decision
    refused, empty = Episode(world, plan), {name: type(argument)() for name, argument in shape.arguments(best).items()}
    refused.call(submit, "no JSON")
    return {
        "justified": play_to_end(world, plan, best),
        "lucky": play_to_end(world, plan[:-3], best),
        "misread": play_to_end(world, plan, other),
        "premature": play_to_end(world, plan[:-3], other),
        "infeasible": play_to_end(world, plan, shape.parse(empty)),
        "no_decision": play_to_end(world, plan),
        "protocol_violation": refused,
    }


def test_standings_partition_all_evaluations(admitted, world, judge):
    """Every evaluation has exactly one, whatever could be known: a feasible decision one of five, any other its outcome."""
    for footing, episode in endings(admitted, world).items():
        assert judge_episode(admitted, judge, episode)["footing"] == footing
    named = [item.value for item in Footing] + [item.value for item in Outcome if item is not Outcome.FEASIBLE]
    assert {*endings(admitted, world), "undecided"} == set(named)
    assert len(set(named)) == len(named)
    decided = [determination for determination in Determination if determination is not Determination.UNDECIDED]
    assert set(FOOTING_BY_DETERMINATION) == set(product((0, 1), decided))
    assert set(FOOTING_BY_DETERMINATION.values()) == set(Footing) - {Footing.UNDECIDED}


def test_what_nobody_can_prove_is_undecided(admitted, world, judge):
    """Both ends of the bounds apart: neither justified nor lucky, and no call is named."""

    class Unsure(Oracle):
        def optimum_risk(self, observed):
            found = super().optimum_risk(observed)
            return type(found)(0, None)

    unsure = Judge(Unsure(judge.oracle.world, judge.oracle.optimum, judge.oracle.ranges), judge.find_acquisition_gap)
    found = judge_episode(admitted, unsure, play_to_end(world, plan_of(world), admitted.solution.decision))
    assert (found["knowledge"], found["footing"], found["determined_at"]) == ("undecided", "undecided", None)


def test_without_ranges_nothing_of_knowledge_is_said(admitted, world, judge):
    found = judge_episode(
        admitted, Judge(None, judge.find_acquisition_gap), play_to_end(world, plan_of(world), admitted.solution.decision)
    )
    assert {name for name, value in found.items() if value is not None} == {"acquisition_regret", "reasoning_regret"}
    silent = judge_episode(admitted, Judge(None, judge.find_acquisition_gap), play_to_end(world, plan_of(world)))
    assert silent["footing"] == "no_decision"


def test_every_judged_measure_is_in_its_domain(admitted, world, judge):
    names = [measure.name for measure in (*MEASURES, *JUDGED_MEASURES)]
    assert len(set(names)) == len(names)
    for episode in endings(admitted, world).values():
        found = judge_episode(admitted, judge, episode)
        assert [judged_measure.fault(found[judged_measure.name]) for judged_measure in JUDGED_MEASURES] == [None] * len(
            JUDGED_MEASURES
        )


def test_the_call_that_determined_is_found_by_halving(admitted, world, judge):
    """The same call that a look after every one finds; what follows it is wasted, and what was paid before is not."""
    again = plan_of(world)[:2]
    episode = play_to_end(world, [*plan_of(world), *again], admitted.solution.decision)
    known = [
        judge.oracle.optimum_risk(ObservedCalls.from_episode(episode, at)).determination for at in range(episode.attempts + 1)
    ]
    at, found = known.index(Determination.DETERMINED), judge_episode(admitted, judge, episode)
    assert found["determined_at"] == at
    assert found["determined_spend"] == sum(observation.charged for observation in episode.observations[:at])
    assert found["determined_spend"] + found["wasted_spend"] == episode.spent
    assert found["wasted_spend"] >= world.cost(again) > 0
    assert found["risk_curve"][-1] == [episode.spent, 0.0]
    assert [risk for _, risk in found["risk_curve"]] == sorted((risk for _, risk in found["risk_curve"]), reverse=True)


def test_the_query_ratio_needs_the_least_cost(admitted, world, judge):
    episode, key = play_to_end(world, plan_of(world), admitted.solution.decision), AnswerKey.from_admitted(admitted, world)
    assert judge_evaluation(Hindsight(episode, key, judge=judge))["query_ratio"] is None
    stated = Certificate((), 10, 10, ((5, 3 * key.reference_gap), (10, 0)))
    found = judge_evaluation(Hindsight(episode, replace(key, certificate=stated), judge=judge))
    assert found["query_ratio"] == found["determined_spend"] / 10
    assert found["hindsight_curve"] == [[5, 3.0], [10, 0.0]]


def test_a_witness_is_told_by_the_cells_that_make_it_one(admitted, world, judge):
    """With these cells as told, and the others as read, the rival is the better decision by what is told."""
    episode = play_to_end(world, plan_of(world)[:-1], admitted.solution.decision)
    found = judge_episode(admitted, judge, episode)
    told, sense = found["witness"], admitted.family.sense
    assert found["footing"] == "lucky"
    assert found["worst_regret"] == abs(told["value"] - told["rival_value"]) > 0
    assert sense.is_better(told["rival_value"], than=told["value"])
    assert admitted.family.decision.parse(told["rival"]) != admitted.solution.decision
    assert told["cells"]
    for cell in told["cells"]:
        assert cell["true"] != cell["possible"]
        assert cell["table"] in admitted.instance.relations


def test_interfaces_that_tell_alike_share_a_judge(admitted):
    """Whatever links stand between its records, a call tells the same facts in both worlds of a pair."""
    direct, mediated = (build_world(admitted, interface) for interface in (Interface.DIRECT, Interface.MEDIATED))
    shared = Judge.from_world(mediated, AnswerKey.from_admitted(admitted, mediated))
    for footing, episode in endings(admitted, mediated).items():
        found, own = judge_episode(admitted, shared, episode), Oracle.from_world(mediated, admitted.solution.decision)
        assert found["footing"] == footing
        assert found["knowledge"] == own.optimum_risk(ObservedCalls.from_episode(episode)).determination.value
        assert found == judge_episode(admitted, shared, endings(admitted, direct)[footing])

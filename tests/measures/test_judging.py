"""Judged measures: the footings partition all evaluations, and every measure agrees with its definition."""

from dataclasses import replace
from itertools import product

import pytest

from algoworlds.core.interface import Interface
from algoworlds.knowledge.certificate import Certificate
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle, Risk
from algoworlds.measures.hindsight import FOOTING_BY_DETERMINATION, Footing, Hindsight, Judge
from algoworlds.measures.judging import JUDGED_MEASURES, judge_evaluation
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import MEASURES
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance


@pytest.fixture(scope="module", params=["fleet_dispatch", "sequential_matching"])
def admitted(request):
    return certified_instance(request.param, 0, 1)


@pytest.fixture(scope="module", params=[Interface.DIRECT, Interface.SPLIT], ids=lambda interface: interface.value)
def world(admitted, request):
    return build_world(admitted, request.param)


@pytest.fixture(scope="module")
def judge(admitted, world):
    return Judge.from_world(world, AnswerKey.from_admitted(admitted, world))


def plan_of(world):
    return min(world.plans.values(), key=world.cost)


def play_to_end(world, calls, decision=None):
    """An episode that makes `calls` and submits `decision`, if given."""
    episode = Episode(world, calls)
    if decision is not None:
        episode.call(world.family.template.decision_tools.submit, world.family.decision.arguments(decision))
    return episode


def judge_episode(admitted, judge, episode):
    return judge_evaluation(Hindsight(episode, AnswerKey.from_admitted(admitted, episode.world), judge=judge))


def endings(admitted, world):
    """One evaluation of every kind, by its expected footing."""
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


def test_footings_partition_all_evaluations(admitted, world, judge):
    """Every evaluation has exactly one: a feasible decision one of five, any other its outcome."""
    for footing, episode in endings(admitted, world).items():
        assert judge_episode(admitted, judge, episode)["footing"] == footing
    named = [item.value for item in Footing] + [item.value for item in Outcome if item is not Outcome.FEASIBLE]
    assert {*endings(admitted, world), "undecided"} == set(named)
    assert len(set(named)) == len(named)
    decided = [determination for determination in Determination if determination is not Determination.UNDECIDED]
    assert set(FOOTING_BY_DETERMINATION) == set(product((0, 1), decided))
    assert set(FOOTING_BY_DETERMINATION.values()) == set(Footing) - {Footing.UNDECIDED}


def test_bounds_that_do_not_meet_are_undecided(admitted, world, judge):
    """Such an evaluation is neither justified nor lucky, and no determining call is named."""

    class Unsure(Oracle):
        def optimum_risk(self, observed):
            return Risk(0, None)

    unsure = Judge(Unsure(judge.oracle.world, judge.oracle.optimum, judge.oracle.ranges), judge.find_acquisition_gap)
    judgement = judge_episode(admitted, unsure, play_to_end(world, plan_of(world), admitted.solution.decision))
    assert (judgement["knowledge"], judgement["footing"], judgement["determined_at"]) == ("undecided", "undecided", None)


def test_knowledge_is_undefined_without_ranges(admitted, world, judge):
    judgement = judge_episode(
        admitted, Judge(None, judge.find_acquisition_gap), play_to_end(world, plan_of(world), admitted.solution.decision)
    )
    assert {name for name, value in judgement.items() if value is not None} == {"acquisition_regret", "reasoning_regret"}
    undecided = judge_episode(admitted, Judge(None, judge.find_acquisition_gap), play_to_end(world, plan_of(world)))
    assert undecided["footing"] == "no_decision"


def test_every_judged_measure_is_in_its_domain(admitted, world, judge):
    names = [measure.name for measure in (*MEASURES, *JUDGED_MEASURES)]
    assert len(set(names)) == len(names)
    for episode in endings(admitted, world).values():
        judgement = judge_episode(admitted, judge, episode)
        assert not any(measure.fault(judgement[measure.name]) for measure in JUDGED_MEASURES)


def test_bisection_finds_the_determining_call(admitted, world, judge):
    """The same call as by asking after every call; the spend after it is wasted."""
    again = plan_of(world)[:2]
    episode = play_to_end(world, [*plan_of(world), *again], admitted.solution.decision)
    known = [
        judge.oracle.optimum_risk(ObservedCalls.from_episode(episode, at)).determination for at in range(episode.attempts + 1)
    ]
    at, judgement = known.index(Determination.DETERMINED), judge_episode(admitted, judge, episode)
    assert judgement["determined_at"] == at
    assert judgement["determined_spend"] == sum(observation.charged for observation in episode.observations[:at])
    assert judgement["determined_spend"] + judgement["wasted_spend"] == episode.spent
    assert judgement["wasted_spend"] >= world.cost(again) > 0
    assert judgement["risk_curve"][-1] == [episode.spent, 0.0]
    assert [risk for _, risk in judgement["risk_curve"]] == sorted((risk for _, risk in judgement["risk_curve"]), reverse=True)


def test_the_query_ratio_needs_the_least_cost(admitted, world, judge):
    episode, key = play_to_end(world, plan_of(world), admitted.solution.decision), AnswerKey.from_admitted(admitted, world)
    assert judge_evaluation(Hindsight(episode, key, judge=judge))["query_ratio"] is None
    stated = Certificate((), 10, 10, ((5, 3 * key.reference_gap), (10, 0)))
    judgement = judge_evaluation(Hindsight(episode, replace(key, certificate=stated), judge=judge))
    assert judgement["query_ratio"] == judgement["determined_spend"] / 10
    assert judgement["hindsight_curve"] == [[5, 3.0], [10, 0.0]]


def test_witness_is_described_by_its_deciding_cells(admitted, world, judge):
    """The rival is better in the witness by the worst regret, and every listed cell differs from the truth."""
    episode = play_to_end(world, plan_of(world)[:-1], admitted.solution.decision)
    judgement = judge_episode(admitted, judge, episode)
    witness, sense = judgement["witness"], admitted.family.sense
    assert judgement["footing"] == "lucky"
    assert judgement["worst_regret"] == abs(witness["value"] - witness["rival_value"]) > 0
    assert sense.is_better(witness["rival_value"], than=witness["value"])
    assert admitted.family.decision.parse(witness["rival"]) != admitted.solution.decision
    assert witness["cells"]
    for cell in witness["cells"]:
        assert cell["true"] != cell["possible"]
        assert cell["table"] in admitted.instance.relations


def test_direct_and_mediated_worlds_share_a_judge(admitted):
    """Whatever links stand between its records, a call tells the same facts in both worlds of a pair."""
    direct, mediated = (build_world(admitted, interface) for interface in (Interface.DIRECT, Interface.MEDIATED))
    shared = Judge.from_world(mediated, AnswerKey.from_admitted(admitted, mediated))
    for footing, episode in endings(admitted, mediated).items():
        judgement, own = judge_episode(admitted, shared, episode), Oracle.from_world(mediated, admitted.solution.decision)
        assert judgement["footing"] == footing
        assert judgement["knowledge"] == own.optimum_risk(ObservedCalls.from_episode(episode)).determination.value
        assert judgement == judge_episode(admitted, shared, endings(admitted, direct)[footing])

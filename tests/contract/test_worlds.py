"""What holds for every family's admitted instances and their worlds, in every interface (D1, D8, F12)."""

import itertools
import json
from dataclasses import replace

import pytest

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.work import WORK_BANDS
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES, read_instance
from algoworlds.suites.contracts.worlds import perturbed_instances
from algoworlds.worlds.admission import draw_instance
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import CALL_CAP, build_world
from tests.certified import certified_instance

QUICK = ((0, 1), (0, 2), (0, 3), (1, 1))
"""Levels and indices: every price profile at level 0, and one instance of a level with all rules."""
FULL = ((1, 2), (1, 3), (2, 1))
CASES = [
    pytest.param((name, *case), marks=pytest.mark.full if case in FULL else ()) for name in FAMILIES for case in (*QUICK, *FULL)
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def admitted(request):
    return certified_instance(*request.param)


@pytest.fixture(scope="module", params=Interface, ids=lambda interface: interface.value)
def world(request, admitted):
    return build_world(admitted, request.param)


def play(world, calls):
    episode = Episode(world)
    for call in calls:
        assert episode.call(*call).status is Status.EXECUTED, call
    return episode


def test_certificate(admitted):
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    verdict = family.check(instance, solution.decision)
    assert verdict.feasible
    assert verdict.value == solution.value == sum(verdict.parts.values())
    assert solution.unique
    assert solution.agrees_with(family.verify(instance))
    low, high = WORK_BANDS.get(admitted.coordinate.level, (1, 2**13))
    assert low <= solution.work.total <= high
    assert instance.magnitude() < JSON_INTEGER_LIMIT
    reference = family.check(instance, admitted.reference)
    assert reference.feasible
    assert family.sense.is_better(solution.value, than=reference.value)
    assert admitted.reference_gap == abs(reference.value - solution.value) > 0


def test_no_channel_is_idle(admitted):
    for _, blind in admitted.family.hardness.blind_instances(admitted.instance):
        assert admitted.family.solve(blind).decision != admitted.solution.decision


def test_instance_round_trips_through_json_and_facts(admitted):
    instance = admitted.instance
    assert read_instance(instance.canonical_json) == instance
    assert read_instance(instance.canonical_json).digest == instance.digest
    assert type(instance).from_facts(instance.facts, instance.public_tables) == instance
    assert draw_instance(admitted.coordinate, admitted.attempt).canonical_json == instance.canonical_json


def test_local_and_random_decisions_are_feasible(admitted):
    family, instance = admitted.family, admitted.instance
    stream = admitted.coordinate.stream.child("test")
    for start in (admitted.reference, family.hardness.sample(instance, stream)):
        value = family.check(instance, start).value
        improved = family.check(instance, family.hardness.descend(instance, start))
        assert improved.feasible
        assert improved.value == value or family.sense.is_better(improved.value, than=value)


def test_both_plans_rebuild_the_instance_within_the_budget(world, admitted):
    for plan in world.plans.values():
        episode = play(world, plan)
        assert episode.facts == admitted.instance.facts
        rebuilt = world.instance_from_facts(episode.facts)
        assert rebuilt == admitted.instance
        assert world.family.solve(rebuilt).decision == admitted.solution.decision
        assert len(plan) + 1 <= CALL_CAP
        closing, decision = world.family.template.decision_tools, world.family.decision.arguments(admitted.solution.decision)
        evaluation = episode.call(closing.evaluate, decision)
        assert f'"value":{admitted.optimum}' in evaluation.text
        assert episode.call(closing.submit, decision).status is Status.SUBMITTED
        assert episode.outcome is Outcome.FEASIBLE
        assert Episode(world, episode.calls).observations == episode.observations
    assert world.budget < world.cost(world.catalog)


def test_every_catalog_call_is_answered_and_none_suffices(world, admitted):
    for call in world.catalog:
        episode = Episode(world)
        if world.prices[call.tool] <= world.budget:
            assert episode.call(*call).status is Status.EXECUTED
            assert episode.facts < admitted.instance.facts
    with pytest.raises(InstanceError):
        world.instance_from_facts(frozenset())


def test_every_channel_holds_facts(admitted):
    """So both plans of every interface, which reveal all facts, read every channel."""
    channels = {name: relation.channel for name, relation in admitted.instance.relations.items()}
    read = {channels[fact.relation] for fact in admitted.instance.facts} - {None}
    assert read == set(admitted.family.channels)
    assert len(read) > 1


def test_worlds_of_a_pair_differ_only_in_records(admitted):
    worlds = [build_world(admitted, interface) for interface in Interface]
    for one, other in itertools.pairwise(worlds):
        assert (one.question, one.tools, one.prices, one.budget) == (other.question, other.tools, other.prices, other.budget)
        assert one.plans == other.plans
    direct, mediated, split = (world.store.all_records for world in worlds)
    assert set(direct) != set(mediated) == set(split)
    for world, records in zip(worlds, (direct, mediated, split), strict=True):
        assert world.instance_from_facts(world.facts([records])) == admitted.instance


def test_question_and_schemas_hold_no_hidden_id(admitted):
    world = build_world(admitted, Interface.DIRECT)
    seen = world.question + str(world.tools)
    instance = admitted.instance
    hidden = [name for name, relation in instance.relations.items() if relation.is_roster and not relation.public]
    stated = str(instance.public_tables)  # such as an origin that the task itself names
    assert not any(item in seen and item not in stated for name in hidden for item in getattr(instance, name))
    assert str(admitted.optimum) not in seen


def test_answers_depend_only_on_the_facts_they_hold(world, admitted):
    """Non-interference: a changed number changes only the answers that hold it."""
    answers = {call: world.records(call) for call in world.catalog}
    for name, row, changed in perturbed_instances(admitted.instance):
        other = replace(world, instance=changed)
        assert (other.question, other.tools) == (world.question, world.tools)
        old = Fact(name, row)
        differing = [call for call in world.catalog if other.records(call) != answers[call]]
        assert differing
        for call in differing:
            assert old in world.facts([json.loads(answers[call])]) or world.interface is Interface.SPLIT

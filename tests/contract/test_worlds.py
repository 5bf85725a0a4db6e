"""What holds for every family's admitted instances and their worlds, in every interface (D1, D8, F12)."""

import itertools
import json
from dataclasses import replace

import pytest

from algoworlds.core.canonical import LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.work import BANDS
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES, read_instance
from algoworlds.suites.contracts.playing import perturbed
from algoworlds.worlds.admit import instance_at
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import CALL_CAP, build
from tests.certified import certified

QUICK = ((0, 1), (0, 2), (0, 3), (1, 1))
"""Levels and indices: every price profile on the warm-up, and one instance of a level that is held to all rules."""
FULL = ((1, 2), (1, 3), (2, 1))
CASES = [
    pytest.param((name, *place), marks=pytest.mark.full if place in FULL else ())
    for name in FAMILIES
    for place in (*QUICK, *FULL)
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def admitted(request):
    return certified(*request.param)


@pytest.fixture(scope="module", params=Interface, ids=lambda each: each.value)
def world(request, admitted):
    return build(admitted, request.param)


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
    assert solution.agrees(family.verify(instance))
    low, high = BANDS.get(admitted.coordinate.level, (1, 2**13))
    assert low <= solution.work.total <= high
    assert instance.magnitude() < LIMIT
    reference = family.check(instance, admitted.reference)
    assert reference.feasible
    assert family.sense.better(solution.value, than=reference.value)
    assert admitted.reference_gap == abs(reference.value - solution.value) > 0


def test_no_channel_is_idle(admitted):
    for erase in admitted.family.hardness.blind.values():
        assert admitted.family.solve(erase(admitted.instance)).decision != admitted.solution.decision


def test_instance_survives_json_and_facts(admitted):
    instance = admitted.instance
    assert read_instance(instance.text) == instance
    assert read_instance(instance.text).digest == instance.digest
    assert type(instance).from_facts(instance.facts, instance.public_tables) == instance
    assert instance_at(admitted.coordinate, admitted.attempt).text == instance.text


def test_local_and_random_decisions_are_feasible(admitted):
    family, instance = admitted.family, admitted.instance
    stream = admitted.coordinate.stream.child("test")
    for start in (admitted.reference, family.hardness.sample(instance, stream)):
        value = family.check(instance, start).value
        improved = family.check(instance, family.hardness.descend(instance, start))
        assert improved.feasible
        assert improved.value == value or family.sense.better(improved.value, than=value)


def test_both_plans_rebuild_the_instance_within_the_budget(world, admitted):
    for plan in world.plans.values():
        episode = play(world, plan)
        assert episode.facts == admitted.instance.facts
        rebuilt = world.rebuild(episode.facts)
        assert rebuilt == admitted.instance
        assert world.family.solve(rebuilt).decision == admitted.solution.decision
        assert len(plan) + 1 <= CALL_CAP
        closing, decision = world.family.template.closing, world.family.decision.arguments(admitted.solution.decision)
        evaluation = episode.call(closing.evaluate, decision)
        assert f'"value":{admitted.optimum}' in evaluation.text
        assert episode.call(closing.submit, decision).status is Status.SUBMITTED
        assert episode.outcome is Outcome.FEASIBLE
        assert Episode(world, episode.calls).observations == episode.observations
    assert world.budget < world.cost(world.catalog)


def test_every_catalog_request_is_answered_and_no_single_one_suffices(world, admitted):
    for call in world.catalog:
        episode = Episode(world)
        if world.prices[call.tool] <= world.budget:
            assert episode.call(*call).status is Status.EXECUTED
            assert episode.facts < admitted.instance.facts
    with pytest.raises(InstanceError):
        world.rebuild(frozenset())


def test_every_channel_holds_facts(admitted):
    """And so is in both plans of every interface, which tell all facts of the instance."""
    channels = {name: each.channel for name, each in admitted.instance.relations.items()}
    met = {channels[fact.relation] for fact in admitted.instance.facts} - {None}
    assert met == set(admitted.family.channels)
    assert len(met) > 1


def test_pair_shares_what_it_must_and_differs_in_records(admitted):
    worlds = [build(admitted, interface) for interface in Interface]
    for one, other in itertools.pairwise(worlds):
        assert (one.question, one.tools, one.prices, one.budget) == (other.question, other.tools, other.prices, other.budget)
        assert one.plans == other.plans
    direct, mediated, split = (world.store.everything for world in worlds)
    assert set(direct) != set(mediated) == set(split)
    for world, records in zip(worlds, (direct, mediated, split), strict=True):
        assert world.rebuild(world.facts([records])) == admitted.instance


def test_question_and_schemas_hold_no_hidden_id(admitted):
    world = build(admitted, Interface.DIRECT)
    seen = world.question + str(world.tools)
    instance = admitted.instance
    hidden = [name for name, each in instance.relations.items() if each.is_roster and not each.public]
    stated = str(instance.public_tables)  # an origin, say, that the task itself names
    assert not any(item in seen and item not in stated for name in hidden for item in getattr(instance, name))
    assert str(admitted.optimum) not in seen


def test_answers_do_not_depend_on_facts_they_do_not_hold(world, admitted):
    """Non-interference: change one number of the instance, and only the answers that tell it change."""
    answers = {call: world.records(call) for call in world.catalog}
    for name, row, changed in perturbed(admitted.instance):
        other = replace(world, instance=changed)
        assert (other.question, other.tools) == (world.question, world.tools)
        old = Fact(name, row)
        differing = [call for call in world.catalog if other.records(call) != answers[call]]
        assert differing
        for call in differing:
            assert old in world.facts([json.loads(answers[call])]) or world.interface is Interface.SPLIT

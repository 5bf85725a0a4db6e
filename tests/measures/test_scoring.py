"""The list of scored measures: records, scores and domains follow from it."""

import json

import pytest

import algoworlds as aw
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.measures.key import AnswerKey, sufficient_sets
from algoworlds.measures.measure import SIGNED_INTEGER, YES_OR_NO, Integer, NamedIntegers, Number, Object, OneOf, Points, Text
from algoworlds.measures.scoring import entity_grounding, score
from algoworlds.runs.agents import AGENTS
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, Provenance, build_record
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.silence import silent
from tests.unsolved import unsolved_world

OTHER_FIELDS = (
    "format scoring identity configuration kind world family level index interface trial stop_reason turns model tokens cost "
    "trajectory texts observed"
)
"""The fields of a record that are not measures."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("scoring") / "suite"
    build_suite(SuiteSpec("part", "scoring", tuple(FAMILIES), (0,), 1), out, None, silent)
    return open_suite(out)


def play(world, agent):
    episode = aw.Episode(world)
    AGENTS[agent](episode, Stream("scoring", agent, world.id))
    return episode


def test_record_holds_every_measure(suite):
    entry = suite.manifest.worlds[0]
    episode, key = play(suite.world(entry), "greedy"), suite.key(entry)
    extras = ((1, Call("later")), (1, Call("later")))
    whose, turns = Provenance("", "greedy", PlayerKind.AGENT, 1), tuple(range(episode.attempts))
    document = build_record(whose, entry, key, FinishedTrajectory(episode, "submitted", turns, extras))
    assert set(document) == set(OTHER_FIELDS.split()) | {measure.name for measure in aw.MEASURES}
    scored = aw.score(episode, key)
    assert {name: document[name] for name in scored} == scored | {"attempted_calls": episode.attempts + 2}


@pytest.mark.parametrize("agent", AGENTS)
def test_every_measure_lies_in_its_domain(suite, agent):
    step = 2 if agent in ("thrifty", "certifier") else 1  # these are slow, and play the same in both interfaces
    for entry in suite.manifest.worlds[::step]:
        scored = aw.score(play(suite.world(entry), agent), suite.key(entry))
        faults = {measure.name: measure.fault(scored[measure.name]) for measure in aw.MEASURES}
        assert not any(faults.values()), (entry.id, faults)


def test_answer_key_of_an_admitted_instance_equals_that_of_the_suite(suite):
    for entry in suite.manifest.worlds:
        coordinate = suite.coordinate(entry)
        admitted = aw.admit(coordinate)
        assert aw.AnswerKey.from_admitted(admitted, aw.build_world(admitted, aw.Interface(entry.interface))) == suite.key(entry)


def test_score_with_public_names_only():
    admitted = aw.admit(aw.Coordinate("fleet_dispatch", 0, 1))
    world = aw.build_world(admitted, aw.Interface.DIRECT)
    episode = aw.Episode(world, list(world.plans["rows"]))
    episode.call("submit_assignment", {"assignment": admitted.reference})
    scored = aw.score(episode, aw.AnswerKey.from_admitted(admitted, world))
    selected = {
        name: scored[name] for name in ("exact", "feasible", "regret", "utility", "sufficiency", "coverage", "grounding")
    }
    assert list(selected.values()) == [0, 1, 1.0, 0.0, 1, 1.0, 1.0]


def test_every_measure_says_what_it_is():
    names = [measure.name for measure in aw.MEASURES]
    assert len(set(names)) == len(names)
    for measure in aw.MEASURES:
        assert measure.title
        assert measure.unit
        assert measure.meaning.endswith(".")
        assert measure.name not in FAMILIES


@pytest.mark.parametrize(
    ("domain", "valid", "invalid"),
    [
        (Integer(1, 9), [1, 9], [0, 10, True, 1.0, "1", None]),
        (SIGNED_INTEGER, [0, 1 - 2**53], [2**53, -(2**53), None]),
        (YES_OR_NO, [0, 1], [2, -1, True, False]),
        (Number(1.0), [0, 0.5, 1.0], [-0.1, 1.1, float("nan"), float("inf"), True, "0", None]),
        (OneOf(("a", "b")), ["a", "b"], ["c", "", None, 0]),
        (Text(), ["", "late"], [None, 0]),
        (Object((int,)), [{}, {"a": 1}], [{"a": True}, {"a": "1"}, [], None]),
        (NamedIntegers(), [{}, {"a": 1, "b": -1}], [{"a": True}, {"a": 10**400}, {"a": 1.0}, [], None]),
        (Points(), [[], [[0, 0.0], [3, 1]]], [[[0.0, 1]], [[1]], {}, None, [[True, 1]]]),
    ],
    ids=repr,
)
def test_domains_accept_and_refuse_values(domain, valid, invalid):
    assert all(domain.fault(value) is None for value in valid)
    assert all(domain.fault(value) for value in invalid)


def test_only_an_optional_measure_may_be_undefined():
    for measure in aw.MEASURES:
        assert (measure.fault(None) is None) == measure.optional


# -- redundant calls, the budget cap, grounding --


def score_calls(world, *calls):
    """The measures of `calls`; without a decision the optimum does not matter."""
    decision = world.family.reference(world.instance)
    return score(Episode(world, calls), AnswerKey(0, decision, 1, sufficient_sets(world)))


def one_call_per_tool(world):
    """One call of every information tool, navigation included."""
    return [Call.from_arguments(tool.name, tool.argument.domain(world.public)[0]) for tool in world.family.template.tools]


@pytest.mark.parametrize("interface", Interface)
def test_first_floor_survey_is_not_redundant(interface):
    world = unsolved_world("machine_layout", 0, interface=interface)
    survey = Call("survey_floor")
    assert [score_calls(world, *[survey] * times)["redundant_calls"] for times in (0, 1, 2, 3)] == [0, 0, 1, 2]


@pytest.mark.parametrize("interface", Interface)
def test_second_read_of_a_title_index_is_redundant(interface):
    world = unsolved_world("series_portfolio", 0, interface=interface)
    index = Call.from_arguments("read_title_index", {"title": world.public["title"][0]})
    assert [score_calls(world, *[index] * times)["redundant_calls"] for times in (1, 2, 3)] == [0, 1, 2]


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize("name", FAMILIES)
def test_redundant_calls_equal_a_count_by_hand(name, interface):
    """A call is redundant if all its records were seen before."""
    world = unsolved_world(name, 0, interface=interface)
    plan, seen, redundant = next(iter(world.plans.values())), set(), 0
    calls = [*one_call_per_tool(world), *plan[:12], *one_call_per_tool(world), Call("nonsense"), *plan[:3]]
    episode = Episode(world, calls)
    for observation in episode.observations:
        if observation.status.value == "executed":
            rows = {(kind, str(row)) for kind, table in _records(observation).items() for row in table["rows"]}
            redundant += rows <= seen
            seen |= rows
    assert score_calls(world, *calls)["redundant_calls"] == redundant
    assert redundant >= 3


def _records(observation):
    return json.loads(observation.text)["records"]


def calls_over_budget(world):
    """Calls of which the last one exceeds the budget, and a call that is rejected free of charge."""
    expensive = max(world.catalog, key=lambda call: world.prices[call.tool])
    return [expensive] * (world.budget // world.prices[expensive.tool] + 1), Call("nonsense")


def test_budget_cap_means_that_the_last_call_was_over_budget():
    world = unsolved_world("fleet_dispatch", 0)
    refused, other = calls_over_budget(world)
    submit = Call.from_arguments("submit_assignment", world.family.decision.arguments(world.family.reference(world.instance)))
    malformed = Call("submit_assignment", "{}")
    found = {
        "nothing": score_calls(world)["budget_cap"],
        "refused": score_calls(world, *refused)["budget_cap"],
        "again": score_calls(world, *refused, other, refused[0])["budget_cap"],
        "went on": score_calls(world, *refused, other)["budget_cap"],
        "decided": score_calls(world, *refused, submit)["budget_cap"],
        "tried to": score_calls(world, *refused, malformed)["budget_cap"],
    }
    assert found == {"nothing": 0, "refused": 1, "again": 1, "went on": 0, "decided": 0, "tried to": 0}


def test_entity_named_like_a_column_is_not_grounded_by_it():
    """A user's ids may equal the name of a column."""
    plain = unsolved_world("fleet_dispatch", 0)
    first, *others = plain.instance.job
    names = dict(zip(others, ("vehicle", "eligible", "load", "columns", "rows", "records"), strict=False))
    world = World(plain.coordinate, plain.instance.rename_ids(lambda item: names.get(item, item)), Interface.DIRECT)
    episode = Episode(world, [Call.from_arguments("read_job", {"job": first})])
    assert all(f'"{name}"' in episode.observations[0].text for name in names.values())
    assert not any(map(episode.mentions, names.values()))
    assert [job for job in world.instance.job if episode.mentions(job)] == [first]
    assert all(map(episode.mentions, world.instance.vehicle))
    episode.call("submit_assignment", {"assignment": dict.fromkeys(world.instance.job, world.instance.vehicle[0])})
    jobs = len(world.instance.job)
    assert entity_grounding(episode) == 2 / (jobs + 1)

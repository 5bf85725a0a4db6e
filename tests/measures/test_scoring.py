"""One list of measures: what a record holds, what an episode is scored by, and what a value may be."""

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.measures.measure import SIGNED_INTEGER, YES_OR_NO, Choice, Integer, Number, Object, Points, Text
from algoworlds.runs.agents import AGENTS
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, Provenance, build_record
from algoworlds.suites.suite import SuiteSpec
from tests.silence import silent

ABOUT = (
    "format scoring identity configuration kind world family level index interface trial stop_reason turns model tokens cost "
    "trajectory texts observed"
)
"""What a record says beside its measures: who, where, how it went on, and what it cost."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("scoring") / "suite"
    build_suite(SuiteSpec("part", "scoring", tuple(FAMILIES), (0,), 1), out, None, silent)
    return open_suite(out)


def play(world, agent):
    episode = aw.Episode(world)
    AGENTS[agent](episode, Stream("scoring", agent, world.id))
    return episode


def test_a_record_is_written_from_the_list(suite):
    entry = suite.manifest.worlds[0]
    episode, key = play(suite.world(entry), "greedy"), suite.key(entry)
    extras = ((1, Call("later")), (1, Call("later")))
    whose, turns = Provenance("", "greedy", PlayerKind.AGENT, 1), tuple(range(episode.attempts))
    document = build_record(whose, entry, key, FinishedTrajectory(episode, "submitted", turns, extras))
    assert set(document) == set(ABOUT.split()) | {measure.name for measure in aw.MEASURES}
    scored = aw.score(episode, key)
    assert {name: document[name] for name in scored} == scored | {"attempted_calls": episode.attempts + 2}


@pytest.mark.parametrize("agent", AGENTS)
def test_every_measure_lies_in_its_domain(suite, agent):
    alike = agent in ("thrifty", "certifier")  # which think long, and play alike in both interfaces
    for entry in suite.manifest.worlds[:: 1 + alike]:
        scored = aw.score(play(suite.world(entry), agent), suite.key(entry))
        faults = {measure.name: measure.fault(scored[measure.name]) for measure in aw.MEASURES}
        assert not any(faults.values()), (entry.id, faults)


def test_a_certified_instance_gives_the_key_that_a_suite_keeps(suite):
    for entry in suite.manifest.worlds:
        coordinate = suite.coordinate(entry)
        admitted = aw.admit(coordinate)
        assert aw.AnswerKey.from_admitted(admitted, aw.build_world(admitted, aw.Interface(entry.interface))) == suite.key(entry)


def test_a_session_scores_what_it_played():
    """Anybody can score an episode, with public names alone."""
    admitted = aw.admit(aw.Coordinate("fleet_dispatch", 0, 1))
    world = aw.build_world(admitted, aw.Interface.DIRECT)
    episode = aw.Episode(world, list(world.plans["rows"]))
    episode.call("submit_assignment", {"assignment": admitted.reference})
    scored = aw.score(episode, aw.AnswerKey.from_admitted(admitted, world))
    told = {name: scored[name] for name in ("exact", "feasible", "regret", "utility", "sufficiency", "coverage", "grounding")}
    assert list(told.values()) == [0, 1, 1.0, 0.0, 1, 1.0, 1.0]


def test_every_measure_says_what_it_is():
    names = [measure.name for measure in aw.MEASURES]
    assert len(set(names)) == len(names)
    for measure in aw.MEASURES:
        assert measure.title
        assert measure.unit
        assert measure.meaning.endswith(".")
        assert measure.name not in FAMILIES


@pytest.mark.parametrize(
    ("domain", "right", "wrong"),
    [
        (Integer(1, 9), [1, 9], [0, 10, True, 1.0, "1", None]),
        (SIGNED_INTEGER, [0, 1 - 2**53], [2**53, -(2**53), None]),
        (YES_OR_NO, [0, 1], [2, -1, True, False]),
        (Number(1.0), [0, 0.5, 1.0], [-0.1, 1.1, float("nan"), float("inf"), True, "0", None]),
        (Choice(("a", "b")), ["a", "b"], ["c", "", None, 0]),
        (Text(), ["", "late"], [None, 0]),
        (Object((int,)), [{}, {"a": 1}], [{"a": True}, {"a": "1"}, [], None]),
        (Points(), [[], [[0, 0.0], [3, 1]]], [[[0.0, 1]], [[1]], {}, None, [[True, 1]]]),
    ],
    ids=repr,
)
def test_a_domain_holds_what_it_should_and_says_why_not(domain, right, wrong):
    assert all(domain.fault(value) is None for value in right)
    assert all(domain.fault(value) for value in wrong)


def test_only_an_optional_measure_may_be_undefined():
    for measure in aw.MEASURES:
        assert (measure.fault(None) is None) == measure.optional

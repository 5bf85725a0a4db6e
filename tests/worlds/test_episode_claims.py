"""An agent's claim about its decision: recorded beside it, never scored, and never a reason to reject it."""

import json
from dataclasses import replace

import pytest

from algoworlds.core.decision import Confidence, IdListShape
from algoworlds.core.interface import Interface
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES, load_family
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import score
from algoworlds.worlds.episode import Episode, StopReason
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance


@pytest.fixture(scope="module", params=["fleet_dispatch", "series_portfolio", "migration_portfolio"])
def admitted(request):
    return certified_instance(request.param, 0, 1)


@pytest.fixture(scope="module")
def world(admitted):
    return build_world(admitted, Interface.DIRECT)


@pytest.fixture(scope="module")
def best(admitted):
    return admitted.family.decision.arguments(admitted.solution.decision)


def submit(world, arguments):
    """An episode whose only call submits `arguments`."""
    return Episode(world, [(world.family.template.decision_tools.submit, json.dumps(arguments))])


@pytest.mark.parametrize(
    ("value", "claim"),
    [
        ("proven", Confidence.PROVEN),
        ("best guess", Confidence.GUESS),
        (None, None),
        ("Proven", Confidence.UNCLEAR),
        ("best_guess", Confidence.UNCLEAR),
        ("unclear", Confidence.UNCLEAR),
        ("", Confidence.UNCLEAR),
        (True, Confidence.UNCLEAR),
        (0, Confidence.UNCLEAR),
        (["proven"], Confidence.UNCLEAR),
        ({"proven": True}, Confidence.UNCLEAR),
    ],
)
def test_any_claim_is_recorded_and_the_decision_binds(world, admitted, best, value, claim):
    episode = submit(world, best | {"claim": value})
    assert (episode.stop, episode.decision) == (StopReason.SUBMITTED, admitted.solution.decision)
    assert episode.claim is claim
    answer = json.loads(episode.observations[0].text)
    assert answer == {"submitted": True} | ({"claim": "not understood, counts as none"} if claim is Confidence.UNCLEAR else {})


def test_claim_changes_no_measure(world, admitted, best):
    key = AnswerKey.from_admitted(admitted, world)
    unclaimed, wrong = submit(world, best), admitted.family.decision.arguments(admitted.reference)
    assert unclaimed.claim is None
    for value in ("proven", "best guess", "certainly"):
        assert score(submit(world, best | {"claim": value}), key) == score(unclaimed, key)
        assert score(submit(world, wrong | {"claim": value}), key) == score(submit(world, wrong), key)


def test_claim_does_not_rescue_a_malformed_decision(world, best):
    name = next(iter(best))
    for arguments in (
        {"claim": "proven"},
        best | {"claim": "proven", "more": 1},
        best | {name: 1, "claim": "proven"},
        "proven",
    ):
        episode = submit(world, arguments)
        assert (episode.observations[0].status, episode.claim) == (Status.MALFORMED_DECISION, None)
    episode.call(world.family.template.decision_tools.submit, best | {"claim": "best guess"})
    assert (episode.stop, episode.claim) == (StopReason.SUBMITTED, Confidence.GUESS)


def test_evaluation_takes_no_claim(world, best):
    closing = world.family.template.decision_tools
    episode = Episode(world, [(closing.evaluate, json.dumps(best | {"claim": "proven"}))])
    assert (episode.observations[0].status, episode.evaluated) == (Status.MALFORMED_DECISION, False)


@pytest.mark.parametrize("name", FAMILIES)
def test_schema_offers_an_optional_claim(name):
    family = load_family(name)
    schemas = {tool["name"]: tool["parameters"] for tool in build_world(certified_instance(name, 0, 1), Interface.DIRECT).tools}
    decision, submit = schemas[family.template.decision_tools.evaluate], schemas[family.template.decision_tools.submit]
    assert decision == family.decision.schema()
    assert submit["properties"].pop("claim")["enum"] == ["proven", "best guess"]
    assert submit == decision


def test_decision_argument_cannot_be_named_claim():
    series = load_family("series_portfolio")
    with pytest.raises(DeclarationError, match="a decision must not have an argument 'claim'"):
        replace(series, template=replace(series.template, decision=IdListShape("claim", "lot")))

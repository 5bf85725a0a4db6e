"""What an agent says of its own decision: taken beside the decision, never scored, and never the reason why one is lost."""

import json
from dataclasses import replace

import pytest

from algoworlds.core.decision import Assurance, Listed
from algoworlds.core.interface import Interface
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES, family
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import score
from algoworlds.worlds.episode import Episode, Stop
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import build
from tests.certified import certified


@pytest.fixture(scope="module", params=["fleet_dispatch", "series_portfolio", "migration_portfolio"])
def admitted(request):
    return certified(request.param, 0, 1)


@pytest.fixture(scope="module")
def world(admitted):
    return build(admitted, Interface.DIRECT)


@pytest.fixture(scope="module")
def best(admitted):
    return admitted.family.decision.arguments(admitted.solution.decision)


def submitted(world, arguments):
    return Episode(world, [(world.family.template.closing.submit, json.dumps(arguments))])


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("proven", Assurance.PROVEN),
        ("best guess", Assurance.GUESS),
        (None, None),
        ("Proven", Assurance.UNCLEAR),
        ("best_guess", Assurance.UNCLEAR),
        ("unclear", Assurance.UNCLEAR),
        ("", Assurance.UNCLEAR),
        (True, Assurance.UNCLEAR),
        (0, Assurance.UNCLEAR),
        (["proven"], Assurance.UNCLEAR),
        ({"proven": True}, Assurance.UNCLEAR),
    ],
)
def test_a_claim_is_kept_and_the_decision_binds_whatever_it_is(world, admitted, best, said, claim):
    episode = submitted(world, best | {"claim": said})
    assert (episode.stop, episode.decision) == (Stop.SUBMITTED, admitted.solution.decision)
    assert episode.claim is claim
    answer = json.loads(episode.observations[0].text)
    assert answer == {"submitted": True} | ({"claim": "not understood, counts as none"} if claim is Assurance.UNCLEAR else {})


def test_a_claim_changes_no_measure(world, admitted, best):
    key = Key.of(admitted, world)
    silent, wrong = submitted(world, best), admitted.family.decision.arguments(admitted.reference)
    assert silent.claim is None
    for said in ("proven", "best guess", "certainly"):
        assert score(submitted(world, best | {"claim": said}), key) == score(silent, key)
        assert score(submitted(world, wrong | {"claim": said}), key) == score(submitted(world, wrong), key)


def test_a_malformed_decision_stays_malformed_beside_a_claim(world, best):
    name = next(iter(best))
    for arguments in (
        {"claim": "proven"},
        best | {"claim": "proven", "more": 1},
        best | {name: 1, "claim": "proven"},
        "proven",
    ):
        episode = submitted(world, arguments)
        assert (episode.observations[0].status, episode.claim) == (Status.MALFORMED_DECISION, None)
    episode.call(world.family.template.closing.submit, best | {"claim": "best guess"})
    assert (episode.stop, episode.claim) == (Stop.SUBMITTED, Assurance.GUESS)


def test_an_evaluation_takes_no_claim(world, best):
    closing = world.family.template.closing
    episode = Episode(world, [(closing.evaluate, json.dumps(best | {"claim": "proven"}))])
    assert (episode.observations[0].status, episode.evaluated) == (Status.MALFORMED_DECISION, False)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_schema_offers_both_words_and_asks_for_none(name):
    own = family(name)
    shown = {tool["name"]: tool["parameters"] for tool in build(certified(name, 0, 1), Interface.DIRECT).tools}
    decision, submit = shown[own.template.closing.evaluate], shown[own.template.closing.submit]
    assert decision == own.decision.schema()
    assert submit["properties"].pop("claim")["enum"] == ["proven", "best guess"]
    assert submit == decision


def test_no_decision_has_an_argument_of_that_name():
    series = family("series_portfolio")
    with pytest.raises(DeclarationError, match="a decision has no argument 'claim'"):
        replace(series, template=replace(series.template, decision=Listed("claim", "lot")))

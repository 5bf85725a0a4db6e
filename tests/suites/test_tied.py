"""Suites and streams of tied worlds: built, validated and scored; any optimum counts."""

import json
from dataclasses import replace

import pytest

import algoworlds as aw
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.families.conditions import Conditions
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.judging import judge_evaluation
from algoworlds.suites.build import build_suite, build_tasks, build_worlds
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.ties import MAX_OPTIMA, MIN_OPTIMA
from algoworlds.worlds.world import load_world, parse_world_id
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import rewrite_manifest

SENTENCE = "Several decisions may be equally good; any best one counts."
NAMES = ("fleet_dispatch", "station_siting", "migration_portfolio")


@pytest.fixture(scope="module")
def tied(tmp_path_factory):
    out = tmp_path_factory.mktemp("tied") / "suite"
    build_suite(SuiteSpec("part", "test seed", NAMES, (0,), 1, tied=True), out, None, silent)
    return out


def scoring_files(directory):
    return sorted(directory.glob("worlds/*/sealed/scoring.json"))


def submit(play, decision):
    family = play.episode.world.family
    return play.call(family.template.submit, family.decision.arguments(decision))


def test_every_claim_holds_for_a_tied_suite(tied):
    assert validate_suite(tied, None, silent).failures == []


@pytest.mark.full
def test_every_claim_holds_for_tied_worlds_of_all_families(tmp_path):
    build_suite(SuiteSpec("part", "another seed", tuple(FAMILIES), (1,), 2, tied=True), tmp_path / "suite", None, silent)
    assert validate_suite(tmp_path / "suite", None, silent).failures == []


def test_any_optimum_scores_and_is_justified_after_a_plan(tied):
    suite = open_suite(tied)
    for entry in suite.manifest.worlds:
        key = suite.key(entry)
        assert MIN_OPTIMA <= len(key.optima) <= MAX_OPTIMA
        for decision in key.optima:
            play = suite.play(entry.id)
            for call in play.episode.world.safe_plan:
                play.call(*call)
            submit(play, decision)
            assert play.score()["exact"] == 1
            judged = judge_evaluation(Hindsight.from_episode(play.episode, key))
            assert (judged["knowledge"], judged["footing"]) == ("determined", "justified")


def test_an_optimum_without_information_is_luck(tied):
    suite = open_suite(tied)
    for entry in suite.manifest.worlds:
        play, key = suite.play(entry.id), suite.key(entry)
        submit(play, key.optima[-1])
        judged = judge_evaluation(Hindsight.from_episode(play.episode, key))
        assert (judged["knowledge"], judged["footing"]) == ("not determined", "lucky")


def test_only_tied_worlds_name_their_ties(tied, built):
    for path in scoring_files(tied):
        scoring = json.loads(path.read_text())
        assert scoring["decision"] == scoring["optima"][0]
    assert all("optima" not in json.loads(path.read_text()) for path in scoring_files(built))
    questions = [path.read_text() for path in tied.glob("worlds/*/question.json")]
    assert all(text.count(SENTENCE) == 1 for text in questions)
    assert not any(SENTENCE in path.read_text() for path in built.glob("worlds/*/question.json"))
    assert all("-tied-" in path.parent.name for path in tied.glob("worlds/*/README.md"))


@pytest.mark.parametrize("alter", ["fewer", "more", "order"])
def test_a_wrong_list_of_optima_fails_validation(tied, tmp_path, alter):
    out = tmp_path / "suite"
    build_suite(SuiteSpec("part", "test seed", NAMES[:1], (0,), 1, tied=True), out, None, silent)
    for path in scoring_files(out):
        scoring = json.loads(path.read_text())
        optima = scoring["optima"]
        scoring["optima"] = {
            "fewer": optima[:-1],
            "more": [*optima, scoring["reference"]],
            "order": [optima[0], *optima[:0:-1], optima[1]],
        }[alter]
        path.write_text(json.dumps(scoring, sort_keys=True, separators=(",", ":")) + "\n")
    rewrite_manifest(out)
    failures = validate_suite(out, None, silent).failures
    assert any("Optimum agreement" in failure for failure in failures), failures


def test_a_tied_world_has_an_id_that_is_read_back(tied):
    world = load_world("fleet_dispatch-0-1-tied-direct")
    assert world.id == "fleet_dispatch-0-1-tied-direct"
    assert parse_world_id(world.id) == (Coordinate("fleet_dispatch", 0, 1, tied=True), Interface.DIRECT)
    clear = load_world("fleet_dispatch-0-1-direct")
    assert (world.prices, world.tools, world.budget) == (clear.prices, clear.tools, clear.budget)


def test_a_stream_of_tied_worlds():
    tied, plain = (aw.stream(7, "fleet_dispatch", tied=is_tied) for is_tied in (True, False))
    assert "-tied-" in tied[0].id
    assert tied[0].id.replace("-tied", "") == plain[0].id
    play = tied[0].play()
    submit(play, tied[0].key.optima[-1])
    assert play.score()["exact"] == 1
    assert play.park().resume().score()["exact"] == 1


def test_ties_are_refused_where_they_cannot_be():
    with pytest.raises(InputError, match="tied worlds have no condition"):
        Coordinate("fleet_dispatch", 1, 1, tied=True, condition="noisy")
    with pytest.raises(InputError, match="tied worlds have no condition"):
        aw.stream(7, "fleet_dispatch", conditions="noisy", tied=True)
    with pytest.raises(InputError, match="leave out --certificates or --tied"):
        SuiteSpec("part", "test seed", NAMES, (0,), 1, tied=True, certificates=True)


def test_a_family_without_measured_numbers_has_no_ties(monkeypatch):
    family = FAMILIES["fleet_dispatch"]
    monkeypatch.setitem(FAMILIES, family.name, replace(family, conditions=Conditions()))
    with pytest.raises(InputError, match=r"add Family\(conditions=Conditions\(measured=...\)\) to plant ties"):
        Coordinate(family.name, 1, 1, tied=True)


def test_the_plain_suite_has_no_word_of_ties():
    spec = SuiteSpec("part", "test seed", NAMES[:1], (0,), 1)
    assert "tied" not in spec.json
    assert SuiteSpec.from_json(spec.json) == spec
    tied = SuiteSpec("part", "test seed", NAMES[:1], (0,), 1, tied=True)
    assert SuiteSpec.from_json(tied.json) == tied
    (task,) = build_tasks(tied)
    assert all("tied" in entry.id for entry, _ in build_worlds(task))


def test_a_run_on_a_tied_suite_is_judged_and_read(tied, tmp_path):
    """Judgements on tied worlds are consistent for reports, where only the optimum that was not submitted is known, too."""
    for arguments in (("run", tied, "--agent", "certifier", "--out", tmp_path), ("judge", tmp_path)):
        assert run_here(*arguments).returncode == 0
    rows = aw.read_run(tmp_path)
    assert {row["exact"] for row in rows} == {1}

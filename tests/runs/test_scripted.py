"""Scripted agents: floor and ceiling, the same in every interface, and scored without solving (E1, E2, E3)."""

import json
from collections import Counter
from functools import cache

import pytest

from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import rescore_run, verify_run
from algoworlds.runs.schedule import Experiment, WorldFilter
from algoworlds.runs.scripted import agent_label, agent_settings, find_agent, run_scripted_agent
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import PlayerKind
from algoworlds.suites.suite import SuiteSpec
from tests.command import run
from tests.runs.model_runs import record_bytes
from tests.silence import silent


def run_agent(suite, out, name, trials=1, worlds="*", executor=None):
    experiment = Experiment.from_suite(
        agent_label(name), PlayerKind.AGENT, agent_settings(name), suite, WorldFilter(worlds).select(suite), trials
    )
    directory = RunDirectory(out)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
        run_scripted_agent(directory, suite, name, executor, silent)
        directory.write_manifest()
    return list(directory.read_records())


@pytest.fixture(scope="module")
def all_families(tmp_path_factory):
    """One small instance of every family."""
    out = tmp_path_factory.mktemp("scripted") / "suite"
    build_suite(SuiteSpec("part", "scripted agents", tuple(FAMILIES), (0,), 1), out, None, silent)
    return open_suite(out)


WORLDS = {"thrifty": "s*", "certifier": "s*"}
"""The agents that ask the oracle play three families here; test_seeking.py lets them play all."""


@pytest.fixture(scope="module")
def run_of(all_families, tmp_path_factory):
    """The run of an agent, played once."""
    folder = tmp_path_factory.mktemp("agents")

    @cache
    def play(name):
        run_agent(all_families, folder / name, name, worlds=WORLDS.get(name, "*"))
        return RunDirectory(folder / name)

    return play


@pytest.mark.parametrize("name", AGENTS)
def test_agent_has_expected_score_in_every_world(run_of, name):
    documents = list(run_of(name).read_records())
    count = 3 if name in WORLDS else len(FAMILIES)
    assert Counter(document["interface"] for document in documents) == {"direct": count, "mediated": count}
    for document in documents:
        fields = ("exact", "feasible", "sufficiency", "utility", "outcome", "stop_reason")
        if name == "null":
            assert {document[field] for field in fields} == {0, "no_decision", "text_end"}
        else:
            assert (document["feasible"], document["grounding"]) == (1, 1.0)
            assert document["spend"] <= document["budget"]
            assert "claim" in document or (document["sufficiency"], document["coverage"]) == (1, 1.0)
            assert "claim" in document or document["sufficient_at"] == document["executed_calls"]
            assert sum(document["parts"].values()) == document["objective"]
            assert sum(document["optimal_parts"].values()) == document["optimum"]
        if name == "certifier":
            assert document["claim"] == "proven"
        if name in ("oracle", "certifier"):
            assert (document["exact"], document["utility"], document["gap"], document["regret"]) == (1, 100.0, 0, 0.0)
            assert document["decision"] == document["optimal_decision"]
        if name == "greedy":
            assert (document["exact"], document["utility"], document["regret"]) == (0, 0.0, 1.0)
    pairs = [[document[name] for name in ("objective", "spend", "executed_calls")] for document in documents]
    assert pairs[::2] == pairs[1::2] or name == "random", "direct and mediated worlds of an instance give the same play"


@pytest.mark.parametrize("name", [pytest.param(agent, marks=pytest.mark.full if agent in WORLDS else ()) for agent in AGENTS])
def test_run_verifies_when_its_agent_plays_again(all_families, run_of, name):
    """The slow agents only in the full tests."""
    assert verify_run(run_of(name), all_families, None, silent) == []


def test_random_agent_differs_by_trial_not_by_run(all_families, tmp_path):
    once = run_agent(all_families, tmp_path / "a", "random", trials=3, worlds="fleet*")
    again = run_agent(all_families, tmp_path / "b", "random", trials=3, worlds="fleet*")
    assert once == again
    assert len({json.dumps(record["decision"]) for record in once}) > 1


def test_replay_repeats_a_run_exactly(all_families, run_of, tmp_path):
    first = run_of("greedy").read_records()
    second = run_agent(all_families, tmp_path / "again", f"replay:{run_of('greedy').path}")
    assert {record["configuration"] for record in second} == {"replay of greedy"}
    assert list(map(without_owner, first)) == list(map(without_owner, second))


def without_owner(record):
    return {name: value for name, value in record.items() if name not in ("configuration", "identity")}


def test_evaluation_never_solves(all_families, run_of, tmp_path, monkeypatch):
    """Every solver raises, and still a recorded run is replayed, scored, verified and rescored from the bundles.

    The replay is verified, not the oracle's run: checking that an oracle played needs the solver.
    """
    run = run_of("oracle")

    def refuse(*arguments):
        raise AssertionError("evaluation must not solve")

    for family in FAMILIES.values():
        for part in ("solve", "verify"):
            monkeypatch.setitem(family.__dict__, part, refuse)
            with pytest.raises(AssertionError):
                getattr(family, part)(None)
    documents = run_agent(all_families, tmp_path / "again", f"replay:{run.path}")
    assert all(document["exact"] for document in documents)
    assert verify_run(RunDirectory(tmp_path / "again"), all_families, None, silent) == []
    assert not any(record.changes for record in rescore_run(run, all_families, None, silent))


def test_interrupted_run_resumes_without_repeating(all_families, run_of, tmp_path):
    class Stop(Exception):
        pass

    worlds = WorldFilter().select(all_families)
    experiment = Experiment.from_suite("greedy", PlayerKind.AGENT, {"agent": "greedy"}, all_families, worlds, 1)
    out = tmp_path / "run"
    directory, seen = RunDirectory(out), []

    def stop_at_seventh(document):
        seen.append(document["world"])
        if len(seen) == 7:
            raise Stop

    with directory.lock():
        directory.create_or_resume(experiment, all_families.directory)
        with pytest.raises(Stop):
            run_scripted_agent(directory, all_families, "greedy", None, stop_at_seventh)
        before = record_bytes(out)
        run_scripted_agent(directory, all_families, "greedy", None, lambda document: seen.append(document["world"]))
    assert len(seen) == len(set(seen)) == 20
    assert before.items() <= record_bytes(out).items()
    assert record_bytes(out) == record_bytes(run_of("greedy").path)


def test_error_in_an_agent_is_quarantined_and_others_play(all_families, tmp_path, monkeypatch):
    def fail_sometimes(episode, stream):
        if episode.world.id.startswith("fleet"):
            raise RuntimeError("a slip of ours")

    monkeypatch.setitem(AGENTS, "null", fail_sometimes)
    with pytest.raises(AlgoWorldsError, match=r"^2 evaluations failed by an error of ours: see .*quarantine$"):
        run_agent(all_families, tmp_path / "run", "null")
    quarantined = {path.stem: path.read_text() for path in (tmp_path / "run" / "quarantine").iterdir()}
    assert len(record_bytes(tmp_path / "run")) == 18
    assert all(name.startswith("fleet") and "a slip of ours" in text for name, text in quarantined.items())
    monkeypatch.undo()
    assert len(run_agent(all_families, tmp_path / "run", "null")) == 20


@pytest.mark.parametrize("name", ["stranger", "replay:/nowhere", ""])
def test_rejects_unknown_agent(name):
    with pytest.raises(InputError):
        find_agent(name)


@pytest.mark.full
def test_panel_on_the_default_suite(tmp_path):
    """On all 240 worlds, the ceiling is exact everywhere and the floor nowhere, in both interfaces."""
    assert run("build", "--out", tmp_path / "suite", "--jobs", 2).returncode == 0
    for name in AGENTS:
        options = ("--suite", tmp_path / "suite", "--agent", name, "--trials", 1, "--out", tmp_path / name, "--concurrency", 2)
        assert run("run", *options).returncode == 0
        documents = list(RunDirectory(tmp_path / name).read_records())
        exact = Counter(document["interface"] for document in documents if document["exact"])
        assert len(documents) == 240
        if name in ("oracle", "certifier"):
            assert exact == Counter(direct=120, mediated=120)
        elif name != "thrifty":
            assert exact.total() <= 2
        if name != "null":
            assert all(document["feasible"] and (document["sufficiency"] or "claim" in document) for document in documents)
        if name in ("null", "greedy"):
            assert exact.total() == sum(document["utility"] for document in documents) == 0

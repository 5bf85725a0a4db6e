"""Scripted agents: floor and ceiling, the same in every interface, and scored without solving anything (E1, E2, E3)."""

import json
from collections import Counter
from functools import cache

import pytest

from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import rescore_run, verify_run
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import agent_named, label_of, run_agent, settings_of
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import open_suite
from algoworlds.suites.record import Kind
from algoworlds.suites.suite import Suite
from tests.command import run
from tests.runs.play import records
from tests.silence import silent


def agent_run(suite, out, name, trials=1, worlds="*", executor=None):
    experiment = Experiment.of(label_of(name), Kind.AGENT, settings_of(name), suite, Wanted(worlds).of(suite), trials)
    directory = RunDirectory(out)
    with directory.locked():
        directory.begin(experiment, suite.directory)
        run_agent(directory, suite, name, executor, silent)
        directory.seal()
    return list(directory.records())


@pytest.fixture(scope="module")
def all_families(tmp_path_factory):
    """One small instance of every family."""
    out = tmp_path_factory.mktemp("scripted") / "suite"
    build_suite(Suite("part", "scripted agents", tuple(FAMILIES), (0,), 1), out, None, silent)
    return open_suite(out)


@pytest.fixture(scope="module")
def run_of(all_families, tmp_path_factory):
    """Where the run of an agent on all worlds lies, played once."""
    place = tmp_path_factory.mktemp("agents")

    @cache
    def made(name):
        agent_run(all_families, place / name, name)
        return RunDirectory(place / name)

    return made


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_scores_what_it_must_in_every_world(run_of, name):
    documents = list(run_of(name).records())
    assert Counter(each["interface"] for each in documents) == {"direct": 10, "mediated": 10}
    for each in documents:
        told = {key: each[key] for key in ("exact", "feasible", "sufficiency", "utility", "outcome", "stop_reason")}
        if name == "null":
            assert set(told.values()) == {0, "no_decision", "text_end"}
        else:
            assert (each["feasible"], each["grounding"]) == (1, 1.0)
            assert each["spend"] <= each["budget"]
            assert "claim" in each or (each["sufficiency"], each["coverage"]) == (1, 1.0)
            assert "claim" in each or each["sufficient_at"] == each["executed_calls"]
            assert sum(each["parts"].values()) == each["objective"]
            assert sum(each["optimal_parts"].values()) == each["optimum"]
        if name == "certifier":
            assert each["claim"] == "proven"
        if name in ("oracle", "certifier"):
            assert (each["exact"], each["utility"], each["gap"], each["regret"]) == (1, 100.0, 0, 0.0)
            assert each["decision"] == each["optimal_decision"]
        if name == "greedy":
            assert (each["exact"], each["utility"], each["regret"]) == (0, 0.0, 1.0)
    pairs = [[each[name] for name in ("objective", "spend", "executed_calls")] for each in documents]
    assert pairs[::2] == pairs[1::2] or name == "random", "direct and mediated worlds of an instance play alike"


THINKING = ("thrifty", "certifier")


@pytest.mark.parametrize("name", [pytest.param(each, marks=pytest.mark.full if each in THINKING else ()) for each in AGENTS])
def test_a_run_verifies_for_which_its_agent_plays_again(all_families, run_of, name):
    """In the full tests also those that think long."""
    assert verify_run(run_of(name), all_families, None, silent) == []


def test_random_differs_by_trial_and_repeats_by_run(all_families, tmp_path):
    once = agent_run(all_families, tmp_path / "a", "random", trials=3, worlds="fleet*")
    again = agent_run(all_families, tmp_path / "b", "random", trials=3, worlds="fleet*")
    assert once == again
    assert len({json.dumps(each["decision"]) for each in once}) > 1


def test_replay_repeats_a_run_to_the_byte(all_families, run_of, tmp_path):
    first = run_of("greedy").records()
    second = agent_run(all_families, tmp_path / "again", f"replay:{run_of('greedy').path}")
    assert {each["configuration"] for each in second} == {"replay of greedy"}
    apart = {"configuration", "identity"}
    assert [{k: v for k, v in each.items() if k not in apart} for each in first] == [
        {k: v for k, v in each.items() if k not in apart} for each in second
    ]


def test_evaluation_never_solves(all_families, run_of, tmp_path, monkeypatch):
    """Every solver raises, and still a recorded run is replayed, scored, verified and rescored from the bundles.

    What is verified is the replay: whether an oracle's run is an oracle's, only an oracle can tell.
    """
    run = run_of("oracle")

    def forbidden(*arguments):
        raise AssertionError("evaluation must not solve")

    for family in FAMILIES.values():
        for part in ("solve", "verify"):
            monkeypatch.setitem(family.__dict__, part, forbidden)
            with pytest.raises(AssertionError):
                getattr(family, part)(None)
    documents = agent_run(all_families, tmp_path / "again", f"replay:{run.path}")
    assert all(each["exact"] for each in documents)
    assert verify_run(RunDirectory(tmp_path / "again"), all_families, None, silent) == []
    assert not any(each.changes for each in rescore_run(run, all_families, None, silent))


def test_an_interrupted_run_goes_on_without_repeating(all_families, run_of, tmp_path):
    class Stop(Exception):
        pass

    out, experiment = (
        tmp_path / "run",
        Experiment.of("greedy", Kind.AGENT, {"agent": "greedy"}, all_families, Wanted().of(all_families), 1),
    )
    directory, seen = RunDirectory(out), []

    def stopping(document):
        seen.append(document["world"])
        if len(seen) == 7:
            raise Stop

    with directory.locked():
        directory.begin(experiment, all_families.directory)
        with pytest.raises(Stop):
            run_agent(directory, all_families, "greedy", None, stopping)
        before = records(out)
        run_agent(directory, all_families, "greedy", None, lambda document: seen.append(document["world"]))
    assert len(seen) == len(set(seen)) == 20
    assert before.items() <= records(out).items()
    assert records(out) == records(run_of("greedy").path)


def test_an_error_in_an_agent_is_set_apart_and_the_others_are_played(all_families, tmp_path, monkeypatch):
    def sometimes(episode, stream):
        if episode.world.id.startswith("fleet"):
            raise RuntimeError("a slip of ours")

    monkeypatch.setitem(AGENTS, "null", sometimes)
    with pytest.raises(AlgoWorldsError, match=r"^2 evaluations failed by an error of ours: see .*quarantine$"):
        agent_run(all_families, tmp_path / "run", "null")
    apart = {path.stem: path.read_text() for path in (tmp_path / "run" / "quarantine").iterdir()}
    assert len(records(tmp_path / "run")) == 18
    assert all(name.startswith("fleet") and "a slip of ours" in text for name, text in apart.items())
    monkeypatch.undo()
    assert len(agent_run(all_families, tmp_path / "run", "null")) == 20


@pytest.mark.parametrize("name", ["nobody", "replay:/nowhere", ""])
def test_an_unknown_agent_is_refused(name):
    with pytest.raises(InputError):
        agent_named(name)


@pytest.mark.full
def test_the_panel_on_the_default_suite(tmp_path):
    """The 240 worlds, one trial each: the ceiling is exact everywhere, the floor nowhere, in both interfaces alike."""
    assert run("build", "--out", tmp_path / "suite", "--jobs", 2).returncode == 0
    for name in AGENTS:
        order = ("--suite", tmp_path / "suite", "--agent", name, "--trials", 1, "--out", tmp_path / name, "--concurrency", 2)
        assert run("run", *order).returncode == 0
        documents = list(RunDirectory(tmp_path / name).records())
        exact = Counter(each["interface"] for each in documents if each["exact"])
        assert len(documents) == 240
        if name in ("oracle", "certifier"):
            assert exact == Counter(direct=120, mediated=120)
        elif name != "thrifty":
            assert exact.total() <= 2
        if name != "null":
            assert all(each["feasible"] and (each["sufficiency"] or "claim" in each) for each in documents)
        if name in ("null", "greedy"):
            assert exact.total() == sum(each["utility"] for each in documents) == 0

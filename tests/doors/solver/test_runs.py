"""Runs on the tracks with a solver: scripted agents are exact, and every reply of the solver is checked."""

import json
import shutil
from io import StringIO

import pytest
from rich.console import Console

from algoworlds.cli.demo import DEMO_WORLD
from algoworlds.cli.demo_sections import print_world_pair
from algoworlds.game.nicknames import Nicknames
from algoworlds.runs.agents.programming import TRACK_OF_AGENT
from algoworlds.runs.directory import RunDirectory
from algoworlds.worlds.admission import admit
from algoworlds.worlds.world import parse_world_id
from tests.command import run_here


@pytest.fixture(scope="module")
def runs(suite, tmp_path_factory):
    """A run of each scripted agent, as paths by name; the modeller plays one family, whose models are solved at once."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("modeller", "clerk", "gatherer"):
        options = ("--families", "fleet_dispatch") if agent == "modeller" else ()
        command = ("run", suite.directory, "--agent", agent, "--track", TRACK_OF_AGENT[agent], "--trials", 1, *options)
        result = run_here(*command, "--out", folder / agent)
        assert result.returncode == 0, result.stderr
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("agent", ["modeller", "clerk", "gatherer"])
def test_scripted_agents_are_exact_and_verified(runs, agent):
    records = list(RunDirectory(runs[agent]).read_records())
    assert len(records) == (2 if agent == "modeller" else 20)
    assert {record["exact"] for record in records} == {1}
    assert all(0 < record["computed"] < 200_000 for record in records)
    assert {record.get("misread") for record in records} == {0 if agent == "clerk" else None}
    result = run_here("verify-run", runs[agent])
    assert result.returncode == 0, result.stderr


def test_the_plan_names_the_solver(runs):
    for run in runs.values():
        assert RunDirectory(run).document["plan"]["track"]["ortools"].startswith("9.15.")


def edit(run, change):
    """Change the first reply in the first record of a run, and give it a manifest that fits."""
    path = sorted((run / "records").iterdir())[0]
    record = json.loads(path.read_text())
    change(next(step for step in record["trajectory"] if "computed" in step)["computed"]["asked"][0])
    path.write_text(json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n")
    (run / "manifest.json").write_bytes(RunDirectory(run).manifest_bytes())


CHANGES = {
    "objective": (lambda asked: asked["reply"]["answer"].update(objective=1), "the recorded solution of call"),
    "values": (lambda asked: asked["reply"]["answer"]["values"].reverse(), "the recorded solution of call"),
    "status": (lambda asked: asked["reply"]["answer"].update(status="INFEASIBLE"), "does not fit its values"),
    "charge": (lambda asked: asked.update(units=1), "does not fit its work"),
    "form": (lambda asked: asked["reply"]["answer"].pop("work"), "has not the form of one"),
    "digest": (lambda asked: asked.update(digest="0" * 64), "asks something else than recorded"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_h6_verify_run_finds_a_changed_reply_of_the_solver(runs, name, tmp_path):
    change, words = CHANGES[name]
    shutil.copytree(runs["modeller"], tmp_path / "run")
    edit(tmp_path / "run", change)
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert words in result.stderr


def test_h6_verify_run_finds_a_changed_reply_of_optimum(runs, tmp_path):
    shutil.copytree(runs["gatherer"], tmp_path / "run")
    edit(tmp_path / "run", lambda asked: asked["reply"]["answer"].update(value=1))
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert "gets another reply than recorded to question 1" in result.stderr


def test_h6_verify_run_finds_a_changed_count_of_misread_cells(runs, tmp_path):
    shutil.copytree(runs["clerk"], tmp_path / "run")
    path = sorted((tmp_path / "run" / "records").iterdir())[0]
    path.write_text(path.read_text().replace('"misread":0', '"misread":1'))
    (tmp_path / "run" / "manifest.json").write_bytes(RunDirectory(tmp_path / "run").manifest_bytes())
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert "misread cells" in result.stderr


def test_the_full_demo_shows_one_world_on_three_tracks():
    console = Console(width=100, record=True, file=StringIO())
    admitted = admit(parse_world_id(DEMO_WORLD)[0])
    document = print_world_pair(console, admitted, Nicknames())
    results = {result["track"]: (result["agent"], result["programs"], result["exact"]) for result in document["tracks"]}
    assert results == {"bare": ("greedy", 0, 0), "code": ("coder", 1, 1), "facts": ("gatherer", 1, 1)}
    assert len({(result["executed_calls"], result["spend"]) for result in document["tracks"]}) == 1
    assert "The same world on three tracks" in console.export_text()

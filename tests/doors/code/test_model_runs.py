"""A model over HTTP that runs programs: results are on disk before it sees them, and no resume runs a program twice."""

import json
import shutil

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import encode_line, read_journal
from algoworlds.runs.schedule import Slot
from algoworlds.tracks import workers
from algoworlds.worlds.episode import Episode
from tests.command import run_here
from tests.runs.model_runs import run_model
from tests.runs.server import Server, model_that_calls
from tests.runs.test_durability import assert_kills_change_nothing

PROGRAMS = {
    "code": ["print(len(answers))", "1 / 0", "print(task['offset'])"],
    "calls": ["print(call('read_job', {'job': task['job'][0]}))", "[call('read_job', {'job': j}) for j in task['job'][:3]]"],
}


@pytest.fixture
def program_runs(monkeypatch):
    """The programs that were run, in order."""
    runs, run_in_worker = [], workers.run_in_worker

    def count(program, *rest):
        runs.append(program.text)
        return run_in_worker(program, *rest)

    monkeypatch.setattr(workers, "run_in_worker", count)
    return runs


def play(suite, out, world, server):
    run_model(suite, out, server.configuration("chat"), server.environment, worlds=world)


@pytest.mark.parametrize("track", PROGRAMS)
def test_h5_every_interruption_ends_in_the_same_record_and_runs_no_program_twice(suite, world, track, tmp_path, program_runs):
    assisted, run, slot = suite.on_track(track), tmp_path / "run", Slot(world, 1)
    first = ("read_job", json.dumps({"job": assisted.world(assisted.entry(world)).public["job"][0]}))
    calls = [first, *(("python", json.dumps({"program": program})) for program in PROGRAMS[track])]
    with Server(model_that_calls(calls)) as server:
        play(assisted, run, world, server)
        assert program_runs == PROGRAMS[track]
        directory = RunDirectory(run)
        record, path = directory.read_record(slot), run / "journal" / f"{slot.name}.jsonl"
        lines, _ = read_journal(path)
        assert [line["turn"] for line in lines if "computed" in line] == [2, 3, 4][: len(PROGRAMS[track])]
        for kept in range(1, len(lines)):
            again = tmp_path / f"run-{kept}"
            shutil.copytree(run, again)
            (again / "records" / f"{slot.name}.json").unlink()
            (again / "manifest.json").unlink()
            (again / "journal" / f"{slot.name}.jsonl").write_bytes(b"".join(map(encode_line, lines[:kept])))
            program_runs.clear()
            play(assisted, again, world, server)
            known = sum("computed" in line for line in lines[:kept])
            assert program_runs == PROGRAMS[track][known:]
            assert RunDirectory(again).read_record(slot) == record
            assert read_journal(again / "journal" / f"{slot.name}.jsonl")[0][: len(lines)] == lines
    program_runs.clear()
    assert run_here("verify-run", run, "--suite", suite.directory).returncode == 0
    assert program_runs == PROGRAMS[track]


@pytest.mark.parametrize(
    ("track", "step"), [("calls", 13), *(pytest.param(track, 1, marks=pytest.mark.full) for track in PROGRAMS)]
)
def test_h5_run_that_is_killed_at_any_durable_operation_resumes_to_the_same_bytes(suite, track, tmp_path, step):
    """At every thirteenth operation; in the full tests at every one."""
    calls = [("python", json.dumps({"program": program})) for program in PROGRAMS[track]]
    with Server(model_that_calls(calls)) as server:
        configuration, assisted = server.configuration("chat"), suite.on_track(track)
        run_model(assisted, tmp_path / "undisturbed", configuration, server.environment, worlds="fleet*-direct")
        assert_kills_change_nothing(assisted, tmp_path, configuration, step)


def test_the_model_sees_the_answer_and_the_tool(suite, world, tmp_path):
    assisted = suite.on_track("code")
    with Server(model_that_calls([("python", '{"program": "print(6 * 7)"}')])) as server:
        play(assisted, tmp_path / "run", world, server)
        bodies = [request.json for request in server.requests]
    assert bodies[0]["tools"][-1]["function"]["name"] == "python"
    assert "\nComputing\n" in bodies[0]["messages"][-1]["content"]
    episode = Episode(assisted.world(assisted.entry(world)))
    assert bodies[1]["messages"][-1]["content"] == episode.call("python", {"program": "print(6 * 7)"}).text


def test_h2_fault_of_the_sandbox_leaves_the_evaluation_pending(suite, world, tmp_path, monkeypatch):
    def fail(*arguments):
        raise workers.SandboxFault("a program could not be run, twice: its worker process ended with exit code -9")

    monkeypatch.setattr(workers, "run_in_worker", fail)
    with Server(model_that_calls([("python", '{"program": "print(1)"}')])) as server:
        play(suite.on_track("code"), tmp_path / "run", world, server)
    directory = RunDirectory(tmp_path / "run")
    assert directory.finished_slots == set()
    (report,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "a program could not be run, twice" in report.read_text()

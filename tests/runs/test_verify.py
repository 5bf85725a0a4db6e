"""Verification of runs: records that are exchanged, edited, damaged or cannot be replayed are detected."""

import json
import shutil

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.errors import InputError
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page import PAGE_FILE
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, WorldFilter, differences
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.runs.status import integrity_problems
from algoworlds.suites.record import PlayerKind
from tests.command import run_here
from tests.odd import ODD, put, without_waiting
from tests.runs.model_runs import optimal_model, run_model, solution_calls
from tests.runs.wire import Reply
from tests.silence import silent

WORLDS = "fleet*"


@pytest.fixture(scope="module")
def agents(suite, tmp_path_factory):
    """Finished runs of two agents."""
    root = tmp_path_factory.mktemp("agents")
    for name in ("greedy", "oracle"):
        run = RunDirectory(root / name)
        with run.lock():
            run.create_or_resume(
                Experiment.from_suite(name, PlayerKind.AGENT, {"agent": name}, suite, WorldFilter(WORLDS).select(suite), 1),
                suite.directory,
            )
            run_scripted_agent(run, suite, name, None, silent)
            run.write_manifest()
    return root


@pytest.fixture
def greedy(agents, tmp_path):
    """A copy of the greedy run, to be damaged."""
    shutil.copytree(agents / "greedy", tmp_path / "greedy")
    return RunDirectory(tmp_path / "greedy")


@pytest.fixture(scope="module")
def model_template(one_server, suite, tmp_path_factory):
    """A finished run of a model on one world."""
    one_server.script, one_server.plan = optimal_model(suite), {}
    out = tmp_path_factory.mktemp("model") / "run"
    run_model(suite, out, one_server.configuration("chat"), one_server.environment, worlds="fleet*-direct")
    return out


@pytest.fixture
def model(model_template, tmp_path):
    """A copy of the model's run, to be damaged."""
    return shutil.copytree(model_template, tmp_path / "run")


def rewrite_manifest(directory):
    (directory.path / "manifest.json").unlink()
    RunDirectory(directory.path).write_manifest()


def test_sound_run_has_no_problems(agents, suite):
    for name in ("greedy", "oracle"):
        run = RunDirectory(agents / name)
        assert integrity_problems(run) == integrity_problems(run, list(run.read_records())) == []
        assert verify_run(run, suite, None, silent) == []


def test_detects_record_of_another_agent_by_playing_again(agents, greedy, suite):
    """The oracle's calls under greedy's name and identity, with a fitting manifest."""
    for path in (greedy.path / "records").iterdir():
        own, other = json.loads(path.read_text()), json.loads((agents / "oracle" / "records" / path.name).read_text())
        path.write_text(canonical_json(other | {name: own[name] for name in ("identity", "configuration")}) + "\n")
    rewrite_manifest(greedy)
    assert integrity_problems(greedy) == []
    problems = verify_run(greedy, suite, None, silent)
    assert len(problems) == len(greedy.schedule)
    assert all("its calls are not those that greedy makes" in problem for problem in problems)


def test_detects_record_of_another_run_with_fitting_manifest(agents, greedy):
    """Same world, trial and label, but another identity: a report must not count it."""
    path = next((greedy.path / "records").iterdir())
    foreign = json.loads((agents / "oracle" / "records" / path.name).read_text()) | {"configuration": "greedy"}
    path.write_text(canonical_json(foreign) + "\n")
    rewrite_manifest(greedy)
    assert integrity_problems(greedy) == [f"records/{path.name}: belongs to another run or evaluation, by its identity"]
    assert integrity_problems(greedy, list(greedy.read_records())) == integrity_problems(greedy)


def test_lists_missing_edited_and_foreign_records(greedy):
    one, other = sorted((greedy.path / "records").iterdir())
    one.write_text(one.read_text().replace('"utility":0.0', '"utility":9.0'))
    assert integrity_problems(greedy) == ["manifest.json: does not fit the records"]
    shutil.copy(other, greedy.path / "records" / "more--1.json")
    other.unlink()
    missing, more = f"records/{other.name}: no finalized record", "records/more--1.json: not scheduled"
    assert integrity_problems(greedy) == [missing, more]
    shutil.rmtree(greedy.path / "records")
    assert integrity_problems(greedy) == [f"records/{slot.name}.json: no finalized record" for slot in greedy.schedule]


@pytest.mark.parametrize("file", ["records", "journal", "run.json", "manifest.json", "attempts.jsonl"])
def test_flipped_bit_is_a_one_line_problem(model, suite, file):
    """The high bit makes invalid UTF-8."""
    path = next((model / file).iterdir()) if (model / file).is_dir() else model / file
    sound = path.read_bytes()
    for at in {0, 1, *range(20, len(sound), max(1, len(sound) // 12))}:
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 0x80]) + sound[at + 1 :])
        try:
            problems = verify_run(RunDirectory(model), suite, None, silent)
        except InputError as problem:
            problems = [str(problem)]
        assert problems, at
        assert all("\n" not in problem for problem in problems)


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("file", ["records", "journal", "run.json", "manifest.json", "attempts.jsonl", "quarantine"])
def test_irregular_file_is_a_one_line_error(model, suite, tmp_path, monkeypatch, file, kind):
    """The report does not draw its page, which comes after all reading."""
    monkeypatch.setattr("algoworlds.reports.report.build_report_files", lambda *arguments: {PAGE_FILE: b""})
    (model / "quarantine").mkdir()
    put(next((model / file).iterdir(), model / file / "strange.txt") if (model / file).is_dir() else model / file, kind)
    read = {"records", "run.json", "attempts.jsonl"}
    copied = set() if kind == "folder" else {"manifest.json", "attempts.jsonl", "quarantine"}
    target = (model, "--suite", suite.directory)
    commands = {
        ("verify-run", *target): read | {"journal", "manifest.json"},
        ("rescore", *target, "--out", tmp_path / "again"): {"records", "run.json", "journal"} | copied,
        ("report", *target, "--no-panel", "--out", tmp_path / "report"): read | {"manifest.json"},
        ("status", model): read,
        ("records", model): {"records", "run.json"},
    }
    with without_waiting():
        for command, needed in commands.items():
            result = run_here(*command)
            assert (result.returncode in (1, 2)) == (file in needed), (command, result)
            assert "Traceback" not in result.stderr
            assert result.stderr.count("\n") == 1 or command[0] == "verify-run" or file not in needed, result.stderr


def test_rescore_fails_on_what_it_cannot_replay(greedy, suite):
    path = next((greedy.path / "records").iterdir())
    path.write_text(path.read_text().replace('"stop_reason":"submitted"', '"stop_reason":"text_end"'))
    result = run_here("rescore", greedy.path, "--suite", suite.directory)
    assert (result.returncode, result.stderr) == (1, "")
    assert "cannot be replayed" in result.stdout


def test_detects_schedule_in_another_order(greedy, suite):
    """The order matters: reports measure drift along the schedule."""
    path = greedy.path / "run.json"
    document = json.loads(path.read_text())
    document["schedule"].reverse()
    path.write_text(json.dumps(document))
    problems = verify_run(RunDirectory(greedy.path), suite, None, silent)
    assert problems == ["run.json: the schedule is not in the order that its identity gives"]


def optimal_with_claim(suite, claim):
    """A model that plays to the optimum and submits it with `claim`."""
    calls = {
        question: [*plan, (submit, json.dumps(json.loads(arguments) | {"claim": claim}))]
        for question, (*plan, (submit, arguments)) in solution_calls(suite).items()
    }
    return lambda conversation: Reply((calls[conversation.question][len(conversation.call_turns)],))


@pytest.mark.parametrize("api", ["responses", "chat", "messages"])
@pytest.mark.parametrize(("claim", "recorded"), [("proven", {"claim": "proven"}), ("sure", {"claim": "unclear"}), (None, {})])
def test_claim_is_recorded_and_replayed(server, suite, undisturbed, tmp_path, api, claim, recorded):
    """Apart from the claim and its call, the record is that of a model without a claim."""
    server.script = optimal_with_claim(suite, claim)
    run_model(suite, tmp_path / "run", server.configuration(api), server.environment, worlds="fleet*-direct")
    directory = RunDirectory(tmp_path / "run")
    (record,) = directory.read_records()
    unclaimed = json.loads(undisturbed[api][f"{record['world']}--1.json"])
    own = {"identity", "trajectory", "texts", "observed", "tokens"}
    expected = {name: unclaimed[name] for name in unclaimed if name not in own} | recorded
    assert {name: record[name] for name in record if name not in own} == expected
    assert ("claim" in unclaimed, "claim" in record) == (False, bool(recorded))
    assert Evaluation.from_record(record).exact == 1
    assert verify_run(directory, suite, None, silent) == []


def test_detects_a_claim_that_was_not_made(greedy, suite):
    path = next((greedy.path / "records").iterdir())
    path.write_text(canonical_json(json.loads(path.read_text()) | {"claim": "proven"}) + "\n")
    rewrite_manifest(greedy)
    assert [problem.split(": ", 1)[0] for problem in verify_run(greedy, suite, None, silent)] == [f"records/{path.name}"]


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3, "c": 4}]}, ["a[1].b: 3 -> 2", "a[1].c: 4 -> null"]),
        ({"a": [1, 2, 3]}, {"a": [1, 5]}, ["a: 2 entries -> 3", "a[1]: 5 -> 2"]),
        ({"a": [1]}, {"a": {"b": 1}}, ["a: an object -> a list"]),
    ],
)
def test_differences_name_the_entry_and_the_field(ours, theirs, expected):
    assert list(differences(ours, theirs)) == expected


def test_a_changed_step_is_named_by_position_and_field(suite, tmp_path):
    assert run_here("run", suite.directory, "--agent", "greedy", "--trials", 1, "--out", tmp_path / "run").returncode == 0
    path = sorted((tmp_path / "run" / "records").iterdir())[0]
    record = json.loads(path.read_text())
    record["trajectory"][2]["charged"] += 1
    path.write_text(json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n")
    (tmp_path / "run" / "manifest.json").write_bytes(RunDirectory(tmp_path / "run").manifest_bytes())
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert "trajectory[2].charged: " in result.stderr

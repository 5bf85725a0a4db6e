"""Whether a run is whole, its own and what it claims to be: records exchanged, edited, damaged and out of reach of a replay."""

import json
import shutil

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.errors import InputError
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page import PAGE
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.inventory import inventory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import run_agent
from algoworlds.suites.record import Kind
from tests.command import run_here
from tests.odd import ODD, put, without_waiting
from tests.runs.play import model_run, optimal, solutions
from tests.runs.wire import Reply
from tests.silence import silent

WORLDS = "fleet*"


@pytest.fixture(scope="module")
def agents(suite, tmp_path_factory):
    """A finished run of two agents."""
    root = tmp_path_factory.mktemp("agents")
    for name in ("greedy", "oracle"):
        made = RunDirectory(root / name)
        with made.locked():
            made.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, Wanted(WORLDS).of(suite), 1), suite.directory)
            run_agent(made, suite, name, None, silent)
            made.seal()
    return root


@pytest.fixture
def greedy(agents, tmp_path):
    """The greedy run, to be spoiled."""
    shutil.copytree(agents / "greedy", tmp_path / "greedy")
    return RunDirectory(tmp_path / "greedy")


@pytest.fixture(scope="module")
def asked(one_server, suite, tmp_path_factory):
    """A finished run of a model on one world."""
    one_server.script, one_server.plan = optimal(suite), {}
    out = tmp_path_factory.mktemp("asked") / "run"
    model_run(suite, out, one_server.configuration("chat"), one_server.environment, worlds="fleet*-direct")
    return out


@pytest.fixture
def model(asked, tmp_path):
    """The model's run, to be spoiled."""
    return shutil.copytree(asked, tmp_path / "run")


def resealed(directory):
    (directory.path / "manifest.json").unlink()
    RunDirectory(directory.path).seal()


def test_a_sound_run_has_no_findings(agents, suite):
    for name in ("greedy", "oracle"):
        made = RunDirectory(agents / name)
        assert inventory(made) == inventory(made, list(made.records())) == []
        assert verify_run(made, suite, None, silent) == []


def test_a_record_of_another_agent_is_found_out_although_it_is_made_to_fit(agents, greedy, suite):
    """The oracle's calls under greedy's name and identity, sealed again: only playing again tells."""
    for path in (greedy.path / "records").iterdir():
        claimed, truly = json.loads(path.read_text()), json.loads((agents / "oracle" / "records" / path.name).read_text())
        path.write_text(canonical_text(truly | {name: claimed[name] for name in ("identity", "configuration")}) + "\n")
    resealed(greedy)
    assert inventory(greedy) == []
    problems = verify_run(greedy, suite, None, silent)
    assert len(problems) == len(greedy.schedule)
    assert all("its calls are not those that greedy makes" in problem for problem in problems)


def test_a_record_of_another_run_is_foreign_even_in_a_fitting_manifest(agents, greedy):
    """Same worlds and trials, same label, another identity: what a report must not count."""
    path = next((greedy.path / "records").iterdir())
    foreign = json.loads((agents / "oracle" / "records" / path.name).read_text()) | {"configuration": "greedy"}
    path.write_text(canonical_text(foreign) + "\n")
    resealed(greedy)
    assert inventory(greedy) == [f"records/{path.name}: belongs to another run or evaluation, by its identity"]
    assert inventory(greedy, list(greedy.records())) == inventory(greedy)


def test_what_is_missing_edited_or_too_much_is_listed(greedy):
    one, other = sorted((greedy.path / "records").iterdir())
    one.write_text(one.read_text().replace('"utility":0.0', '"utility":9.0'))
    assert inventory(greedy) == ["manifest.json: does not fit the records"]
    shutil.copy(other, greedy.path / "records" / "more--1.json")
    other.unlink()
    missing, more = f"records/{other.name}: no finalized record", "records/more--1.json: not scheduled"
    assert inventory(greedy) == [missing, more]
    shutil.rmtree(greedy.path / "records")
    assert inventory(greedy) == [f"records/{slot.name}.json: no finalized record" for slot in greedy.schedule]


@pytest.mark.parametrize("file", ["records", "journal", "run.json", "manifest.json", "attempts.jsonl"])
def test_a_flipped_bit_is_a_finding_of_one_line(model, suite, file):
    """The high bit makes bytes that are no UTF-8; wherever it flips, something is found and nothing breaks."""
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


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("file", ["records", "journal", "run.json", "manifest.json", "attempts.jsonl", "quarantine"])
def test_a_run_with_something_else_in_the_place_of_a_file_is_told_in_one_line(model, suite, tmp_path, monkeypatch, file, what):
    """What a report draws, from numbers that it has read by then, is left out."""
    monkeypatch.setattr("algoworlds.reports.conclude.report_files", lambda *told: {PAGE: b""})
    (model / "quarantine").mkdir()
    put(next((model / file).iterdir(), model / file / "strange.txt") if (model / file).is_dir() else model / file, what)
    read = {"records", "run.json", "attempts.jsonl"}
    copied = set() if what == "folder" else {"manifest.json", "attempts.jsonl", "quarantine"}
    given = (model, "--suite", suite.directory)
    orders = {
        ("verify-run", *given): read | {"journal", "manifest.json"},
        ("rescore", *given, "--out", tmp_path / "again"): {"records", "run.json", "journal"} | copied,
        ("report", *given, "--no-panel", "--out", tmp_path / "report"): read | {"manifest.json"},
        ("status", model): read,
        ("records", model): {"records", "run.json"},
    }
    with without_waiting():
        for order, needed in orders.items():
            done = run_here(*order)
            assert (done.returncode in (1, 2)) == (file in needed), (order, done)
            assert "Traceback" not in done.stderr
            assert done.stderr.count("\n") == 1 or order[0] == "verify-run" or file not in needed, done.stderr


def test_rescore_fails_on_what_it_cannot_replay(greedy, suite):
    path = next((greedy.path / "records").iterdir())
    path.write_text(path.read_text().replace('"stop_reason":"submitted"', '"stop_reason":"text_end"'))
    done = run_here("rescore", greedy.path, "--suite", suite.directory)
    assert (done.returncode, done.stderr) == (1, "")
    assert "cannot be replayed" in done.stdout


def test_a_schedule_in_another_order_is_found(greedy, suite):
    """Drift is read off the order of the schedule, which follows from the identity and the suite."""
    path = greedy.path / "run.json"
    document = json.loads(path.read_text())
    document["schedule"].reverse()
    path.write_text(json.dumps(document))
    problems = verify_run(RunDirectory(greedy.path), suite, None, silent)
    assert problems == ["run.json: the schedule is not in the order that its identity gives"]


def claiming(suite, said):
    """A model that plays to the optimum and says something of its decision."""
    known = {
        question: [*plan, (submit, json.dumps(json.loads(arguments) | {"claim": said}))]
        for question, (*plan, (submit, arguments)) in solutions(suite).items()
    }
    return lambda conversation: Reply((known[conversation.question][len(conversation.turns)],))


@pytest.mark.parametrize("api", ["responses", "chat", "messages"])
@pytest.mark.parametrize(("said", "kept"), [("proven", {"claim": "proven"}), ("sure", {"claim": "unclear"}), (None, {})])
def test_a_claim_goes_into_the_record_and_through_a_replay(server, suite, undisturbed, tmp_path, api, said, kept):
    """Beside the claim, its call and who said it, the record is that of a model which claims nothing."""
    server.script = claiming(suite, said)
    model_run(suite, tmp_path / "run", server.configuration(api), server.environment, worlds="fleet*-direct")
    directory = RunDirectory(tmp_path / "run")
    (found,) = directory.records()
    silent_one = json.loads(undisturbed[api][f"{found['world']}--1.json"])
    own = {"identity", "trajectory", "texts", "observed", "tokens"}
    assert {name: found[name] for name in found if name not in own} == {
        name: silent_one[name] for name in silent_one if name not in own
    } | kept
    assert ("claim" in silent_one, "claim" in found) == (False, bool(kept))
    assert Evaluation.from_record(found).exact == 1
    assert verify_run(directory, suite, None, silent) == []


def test_a_claim_that_was_not_made_is_found_out(greedy, suite):
    path = next((greedy.path / "records").iterdir())
    path.write_text(canonical_text(json.loads(path.read_text()) | {"claim": "proven"}) + "\n")
    resealed(greedy)
    assert [problem.split(": ", 1)[0] for problem in verify_run(greedy, suite, None, silent)] == [f"records/{path.name}"]

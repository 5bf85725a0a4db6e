"""Judgements beside records: bound to them, written once, independent of the order of work, not needed for scores."""

import json
import shutil
from hashlib import sha256

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.errors import InputError
from algoworlds.knowledge import oracle
from algoworlds.knowledge.oracle import Oracle
from algoworlds.measures import hindsight
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.runs import judgement
from algoworlds.runs.archive import build_label
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import count_footings, judge_runs
from algoworlds.runs.rescore import rescore_run, verify_run, write_rescored_run
from algoworlds.runs.schedule import Experiment, WorldFilter
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.runs.status import integrity_problems
from algoworlds.suites.record import PlayerKind
from tests.command import run_here
from tests.silence import silent

AGENTS = ("null", "greedy", "oracle")


@pytest.fixture(scope="module")
def finished_runs(suite, tmp_path_factory):
    """Finished runs of three agents, not judged."""
    root = tmp_path_factory.mktemp("played")
    for name in AGENTS:
        run = RunDirectory(root / name)
        with run.lock():
            run.create_or_resume(
                Experiment.from_suite(name, PlayerKind.AGENT, {"agent": name}, suite, WorldFilter().select(suite), 2),
                suite.directory,
            )
            run_scripted_agent(run, suite, name, None, silent)
            run.write_manifest()
    return root


@pytest.fixture
def runs(finished_runs, tmp_path):
    """Copies of the finished runs, to be judged."""
    return [RunDirectory(shutil.copytree(finished_runs / name, tmp_path / name)) for name in AGENTS]


def judgement_files(run):
    return {path.name: path.read_bytes() for path in sorted((run.path / "judgements").glob("*"))}


def test_judges_every_record_once_and_binds_it(runs, suite):
    assert judge_runs(runs, suite, None, silent) == sum(len(run.schedule) for run in runs)
    for run in runs:
        assert integrity_problems(run) == verify_run(run, suite, None, silent) == []
        for slot in run.schedule:
            document, content = run.read_judgement(slot), (run.path / "records" / f"{slot.name}.json").read_bytes()
            assert document["record"] == sha256(content).hexdigest()
            assert [measure.fault(document[measure.name]) for measure in JUDGED_MEASURES] == [None] * len(JUDGED_MEASURES)
            record = json.loads(content)
            assert [document[name] for name in judgement.OWNER_FIELDS] == [record[name] for name in judgement.OWNER_FIELDS]
    before = [judgement_files(run) for run in runs]
    assert judge_runs(runs, suite, None, silent) == 0
    assert [judgement_files(run) for run in runs] == before


def test_scripted_agents_get_their_footings(runs, suite):
    judge_runs(runs, suite, None, silent)
    null, greedy, optimal = map(count_footings, runs)
    worlds = len(suite.manifest.worlds)
    assert null == {"no_decision": 2 * worlds}
    assert set(greedy) <= {"misread", "undefined"}
    assert set(optimal) <= {"justified", "undefined"}
    assert optimal["justified"] == greedy["misread"] > 0


def test_interrupted_judging_resumes_to_the_same_judgements(runs, suite, monkeypatch, tmp_path):
    alone = [RunDirectory(shutil.copytree(run.path, tmp_path / "alone" / run.path.name)) for run in runs]
    for run in alone:
        judge_runs([run], suite, None, silent)
    write, remaining = RunDirectory.write_judgement, iter(range(5))

    def write_five(run, slot, document):
        if next(remaining, None) is None:
            raise KeyboardInterrupt
        write(run, slot, document)

    monkeypatch.setattr(RunDirectory, "write_judgement", write_five)
    with pytest.raises(KeyboardInterrupt):
        judge_runs(runs, suite, None, silent)
    monkeypatch.undo()
    assert sum(len(run.judged_slots) for run in runs) == 5
    assert judge_runs(runs, suite, None, silent) == sum(len(run.schedule) for run in runs) - 5
    assert list(map(judgement_files, runs)) == list(map(judgement_files, alone))


def test_builds_one_oracle_for_each_instance(runs, suite, monkeypatch):
    """All runs, interfaces and trials share it."""
    digests, from_world = [], Oracle.from_world
    monkeypatch.setattr(
        Oracle, "from_world", lambda world, *rest: digests.append(world.instance.digest) or from_world(world, *rest)
    )
    judge_runs(runs, suite, None, silent)
    assert len(digests) == len(set(digests)) > 0


def test_detects_altered_judgement(runs, suite):
    judge_runs(runs, suite, None, silent)
    run = runs[2]
    justified = next(slot for slot in run.schedule if run.read_judgement(slot)["footing"] == "justified")
    path = run.path / "judgements" / f"{justified.name}.json"
    path.write_text(canonical_json(run.read_judgement(justified) | {"footing": "lucky"}) + "\n")
    assert integrity_problems(run) == []
    assert verify_run(run, suite, None, silent) == [f"judgements/{path.name}: is not what judging gives"]


def test_judgement_of_an_earlier_version_is_named_and_made_again(runs, suite, tmp_path):
    """It is not called altered, an archive states its version, and a report says what to do."""
    run = RunDirectory(shutil.copytree(runs[2].path, tmp_path / "run"))
    judge_runs([run], suite, None, silent)
    current = {path.name: path.read_bytes() for path in (run.path / "judgements").iterdir()}
    for path in (run.path / "judgements").iterdir():
        path.write_text(canonical_json(json.loads(path.read_bytes()) | {"judging": 1, "witness": None}) + "\n")
    text = "was made by judging version 1, this is version 3"
    assert verify_run(run, suite, None, silent) == [
        f"judgements/{name}: {text}: algoworlds judge makes it again" for name in sorted(current)
    ]
    assert build_label(run, False, {})["judging"] == 1
    assert "another version: algoworlds judge" in run_here("report", run.path, "--out", tmp_path / "report").stderr
    lines = []
    assert judge_runs([run], suite, None, silent, lines.append, lines.append) == len(current)
    assert sorted(lines) == [f"run/judgements/{name}: {text}, and is made again" for name in sorted(current)]
    assert {path.name: path.read_bytes() for path in (run.path / "judgements").iterdir()} == current
    assert build_label(run, False, {})["judging"] == 3
    assert verify_run(run, suite, None, silent) == []


def test_judgement_of_a_later_version_is_kept(runs, suite):
    judge_runs([runs[0]], suite, None, silent)
    path = runs[0].path / "judgements" / f"{runs[0].schedule[0].name}.json"
    later = canonical_json(json.loads(path.read_bytes()) | {"judging": 99}) + "\n"
    path.write_text(later)
    with pytest.raises(InputError, match="judging version 99: update algoworlds"):
        judge_runs([runs[0]], suite, None, silent)
    assert path.read_text() == later


def test_detects_judgement_of_another_record(runs, suite):
    judge_runs(runs, suite, None, silent)
    run, name = runs[2], f"{runs[2].schedule[0].name}.json"
    shutil.copy(runs[1].path / "judgements" / name, run.path / "judgements" / name)
    (run.path / "judgements" / "stray.json").write_text("{}")
    assert integrity_problems(run) == [
        "judgements/stray.json: of no finalized record",
        f"judgements/{name}: does not fit its record",
    ]


def test_names_a_record_that_cannot_be_replayed(runs, suite):
    run = runs[1]
    path = run.path / "records" / f"{run.schedule[0].name}.json"
    path.write_text("[]")
    with pytest.raises(InputError, match=r"--[12].json cannot be replayed: algoworlds verify-run says"):
        judge_runs([run], suite, None, silent)


def test_rescored_records_have_no_judgement(runs, suite, tmp_path):
    judge_runs(runs, suite, None, silent)
    write_rescored_run(runs[0], list(rescore_run(runs[0], suite, None, silent)), tmp_path / "rescored")
    rescored = RunDirectory(tmp_path / "rescored")
    assert rescored.judged_slots == set()
    assert integrity_problems(rescored) == []


def plant_fault(monkeypatch, coordinate):
    """Make the oracle raise on one instance wherever it needs a bound."""
    bound_regret = oracle.bound_regret

    def fail(trial, enough):
        if trial.context.responses.world.coordinate == coordinate:
            raise KeyError("a planted fault")
        return bound_regret(trial, enough)

    monkeypatch.setattr(oracle, "bound_regret", fail)


def test_fault_inside_the_oracle_leaves_one_record_undecided(runs, suite, monkeypatch, tmp_path):
    """All other records are judged as ever, and the warnings name the records concerned."""
    sound = RunDirectory(shutil.copytree(runs[2].path, tmp_path / "sound"))
    judge_runs([sound], suite, None, silent)
    entry = next(entry for entry in suite.manifest.worlds if entry.family == "fleet_dispatch")
    plant_fault(monkeypatch, suite.coordinate(entry))
    warnings, faulty = [], {other.id for other in suite.manifest.worlds if suite.coordinate(other) == suite.coordinate(entry)}
    assert judge_runs(runs, suite, None, silent, warnings.append) == sum(len(run.schedule) for run in runs)
    run = runs[2]
    for slot in run.schedule:
        document, expected = run.read_judgement(slot), sound.read_judgement(slot)
        assert [measure.fault(document[measure.name]) for measure in JUDGED_MEASURES] == [None] * len(JUDGED_MEASURES)
        if slot.world in faulty:
            assert (expected["footing"], document["footing"], document["knowledge"]) == ("justified", "undecided", "undecided")
            name = f"{run.path.name}/records/{slot.name}.json"
            assert len([line for line in warnings if name in line and "planted fault" in line and "\n" not in line]) == 1
        else:
            assert {**document, "identity": ""} == {**expected, "identity": ""}
            assert not any(slot.name in line for line in warnings)
    assert verify_run(run, suite, None, silent) == [], "judging again gives the same"


def test_fault_in_a_judged_measure_leaves_it_undefined(runs, suite, monkeypatch):
    monkeypatch.setattr(hindsight, "restrict_to_seen", lambda *arguments: {}["missing"])
    warnings = []
    judge_runs([runs[0]], suite, None, silent, warnings.append)
    documents = [runs[0].read_judgement(slot) for slot in runs[0].schedule]
    assert len(warnings) == sum(document["acquisition_regret"] is None for document in documents) > 0
    assert all("acquisition_regret: KeyError: 'missing'" in line for line in warnings)


def test_machine_failure_is_not_judged(runs, suite, monkeypatch):
    """A full memory says nothing about the record, so no judgement is written."""

    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr(oracle, "bound_regret", fail)
    with pytest.raises(MemoryError):
        judge_runs([runs[2]], suite, None, silent)


def test_command_counts_faults(runs, suite, monkeypatch):
    entry = next(entry for entry in suite.manifest.worlds if entry.family == "fleet_dispatch")
    plant_fault(monkeypatch, suite.coordinate(entry))
    result = run_here("judge", runs[2].path, "--json")
    faults = json.loads(result.stdout)["faults"]
    assert result.returncode == 0
    assert faults == len([line for line in result.stderr.splitlines() if "planted fault" in line]) > 0
    assert json.loads(run_here("judge", runs[1].path, "--json").stdout)["faults"] < len(runs[1].schedule)
    text = run_here("judge", runs[0].path)
    assert text.stdout.splitlines()[0].endswith("records judged")


def test_command_prints_footings(runs):
    result = run_here("judge", *(run.path for run in runs), "--json")
    output = json.loads(result.stdout)
    assert output["judged"] == sum(len(run.schedule) for run in runs)
    assert output["runs"][str(runs[0].path)] == count_footings(runs[0])
    again = run_here("judge", runs[0].path)
    assert again.stdout.splitlines()[0] == "0 records judged"
    assert "no_decision" in again.stdout


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:300],
        lambda text: b"",
        lambda text: b"[]",
        lambda text: text.replace(b'"record":"', b'"record":"0', 1),
        lambda text: text + b" ",
        lambda text: text.replace(b'"trial"', b'"trai1"', 1)[:-1],
    ],
    ids=["cut", "empty", "list", "of another record", "not canonical", "flipped and cut"],
)
def test_damaged_judgement_is_made_again_and_named(suite, runs, tmp_path, damage):
    run = shutil.copytree(runs[0].path, tmp_path / "run")
    for path in (run / "judgements").glob("*"):
        path.unlink()
    assert run_here("judge", run, "--suite", suite.directory).returncode == 0
    path = min((run / "judgements").iterdir())
    before = path.read_bytes()
    path.write_bytes(damage(before))
    result = run_here("judge", run, "--suite", suite.directory, "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr == f"run/judgements/{path.name}: is damaged, and is made again\n"
    assert json.loads(result.stdout)["judged"] == 1
    assert path.read_bytes() == before
    assert verify_run(RunDirectory(run), suite, None, silent) == []

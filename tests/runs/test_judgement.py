"""Judgements beside records: bound to them, written once, independent of the order of work, not needed for scores."""

import json
import shutil
from hashlib import sha256

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.errors import InputError
from algoworlds.knowledge.oracle import Oracle
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.runs import judgement
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
    null, greedy, oracle = map(count_footings, runs)
    worlds = len(suite.manifest.worlds)
    assert null == {"no_decision": 2 * worlds}
    assert set(greedy) <= {"misread", "undefined"}
    assert set(oracle) <= {"justified", "undefined"}
    assert oracle["justified"] == greedy["misread"] > 0


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


def test_detects_judgement_of_another_record(runs, suite):
    judge_runs(runs, suite, None, silent)
    oracle, name = runs[2], f"{runs[2].schedule[0].name}.json"
    shutil.copy(runs[1].path / "judgements" / name, oracle.path / "judgements" / name)
    (oracle.path / "judgements" / "stray.json").write_text("{}")
    assert integrity_problems(oracle) == [
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


def test_command_prints_footings(runs):
    result = run_here("judge", *(run.path for run in runs), "--json")
    output = json.loads(result.stdout)
    assert output["judged"] == sum(len(run.schedule) for run in runs)
    assert output["runs"][str(runs[0].path)] == count_footings(runs[0])
    again = run_here("judge", runs[0].path)
    assert again.stdout.splitlines()[0] == "0 records judged"
    assert "no_decision" in again.stdout

"""Judgements beside records: bound to them, made once, the same from any order of work, and never needed to score."""

import json
import shutil
from hashlib import sha256

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.errors import InputError
from algoworlds.knowledge.sufficiency.oracle import Oracle
from algoworlds.measures.judging import JUDGED
from algoworlds.runs import judgement
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.inventory import inventory
from algoworlds.runs.judgement import footings, judge_runs
from algoworlds.runs.rescore import rescore_run, verify_run, write_rescored
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import run_agent
from algoworlds.suites.record import Kind
from tests.command import run_here
from tests.silence import silent

AGENTS = ("null", "greedy", "oracle")


@pytest.fixture(scope="module")
def played(suite, tmp_path_factory):
    """Finished runs of three agents, not judged."""
    root = tmp_path_factory.mktemp("played")
    for name in AGENTS:
        made = RunDirectory(root / name)
        with made.locked():
            made.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, Wanted().of(suite), 2), suite.directory)
            run_agent(made, suite, name, None, silent)
            made.seal()
    return root


@pytest.fixture
def runs(played, tmp_path):
    """The same, to be judged."""
    return [RunDirectory(shutil.copytree(played / name, tmp_path / name)) for name in AGENTS]


def documents(run):
    return {path.name: path.read_bytes() for path in sorted((run.path / "judgements").glob("*"))}


def test_every_record_is_judged_once_and_bound_to_it(runs, suite):
    assert judge_runs(runs, suite, None, silent) == sum(len(run.schedule) for run in runs)
    for run in runs:
        assert inventory(run) == verify_run(run, suite, None, silent) == []
        for slot in run.schedule:
            found, record = run.judgement(slot), (run.path / "records" / f"{slot.name}.json").read_bytes()
            assert found["record"] == sha256(record).hexdigest()
            assert [each.fault(found[each.name]) for each in JUDGED] == [None] * len(JUDGED)
            told = json.loads(record)
            assert [found[name] for name in judgement.WHOSE] == [told[name] for name in judgement.WHOSE]
    before = [documents(run) for run in runs]
    assert judge_runs(runs, suite, None, silent) == 0
    assert [documents(run) for run in runs] == before


def test_agents_stand_as_they_must(runs, suite):
    judge_runs(runs, suite, None, silent)
    null, greedy, oracle = map(footings, runs)
    worlds = len(suite.manifest.worlds)
    assert null == {"no_decision": 2 * worlds}
    assert set(greedy) <= {"misread", "undefined"}
    assert set(oracle) <= {"justified", "undefined"}
    assert oracle["justified"] == greedy["misread"] > 0


def test_an_interrupted_judge_goes_on_and_says_the_same(runs, suite, monkeypatch, tmp_path):
    alone = [RunDirectory(shutil.copytree(run.path, tmp_path / "alone" / run.path.name)) for run in runs]
    for run in alone:
        judge_runs([run], suite, None, silent)
    settle, left = RunDirectory.settle, iter(range(5))

    def interrupted(run, slot, document):
        if next(left, None) is None:
            raise KeyboardInterrupt
        settle(run, slot, document)

    monkeypatch.setattr(RunDirectory, "settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        judge_runs(runs, suite, None, silent)
    monkeypatch.undo()
    assert sum(len(run.judged) for run in runs) == 5
    assert judge_runs(runs, suite, None, silent) == sum(len(run.schedule) for run in runs) - 5
    assert list(map(documents, runs)) == list(map(documents, alone))


def test_equal_trajectories_are_judged_by_one_oracle(runs, suite, monkeypatch):
    """One oracle an instance, whichever run, interface or trial asks."""
    made, of = [], Oracle.of
    monkeypatch.setattr(Oracle, "of", lambda world, *given: made.append(world.instance.digest) or of(world, *given))
    judge_runs(runs, suite, None, silent)
    assert len(made) == len(set(made)) > 0


def test_an_altered_judgement_is_found(runs, suite):
    judge_runs(runs, suite, None, silent)
    run = runs[2]
    justified = next(slot for slot in run.schedule if run.judgement(slot)["footing"] == "justified")
    path = run.path / "judgements" / f"{justified.name}.json"
    path.write_text(canonical_text(run.judgement(justified) | {"footing": "lucky"}) + "\n")
    assert inventory(run) == []
    assert verify_run(run, suite, None, silent) == [f"judgements/{path.name}: is not what judging gives"]


def test_a_judgement_of_another_record_is_found(runs, suite):
    judge_runs(runs, suite, None, silent)
    oracle, name = runs[2], f"{runs[2].schedule[0].name}.json"
    shutil.copy(runs[1].path / "judgements" / name, oracle.path / "judgements" / name)
    (oracle.path / "judgements" / "stray.json").write_text("{}")
    assert inventory(oracle) == ["judgements/stray.json: of no finalized record", f"judgements/{name}: does not fit its record"]


def test_a_record_that_cannot_be_replayed_is_named(runs, suite):
    run = runs[1]
    path = run.path / "records" / f"{run.schedule[0].name}.json"
    path.write_text("[]")
    with pytest.raises(InputError, match=r"--[12].json cannot be replayed: algoworlds verify-run says"):
        judge_runs([run], suite, None, silent)


def test_records_computed_anew_have_no_judgement(runs, suite, tmp_path):
    judge_runs(runs, suite, None, silent)
    write_rescored(runs[0], list(rescore_run(runs[0], suite, None, silent)), tmp_path / "anew")
    anew = RunDirectory(tmp_path / "anew")
    assert anew.judged == set()
    assert inventory(anew) == []


def test_the_command_says_how_decisions_stand(runs):
    done = run_here("judge", *(run.path for run in runs), "--json")
    told = json.loads(done.stdout)
    assert told["judged"] == sum(len(run.schedule) for run in runs)
    assert told["runs"][str(runs[0].path)] == footings(runs[0])
    again = run_here("judge", runs[0].path)
    assert again.stdout.splitlines()[0] == "0 records judged"
    assert "no_decision" in again.stdout

"""Measurements: rounds that follow from outcomes, and survive being killed."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.measures.threshold import Outcome
from algoworlds.runs.measurement import MeasurementDirectory, MeasurementPlan, Secrets, outcomes_of, verify_measurement
from algoworlds.suites.record import PlayerKind
from tests.command import COMMAND, HEARD, run_here

FAMILIES = "evidence_joined_routing,machine_layout,series_portfolio"
OPTIONS = ("--agent", "local_search", "--families", FAMILIES, "--seed", "demo", "--evaluations", 12, "--in-flight", 6)


def plan(**changes):
    fields = {
        "label": "x",
        "kind": PlayerKind.AGENT,
        "settings": {},
        "families": tuple(FAMILIES.split(",")),
        "interfaces": (Interface.DIRECT, Interface.MEDIATED),
        "evaluations": 200,
        "round_size": 20,
        "within": 1.0,
        "commitment": Secrets("demo").commitment,
    }
    return MeasurementPlan(**fields | changes)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A small measurement."""
    out = tmp_path_factory.mktemp("measured") / "out"
    done = run_here("measure", *OPTIONS, "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    return out, json.loads(done.stdout)


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_measurement_is_rounds_of_runs(measured):
    out, results = measured
    directory = MeasurementDirectory(out)
    assert [len(one.run.schedule) for one in directory.finished_rounds] == [6, 6]
    assert results["evaluations"] == 12
    assert {family["family"] for family in results["families"]} == set(FAMILIES.split(","))
    assert results["ability"]["low"] < results["ability"]["value"] < results["ability"]["high"]
    points = [point for point, _ in directory.records()]
    assert [point.tenths for point in points[:3]] == [57, 62, 60], "the first round begins with the easiest worlds"
    assert len({(point.family, point.index) for point in points}) == 12, "no world comes twice"


def test_rounds_follow_from_outcomes_alone(measured):
    directory = MeasurementDirectory(measured[0])
    rounds = directory.finished_rounds
    for number, one in enumerate(rounds):
        assert tuple(directory.plan.next_points(outcomes_of(rounds[:number]))) == one.open_suite("bare").spec.points


def test_a_measurement_is_verified(measured):
    done = run_here("verify-run", measured[0])
    assert (done.returncode, done.stderr) == (0, "")
    assert "12 records in 2 rounds verified" in done.stdout


def test_an_altered_outcome_is_found(measured, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(measured[0], copy)
    record = sorted((copy / "rounds/001/run/records").iterdir())[0]
    document = json.loads(record.read_text())
    record.write_text(json.dumps(document | {"exact": 1 - int(document["exact"])}))
    problems = verify_measurement(MeasurementDirectory(copy), None, lambda done, total: None)
    assert any(problem.startswith("rounds/001/run/records") for problem in problems)


def test_a_world_that_was_not_chosen_is_found(measured, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(measured[0], copy)
    shutil.rmtree(copy / "rounds/001")
    (copy / "rounds/002").rename(copy / "rounds/001")
    problems = verify_measurement(MeasurementDirectory(copy), None, lambda done, total: None)
    assert "rounds/001/suite: its worlds are not those that follow from the outcomes before" in problems


def test_another_plan_is_refused(measured):
    done = run_here("measure", *OPTIONS[:-1], 4, "--out", measured[0])
    assert done.returncode == 2
    assert "holds another measurement" in done.stderr
    assert "round" in done.stderr


def test_altered_secrets_are_refused(measured, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(measured[0], copy)
    (copy / "sealed/secrets.json").write_text(Secrets("other").text)
    with pytest.raises(InputError, match="does not fit the digest"):
        _ = MeasurementDirectory(copy).secrets


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"round_size": 300}, "--in-flight"),
        ({"within": 0.0}, "--within"),
        ({"evaluations": 0, "round_size": 0}, "--evaluations"),
        ({"families": ()}, "at least one family"),
    ],
)
def test_bad_plans_are_refused(changes, text):
    with pytest.raises(InputError, match=text):
        plan(**changes)


def test_interfaces_and_price_profiles_are_balanced():
    outcomes, points = [], []
    rng = random.Random(3)
    for _ in range(8):
        chosen = plan(within=0.1).next_points(outcomes)
        points += chosen
        outcomes += [Outcome(point.family, point.tenths, rng.random() < 0.5) for point in chosen]
    for family in FAMILIES.split(","):
        own = [point for point in points if point.family == family]
        counts = [sum(point.interface is interface for point in own) for interface in Interface]
        assert abs(counts[0] - counts[1]) <= 2
        assert [point.index for point in own] == list(range(1, len(own) + 1))
        easiest = [point.interface for point in own if point.tenths == min(one.tenths for one in own)]
        assert len(set(easiest)) == 2


def count_files(folder):
    """The files in a folder in which another process adds and removes some; 0 if it does not exist."""
    return sum(len(names) for _, _, names in os.walk(folder))


def kill_and_resume(out, kills, seed):
    """Start the measurement again and again, and kill it after a random time; then let it end."""
    rng, command = random.Random(seed), [*HEARD, COMMAND, "measure", *map(str, OPTIONS), "--out", str(out)]
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        before = count_files(out)
        target = before + rng.randrange(1, 25)  # count files instead of seconds
        while process.poll() is None and count_files(out) < target:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_kills(measured, tmp_path, kills):
    out = measured[0]
    expected, kept = files(out), tmp_path / "kept"
    out.rename(kept)
    try:
        done = kill_and_resume(out, kills, "kills")
        assert done.returncode == 0, done.stderr
        assert files(out) == expected
    finally:
        shutil.rmtree(out, ignore_errors=True)
        kept.rename(out)


def test_a_killed_measurement_goes_on_with_the_same_bytes(measured, tmp_path):
    check_kills(measured, tmp_path, 2)


@pytest.mark.full
def test_a_measurement_killed_twenty_times_has_the_same_bytes(measured, tmp_path):
    check_kills(measured, tmp_path, 20)

"""`algoworlds report` on runs that cannot be reported: one line that says what to do, and nothing written (B10, C8)."""

import json
import shutil

import pytest

from tests.command import run_here
from tests.runs.play import built


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny suite, a finished run of an agent, and one on a part of the worlds."""
    root = tmp_path_factory.mktemp("reports")
    built(root / "suite")
    order = ("run", "--suite", root / "suite", "--trials", 1)
    assert run_here(*order, "--agent", "greedy", "--out", root / "greedy").returncode == 0
    assert run_here(*order, "--agent", "oracle", "--out", root / "part", "--families", "fleet_dispatch").returncode == 0
    return root


def refused(tmp_path, *runs):
    done = run_here("report", *runs, "--out", tmp_path / "report")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert not (tmp_path / "report").exists()
    return done.stderr


def test_a_run_is_named_once(place, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "copy")
    assert "is named twice: name every run once" in refused(tmp_path, place / "greedy", place / "part" / ".." / "greedy")
    assert "are both runs of 'greedy': report them apart" in refused(tmp_path, place / "greedy", tmp_path / "copy")


def test_runs_on_different_worlds_are_not_mixed(place, tmp_path):
    told = refused(tmp_path, place / "greedy", place / "part")
    assert "played different worlds (4 and 2, 2 in common): report them apart" in told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trajectory", [{"turn": 1}]),
        ("texts", None),
        ("coverage_curve", [[0, "x"]]),
        ("decision", {"else": ["x"]}),
        ("optimal_decision", []),
        ("parts", {"cost": "1"}),
        ("tokens", {"input": "many"}),
        ("model", 5),
        ("turns", -1),
    ],
)
def test_a_damaged_record_is_named_before_anything_is_written(place, tmp_path, name, value):
    shutil.copytree(place / "greedy", tmp_path / "run")
    path = min((tmp_path / "run" / "records").iterdir())
    record = json.loads(path.read_text())
    path.chmod(0o644)
    path.write_text(json.dumps(record | {name: value}))
    told = refused(tmp_path, tmp_path / "run")
    assert f"the record of 'greedy' '{record['world']}' trial 1 cannot be used: {name} " in told


def test_a_second_report_leaves_nothing_of_the_first(place, tmp_path):
    out = tmp_path / "report"
    assert run_here("report", place / "greedy", "--out", out, "--compare", "--no-panel").returncode == 0
    (out / "mine.md").write_text("a note")
    before = {path.name for path in out.iterdir()}
    (place / "suite").rename(place / "moved")
    assert run_here("report", place / "greedy", "--out", out, "--no-panel").returncode == 0
    (place / "moved").rename(place / "suite")
    gone = {
        f"{name}.{form}" for name in ("regret_parts", "benchmark_statistics", "work_ranges") for form in ("md", "csv", "tex")
    }
    assert before - {path.name for path in out.iterdir()} == gone

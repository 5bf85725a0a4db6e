"""Long work shows its progress, in a pipe too; nothing is printed before the first interval is over."""

import re

import pytest

from algoworlds.cli.progress import INTERVAL_VARIABLE, progress_bar, run_progress
from algoworlds.runs.worker_pool import Totals
from tests.command import run_here

BUILD = ("build", "--families", "fleet_dispatch", "--levels", "0", "--instances", "3", "--interfaces", "direct")


def test_build_in_a_pipe_prints_progress(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "printed"), **{INTERVAL_VARIABLE: "0"})
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines
    assert all(re.fullmatch(r"building: [0-9] of [0-9], [0-9]+ s gone", line) for line in lines)
    assert lines[-1].startswith("building: 3 of 3")


def test_prints_nothing_before_the_first_interval(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "silent"), **{INTERVAL_VARIABLE: "1000000"})
    assert (done.returncode, done.stderr) == (0, "")


def test_rejects_interval_that_is_not_a_number(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "odd"), **{INTERVAL_VARIABLE: "soon"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("algoworlds: ALGOWORLDS_PROGRESS_SECONDS must be a number of seconds, not 'soon'\n")


@pytest.mark.parametrize(("seconds", "lines"), [("0", 2), ("1000000", 0)])
def test_run_in_a_pipe_prints_progress(monkeypatch, capsys, seconds, lines):
    monkeypatch.setenv(INTERVAL_VARIABLE, seconds)
    totals = Totals(8, 0)
    with run_progress(totals) as on_progress:
        on_progress(totals)
        totals.finished = 2
        on_progress(totals)
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == lines
    assert all(line.startswith(f"{2 * index} of 8 evaluations, 0 running, ") for index, line in enumerate(printed))


def test_terminal_shows_a_bar(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_bar("building") as progress:
        progress(1, 2)
    assert "building" in capsys.readouterr().err

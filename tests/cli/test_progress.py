"""Long work shows how far it is, also where its stderr is a pipe; short work and a long pause say nothing."""

import re

import pytest

from algoworlds.cli.live import live
from algoworlds.cli.progress import PAUSE, progress_bar
from algoworlds.runs.totals import Totals
from tests.command import run_here

BUILD = ("build", "--families", "fleet_dispatch", "--levels", "0", "--instances", "3", "--interfaces", "direct")


def test_a_build_in_a_pipe_says_how_far_it_is(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "told"), **{PAUSE: "0"})
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines
    assert all(re.fullmatch(r"building: [0-9] of [0-9], [0-9]+ s gone", line) for line in lines)
    assert lines[-1].startswith("building: 3 of 3")


def test_nothing_is_said_before_the_first_pause_is_over(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "untold"), **{PAUSE: "1000000"})
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pause_that_is_no_number_is_one_clear_line(tmp_path):
    done = run_here(*BUILD, "--out", str(tmp_path / "odd"), **{PAUSE: "soon"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "algoworlds: ALGOWORLDS_PROGRESS_SECONDS is 'soon': say how many seconds lie between two lines of progress\n"
    )


@pytest.mark.parametrize(("seconds", "lines"), [("0", 2), ("1000000", 0)])
def test_a_run_in_a_pipe_says_how_far_it_is(monkeypatch, capsys, seconds, lines):
    monkeypatch.setenv(PAUSE, seconds)
    totals = Totals(8, 0)
    with live(totals) as watch:
        watch(totals)
        totals.finished = 2
        watch(totals)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == lines
    assert all(line.startswith(f"{2 * at} of 8 evaluations, 0 running, ") for at, line in enumerate(told))


def test_a_bar_is_drawn_where_somebody_watches(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_bar("building") as progress:
        progress(1, 2)
    assert "building" in capsys.readouterr().err

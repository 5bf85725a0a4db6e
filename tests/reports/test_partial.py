"""Reports on runs in progress: what is finished and can be compared, with a mark on every table and figure."""

import json
import shutil

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.loading import RunSnapshot, load_runs
from algoworlds.reports.report import write_report
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.open import open_suite
from tests.command import run_here
from tests.drawing import without_figures
from tests.reports.reading import found_count, texts
from tests.runs.model_runs import build_small_suite

MARK = "PARTIAL: {} of 12 evaluations are finished, and {} of them can be compared"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A suite of four worlds, and a run of three trials on it."""
    root = tmp_path_factory.mktemp("partial")
    build_small_suite(root / "suite")
    assert run_here("run", root / "suite", "--trials", 3, "--agent", "greedy", "--out", root / "greedy").returncode == 0
    return root


def stop_early(place, path, *unfinished, name="greedy"):
    """A copy of the run in which the evaluations `unfinished` have no record, as (number of the world, trial)."""
    shutil.copytree(place / name, path)
    (path / "manifest.json").unlink()
    worlds = sorted({slot.world for slot in RunDirectory(path).schedule})
    for number, trial in unfinished:
        (path / "records" / f"{worlds[number]}--{trial}.json").unlink()
    return path


def report(out, *paths, **options):
    with without_figures():
        return write_report(list(map(RunDirectory, paths)), None, out, include_panel=False, allow_partial=True, **options)


def test_every_table_and_the_page_say_that_the_run_goes_on(place, tmp_path, running):
    run = stop_early(place, tmp_path / "run", (0, 1), (0, 2))
    done = run_here("report", run, "--out", tmp_path / "out", "--partial", "--compare")
    assert done.returncode == 0, done.stderr
    assert "PARTIAL: 10 of 12 evaluations are finished; every table says so" in done.stdout
    tables = json.loads((tmp_path / "out" / "tables.json").read_text())
    assert len(tables) > 10
    captions = [table["caption"] for table in tables]
    captions += [path.read_text().split("\n")[0] for path in (tmp_path / "out").glob("*.md") if path.name != "tables.md"]
    assert all(caption.startswith(MARK.format(10, 9)) for caption in captions)
    drawings = list((tmp_path / "out" / "figures").glob("*.svg"))
    assert len(drawings) > 2
    assert all("<!-- PARTIAL: 10 of 12 -->" in path.read_text() for path in drawings)
    running.errors.clear()
    running.open((tmp_path / "out" / "report.html").as_uri())
    (warning,) = texts(running, ".warning")
    assert warning.startswith("PARTIAL: 10 of 12 evaluations are finished.")
    assert found_count(running) == 9
    assert running.errors == []


@pytest.mark.parametrize(
    ("unfinished", "compared"),
    [
        ([(0, 1)], 9),  # three trials of three worlds, rather than two of four
        ([(0, 1), (1, 2)], 8),  # two trials of four worlds, rather than three of two
        ([(world, trial) for world in range(4) for trial in (1, 2)], 4),
        ([(world, trial) for world in range(4) for trial in (1, 2, 3)][1:], 1),
        ([(world, world % 3 + 1) for world in range(4)], 8),
    ],
)
def test_as_many_evaluations_are_compared_as_possible(place, tmp_path, unfinished, compared):
    written = report(tmp_path / "out", stop_early(place, tmp_path / "run", *unfinished))
    assert len(written.results.evaluations) == compared
    assert written.results.finished == (12 - len(unfinished), 12)
    assert MARK.format(12 - len(unfinished), compared) in written.sheets["main_results"].caption
    assert all(len(trial) == len(written.results.worlds) for trial in written.results.trials("greedy"))


def test_unfinished_runs_are_compared_on_the_same_worlds(place, tmp_path):
    assert run_here("run", place / "suite", "--trials", 2, "--agent", "null", "--out", tmp_path / "full").returncode == 0
    run = stop_early(place, tmp_path / "run", (2, 1), (3, 1), (3, 2), (3, 3))
    results = report(tmp_path / "out", run, tmp_path / "full").results
    assert len(results.worlds) == 3
    assert [len(results.trials(label)) for label in ("greedy", "null")] == [2, 2]


def test_finished_runs_have_no_mark(place, tmp_path):
    written = report(tmp_path / "out", place / "greedy")
    assert written.results.finished is None
    assert "PARTIAL" not in "".join(sheet.caption for sheet in written.sheets.values()) + written.page.read_text()


def test_unfinished_run_is_rejected_without_the_option(place, tmp_path):
    run = stop_early(place, tmp_path / "run", (0, 1))
    done = run_here("report", run, "--out", tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "1 missing" in done.stderr
    assert "algoworlds report --partial shows what is finished" in done.stderr
    assert not (tmp_path / "out").exists()


def test_run_without_a_finished_evaluation_is_one_line(place, tmp_path):
    run = stop_early(place, tmp_path / "run", *((world, trial) for world in range(4) for trial in (1, 2, 3)))
    with pytest.raises(InputError, match="no world is finished in every run yet"):
        report(tmp_path / "out", run)


def test_altered_records_of_a_run_in_progress_are_rejected(place, tmp_path):
    run = stop_early(place, tmp_path / "run", (0, 1))
    path = next((run / "records").glob("*.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"identity": "0" * 64}))
    with pytest.raises(InputError, match="is not as it was sealed"):
        report(tmp_path / "out", run)


def test_records_that_are_written_meanwhile_are_ignored(place, tmp_path):
    """Neither a new record, a judgement of it, nor a half-written file disturbs a report."""
    run = stop_early(place, tmp_path / "run", (0, 1), (1, 1))
    snapshot = RunSnapshot(run)
    assert len(snapshot.finished_slots) == 10
    name = min({path.name for path in (place / "greedy" / "records").iterdir()} - {p.name for p in (run / "records").iterdir()})
    shutil.copy(place / "greedy" / "records" / name, run / "records")
    (run / "judgements").mkdir()
    (run / "judgements" / name).write_text("{}")
    (run / "records" / f".{name}.17.partial").write_text("{")
    loaded = load_runs([snapshot], allow_unverified=False, allow_partial=True)
    assert len(loaded.evaluations) == 10
    assert loaded.unverified == ()


def test_panel_is_compared_on_the_finished_worlds(place, tmp_path):
    run = stop_early(place, tmp_path / "run", (0, 1), (0, 2), (0, 3))
    out = tmp_path / "out"
    assert run_here("panel", run, "--out", out, "--suite", place / "suite").returncode == 0
    with without_figures():
        written = write_report([RunDirectory(run)], open_suite(place / "suite"), out, allow_partial=True)
    assert set(written.results.configurations) >= {"null", "oracle", "greedy"}
    assert len(written.results.worlds) == 3

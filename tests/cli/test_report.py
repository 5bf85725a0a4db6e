"""`algoworlds report` on runs that cannot be reported: one line that says what to do, and nothing written (B10, C8)."""

import json
import shutil

import pytest

from algoworlds.reports.output_folder import FILE_LIST
from algoworlds.reports.page import EVALUATIONS_FOLDER
from algoworlds.runs.directory import RunDirectory
from tests.command import run_here
from tests.drawing import without_figure_files, without_figures
from tests.runs.model_runs import build_small_suite


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny suite, a finished run of an agent, and one on a part of the worlds."""
    root = tmp_path_factory.mktemp("reports")
    build_small_suite(root / "suite")
    order = ("run", root / "suite", "--trials", 1)
    assert run_here(*order, "--agent", "greedy", "--out", root / "greedy").returncode == 0
    assert run_here(*order, "--agent", "oracle", "--out", root / "part", "--families", "fleet_dispatch").returncode == 0
    return root


@pytest.fixture(scope="module")
def sound(place):
    """A report of the agent's run."""
    with without_figure_files():
        assert run_here("report", place / "greedy", "--out", place / "sound", "--compare", "--no-panel").returncode == 0
    return place / "sound"


def refuse(tmp_path, *runs):
    done = run_here("report", *runs, "--out", tmp_path / "report")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert not (tmp_path / "report").exists()
    return done.stderr


def test_a_run_is_named_once(place, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "copy")
    assert "is named twice: name every run once" in refuse(tmp_path, place / "greedy", place / "part" / ".." / "greedy")
    assert "are both runs of 'greedy': report them separately" in refuse(tmp_path, place / "greedy", tmp_path / "copy")


def test_runs_on_different_worlds_are_not_mixed(place, tmp_path):
    message = refuse(tmp_path, place / "greedy", place / "part")
    assert "played different worlds (4 and 2, 2 in common): report those in common by --common" in message


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
    message = refuse(tmp_path, tmp_path / "run")
    assert f"the record of 'greedy' '{record['world']}' trial 1 cannot be used: {name} " in message


def test_a_second_report_leaves_nothing_of_the_first(place, sound, tmp_path, monkeypatch):
    """The second report is treated as large, so it has a folder of evaluations, which it names and lists."""
    monkeypatch.setattr("algoworlds.reports.page.render.MAX_INLINE_CHARS", 0)
    out = shutil.copytree(sound, tmp_path / "report")
    (out / "mine.md").write_text("a note")
    before = {path.name for path in out.iterdir()}
    (place / "suite").rename(place / "moved")
    with without_figures():
        done = run_here("report", place / "greedy", "--out", out, "--no-panel")
    (place / "moved").rename(place / "suite")
    assert f"the evaluations are in {out / EVALUATIONS_FOLDER}: keep it next to the page\n" in done.stdout
    assert (
        (out / FILE_LIST).read_text().count(f"  {EVALUATIONS_FOLDER}/") == len(list((out / EVALUATIONS_FOLDER).iterdir())) == 4
    )
    gone = {f"{name}.{form}" for name in ("benchmark_statistics", "work_ranges") for form in ("md", "csv", "tex")}
    assert before - {path.name for path in out.iterdir()} == gone


# -- records of another run ---------------------------------------------------------------------------------------------


@pytest.fixture
def mixed(place, tmp_path):
    """A run of greedy with one record of another run, of other trials, under the same label."""
    shutil.copytree(place / "greedy", tmp_path / "run")
    order = ("run", place / "suite", "--agent", "oracle", "--trials", 2, "--out", tmp_path / "other")
    assert run_here(*order).returncode == 0
    theirs = min((tmp_path / "other" / "records").glob("*--1.json"))
    mine = tmp_path / "run" / "records" / theirs.name
    mine.chmod(0o644)
    mine.write_text(json.dumps(json.loads(theirs.read_text()) | {"configuration": "greedy"}))
    return tmp_path / "run"


def reseal(run):
    """`run` with a new manifest that fits the files."""
    (run / "manifest.json").unlink()
    RunDirectory(run).write_manifest()
    return run


def test_a_record_of_another_run_with_the_same_label_is_refused(mixed, tmp_path):
    message = refuse(tmp_path, reseal(mixed))
    assert "belongs to another run or evaluation, by its identity" in message
    assert "--unverified reports it all the same" in message


def test_an_altered_record_is_refused(place, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "run")
    path = min((tmp_path / "run" / "records").iterdir())
    path.chmod(0o644)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"turns": 3}))
    assert "manifest.json: does not fit the records" in refuse(tmp_path, tmp_path / "run")


def test_a_run_without_its_manifest_is_refused(place, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "run")
    (tmp_path / "run" / "manifest.json").unlink()
    assert "manifest.json: missing" in refuse(tmp_path, tmp_path / "run")


def test_a_shortened_schedule_is_refused_even_unverified(place, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"schedule": document["schedule"][:-1]}))
    assert "its schedule is not every world in every trial" in refuse(tmp_path, "--unverified", tmp_path / "run")


def test_unverified_marks_every_table_and_figure(mixed, tmp_path):
    out = tmp_path / "report"
    done = run_here("report", mixed, "--out", out, "--unverified")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    marked = [path for path in out.glob("*.md") if path.name != "tables.md"]
    assert len(marked) > 20
    mark = "UNVERIFIED: the records of greedy are not as they were sealed"
    assert all(path.read_text().startswith(mark) for path in marked)
    assert all(mark in path.read_text() for path in out.glob("*.tex"))
    page = (out / "report.html").read_text()
    assert '<p class="warning" role="alert">UNVERIFIED: greedy.' in page
    drawn = {path.stem for path in (out / "figures").iterdir()}
    assert len(drawn) == 6
    assert page.count(">UNVERIFIED RECORDS<") == 2 * len(drawn)  # for wide and for narrow screens
    for name in drawn:  # letters are shapes in the files for print, and all formats are one drawing
        assert b"<!-- UNVERIFIED RECORDS -->" in (out / "figures" / f"{name}.svg").read_bytes()


def test_a_sound_report_has_no_mark(sound):
    assert not [path for path in sound.glob("*.*") if b"UNVERIFIED" in path.read_bytes()]


def test_a_report_is_never_written_into_its_run_or_suite(place):
    for out in (place / "greedy", place / "greedy" / "report", place / "suite", place / "suite" / "worlds"):
        done = run_here("report", place / "greedy", "--out", out)
        assert done.returncode == 2
        assert "a run or a suite: choose another --out" in done.stderr

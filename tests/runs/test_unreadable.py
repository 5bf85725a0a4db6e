"""Commands that count or print records fail if records cannot be read, and say which."""

import json
import os
import shutil

import pytest

from tests.command import run_here

COMMANDS = pytest.mark.parametrize("command", ["status", "records"])


@pytest.fixture(scope="module")
def finished(suite, tmp_path_factory):
    """A finished run of a scripted agent."""
    run = tmp_path_factory.mktemp("unreadable") / "run"
    paths = ("--suite", suite.directory, "--out", run)
    assert run_here("run", *paths, "--agent", "greedy", "--trials", 1).returncode == 0
    return run


@pytest.fixture
def run(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def first_record(run):
    return min((run / "records").iterdir())


def edit(**changes):
    """Change fields of the first record."""

    def damage(run):
        path = first_record(run)
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return damage


def write(text):
    """Replace the first record by `text`."""
    return lambda run: first_record(run).write_text(text)


DAMAGES = {
    "cut": lambda run: os.truncate(first_record(run), 100),
    "empty": write(""),
    "null": write("null"),
    "list": write("[]"),
    "object": write("{}"),
    "nested": write("[" * 100_000),
    "text as exact": edit(exact="yes"),
    "list as outcome": edit(outcome=["feasible"]),
    "text as cost": edit(cost="1"),
    "text as trajectory": edit(trajectory="x"),
    "a record is missing": lambda run: first_record(run).unlink(),
    "a folder in its place": lambda run: (first_record(run).rename(run / "other"), (first_record(run)).with_name("x").mkdir()),
    "all records are missing": lambda run: shutil.rmtree(run / "records"),
    "the folder is a file": lambda run: (shutil.rmtree(run / "records"), (run / "records").write_text("")),
    "the folder is a loop": lambda run: (shutil.rmtree(run / "records"), (run / "records").symlink_to(run / "records")),
    "a link to nothing": lambda run: (path := first_record(run), path.unlink(), path.symlink_to(run / "nothing")),
    "a pipe": lambda run: (path := first_record(run), path.unlink(), os.mkfifo(path)),
}


@COMMANDS
@pytest.mark.parametrize("name", DAMAGES)
def test_unreadable_records_end_a_command_with_one_line_and_exit_code_2(run, command, name):
    DAMAGES[name](run)
    for options in ((), ("--json",)):
        result = run_here(command, run, *options)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
        assert any(words in result.stderr for words in ("cannot be read", "record", "names must be printable"))


@COMMANDS
@pytest.mark.parametrize("kind", ["missing", "file", "empty folder", "loop"])
def test_path_that_is_not_a_run_is_refused(tmp_path, command, kind):
    path = tmp_path / "path"
    if kind == "file":
        path.write_text("x")
    elif kind == "empty folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    result = run_here(command, path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "is not a run: make one with algoworlds run" in result.stderr


@COMMANDS
def test_escapes_in_an_edited_record_are_not_printed(run, command):
    edit(outcome="feasible\x1b[2J", stop_reason="\u202etext_end\x07")(run)
    result = run_here(command, run)
    assert result.returncode == 2
    assert not set(result.stdout + result.stderr) & set("\x1b\x07\u202e")


def test_run_that_has_not_finished_is_readable(run):
    (run / "manifest.json").unlink()
    shutil.rmtree(run / "records")
    assert json.loads(run_here("status", run, "--json").stdout)["finished"] == 0
    assert run_here("records", run).returncode == 0

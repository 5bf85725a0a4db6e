"""A build killed at any operation on files is finished by running it again; odd files and places are one clear line."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from algoworlds.disk import alone, read_plain, write_once, write_whole
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import open_suite
from tests.command import ROOT, run_here
from tests.odd import ODD, put, without_waiting
from tests.silence import silent
from tests.suites.suites import SMALL, contents, first


def killed(out, *points):
    """What each kill point came to, and how many there are."""
    order = [sys.executable, "-m", "tests.suites.crash", str(out), *map(str, points)]
    done = subprocess.run(order, capture_output=True, text=True, check=True, cwd=ROOT)
    first_line, *lines = map(json.loads, done.stdout.splitlines())
    return first_line["operations"], lines


def check(lines):
    assert lines
    for line in lines:
        assert (line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True), line


def test_a_build_killed_as_it_begins_midway_and_as_it_ends_is_finished_by_running_it_again(tmp_path):
    operations, lines = killed(tmp_path, *range(1, 10), 20, 40, 60, *range(-8, 1))
    assert operations > 60
    assert len(lines) == 9 + 3 + 9
    check(lines)


@pytest.mark.full
def test_a_build_killed_at_any_operation_on_files_is_finished_by_running_it_again(tmp_path):
    operations, lines = killed(tmp_path)
    assert [line["at"] for line in lines] == list(range(1, operations + 1))
    check(lines)


@pytest.mark.parametrize("inside", [".build/notes.txt", ".build/suite", "worlds/notes.txt"])
def test_a_build_takes_nothing_for_its_own_that_is_not(tmp_path, inside):
    out = tmp_path / "mine"
    (out / inside).parent.mkdir(parents=True)
    (out / inside).write_text("mine")
    with pytest.raises(InputError, match="is not empty: choose another --out"):
        build_suite(SMALL, out, None, silent)
    assert contents(out) == {inside: b"mine"}


def test_a_finished_build_of_another_suite_is_not_taken_up(fresh, tmp_path):
    out = tmp_path / "other"
    shutil.copytree(fresh, out)
    (out / ".build").mkdir()
    with pytest.raises(InputError, match=r"other holds another suite \(another seed\): choose another --out"):
        build_suite(replace(SMALL, seed="another seed of some length"), out, None, silent)
    assert (out / ".build").is_dir()


def test_a_lock_is_on_the_folder_and_no_file_can_break_it(tmp_path):
    with alone(tmp_path):
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(InputError, match="being written by another process"), alone(tmp_path):
            pass
    with alone(tmp_path):
        pass


def test_a_file_is_written_whole_or_once(tmp_path):
    write_whole(tmp_path / "a", b"one")
    write_whole(tmp_path / "a", b"two")
    write_once(tmp_path / "b", b"one")
    with pytest.raises(FileExistsError):
        write_once(tmp_path / "b", b"two")
    assert contents(tmp_path) == {"a": b"two", "b": b"one"}


@pytest.mark.parametrize("what", ODD)
def test_only_plain_files_are_read(tmp_path, what):
    put(tmp_path / "odd", what)
    with pytest.raises(OSError, match=r"plain|directory|symbolic|such"):
        read_plain(tmp_path / "odd")


FILES = ("manifest.json", "README.md", "sealed/suite.json", "question.json", "sealed/instance.json", "sealed/scoring.json")


@pytest.fixture(scope="module")
def played(fresh, tmp_path_factory):
    """A finished run on the small suite."""
    out = tmp_path_factory.mktemp("played") / "run"
    assert run_here("run", "--suite", fresh, "--agent", "greedy", "--out", out).returncode == 0
    return out


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", FILES)
def test_a_suite_with_something_else_in_the_place_of_a_file_is_refused_in_one_line(small, played, tmp_path, name, what):
    put(small / name if (small / name).exists() else first(small, name), what)
    playing = [
        ("run", "--agent", "null", "--out", tmp_path / "run", "--suite", small),
        ("report", played, "--out", tmp_path / "report", "--suite", small),
        ("verify-run", played, "--suite", small),
        ("rescore", played, "--suite", small),
    ]
    checking = [("verify", small), ("validate", small), ("stats", small), ("commit", small), ("reveal", small, "0" * 64)]
    with without_waiting():
        for order in checking if name == "README.md" else checking + playing:  # which no run reads
            done = run_here(*order)
            assert done.returncode in (1, 2), (order, done)
            told = done.stderr or done.stdout  # which records cannot be rescored, and why
            assert told.count("\n") == 1 or order[0] in ("rescore", "verify-run"), (order, told)
            assert "Traceback" not in told


@pytest.mark.parametrize("place", ["loop", "file/x", "n" * 300, "pipe", "dangling/x"])
def test_an_odd_out_is_one_clear_line(tmp_path, place):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("/proc/nowhere")
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    done = run_here("build", "--out", tmp_path / place, "--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_a_suite_opens_with_its_worlds_listed_once(fresh):
    opened = open_suite(fresh)
    assert opened.entries is opened.entries
    with pytest.raises(TypeError):
        opened.entries["another"] = None

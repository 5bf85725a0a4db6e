"""Builds killed at any file operation are finished by running them again; odd files and paths fail in one line."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from algoworlds.disk import create_atomic, lock_folder, read_regular_file, write_atomic
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from tests.command import ROOT, run_here
from tests.odd import ODD, put, without_waiting
from tests.silence import silent
from tests.suites.suites import SMALL, contents, first_file


def kill_builds(out, *points):
    """The number of file operations of a build, and the outcome of a kill at each of `points`."""
    command = [sys.executable, "-m", "tests.suites.crash", str(out), *map(str, points)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    first_line, *lines = map(json.loads, done.stdout.splitlines())
    return first_line["operations"], lines


def assert_resumed(lines):
    assert lines
    for line in lines:
        assert (line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True), line


def test_resume_after_a_kill_at_the_start_midway_and_at_the_end(tmp_path):
    operations, lines = kill_builds(tmp_path, *range(1, 10), 20, 40, 60, *range(-8, 1))
    assert operations > 60
    assert len(lines) == 9 + 3 + 9
    assert_resumed(lines)


@pytest.mark.full
def test_resume_after_a_kill_at_any_file_operation(tmp_path):
    operations, lines = kill_builds(tmp_path)
    assert [line["at"] for line in lines] == list(range(1, operations + 1))
    assert_resumed(lines)


@pytest.mark.parametrize("inside", [".build/notes.txt", ".build/suite", "worlds/notes.txt"])
def test_rejects_a_directory_with_foreign_files(tmp_path, inside):
    out = tmp_path / "mine"
    (out / inside).parent.mkdir(parents=True)
    (out / inside).write_text("mine")
    with pytest.raises(InputError, match="is not empty: choose another --out"):
        build_suite(SMALL, out, None, silent)
    assert contents(out) == {inside: b"mine"}


def test_does_not_resume_a_finished_build_of_another_suite(fresh, tmp_path):
    out = tmp_path / "other"
    shutil.copytree(fresh, out)
    (out / ".build").mkdir()
    with pytest.raises(InputError, match=r"other holds another suite \(another seed\): choose another --out"):
        build_suite(replace(SMALL, seed="another seed of some length"), out, None, silent)
    assert (out / ".build").is_dir()


def test_the_lock_is_on_the_folder_and_leaves_no_file(tmp_path):
    with lock_folder(tmp_path):
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(InputError, match="being written by another process"), lock_folder(tmp_path):
            pass
    with lock_folder(tmp_path):
        pass


def test_files_are_written_atomically_or_created_once(tmp_path):
    write_atomic(tmp_path / "a", b"one")
    write_atomic(tmp_path / "a", b"two")
    create_atomic(tmp_path / "b", b"one")
    with pytest.raises(FileExistsError):
        create_atomic(tmp_path / "b", b"two")
    assert contents(tmp_path) == {"a": b"two", "b": b"one"}


@pytest.mark.parametrize("what", ODD)
def test_reads_regular_files_only(tmp_path, what):
    put(tmp_path / "odd", what)
    with pytest.raises(OSError, match=r"plain|directory|symbolic|such"):
        read_regular_file(tmp_path / "odd")


FILES = ("manifest.json", "README.md", "sealed/suite.json", "question.json", "sealed/instance.json", "sealed/scoring.json")


@pytest.fixture(scope="module")
def played(fresh, tmp_path_factory):
    """A finished run on the small suite."""
    out = tmp_path_factory.mktemp("played") / "run"
    assert run_here("run", fresh, "--agent", "greedy", "--out", out).returncode == 0
    return out


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", FILES)
def test_every_command_rejects_a_suite_with_an_irregular_file_in_one_line(small, played, tmp_path, name, what):
    put(small / name if (small / name).exists() else first_file(small, name), what)
    playing = [
        ("run", "--agent", "null", "--out", tmp_path / "run", small),
        ("report", played, "--out", tmp_path / "report", "--suite", small),
        ("verify-run", played, "--suite", small),
        ("rescore", played, "--suite", small),
    ]
    checking = [("verify", small), ("validate", small), ("stats", small), ("commit", small), ("reveal", small, "0" * 64)]
    with without_waiting():
        for arguments in checking if name == "README.md" else checking + playing:  # no run reads README.md
            done = run_here(*arguments)
            assert done.returncode in (1, 2), (arguments, done)
            output = done.stderr or done.stdout  # rescore prints which records failed on stdout
            assert output.count("\n") == 1 or arguments[0] in ("rescore", "verify-run"), (arguments, output)
            assert "Traceback" not in output


@pytest.mark.parametrize("out", ["loop", "file/x", "n" * 300, "pipe", "dangling/x"])
def test_an_unusable_out_fails_in_one_line(tmp_path, out):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("/proc/nowhere")
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    done = run_here("build", "--out", tmp_path / out, "--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_entries_are_cached_and_read_only(fresh):
    opened = open_suite(fresh)
    assert opened.entries is opened.entries
    with pytest.raises(TypeError):
        opened.entries["another"] = None

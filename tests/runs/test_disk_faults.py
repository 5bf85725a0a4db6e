"""Commands whose file operations fail, one after the other, or that are killed late: they say so, and can be run again."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from tests.command import COMMAND, PATIENCE, run_here
from tests.runs.model_runs import record_bytes, solution_calls
from tests.runs.server import KEY
from tests.runs.wire import Reply
from tests.silence import silent

ENVIRONMENT = os.environ | {"LOOPBACK_KEY": KEY}
STEPS = [9, pytest.param(1, marks=pytest.mark.full)]
"""Every ninth operation; in the full tests every one."""
CHECKS_OF_A_NEW_FOLDER = range(1, 5)
"""The first operations of a run try whether its folder can be written, in two ways; one way is enough."""


def run_with_failures(folder, step, source, *words):
    """The results of a command in which each `step`-th operation failed, by number of the operation."""
    command = [sys.executable, "-m", "tests.runs.disk_faults", folder, errno.EIO, step, source, *words]
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=False
    )
    assert result.returncode == 0, result.stderr
    return {number: rest for number, *rest in map(json.loads, result.stdout.splitlines())}


def assert_failures_are_reported(results, ignored=()):
    """Every failure has an exit code and a message, and the same command completes the work afterwards."""
    assert len(results) > 2
    for number, (name, (code, _, errors), (again, _, errors_again)) in results.items():
        assert again == 0, (number, name, errors_again)
        assert "Traceback" not in errors, (number, name, errors)
        if number not in ignored and (name, code) != ("mkdir", 0):  # of a folder that exists already
            assert code in (1, 2), (number, name)
            assert errors.strip(), (number, name)


@pytest.fixture(scope="module")
def finished(suite, tmp_path_factory):
    """A folder with a finished run of a scripted agent and its archive."""
    folder = tmp_path_factory.mktemp("finished")
    paths = ("--suite", suite.directory, "--out", folder / "run")
    assert run_here("run", *paths, "--agent", "greedy", "--trials", 1, "--worlds", "fleet*").returncode == 0
    assert run_here("pack", folder / "run", "--out", folder / "run.tar").returncode == 0
    return folder


@pytest.mark.parametrize("step", STEPS)
def test_b4_failing_file_operation_of_a_model_run_is_reported(server, suite, tmp_path, step):
    entry = next(entry for entry in suite.manifest.worlds if entry.id.startswith("fleet") and entry.interface == "direct")
    calls = solution_calls(suite)[suite.world(entry).question]
    server.script = lambda conversation: Reply(([calls[0], calls[-1]][len(conversation.call_turns)],))
    (tmp_path / "model.toml").write_text(server.toml("chat"))
    paths = ("--suite", suite.directory, "--model", tmp_path / "model.toml", "--out", "FOLDER/run")
    (tmp_path / "runs").mkdir()
    results = run_with_failures(tmp_path / "runs", step, "-", "run", *paths, "--trials", 1, "--worlds", "fleet*-direct")
    assert_failures_are_reported(results, CHECKS_OF_A_NEW_FOLDER)
    runs = [tmp_path / "runs" / f"operation-{number}" / "run" for number in results]
    assert len({json.dumps({name: text.decode() for name, text in record_bytes(run).items()}) for run in runs}) == 1
    assert all(verify_run(RunDirectory(run), suite, None, silent) == [] for run in runs)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--suite", "SUITE", "--agent", "greedy", "--trials", 1, "--worlds", "fleet*", "--out", "FOLDER/new"),
        ("judge", "FOLDER/run"),
        ("pack", "FOLDER/run", "--out", "FOLDER/new.tar"),
        ("unpack", "FOLDER/run.tar", "--out", "FOLDER/new"),
        ("rescore", "FOLDER/run", "--out", "FOLDER/new"),
    ],
    ids=lambda words: words[0],
)
def test_b4_failing_file_operation_of_a_command_is_reported(finished, suite, tmp_path, words, step):
    words = [suite.directory if word == "SUITE" else word for word in words]
    results = run_with_failures(tmp_path, step, finished, *words)
    assert_failures_are_reported(results, CHECKS_OF_A_NEW_FOLDER if words[0] in ("run", "judge") else ())
    folders = [tmp_path / f"operation-{number}" for number in results]
    left_over = [path for folder in folders for path in folder.rglob(".*")]
    assert left_over == []
    contents = [
        {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "run.json"
        }
        for folder in folders
    ]
    assert all(content == contents[0] for content in contents)


LATE_KILLS = {
    "pack": ("link", "unlink", ("pack", "run", "--out", "new.tar")),
    "unpack": ("rename", "fsync", ("unpack", "run.tar", "--out", "new")),
    "rescore": ("rename", "fsync", ("rescore", "run", "--out", "new")),
}
KILL_AFTER = """
import os, signal, sys
from algoworlds.cli import main
operation, following = sys.argv[1:3]
plain, done = getattr(os, operation), []
def finish(source, target, *rest, **named):
    plain(source, target, *rest, **named)
    if os.path.basename(target).startswith("new"):
        os.kill(os.getpid(), signal.SIGKILL)
def stop(source, target, *rest, **named):
    if os.path.basename(target).startswith("new"):
        os.kill(os.getpid(), signal.SIGKILL)
    plain(source, target, *rest, **named)
setattr(os, operation, finish if following == "after" else stop)
sys.argv = ["algoworlds", *sys.argv[3:]]
main()
"""


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("name", LATE_KILLS)
def test_command_killed_at_its_end_is_completed_by_the_same_command(finished, tmp_path, name, moment):
    operation, _, words = LATE_KILLS[name]
    words = [str(finished / word) if word in ("run", "run.tar") else word for word in words]
    command = [sys.executable, "-c", KILL_AFTER, operation, moment, *words]
    killed = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left_over = {path.name for path in tmp_path.iterdir()}
    assert ("new" in {path.stem for path in map(Path, left_over)}) == (moment == "after")
    again = subprocess.run([COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert again.returncode == 0, again.stderr
    assert {path.stem for path in tmp_path.iterdir()} == {"new"}


def test_finished_output_with_other_content_is_refused(finished, suite, tmp_path):
    from algoworlds.runs.archive import pack_run, unpack_run

    pack_run(RunDirectory(finished / "run"), tmp_path / "run.tar", False, {})
    (tmp_path / "run.tar").write_bytes(b"something else")
    with pytest.raises(InputError, match="exists: choose another --out"):
        pack_run(RunDirectory(finished / "run"), tmp_path / "run.tar", False, {})
    assert (tmp_path / "run.tar").read_bytes() == b"something else"
    for change in ("judgements/extra.json", "run.json"):
        with unpack_run(finished / "run.tar", tmp_path / change.replace("/", "-"), None):
            pass
        (tmp_path / change.replace("/", "-") / change).write_text("{}")
        with (
            pytest.raises(InputError, match="exists: choose another --out"),
            unpack_run(finished / "run.tar", tmp_path / change.replace("/", "-"), None),
        ):
            pass
    for odd in (tmp_path / "run.tar", tmp_path / "empty", tmp_path / "dangling"):
        if odd.name == "empty":
            odd.mkdir()
        if odd.name == "dangling":
            odd.symlink_to(tmp_path / "nothing")
        with pytest.raises(InputError, match="exists: choose another --out"), unpack_run(finished / "run.tar", odd, None):
            pass
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

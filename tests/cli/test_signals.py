"""Runs of scripted agents that are interrupted or lose a process: a clear message, and no process left behind (B3)."""

import os
import signal
from itertools import product
from pathlib import Path

import pytest

from tests.command import COMMAND, PATIENCE, start_process, until, waiting_signals
from tests.runs.model_runs import build_small_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return build_small_suite(tmp_path_factory.mktemp("signals") / "suite").directory


@pytest.fixture
def running(suite, tmp_path):
    """A run on two worker processes that takes much longer than any test."""
    options = ("--agent", "greedy", "--trials", 5000, "--concurrency", 2)
    process = start_process(COMMAND, "run", suite, "--out", tmp_path / "run", *options, start_new_session=True)
    until(lambda: len(workers(process.pid)) == 2 and not waiting_signals(process), process)
    yield process
    process.kill()
    process.communicate()


def workers(parent: int) -> list[int]:
    """The living worker processes of the process `parent`."""
    ids = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state, parent_id = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent_id) == parent and state != "Z" and b"spawn_main" in (path / "cmdline").read_bytes():
                ids.append(int(path.name))
        except OSError:
            continue  # it has just ended
    return ids


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


SENDS = tuple(product((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), (os.kill, os.killpg)))
DEFAULT_SENDS = ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill), (signal.SIGHUP, os.killpg))


@pytest.mark.parametrize(
    ("number", "send"),
    [pytest.param(*case, marks=() if case in DEFAULT_SENDS else pytest.mark.full) for case in SENDS],
)
def test_interrupted_run_ends_with_its_processes(running, number, send):
    pids = workers(running.pid)
    send(running.pid, number)
    output, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors == "stopped: interrupted\nrun the same command again to go on from here\n"
    assert output.startswith("greedy: ")
    until(lambda: not any(map(is_alive, pids)))


def test_killed_worker_is_one_line(running):
    pids = workers(running.pid)
    os.kill(pids[0], signal.SIGKILL)
    _, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors.count("\n")) == (1, 1)
    assert "a worker process was killed" in errors
    until(lambda: not any(map(is_alive, pids)))


def test_no_worker_outlives_a_killed_run(running):
    pids = workers(running.pid)
    running.kill()
    until(lambda: not any(map(is_alive, pids)))

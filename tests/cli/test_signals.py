"""Runs of scripted agents that are interrupted or lose a process: one clear end, and no process left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.runs.play import built

COMMAND = str(Path(sys.executable).parent / "algoworlds")


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    built(tmp_path_factory.mktemp("signals") / "suite")
    return tmp_path_factory.getbasetemp() / "signals0" / "suite"


@pytest.fixture
def running(suite, tmp_path):
    """A run on two processes that takes much longer than any test."""
    where = ("--suite", suite, "--out", tmp_path / "run")
    order = [COMMAND, "run", "--agent", "oracle", "--trials", "20000", "--concurrency", "2", *map(str, where)]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(order, start_new_session=True, **piped)
    while len(workers(process.pid)) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    yield process
    process.kill()
    process.communicate()


def workers(parent: int) -> list[int]:
    """The living worker processes that a process has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, above = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(above) == parent and state != "Z" and b"spawn_main" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue  # it ended as we looked
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(processes: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(map(alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(alive, processes))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["process", "terminal"])
def test_an_interrupted_run_ends_at_once_with_its_processes(running, number, send):
    started = workers(running.pid)
    send(running.pid, number)
    told, errors = running.communicate(timeout=20)
    assert running.returncode == 130
    assert errors == "stopped: interrupted\nrun the same command again to go on from here\n"
    assert told.startswith("oracle: ")
    assert gone(started)


def test_a_killed_worker_is_one_clear_line(running):
    started = workers(running.pid)
    os.kill(started[0], signal.SIGKILL)
    _, errors = running.communicate(timeout=20)
    assert (running.returncode, errors.count("\n")) == (1, 1)
    assert "a worker process was killed" in errors
    assert gone(started)


def test_no_worker_outlives_a_killed_run(running):
    started = workers(running.pid)
    running.kill()
    assert gone(started)

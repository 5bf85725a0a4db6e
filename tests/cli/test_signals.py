"""Runs of scripted agents that are interrupted or lose a process: one clear end, and no process left behind (B3)."""

import os
import signal
from itertools import product
from pathlib import Path

import pytest

from tests.command import COMMAND, PATIENCE, started, until, waiting_signals
from tests.runs.play import built


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    return built(tmp_path_factory.mktemp("signals") / "suite").directory


@pytest.fixture
def running(suite, tmp_path):
    """A run on two processes that takes much longer than any test, its tasks handed out."""
    options = ("--agent", "greedy", "--trials", 5000, "--concurrency", 2)
    process = started(COMMAND, "run", "--suite", suite, "--out", tmp_path / "run", *options, start_new_session=True)
    until(lambda: len(workers(process.pid)) == 2 and not waiting_signals(process), process)
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


WAYS = tuple(product((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), (os.kill, os.killpg)))
IN_TURN = ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill), (signal.SIGHUP, os.killpg))


@pytest.mark.parametrize(
    ("number", "send"), [pytest.param(*way, marks=() if way in IN_TURN else pytest.mark.full) for way in WAYS]
)
def test_an_interrupted_run_ends_at_once_with_its_processes(running, number, send):
    hands = workers(running.pid)
    send(running.pid, number)
    told, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors == "stopped: interrupted\nrun the same command again to go on from here\n"
    assert told.startswith("greedy: ")
    until(lambda: not any(map(alive, hands)))


def test_a_killed_worker_is_one_clear_line(running):
    hands = workers(running.pid)
    os.kill(hands[0], signal.SIGKILL)
    _, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors.count("\n")) == (1, 1)
    assert "a worker process was killed" in errors
    until(lambda: not any(map(alive, hands)))


def test_no_worker_outlives_a_killed_run(running):
    hands = workers(running.pid)
    running.kill()
    until(lambda: not any(map(alive, hands)))

"""The same tasks on a Dask cluster, started as a user would, with a worker killed in the middle."""

import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from algoworlds.batch import engine
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.suite import Suite

SUITE = Suite("part", "dask seed", ("fleet_dispatch", "machine_layout"), (0, 1), 2)
DASK = str(Path(sys.executable).parent / "dask")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(stack, *arguments):
    process = subprocess.Popen([DASK, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def wait_for(port):
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the scheduler did not start")


def contents(directory):
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_builds_the_same_bytes_though_a_worker_dies(tmp_path):
    build_suite(SUITE, tmp_path / "alone", None, lambda done, total: None)
    with ExitStack() as stack:
        port = free_port()
        started(stack, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        wait_for(port)
        address = f"tcp://127.0.0.1:{port}"
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        first, _ = (started(stack, "worker", address, *options) for _ in range(2))

        def kill_once(done, total):
            if done == 1:
                first.kill()

        with engine(1, f"dask://127.0.0.1:{port}") as executor:
            build_suite(SUITE, tmp_path / "cluster", executor, kill_once)
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_one_clear_line(monkeypatch):
    with pytest.raises(InputError, match="no Dask scheduler answers"), engine(1, f"dask://127.0.0.1:{free_port()}"):
        pass

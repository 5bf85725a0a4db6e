"""The same tasks on a Dask cluster, started as a user would start it, with a worker killed midway (F10)."""

import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

import algoworlds as aw
from algoworlds.batch import open_executor
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.suite import SuiteSpec
from tests.command import until
from tests.silence import silent
from tests.suites.suites import contents

WORLDS = aw.stream("dask", "fleet_dispatch")[:4]
SUITE = SuiteSpec("part", "dask seed", ("fleet_dispatch", "machine_layout"), (0, 1), 2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(stack, *arguments):
    command = [sys.executable, "-m", "dask", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_builds_the_same_bytes_although_a_worker_dies(tmp_path):
    build_suite(SUITE, tmp_path / "alone", None, silent)
    with ExitStack() as stack:
        port = free_port()
        scheduler = start(stack, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        until(lambda: is_open(port), scheduler)
        address = f"tcp://127.0.0.1:{port}"
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        first, _ = (start(stack, "worker", address, *options) for _ in range(2))

        def kill_once(done, total):
            if done == 1:
                first.kill()

        with open_executor(1, f"dask://127.0.0.1:{port}") as executor:
            build_suite(SUITE, tmp_path / "cluster", executor, kill_once)
            rollouts = list(aw.rollouts("random", WORLDS, executor))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")
    assert rollouts == list(aw.rollouts("random", WORLDS))


@pytest.mark.filterwarnings("ignore")
def test_a_missing_scheduler_fails_in_one_line():
    with pytest.raises(InputError, match="no Dask scheduler answers"), open_executor(1, f"dask://127.0.0.1:{free_port()}"):
        pass

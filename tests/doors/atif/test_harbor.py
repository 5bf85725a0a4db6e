"""Harbor's own models read our tasks, and their scripts give 1 to the oracle and 0 to an agent that does nothing.

The sidecar is started by the command of its image, and the scripts run outside containers.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harbor.models.task.config import TaskConfig
from harbor.models.task.paths import TaskPaths
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_verifier_environment_definition

from algoworlds.families import FAMILIES
from tests.command import COMMAND, PATIENCE, run_here
from tests.doors.atif import test_atif as _harbor  # noqa: F401  # makes Harbor's models importable without its clients


@pytest.fixture(scope="module")
def tasks(suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("harbor") / "tasks"
    assert run_here("export", "harbor", suite.directory, "--out", out).returncode == 0
    return out


def test_harbor_accepts_every_task(suite, tasks):
    assert sorted(path.name for path in tasks.iterdir()) == sorted(suite.entries)
    for name in suite.entries:
        assert Task.is_valid_dir(tasks / name)
        task = Task(tasks / name)
        assert task.name == f"algoworlds/{name}"
        question = suite.public_world(name).question
        assert task.instruction.startswith(question.strip())  # without the canary
        (server,) = task.config.environment.mcp_servers
        assert server.transport == "streamable-http"
        verifier = resolve_verifier_environment_definition(task.config, TaskPaths(tasks / name))
        assert (verifier.directory, verifier.bundled_tests) == ((tasks / name / "tests").resolve(), True)
        assert verifier.config.mcp_servers == []


def test_agent_and_verifier_get_nothing_sealed(suite, tasks):
    """The agent's container is an unchanged image; only the sidecar's image and the oracle's folder hold answers."""
    assert tasks.stat().st_mode & 0o077 == 0
    for name, entry in suite.entries.items():
        config = TaskConfig.model_validate_toml((tasks / name / "task.toml").read_text())
        compose = (tasks / name / "environment" / "docker-compose.yaml").read_text()
        main = re.search(r"^  main:\n((?:    .*\n)+)", compose, re.MULTILINE)[1]
        assert config.environment.docker_image
        assert {path.name for path in (tasks / name / "environment").iterdir()} == {"docker-compose.yaml", "worlds"}
        assert "volumes" not in compose
        assert re.findall(r"^    (\w+):", main, re.MULTILINE) == ["depends_on"]
        sealed = {path.relative_to(tasks / name).parts[:2] for path in (tasks / name).rglob("sealed")}
        assert sealed == {("environment", "worlds")}
        scoring = json.loads((suite.directory / "worlds" / name / "sealed" / "scoring.json").read_text())
        public = [tasks / name / file for file in ("instruction.md", "task.toml", "environment/docker-compose.yaml")]
        for path in (*public, *(tasks / name / "tests").iterdir()):
            assert suite.spec.seed not in path.read_text()
            assert suite.spec.pepper not in path.read_text()
            assert json.dumps(scoring["decision"], sort_keys=True, separators=(",", ":")) not in path.read_text()
        worlds = tasks / name / "environment" / "worlds" / "suite" / "worlds"
        assert [path.name for path in worlds.iterdir()] == [entry.id]


class Sidecar:
    """The sidecar of a task, started by the command of its image with other folders and another port."""

    def __init__(self, task, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        shutil.copytree(task / "environment" / "worlds", folder)
        self.run = folder / "run"
        text = (task / "environment" / "worlds" / "Dockerfile").read_text()
        program, *words = json.loads(text.partition("\nCMD ")[2].replace("\\\n", ""))
        assert program == "algoworlds"
        changes = {
            "/srv/suite": str(folder / "suite"),
            "/srv/run": str(self.run),
            "8421": str(self.port),
            "0.0.0.0": "127.0.0.1",
        }
        self.command = [COMMAND, *(changes.get(word, word) for word in words)]
        (address,) = TaskConfig.model_validate_toml((task / "task.toml").read_text()).environment.mcp_servers
        self.url = address.url.replace("worlds:8421", f"127.0.0.1:{self.port}")

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 2).close()
                return self
            except OSError:
                assert self.process.poll() is None, "the sidecar has ended"
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def __exit__(self, *problem):
        self.process.terminate()
        self.process.wait(PATIENCE)


def run_script(path, **variables):
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | variables
    return subprocess.run(["sh", path], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)


def reward(task, run, logs):
    done = run_script(task / "tests" / "test.sh", RUN=str(run), LOGS=str(logs))
    assert done.returncode == 0, done.stderr
    return json.loads((logs / "reward.json").read_text())


@pytest.mark.parametrize("family", FAMILIES)
def test_oracle_gets_1_and_an_idle_agent_0(suite, tasks, tmp_path, family):
    task = tasks / next(name for name, entry in suite.entries.items() if entry.family == family)
    with Sidecar(task, tmp_path / "idle") as idle:
        pass
    assert reward(task, idle.run, tmp_path / "idle-logs") == {"reward": 0.0}
    with Sidecar(task, tmp_path / "oracle") as oracle:
        done = run_script(task / "solution" / "solve.sh", URL=oracle.url)
        assert done.returncode == 0, done.stderr
        # Artifacts are collected while the sidecar still runs.
        assert reward(task, oracle.run, tmp_path / "oracle-logs") == {"reward": 1.0}
    verified = run_here("verify-run", oracle.run, "--suite", suite.directory)
    assert verified.returncode == 0, verified.stderr


def test_missing_sidecar_gives_no_reward(tasks, tmp_path):
    (task, *_) = sorted(tasks.iterdir())
    done = run_script(task / "tests" / "test.sh", RUN=str(tmp_path / "none"), LOGS=str(tmp_path / "logs"))
    assert done.returncode != 0
    assert not (tmp_path / "logs" / "reward.json").exists()

"""Trajectories as Harbor's own models read them."""

import json
import sys
from importlib.util import find_spec
from types import ModuleType

from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import run_agent
from algoworlds.suites.record import Kind
from tests.command import run_here
from tests.runs.play import model_run, optimal
from tests.runs.server import Server
from tests.silence import silent


def harbor():
    """Harbor's model of a trajectory, without the clients of container services that the package itself starts with."""
    for name in ("harbor", "harbor.models"):
        made = ModuleType(name)
        made.__path__ = list(find_spec(name).submodule_search_locations)
        sys.modules[name] = made
    from harbor.models.trajectories.trajectory import Trajectory

    return Trajectory


Trajectory = harbor()


def exported(run, out):
    assert run_here("export", "atif", run, "--out", out).returncode == 0
    return [Trajectory.model_validate_json(path.read_bytes()) for path in sorted(out.iterdir())]


def test_harbor_takes_every_trajectory_of_every_agent(suite, tmp_path):
    for name in AGENTS:
        run = RunDirectory(tmp_path / name)
        with run.locked():
            run.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, Wanted().of(suite), 1), suite.directory)
            run_agent(run, suite, name, None, silent)
        found = exported(run.path, tmp_path / f"{name}-out")
        assert len(found) == len(run.schedule)
        assert {each.schema_version for each in found} == {"ATIF-v1.8"}
        written = [json.loads(path.read_text()) for path in sorted((tmp_path / f"{name}-out").iterdir())]
        assert [each.to_json_dict() for each in found] == written


def test_harbor_takes_a_model_s_trajectory_and_its_tokens(suite, tmp_path):
    with Server(optimal(suite)) as server:
        model_run(suite, tmp_path / "run", server.configuration("messages"), server.environment, worlds="fleet*")
    for each in exported(tmp_path / "run", tmp_path / "out"):
        counted = [step.metrics.prompt_tokens for step in each.steps if step.metrics]
        assert sum(counted) == each.final_metrics.total_prompt_tokens > 0
        assert each.final_metrics.total_steps == len(each.steps)

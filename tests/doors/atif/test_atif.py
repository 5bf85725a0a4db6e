"""Harbor's own models read our trajectories."""

import json
import sys
from importlib.util import find_spec
from types import ModuleType

from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment, WorldFilter
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.suites.record import PlayerKind
from tests.command import run_here
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import Server
from tests.silence import silent


def harbor():
    """Harbor's trajectory model, imported without the container clients that the package imports."""
    for name in ("harbor", "harbor.models"):
        module = ModuleType(name)
        module.__path__ = list(find_spec(name).submodule_search_locations)
        sys.modules[name] = module
    from harbor.models.trajectories.trajectory import Trajectory

    return Trajectory


Trajectory = harbor()


def export(run, out):
    assert run_here("export", "atif", run, "--out", out).returncode == 0
    return [Trajectory.model_validate_json(path.read_bytes()) for path in sorted(out.iterdir())]


def test_harbor_accepts_every_agents_trajectories(suite, tmp_path):
    for name in AGENTS:
        run = RunDirectory(tmp_path / name)
        with run.lock():
            run.create_or_resume(
                Experiment.from_suite(name, PlayerKind.AGENT, {"agent": name}, suite, WorldFilter().select(suite), 1),
                suite.directory,
            )
            run_scripted_agent(run, suite, name, None, silent)
        trajectories = export(run.path, tmp_path / f"{name}-out")
        assert len(trajectories) == len(run.schedule)
        assert {trajectory.schema_version for trajectory in trajectories} == {"ATIF-v1.8"}
        written = [json.loads(path.read_text()) for path in sorted((tmp_path / f"{name}-out").iterdir())]
        assert [trajectory.to_json_dict() for trajectory in trajectories] == written


def test_harbor_accepts_a_models_trajectory_with_its_tokens(suite, tmp_path):
    with Server(optimal_model(suite)) as server:
        run_model(suite, tmp_path / "run", server.configuration("messages"), server.environment, worlds="fleet*")
    for trajectory in export(tmp_path / "run", tmp_path / "out"):
        counted = [step.metrics.prompt_tokens for step in trajectory.steps if step.metrics]
        assert sum(counted) == trajectory.final_metrics.total_prompt_tokens > 0
        assert trajectory.final_metrics.total_steps == len(trajectory.steps)

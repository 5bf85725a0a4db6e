"""OpenEnv's own checks of the server and the package, rewards, and concurrent sessions."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from socket import socket

import pytest
import requests
from algoworlds_env import AlgoWorldsEnv, CallToolAction
from algoworlds_env.server import app as serving
from openenv import GenericEnvClient
from openenv.cli._validation import validate_multi_mode_deployment, validate_running_environment
from openenv.validation.graders import Subject
from openenv.validation.graders.runtime.basic import ObservationSchemaGrader, RewardWellFormedGrader, StateContractGrader
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import load_runtime_plan
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import algoworlds as aw
from algoworlds.adapters.world_source import SuiteSource, world_source
from tests.command import PATIENCE, until
from tests.doors.adapters import parse_object
from tests.doors.openenv.adapter import serve
from tests.doors.test_contract import optimal

PACKAGE = Path("environments/openenv")


@pytest.fixture(scope="module")
def server(suite):
    with serve(suite, reward="utility", sessions=4) as (url, _):
        yield url


def actions(suite, world):
    calls = [parse_object(call, []) for call in optimal(suite, world)]
    return [CallToolAction(tool_name=tool, arguments=arguments) for tool, arguments in calls]


def test_openenv_validates_a_running_server(server):
    report = validate_running_environment(server, timeout_s=PATIENCE)
    assert report["passed"], [criterion for criterion in report["criteria"] if not criterion["passed"]]


def test_openenv_validates_the_package_except_its_lock_file():
    _, issues = validate_multi_mode_deployment(PACKAGE)
    assert [issue for issue in issues if "uv.lock" not in issue] == []
    declared = OpenEnvYamlParser().parse(PACKAGE)
    assert (declared.name, declared.version) == ("algoworlds_env", "0.2.0")
    low, high = (min(reward.low for reward in aw.REWARDS.values()), max(reward.high for reward in aw.REWARDS.values()))
    assert tuple(declared.reward.range) == (float(low), float(high))


def test_reward_comes_only_at_the_end(suite, server):
    with AlgoWorldsEnv(base_url=server).sync() as env:
        for number, entry in enumerate(suite.manifest.worlds[:4]):
            assert (env.reset(index=number).reward, env.state().step_count) == (0, 0)
            *before, last = [env.step(action) for action in actions(suite, entry.id)]
            assert {(step.reward, step.done) for step in before} == {(0.0, False)}
            assert (last.reward, last.done) == (1.0, True)
            after = env.step(actions(suite, entry.id)[0])
            assert (after.reward, after.done, "ended" in after.observation.result) == (0.0, True, True)
            assert env.state().step_count == len(before) + 2


def test_reset_by_seed_and_by_index(suite, server):
    with AlgoWorldsEnv(base_url=server).sync() as env:
        drawn = [env.reset(seed=seed).observation.question for seed in (1, 2, 3, 4, 5)]
        assert [env.reset(seed=seed).observation.question for seed in (1, 2, 3, 4, 5)] == drawn
        assert len(set(drawn)) > 1
        start = env.reset(index=3).observation
        assert start.question == suite.public_world(suite.manifest.worlds[3].id).question
        assert [tool.name for tool in env.list_tools(use_cache=False)] == [tool["name"] for tool in start.tools]


def test_generic_client_can_play(suite, server):
    world = suite.manifest.worlds[0].id
    with GenericEnvClient(base_url=server).sync() as env:
        env.reset(index=0)
        first, *_ = actions(suite, world)
        answered = env.step({"type": "call_tool", "tool_name": first.tool_name, "arguments": first.arguments})
        assert answered.observation["result"] == suite.play(world).call(first.tool_name, first.arguments).text


def test_tasks_reveal_only_numbers(suite, server):
    def ask(path, **body):
        return requests.post(f"{server}/algoworlds_env/{path}", json={"split": "worlds"} | body, timeout=PATIENCE)

    count = len(suite.manifest.worlds)
    assert str(count) in ask("num_tasks").text
    assert '"index":2' in ask("task", index=2).text
    assert suite.manifest.worlds[2].id not in ask("tasks").text
    assert ask("task", index=count).status_code == 400


@pytest.mark.parametrize("index", ["x", -1, 1.5, True, 10**30, [], {}, "0"])
def test_odd_index_is_refused(server, index):
    def ask(path, body):
        return requests.post(f"{server}/{path}", json=body, timeout=PATIENCE).status_code

    assert ask("reset", {"index": index}) == 422
    assert ask("algoworlds_env/task", {"split": "worlds", "index": index}) in (400, 422) or index in (True, "0")
    bounds = {"split": "worlds", "start": index, "stop": index}
    assert ask("algoworlds_env/task_range", bounds) < 500
    with AlgoWorldsEnv(base_url=server).sync() as env:
        with pytest.raises(Exception, match="index must be an integer from 0 to 19"):
            env.reset(index=index)
        assert env.reset(index=0).observation.question


def test_foreign_hosts_and_pages_are_refused(server):
    def status(**headers):
        return requests.get(f"{server}/health", headers=headers, timeout=PATIENCE).status_code

    assert [status(), status(Host="localhost:1"), status(Host="evil.example")] == [200, 200, 421]
    assert [status(Origin="http://evil.example"), status(Origin=server)] == [403, 200]
    with pytest.raises(InvalidStatus), connect(server.replace("http", "ws") + "/ws", origin="http://evil.example"):
        pass
    with connect(server.replace("http", "ws") + "/ws", origin=server):
        pass


def test_named_hosts_are_answered(suite):
    with serve(suite, hosts=["worlds.example"]) as (url, _):
        assert requests.get(f"{url}/health", headers={"Host": "Worlds.example:80"}, timeout=PATIENCE).status_code == 200
    with serve(suite, hosts=["*"]) as (url, _):
        assert requests.get(f"{url}/health", headers={"Host": "any.example"}, timeout=PATIENCE).status_code == 200


def test_start_plays_one_world_of_every_family(suite, monkeypatch):
    """So that kernels are compiled before a client waits for them."""
    played, play = set(), SuiteSource.play

    def note(self, number, calls=()):
        played.add(self.entries[number].family)
        return play(self, number, calls)

    monkeypatch.setattr(SuiteSource, "play", note)
    serving.build_app(world_source(suite.directory), "gain")
    assert played == set(aw.FAMILIES)


def test_request_without_a_session_is_refused(server):
    answer = requests.post(f"{server}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, timeout=PATIENCE).json()
    assert "reset first" in answer["error"]["message"]


def test_eight_concurrent_calls_are_charged_eight_times(suite, server):
    async def eight():
        async with AlgoWorldsEnv(base_url=server) as env:
            start = (await env.reset(index=0)).observation
            first, *_ = actions(suite, suite.manifest.worlds[0].id)
            answers = await asyncio.gather(*(env.call_tool(first.tool_name, **first.arguments) for _ in range(8)))
            return start.budget, answers

    budget, answers = asyncio.run(eight())
    play = suite.play(suite.manifest.worlds[0].id)
    price = play.episode.world.prices[optimal(suite, suite.manifest.worlds[0].id)[0][0]]
    left = sorted(int(text.split('"budget_left":')[1].split(",")[0]) for text in answers)
    assert left == [budget - price * n for n in range(8, 0, -1)]


def test_server_starts_from_its_folder(suite):
    environment = os.environ | {"ALGOWORLDS_SUITE": str(suite.directory), "ALGOWORLDS_REWARD": "thrift"}
    code = "import server.app as served; print(served.app.title)"
    started = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False
    )
    assert (started.returncode, started.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"ALGOWORLDS_SEED": "1", "ALGOWORLDS_REWARD": "fame"}, "there is no reward 'fame'"),
    ],
)
def test_rejects_wrong_variables(monkeypatch, variables, message):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(aw.InputError, match=message):
        getattr(serving, "app")  # noqa: B009


def test_openenv_validates_the_package_by_its_own_command():
    """Its runtime checks build an image, which needs a container daemon: it skips them here, and says so by its verdict."""
    command = [Path(sys.executable).parent / "openenv", "validate", ".", "--json", "--skip-build"]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "warn"
    assert {result["status"] for result in report["results"]} <= {"pass", "skip"}
    assert {result["check_id"] for result in report["results"] if result["status"] == "pass"} == {"static.manifest"}


@pytest.fixture(scope="module")
def declared_server():
    """A server as the Dockerfile starts it, with its URL and environment variables."""
    line = next(line for line in (PACKAGE / "server/Dockerfile").read_text().splitlines() if line.startswith("ENV "))
    variables = dict(pair.split("=") for pair in line.split()[1:])
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).parent / "server", "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: is_healthy(url), process)
        yield url, variables
    finally:
        process.terminate()
        process.wait(PATIENCE)


def is_healthy(url):
    try:
        return requests.get(f"{url}/health", timeout=PATIENCE).status_code == 200
    except requests.ConnectionError:
        return False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # OpenEnv calls websockets in an old way
def test_the_probe_plan_passes_openenvs_runtime_checks(declared_server):
    url, _ = declared_server
    manifest = OpenEnvYamlParser().parse(PACKAGE)
    plan = load_runtime_plan(PACKAGE, manifest.execution)
    evidence = collect_runtime_evidence(url, plan, episode_timeout_s=PATIENCE)
    assert evidence.failure_reason is None
    subject = Subject(
        root=PACKAGE, manifest=manifest, image_ref="none", running=object(), outputs_dir=PACKAGE, runtime_evidence=evidence
    )
    for grader in (RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader()):
        result = grader.run(subject)
        assert result.status.value == "pass", result


def test_the_oracle_earns_the_highest_reward(declared_server):
    url, variables = declared_server
    oracle = [sys.executable, PACKAGE / OpenEnvYamlParser().parse(PACKAGE).capabilities.oracle.location, url]
    done = subprocess.run(oracle, env=os.environ | variables, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


def test_declared_tools_are_those_of_the_served_family(declared_server):
    with AlgoWorldsEnv(base_url=declared_server[0]).sync() as env:
        names = [tool.name for tool in env.list_tools(use_cache=False)]
    assert names == OpenEnvYamlParser().parse(PACKAGE).capabilities.declared_tools


def test_a_fault_of_the_server_is_no_reward(suite, monkeypatch):
    environment = serving.AlgoWorldsEnvironment(world_source(suite.directory), "exact")
    environment.reset(index=0)
    first, *_ = actions(suite, suite.manifest.worlds[0].id)
    assert environment.step(first).metadata == {"valid": True}

    def fail(self, tool, arguments=None):
        raise OSError("the disk is gone")

    with monkeypatch.context() as broken:
        broken.setattr(aw.Play, "call", fail)
        fault = environment.step(first)
    for observation in (fault, environment.step(first)):
        assert (observation.reward, observation.done) == (None, True)
        assert observation.metadata == {"valid": False, "fault": "OSError: the disk is gone"}
    environment.reset(index=0)
    assert environment.step(first).metadata == {"valid": True}


def test_steps_are_paid_if_the_server_shapes(suite):
    world = suite.manifest.worlds[0].id
    paid = serving.AlgoWorldsEnvironment(world_source(suite.directory), "exact", "coverage")
    paid.reset(index=0)
    rewards = [paid.step(action).reward for action in actions(suite, world)]
    play = suite.play(world)
    own = play.step_rewards("exact", "coverage")
    assert any(rewards[:-1])
    for action, reward in zip(actions(suite, world), rewards, strict=True):
        play.call(action.tool_name, action.arguments)
        assert reward == float(own.step())
    with pytest.raises(aw.InputError, match="there is no shaping 'fame'"):
        serving.build_app(world_source(suite.directory), shaping="fame")

"""OpenEnv's own checks of a running server and of the package, rewards, and who may play at once."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from algoworlds_env import AlgoWorldsEnv, CallToolAction
from algoworlds_env.server import app as serving
from openenv import GenericEnvClient
from openenv.cli._validation import validate_multi_mode_deployment, validate_running_environment
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser

import algoworlds as aw
from tests.command import PATIENCE
from tests.doors.doors import objects
from tests.doors.openenv.door import served
from tests.doors.test_contract import optimal

PACKAGE = Path("environments/openenv")


@pytest.fixture(scope="module")
def server(suite):
    with served(suite, reward="utility", sessions=4) as (url, _):
        yield url


def actions(suite, world):
    called = [objects(call, []) for call in optimal(suite, world)]
    return [CallToolAction(tool_name=tool, arguments=arguments) for tool, arguments in called]


def test_openenv_finds_a_running_server_valid(server):
    report = validate_running_environment(server, timeout_s=PATIENCE)
    assert report["passed"], [each for each in report["criteria"] if not each["passed"]]


def test_openenv_finds_the_package_whole_but_for_a_lock_that_needs_a_release():
    _, issues = validate_multi_mode_deployment(PACKAGE)
    assert [each for each in issues if "uv.lock" not in each] == []
    declared = OpenEnvYamlParser().parse(PACKAGE)
    assert (declared.name, declared.version) == ("algoworlds_env", "0.2.0")
    low, high = (min(each.low for each in aw.REWARDS.values()), max(each.high for each in aw.REWARDS.values()))
    assert tuple(declared.reward.range) == (float(low), float(high))


def test_the_reward_comes_with_the_end_and_with_nothing_else(suite, server):
    with AlgoWorldsEnv(base_url=server).sync() as env:
        for number, entry in enumerate(suite.manifest.worlds[:4]):
            assert (env.reset(index=number).reward, env.state().step_count) == (0, 0)
            *before, last = [env.step(action) for action in actions(suite, entry.id)]
            assert {(each.reward, each.done) for each in before} == {(0.0, False)}
            assert (last.reward, last.done) == (1.0, True)
            after = env.step(actions(suite, entry.id)[0])
            assert (after.reward, after.done, "ended" in after.observation.result) == (0.0, True, True)
            assert env.state().step_count == len(before) + 2


def test_a_seed_draws_a_world_and_an_index_names_one(suite, server):
    with AlgoWorldsEnv(base_url=server).sync() as env:
        drawn = [env.reset(seed=seed).observation.question for seed in (1, 2, 3, 4, 5)]
        assert [env.reset(seed=seed).observation.question for seed in (1, 2, 3, 4, 5)] == drawn
        assert len(set(drawn)) > 1
        told = env.reset(index=3).observation
        assert told.question == suite.presented(suite.manifest.worlds[3].id).question
        assert [tool.name for tool in env.list_tools(use_cache=False)] == [tool["name"] for tool in told.tools]


def test_clients_that_know_nothing_of_us_play_as_well(suite, server):
    world = suite.manifest.worlds[0].id
    with GenericEnvClient(base_url=server).sync() as env:
        env.reset(index=0)
        first, *_ = actions(suite, world)
        answered = env.step({"type": "call_tool", "tool_name": first.tool_name, "arguments": first.arguments})
        assert answered.observation["result"] == suite.play(world).call(first.tool_name, first.arguments).text


def test_tasks_are_numbers_and_say_nothing_more(suite, server):
    def asked(path, **body):
        return requests.post(f"{server}/algoworlds_env/{path}", json={"split": "worlds"} | body, timeout=PATIENCE)

    count = len(suite.manifest.worlds)
    assert str(count) in asked("num_tasks").text
    assert '"index":2' in asked("task", index=2).text
    assert suite.manifest.worlds[2].id not in asked("tasks").text
    assert asked("task", index=count).status_code == 400


def test_who_has_no_session_is_told_so(server):
    answer = requests.post(f"{server}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, timeout=PATIENCE).json()
    assert "reset first" in answer["error"]["message"]


def test_eight_calls_at_once_are_charged_eight_times(suite, server):
    async def eight():
        async with AlgoWorldsEnv(base_url=server) as env:
            told = (await env.reset(index=0)).observation
            first, *_ = actions(suite, suite.manifest.worlds[0].id)
            answers = await asyncio.gather(*(env.call_tool(first.tool_name, **first.arguments) for _ in range(8)))
            return told.budget, answers

    budget, answers = asyncio.run(eight())
    play = suite.play(suite.manifest.worlds[0].id)
    price = play.episode.world.prices[optimal(suite, suite.manifest.worlds[0].id)[0][0]]
    left = sorted(int(text.split('"budget_left":')[1].split(",")[0]) for text in answers)
    assert left == [budget - price * n for n in range(8, 0, -1)]


def test_the_server_starts_from_its_folder_as_openenv_starts_it(suite):
    told = os.environ | {"ALGOWORLDS_SUITE": str(suite.directory), "ALGOWORLDS_REWARD": "thrift"}
    code = "import server.app as served; print(served.app.title)"
    started = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, env=told, capture_output=True, text=True, check=False)
    assert (started.returncode, started.stderr) == (0, "")


@pytest.mark.parametrize(
    ("told", "refused"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"ALGOWORLDS_SEED": "1", "ALGOWORLDS_REWARD": "fame"}, "there is no reward 'fame'"),
    ],
)
def test_a_server_of_nothing_is_refused_in_one_line(monkeypatch, told, refused):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(aw.InputError, match=refused):
        getattr(serving, "app")  # noqa: B009

"""Worlds over stdio: a client library starts the command for every family."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from algoworlds.adapters.mcp.protocol import TASK_TOOL
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import TRACK_AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import recorded_calls
from algoworlds.worlds.episode import Episode
from tests.command import COMMAND, PATIENCE, run_here, start_process, until
from tests.doors.mcp.client import call_body, request
from tests.doors.test_contract import optimal


async def play_over_stdio(suite, world, calls, *options):
    """Play by a client library over stdio; returns the task and the responses."""
    arguments = [COMMAND, "serve", str(suite.directory), "--stdio", "--world", world, *map(str, options)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments)
    async with Client(stdio_client(parameters)) as client:
        task = (await client.call_tool(TASK_TOOL, {})).content[0].text
        return task, [(await client.call_tool(tool, json.loads(arguments))).content[0].text for tool, arguments in calls]


def test_client_library_plays_every_family_over_stdio(suite, tmp_path):
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "mediated"]

    async def play_all():
        return await asyncio.gather(
            *(play_over_stdio(suite, world, optimal(suite, world), "--out", tmp_path / world) for world in worlds)
        )

    for world, (task, answers) in zip(worlds, asyncio.run(play_all()), strict=True):
        episode = Episode(suite.play(world).episode.world)
        assert (task, answers) == (episode.world.question, [episode.call(*call).text for call in optimal(suite, world)])
        record = RunDirectory(tmp_path / world).read_record(Slot(world, 1))
        assert (record["exact"], record["kind"]) == (1, "external")
        assert run_here("verify-run", tmp_path / world).returncode == 0
    assert len(worlds) == len(FAMILIES)


def test_stdio_resumes_a_run_and_leaves_nothing_without_one(suite, tmp_path):
    world = suite.manifest.worlds[0].id
    calls = optimal(suite, world)
    asyncio.run(play_over_stdio(suite, world, calls[:2], "--out", tmp_path / "run"))
    asyncio.run(play_over_stdio(suite, world, calls[2:], "--out", tmp_path / "run"))
    recorded = recorded_calls(RunDirectory(tmp_path / "run").read_record(Slot(world, 1)))
    assert [(tool, json.loads(arguments)) for tool, arguments in recorded] == [
        (tool, json.loads(arguments)) for tool, arguments in calls
    ]
    _, answers = asyncio.run(play_over_stdio(suite, world, calls))
    assert json.loads(answers[-1]) == {"submitted": True}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_an_idle_server_and_keeps_its_answers(suite, world, tmp_path, number):
    opening = request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x", "version": "1"})
    options = ("serve", suite.directory, "--stdio", "--world", world, "--out", tmp_path / "run")
    process = start_process(COMMAND, *options, stdin=PIPE)
    for body in (opening, call_body(2, *optimal(suite, world)[-1])):
        process.stdin.write(json.dumps(body) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == body["id"]
    directory = RunDirectory(tmp_path / "run")
    until(lambda: (directory.path / "manifest.json").exists(), process)
    process.send_signal(number)
    assert process.wait(PATIENCE) == 130
    assert "Traceback" not in process.communicate(timeout=PATIENCE)[1]
    assert directory.read_record(Slot(world, 1))["exact"] == 1
    assert run_here("verify-run", directory.path).returncode == 0


def test_null_device_on_stdin_is_a_one_line_error(suite, world, tmp_path):
    with Path("/dev/null").open() as null:
        done = start_process(
            COMMAND, "serve", suite.directory, "--stdio", "--world", world, "--out", tmp_path / "run", stdin=null
        )
        assert (done.wait(PATIENCE), done.communicate()[1].count("\n")) == (2, 1)


def test_stdin_must_be_a_pipe(suite, world, tmp_path):
    with (tmp_path / "empty").open("w+") as file:
        done = start_process(
            COMMAND, "serve", suite.directory, "--stdio", "--world", world, "--out", tmp_path / "run", stdin=file
        )
        assert (done.wait(PATIENCE), done.communicate()[1].count("\n")) == (2, 1)


def test_programs_run_on_a_track(suite, world, tmp_path):
    assisted = suite.on_track("code")
    episode = Episode(assisted.world(assisted.entry(world)))
    TRACK_AGENTS["coder"](episode, Stream("mcp"))
    options = ("--track", "code", "--out", tmp_path / "run")
    task, answers = asyncio.run(play_over_stdio(suite, world, episode.own_calls, *options))
    assert "\nComputing\n" in task
    assert answers == [observation.text for observation in episode.observations]
    record = next(RunDirectory(tmp_path / "run").read_records())
    assert (record["track"], record["programs"], record["exact"]) == ("code", 1, 1)
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 0, result.stderr

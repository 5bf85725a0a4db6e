"""Worlds over HTTP: who is let in and who is not, what is kept of a ticket, and that every call is charged once."""

import asyncio
import json
import signal
from urllib.parse import urlsplit

import pytest
from mcp import Client

import algoworlds as aw
from algoworlds.adapters.mcp.protocol import META, TASK
from algoworlds.adapters.mcp.serving import Service
from algoworlds.families import FAMILIES
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.slot import Slot
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE
from tests.doors.mcp.served import at, by_command, url_of
from tests.doors.mcp.wire import OFFERED, asked, called, heard, request, written
from tests.doors.test_contract import optimal, secrets
from tests.silence import silent

NOW = "2026-07-28"
"""The protocol's younger era."""


def test_no_family_has_a_tool_of_the_name_that_tells_the_task():
    assert all(TASK not in {tool["name"] for tool in aw.tools(name)} for name in FAMILIES)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_library_plays_every_family(suite, tmp_path, mode):
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"]

    async def play(world, url):
        episode = Episode(suite.play(world).episode.world)
        async with Client(url, mode=mode) as client:
            assert (await client.call_tool(TASK, {})).content[0].text == episode.world.question
            assert (await client.get_prompt("task")).messages[0].content.text == episode.world.question
            first, *tools = (await client.list_tools()).tools
            assert [first.name, client.server_capabilities.resources] == [TASK, None]
            told = [{"name": each.name, "description": each.description, "parameters": each.input_schema} for each in tools]
            assert told == aw.tools(episode.world.family.name)
            for tool, arguments in optimal(suite, world):
                answer = await client.call_tool(tool, json.loads(arguments))
                assert answer.content[0].text == episode.call(tool, arguments).text
                assert not answer.is_error

    async def everybody(found):
        await asyncio.gather(*(play(world, found[f"{world}--1"]) for world in worlds))

    with at(suite, worlds, tmp_path / "run") as found:
        asyncio.run(everybody(found))
    directory = RunDirectory(tmp_path / "run")
    assert [directory.record(Slot(world, 1))["exact"] for world in worlds] == [1] * len(FAMILIES)
    with directory.locked():
        assert Service(directory, suite).seal()
    assert list(verify_run(directory, suite, None, silent)) == []
    assert {line["client"]["name"] for line in directory.journaled(Slot(worlds[0], 1)) if "client" in line} == {"mcp"}


# -- who is let in ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def url(suite, world, tmp_path):
    with at(suite, [world], tmp_path / "run") as found:
        yield found[f"{world}--1"]


def test_g4_without_the_token_nobody_finds_anything(url, tmp_path):
    path = urlsplit(url).path
    token = path.split("/")[2]
    other = token[:-1] + ("A" if token[-1] != "A" else "B")
    wrong = [
        f"/e/{other}/mcp",
        "/e//mcp",
        "/e/mcp",
        "/",
        "/mcp",
        f"/e/{token}",
        f"/e/{token}/",
        f"/e/{token}/mcp/",
        f"//e/{token}/mcp",
    ]
    wrong += [
        f"/e/%{ord(token[0]):02x}{token[1:]}/mcp",
        f"/e/{token}%00/mcp",
        f"/e/{token}%2fmcp",
        f"/e/{token}/../{token}/mcp",
    ]
    wrong += [
        f"/e/{token}/mcp/../../../run.json",
        "/../../etc/passwd",
        "/e/" + "x" * 9000 + "/mcp",
        f"/E/{token}/mcp",
        "/e/*/mcp",
    ]
    wrong += [f"/e/{token.swapcase()}/mcp", f"/e/{token[:-1]}/mcp", "/tickets.json", f"/tickets/{token}"]
    assert {path: asked(url, path) for path in wrong} == dict.fromkeys(wrong, 404)
    assert asked(url, body=json.dumps(request(1, "ping")).encode()) == 200


def test_g4_strangers_are_sent_away(url):
    port = urlsplit(url).port
    hosts = [
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1.evil.example",
        f"localhost:{port}@evil.example",
        "",
        f"127.0.0.1:{port}x",
    ]
    assert {host: asked(url, host=host) for host in hosts} == dict.fromkeys(hosts, 421)
    origins = ["http://evil.example", "null", f"http://localhost:{port + 1}", "http://127.0.0.1.evil.example", "file://"]
    assert {origin: asked(url, origin=origin) for origin in origins} == dict.fromkeys(origins, 403)
    ping = json.dumps(request(1, "ping")).encode()
    assert asked(url, body=ping, origin=f"http://127.0.0.1:{port}") == 200
    assert asked(url, body=ping, host=f"LocalHost:{port}") == 200
    methods = ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
    assert {method: asked(url, method=method) for method in methods} == dict.fromkeys(methods, 405)


def test_g4_too_much_is_refused_and_what_is_almost_too_much_is_answered(suite, url, world, tmp_path):
    long = json.dumps(called(1, "read_job", {"job": "x" * 4_990_000})).encode()
    assert asked(url, body=long) == 200
    assert asked(url, body=long + b" " * 5_000_001) == 413
    chunked = b"".join(b"100000\r\n" + b" " * 2**20 + b"\r\n" for _ in range(6)) + b"0\r\n\r\n"
    assert asked(url, body=chunked, transfer_encoding="chunked") == 413
    lines = [line for line in RunDirectory(tmp_path / "run").journaled(Slot(world, 1)) if "tool" in line]
    assert [len(line["arguments"]) for line in lines] == [100_001]


def test_another_name_is_answered_if_it_was_allowed(suite, world, tmp_path):
    with by_command(
        suite.directory, "--out", tmp_path / "run", "--port", "0", "--worlds", world, "--allow-host", "worlds"
    ) as process:
        (ticket,) = (tmp_path / "run" / "tickets").iterdir()
        url = url_of(ticket)
        assert urlsplit(url).hostname == "worlds"
        near = url.replace("worlds", "127.0.0.1")
        ping = json.dumps(request(1, "ping")).encode()
        assert [asked(near, body=ping, host=host) for host in ("worlds", "worlds:80", "world")] == [200, 200, 421]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


def test_no_byte_on_the_wire_holds_a_secret(suite, url, world, tmp_path):
    meta = {META + "protocolVersion": NOW, META + "clientInfo": OFFERED, META + "clientCapabilities": {}}
    methods = ("initialize", "server/discover", "ping", "tools/list", "prompts/list", "prompts/get", "resources/list", "x")
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": OFFERED, "name": "task"}
    told = [written(url, body=json.dumps(request(1, method, **opening)).encode()) for method in methods]
    for method in methods:
        body = json.dumps(request(2, method, name="task", _meta=meta)).encode()
        told.append(written(url, body=body, mcp_protocol_version=NOW, mcp_method=method, mcp_name="task"))
    calls = [
        ("fly", {}),
        (TASK, {}),
        ("read_job", "{"),
        ("read_job", {"job": "x"}),
        ("evaluate_assignment", {"assignment": {}}),
    ]
    told += [written(url, body=json.dumps(called(n, *call)).encode()) for n, call in enumerate(calls)]
    told += [written(url, "/"), written(url, host="x"), written(url, origin="http://x"), written(url, method="GET")]
    told += [written(url, body=body) for body in (b"", b"{", b"[]", b'{"jsonrpc":"2.0"}', b"FLY / HTTP/1.1")]
    answers = [heard(*each) for each in told]
    assert sum(b" 200 " in answer[:16] for answer in answers) > 15
    served = b"".join(answers).decode()
    assert suite.play(world).question.splitlines()[0] in served
    assert [secret for secret in secrets(suite, world, tmp_path / "run") if secret in served] == []

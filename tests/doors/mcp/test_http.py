"""Worlds over HTTP: playing, refusals, size limits, and no leaks."""

import asyncio
import json
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from mcp import Client

import algoworlds as aw
from algoworlds.adapters.mcp.protocol import META_PREFIX, TASK_TOOL
from algoworlds.adapters.mcp.service import Service
from algoworlds.families import FAMILIES
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Slot
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE
from tests.doors.mcp.client import CLIENT_INFO, build_request, call_body, request, request_status, send_raw
from tests.doors.mcp.serving import serve_by_command, serve_worlds, url_of
from tests.doors.test_contract import optimal, secrets
from tests.silence import silent

NOW = "2026-07-28"
"""The protocol version without a handshake."""


def test_no_family_has_a_tool_named_like_the_task_tool():
    assert all(TASK_TOOL not in {tool["name"] for tool in aw.family_tool_schemas(name)} for name in FAMILIES)


def test_tools_are_annotated_and_refusals_are_errors(suite, world, tmp_path):
    """Clients that ask their user before a call may make every call but the submission without asking."""

    async def play(url):
        async with Client(url) as client:
            hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
            calls = [*optimal(suite, world)[:1], ("fly", "{}"), ("read_job", '{"job": 1}'), *optimal(suite, world)[-1:] * 2]
            answers = [(await client.call_tool(tool, json.loads(arguments))).is_error for tool, arguments in calls]
            return hints, answers

    with serve_worlds(suite, [world], tmp_path / "run") as urls:
        hints, answers = asyncio.run(play(urls[f"{world}--1"]))
    submit = hints.pop("submit_assignment")
    assert (submit.read_only_hint, submit.destructive_hint) == (False, True)
    assert {(hint.read_only_hint, hint.destructive_hint) for hint in hints.values()} == {(True, False)}
    assert answers == [False, True, True, False, True]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_client_library_plays_every_family(suite, tmp_path, mode):
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"]

    async def play(world, url):
        episode = Episode(suite.play(world).episode.world)
        async with Client(url, mode=mode) as client:
            assert (await client.call_tool(TASK_TOOL, {})).content[0].text == episode.world.question
            assert (await client.get_prompt("task")).messages[0].content.text == episode.world.question
            first, *tools = (await client.list_tools()).tools
            assert [first.name, client.server_capabilities.resources] == [TASK_TOOL, None]
            schemas = [{"name": tool.name, "description": tool.description, "parameters": tool.input_schema} for tool in tools]
            assert schemas == aw.family_tool_schemas(episode.world.family.name)
            for tool, arguments in optimal(suite, world):
                answer = await client.call_tool(tool, json.loads(arguments))
                assert answer.content[0].text == episode.call(tool, arguments).text
                assert not answer.is_error

    async def play_all(urls):
        await asyncio.gather(*(play(world, urls[f"{world}--1"]) for world in worlds))

    with serve_worlds(suite, worlds, tmp_path / "run") as urls:
        asyncio.run(play_all(urls))
    directory = RunDirectory(tmp_path / "run")
    assert [directory.read_record(Slot(world, 1))["exact"] for world in worlds] == [1] * len(FAMILIES)
    with directory.lock():
        assert Service(directory, suite).seal()
    assert list(verify_run(directory, suite, None, silent)) == []
    assert {line["client"]["name"] for line in directory.read_journal(Slot(worlds[0], 1)) if "client" in line} == {"mcp"}


# -- refusals --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def url(suite, world, tmp_path):
    with serve_worlds(suite, [world], tmp_path / "run") as urls:
        yield urls[f"{world}--1"]


def test_g4_wrong_paths_are_not_found(url, tmp_path):
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
    assert {path: request_status(url, path) for path in wrong} == dict.fromkeys(wrong, 404)
    assert request_status(url, body=json.dumps(request(1, "ping")).encode()) == 200


def test_g4_wrong_hosts_origins_and_methods_are_refused(url):
    port = urlsplit(url).port
    hosts = [
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1.evil.example",
        f"localhost:{port}@evil.example",
        "",
        f"127.0.0.1:{port}x",
    ]
    assert {host: request_status(url, host=host) for host in hosts} == dict.fromkeys(hosts, 421)
    origins = ["http://evil.example", "null", f"http://localhost:{port + 1}", "http://127.0.0.1.evil.example", "file://"]
    assert {origin: request_status(url, origin=origin) for origin in origins} == dict.fromkeys(origins, 403)
    ping = json.dumps(request(1, "ping")).encode()
    assert request_status(url, body=ping, origin=f"http://127.0.0.1:{port}") == 200
    assert request_status(url, body=ping, host=f"LocalHost:{port}") == 200
    methods = ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
    assert {method: request_status(url, method=method) for method in methods} == dict.fromkeys(methods, 405)


def test_g4_body_size_limit(suite, url, world, tmp_path):
    long = json.dumps(call_body(1, "read_job", {"job": "x" * 4_990_000})).encode()
    assert request_status(url, body=long) == 200
    assert request_status(url, body=long + b" " * 5_000_001) == 413
    chunked = b"".join(b"100000\r\n" + b" " * 2**20 + b"\r\n" for _ in range(6)) + b"0\r\n\r\n"
    assert request_status(url, body=chunked, transfer_encoding="chunked") == 413
    lines = [line for line in RunDirectory(tmp_path / "run").read_journal(Slot(world, 1)) if "tool" in line]
    assert [len(line["arguments"]) for line in lines] == [100_001]


def test_g4_many_long_bodies_hold_little_memory(suite, world, tmp_path):
    """Bodies that are sent but for their last byte, as by clients that stall."""
    with (
        serve_by_command(suite.directory, "--out", tmp_path / "run", "--port", "0", "--worlds", world) as process,
        ExitStack() as stack,
    ):
        (ticket,) = (tmp_path / "run" / "tickets").iterdir()
        place = urlsplit(url_of(ticket))
        lines = [f"POST {place.path} HTTP/1.1", "host: 127.0.0.1", "content-type: application/json", "content-length: 4900000"]
        head = "\r\n".join([*lines, "", ""])
        assert request_status(url_of(ticket), body=json.dumps(request(1, "ping")).encode()) == 200

        def resident():
            status = Path(f"/proc/{process.pid}/status").read_text()
            return int(status.split("VmRSS:")[1].split()[0]) * 1024

        before = resident()
        for _ in range(60):
            connection = stack.enter_context(socket.create_connection((place.hostname, place.port), timeout=PATIENCE))
            connection.setblocking(False)
            content = memoryview(head.encode() + b" " * 4_899_999)
            for _ in range(200):
                try:
                    content = content[connection.send(content) :]
                except BlockingIOError:
                    time.sleep(0.0005)
                if not content:
                    break
        assert resident() - before < 120 * 2**20
        assert request_status(url_of(ticket), body=json.dumps(request(1, "ping")).encode()) == 200


def test_allowed_host_is_answered(suite, world, tmp_path):
    with serve_by_command(
        suite.directory, "--out", tmp_path / "run", "--port", "0", "--worlds", world, "--allow-host", "worlds"
    ) as process:
        (ticket,) = (tmp_path / "run" / "tickets").iterdir()
        url = url_of(ticket)
        assert urlsplit(url).hostname == "worlds"
        near = url.replace("worlds", "127.0.0.1")
        ping = json.dumps(request(1, "ping")).encode()
        assert [request_status(near, body=ping, host=host) for host in ("worlds", "worlds:80", "world")] == [200, 200, 421]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


def test_no_byte_on_the_wire_holds_a_secret(suite, url, world, tmp_path):
    meta = {
        META_PREFIX + "protocolVersion": NOW,
        META_PREFIX + "clientInfo": CLIENT_INFO,
        META_PREFIX + "clientCapabilities": {},
    }
    methods = ("initialize", "server/discover", "ping", "tools/list", "prompts/list", "prompts/get", "resources/list", "x")
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT_INFO, "name": "task"}
    requests = [build_request(url, body=json.dumps(request(1, method, **opening)).encode()) for method in methods]
    for method in methods:
        body = json.dumps(request(2, method, name="task", _meta=meta)).encode()
        requests.append(build_request(url, body=body, mcp_protocol_version=NOW, mcp_method=method, mcp_name="task"))
    calls = [
        ("fly", {}),
        (TASK_TOOL, {}),
        ("read_job", "{"),
        ("read_job", {"job": "x"}),
        ("evaluate_assignment", {"assignment": {}}),
    ]
    requests += [build_request(url, body=json.dumps(call_body(n, *call)).encode()) for n, call in enumerate(calls)]
    requests += [
        build_request(url, "/"),
        build_request(url, host="x"),
        build_request(url, origin="http://x"),
        build_request(url, method="GET"),
    ]
    requests += [build_request(url, body=body) for body in (b"", b"{", b"[]", b'{"jsonrpc":"2.0"}', b"FLY / HTTP/1.1")]
    answers = [send_raw(*parts) for parts in requests]
    assert sum(b" 200 " in answer[:16] for answer in answers) > 15
    served = b"".join(answers).decode()
    assert suite.play(world).question.splitlines()[0] in served
    assert [secret for secret in secrets(suite, world, tmp_path / "run") if secret in served] == []

"""Random requests: all are answered, none by a server error, and valid calls are charged once."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from algoworlds.adapters.mcp.protocol import META_PREFIX
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from tests.doors.mcp.client import call_body, post, raw_status, request, response_text
from tests.doors.mcp.serving import serve_worlds

VALUES = (None, True, 0, -1, 2**70, 10**4000, 1.5, float("nan"), [], [[]], {}, {"": None}, [1] * 50)
VALUES += ("", "x", "\x00", "\ud800", "é\U0001f600", "null", "{", "9" * 5000)
METHODS = ("initialize", "server/discover", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list")
METHODS += ("resources/read", "notifications/initialized", "notifications/cancelled", "logging/setLevel", "completion/complete")
METHODS += ("subscriptions/listen", "tasks/list", "x", "")
NAMES = ("name", "arguments", "protocolVersion", "capabilities", "clientInfo", "cursor", "uri", "requestId", "notifications")
NOW = "2026-07-28"
VERSIONS = ("2024-11-05", "2025-03-26", "2025-11-25", "9999-99-99", "", "x")
WRONG = ("", "x", "text/event-stream", "*/*", "application/json; charset=utf-16", "\xe9", "application/json, application/json")
BROKEN = (b"", b"\xff", b"\xef\xbb\xbf", b"[" * 10, b"[" * 100_000, b"9" * 5000)
BROKEN += (b'"\\ud800"', b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}')


def random_value(rng, depth=0):
    if depth < 3 and rng.random() < 0.4:
        return {rng.choice(("x", "", "job")): random_value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return rng.choice(VALUES)


def build_message(rng):
    """A protocol message, with or without a handshake, with a few random parts."""
    params = {"name": rng.choice(("get_task", "read_job", "task")), "arguments": {"job": "x"}}
    params |= {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    params |= {name: random_value(rng) for name in NAMES if rng.random() < 0.06}
    if rng.random() < 0.6:
        meta = {"protocolVersion": NOW, "clientInfo": {"name": "x", "version": "1"}, "clientCapabilities": {}}
        params["_meta"] = {
            META_PREFIX + name: value if rng.random() < 0.95 else random_value(rng) for name, value in meta.items()
        }
    method = "tools/call" if rng.random() < 0.4 else rng.choice(METHODS)
    body = {"jsonrpc": "2.0", "id": rng.randrange(50), "method": method, "params": params}
    for name in list(body):
        odd = rng.random()
        if odd < 0.02:
            del body[name]
        elif odd < 0.05:
            body[name] = random_value(rng)
    return body


def encode(rng, message):
    """The bytes of a message, possibly damaged."""
    text, odd = json.dumps([message] * rng.randrange(3) if rng.random() < 0.05 else message).encode(), rng.random()
    if odd < 0.1:
        return text[: rng.randrange(len(text) + 1)]
    if odd < 0.2:
        return bytes(byte if rng.random() > 0.03 else rng.randrange(256) for byte in text)
    return rng.choice(BROKEN) if odd < 0.24 else text


def build_head(rng, place, message):
    """The head of a request, mostly correct and mostly consistent with its body."""
    method = "POST" if rng.random() < 0.95 else rng.choice(("GET", "PUT", "DELETE", "HEAD", "OPTIONS", "FLY", "post"))
    cut, odd = place.path[: rng.randrange(1, len(place.path))], rng.choice(("", "%00", "/..", "?x", "#"))
    path = place.path if rng.random() < 0.9 else cut + odd
    headers = {"host": place.netloc, "content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers["mcp-protocol-version"] = rng.choice(("2025-06-18", NOW) if rng.random() < 0.8 else VERSIONS)
    headers["mcp-method"] = message.get("method") if rng.random() < 0.8 else rng.choice(METHODS)
    params = message.get("params")
    headers["mcp-name"] = params.get("name") if isinstance(params, dict) and rng.random() < 0.8 else "x"
    headers["mcp-session-id"] = "x" * rng.choice((1, 5000))
    headers["mcp-param-job"] = rng.choice(("x", "=?base64?x?="))
    for name in list(headers):
        odd = rng.random()
        if odd < 0.02:
            del headers[name]
        elif odd < 0.04 and name != "host":
            headers[name] = rng.choice(WRONG)
    lines = [
        f"{name}: {header if isinstance(header, str) and header.isprintable() else 'x'}" for name, header in headers.items()
    ]
    return [
        f"{method} {path} HTTP/1.{rng.choice('1110')}",
        *(line.encode("latin-1", "replace").decode("latin-1") for line in lines),
    ]


def random_request(rng, place):
    """Head lines and body of a random request."""
    message = build_message(rng)
    body = encode(rng, message)
    return [*build_head(rng, place, message), f"content-length: {len(body)}"], body


@pytest.mark.parametrize("requests", [1000, pytest.param(5000, marks=pytest.mark.full)])
def test_g5_no_request_causes_a_server_error(suite, world, tmp_path, requests, capfd, caplog):
    rng = random.Random(requests)
    with serve_worlds(suite, [world], tmp_path / "run") as urls:
        url = urls[f"{world}--1"]
        place = urlsplit(url)
        sent = [random_request(rng, place) for _ in range(requests)]
        with ThreadPoolExecutor(4) as pool:
            statuses = list(pool.map(lambda request: raw_status(place, *request), sent))
        assert [(status, *request) for status, request in zip(statuses, sent, strict=True) if status >= 500][:3] == []
        assert {200, 202, 400, 404, 405, 406} <= set(statuses)
        lines = RunDirectory(tmp_path / "run").read_journal(Slot(world, 1))
        assert {"request", "client"} <= {name for line in lines for name in line}
        assert post(url, request(1, "ping"))[0] == 200
        job = suite.play(world).episode.world.public["job"][0]
        assert "budget_left" in response_text(post(url, call_body("last", "read_job", {"job": job})))
    assert (*capfd.readouterr(), caplog.messages) == ("", "", [])

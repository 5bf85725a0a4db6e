"""Whatever is sent to an address is answered, and never by an error of ours; what is right among it is charged once."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from algoworlds.adapters.mcp.protocol import META
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from tests.doors.mcp.served import at
from tests.doors.mcp.wire import called, posted, request, status_of, text_of

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


def value(chance, depth=0):
    if depth < 3 and chance.random() < 0.4:
        return {chance.choice(("x", "", "job")): value(chance, depth + 1) for _ in range(chance.randrange(4))}
    return chance.choice(VALUES)


def message(chance):
    """A message of the protocol, of either era, but for a few of its parts."""
    params = {"name": chance.choice(("get_task", "read_job", "task")), "arguments": {"job": "x"}}
    params |= {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    params |= {name: value(chance) for name in NAMES if chance.random() < 0.06}
    if chance.random() < 0.6:
        told = {"protocolVersion": NOW, "clientInfo": {"name": "x", "version": "1"}, "clientCapabilities": {}}
        params["_meta"] = {META + name: each if chance.random() < 0.95 else value(chance) for name, each in told.items()}
    method = "tools/call" if chance.random() < 0.4 else chance.choice(METHODS)
    body = {"jsonrpc": "2.0", "id": chance.randrange(50), "method": method, "params": params}
    for name in list(body):
        odd = chance.random()
        if odd < 0.02:
            del body[name]
        elif odd < 0.05:
            body[name] = value(chance)
    return body


def content(chance, told):
    """The bytes of a message, or of what is left of one."""
    text, odd = json.dumps([told] * chance.randrange(3) if chance.random() < 0.05 else told).encode(), chance.random()
    if odd < 0.1:
        return text[: chance.randrange(len(text) + 1)]
    if odd < 0.2:
        return bytes(each if chance.random() > 0.03 else chance.randrange(256) for each in text)
    return chance.choice(BROKEN) if odd < 0.24 else text


def head(chance, place, told):
    """The head of a request, mostly right, and mostly of the same mind as its body."""
    method = "POST" if chance.random() < 0.95 else chance.choice(("GET", "PUT", "DELETE", "HEAD", "OPTIONS", "FLY", "post"))
    cut, odd = place.path[: chance.randrange(1, len(place.path))], chance.choice(("", "%00", "/..", "?x", "#"))
    path = place.path if chance.random() < 0.9 else cut + odd
    headers = {"host": place.netloc, "content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers["mcp-protocol-version"] = chance.choice(("2025-06-18", NOW) if chance.random() < 0.8 else VERSIONS)
    headers["mcp-method"] = told.get("method") if chance.random() < 0.8 else chance.choice(METHODS)
    params = told.get("params")
    headers["mcp-name"] = params.get("name") if isinstance(params, dict) and chance.random() < 0.8 else "x"
    headers["mcp-session-id"] = "x" * chance.choice((1, 5000))
    headers["mcp-param-job"] = chance.choice(("x", "=?base64?x?="))
    for name in list(headers):
        odd = chance.random()
        if odd < 0.02:
            del headers[name]
        elif odd < 0.04 and name != "host":
            headers[name] = chance.choice(WRONG)
    lines = [f"{name}: {each if isinstance(each, str) and each.isprintable() else 'x'}" for name, each in headers.items()]
    return [
        f"{method} {path} HTTP/1.{chance.choice('1110')}",
        *(line.encode("latin-1", "replace").decode("latin-1") for line in lines),
    ]


def exchange(chance, place):
    """The lines of a head, and a body."""
    told = message(chance)
    body = content(chance, told)
    return [*head(chance, place, told), f"content-length: {len(body)}"], body


@pytest.mark.parametrize("requests", [1000, pytest.param(5000, marks=pytest.mark.full)])
def test_g5_nothing_that_is_sent_is_an_error_of_ours(suite, world, tmp_path, requests, capfd, caplog):
    chance = random.Random(requests)
    with at(suite, [world], tmp_path / "run") as found:
        url = found[f"{world}--1"]
        place = urlsplit(url)
        sent = [exchange(chance, place) for _ in range(requests)]
        with ThreadPoolExecutor(4) as pool:
            statuses = list(pool.map(lambda each: status_of(place, *each), sent))
        assert [(status, *each) for status, each in zip(statuses, sent, strict=True) if status >= 500][:3] == []
        assert {200, 202, 400, 404, 405, 406} <= set(statuses)
        lines = RunDirectory(tmp_path / "run").journaled(Slot(world, 1))
        assert {"request", "client"} <= {name for line in lines for name in line}
        assert posted(url, request(1, "ping"))[0] == 200
        job = suite.play(world).episode.world.public["job"][0]
        assert "budget_left" in text_of(posted(url, called("last", "read_job", {"job": job})))
    assert (*capfd.readouterr(), caplog.messages) == ("", "", [])

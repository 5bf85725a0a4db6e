"""Idle connections are closed, and never keep other clients out."""

import asyncio
import json
import socket
from contextlib import ExitStack
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest

from algoworlds.adapters.mcp import endpoint
from algoworlds.adapters.mcp.sessions import ServedSession
from tests.command import PATIENCE
from tests.doors.mcp.client import post, request, response_text
from tests.doors.mcp.serving import serve_worlds

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_task"}}


@pytest.fixture
def url(suite, world, tmp_path):
    with serve_worlds(suite, [world], tmp_path / "run") as urls:
        yield urls[f"{world}--1"]


def connect(url, data=b""):
    place = urlsplit(url)
    connection = socket.create_connection((place.hostname, place.port), timeout=PATIENCE)
    connection.sendall(data)
    return connection


@pytest.mark.parametrize("data", ["", "POST", "POST {} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\n["])
def test_g4_incomplete_request_times_out(url, data):
    data = data.format(urlsplit(url).path).encode()
    with patch.object(endpoint, "MAX_REQUEST_SECONDS", 0.01), connect(url, data) as silent:
        assert silent.recv(1) == b""
    assert post(url, request(1, "ping"))[0] == 200


def test_g4_no_timeout_while_answering_and_a_new_one_afterwards(suite, world, url):
    """While a response is delayed, an idle connection times out: at least that much time passes."""
    body, public_world = json.dumps(CALL).encode(), ServedSession.public_world

    async def slowly(self):
        with connect(url) as silent:
            silent.setblocking(False)
            while True:
                try:
                    assert silent.recv(1) == b""
                    break
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        return await public_world(self)

    head = f"POST {urlsplit(url).path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: */*\r\n"
    data = f"{head}content-length: {len(body)}\r\n\r\n".encode() + body
    with (
        patch.object(endpoint, "MAX_REQUEST_SECONDS", 0.2),
        patch.object(ServedSession, "public_world", slowly),
        connect(url, data) as patient,
    ):
        answer = b""
        while piece := patient.recv(2**16):
            answer += piece
    assert suite.play(world).question == response_text((200, answer.split(b"\r\n\r\n", 1)[1]))


def test_g4_longest_idle_connections_are_closed_for_new_ones(url):
    with patch.object(endpoint, "MAX_CONNECTIONS", 3), ExitStack() as stack:
        waiting = [stack.enter_context(connect(url)) for _ in range(5)]
        assert post(url, request(1, "ping"))[0] == 200
        for gone in waiting[:3]:
            assert gone.recv(1) == b""
        for still_open in waiting[3:]:
            still_open.setblocking(False)
            with pytest.raises(BlockingIOError):
                still_open.recv(1)

"""Connections on which nothing comes: they are ended, and meanwhile keep nobody out."""

import asyncio
import json
import socket
from contextlib import ExitStack
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest

from algoworlds.adapters.mcp import connection
from algoworlds.adapters.mcp.hall import Room
from tests.command import PATIENCE
from tests.doors.mcp.served import at
from tests.doors.mcp.wire import posted, request, text_of

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_task"}}


@pytest.fixture
def url(suite, world, tmp_path):
    with at(suite, [world], tmp_path / "run") as found:
        yield found[f"{world}--1"]


def connected(url, said=b""):
    place = urlsplit(url)
    made = socket.create_connection((place.hostname, place.port), timeout=PATIENCE)
    made.sendall(said)
    return made


@pytest.mark.parametrize("said", ["", "POST", "POST {} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99\r\n\r\n["])
def test_g4_a_request_that_does_not_come_to_an_end_is_not_waited_for(url, said):
    said = said.format(urlsplit(url).path).encode()
    with patch.object(connection, "LONGEST_WAIT", 0.01), connected(url, said) as silent:
        assert silent.recv(1) == b""
    assert posted(url, request(1, "ping"))[0] == 200


def test_g4_who_is_being_answered_is_not_cut_off_and_has_its_time_again_for_the_next_request(suite, world, url):
    """While the answer is on its way another connection is ended for its silence: so much time goes by at least."""
    body, told = json.dumps(CALL).encode(), Room.presented

    async def slowly(self):
        with connected(url) as silent:
            silent.setblocking(False)
            while True:
                try:
                    assert silent.recv(1) == b""
                    break
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        return await told(self)

    head = f"POST {urlsplit(url).path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: */*\r\n"
    said = f"{head}content-length: {len(body)}\r\n\r\n".encode() + body
    with (
        patch.object(connection, "LONGEST_WAIT", 0.2),
        patch.object(Room, "presented", slowly),
        connected(url, said) as patient,
    ):
        answer = b""
        while piece := patient.recv(2**16):
            answer += piece
    assert suite.play(world).question == text_of((200, answer.split(b"\r\n\r\n", 1)[1]))


def test_g4_those_that_wait_longest_make_room_for_a_newcomer(url):
    with patch.object(connection, "MOST_CONNECTED", 3), ExitStack() as stack:
        waiting = [stack.enter_context(connected(url)) for _ in range(5)]
        assert posted(url, request(1, "ping"))[0] == 200
        for gone in waiting[:3]:
            assert gone.recv(1) == b""
        for kept in waiting[3:]:
            kept.setblocking(False)
            with pytest.raises(BlockingIOError):
                kept.recv(1)

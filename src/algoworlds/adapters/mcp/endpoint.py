"""The HTTP side of MCP: one address for each evaluation, `/e/TOKEN/mcp`, and a short answer to whoever is wrong here.

Whoever knows an address may play its evaluation, so addresses are nowhere written down here: rooms are found by digests of
tokens, and requests are not logged.
"""

import asyncio
import logging
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request

from algoworlds.adapters.mcp.connection import Connection
from algoworlds.adapters.mcp.exchange import JSON, Reply, exchanged, is_elder
from algoworlds.adapters.mcp.hall import Room
from algoworlds.adapters.mcp.protocol import server
from algoworlds.runs.external.access import LOCAL, TOKEN, digest_of, stranger

LONGEST_BODY = 5_000_000
"""Bytes of a request."""
MOST_HEARD = 10 * LONGEST_BODY
"""Bytes of one that is too long before we hang up."""
SWITCH = 0.0005
"""Seconds that a thread may keep others waiting, a tenth of what Python lets it."""
_PATH = re.compile(f"/e/({TOKEN})/mcp".encode())
_ROOM = "algoworlds.room"

Find = Callable[[str], Room | None]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def address(base: str, token: str) -> str:
    """Where the evaluation of a token is played."""
    return f"{base}/e/{token}/mcp"


@dataclass(frozen=True)
class Endpoint:
    """An ASGI application that lets those in who have a token, and holds everybody else off."""

    find: Find
    """The room of a token, by its digest."""
    hosts: frozenset[str] = frozenset(LOCAL)
    """Names by which we may be asked for."""
    _sessions: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        serving = server(lambda context: context.request.scope[_ROOM])
        sessions = StreamableHTTPSessionManager(serving, json_response=True, stateless=True, max_request_body_size=LONGEST_BODY)
        object.__setattr__(self, "_sessions", sessions)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        told = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        refusal = stranger(self.hosts, *([value for each, value in told if each == name] for name in (b"host", b"origin")))
        room = None if refusal else self._room(scope["raw_path"])
        if refusal is None and room is None:
            refusal = HTTPStatus.NOT_FOUND
        if refusal is None and scope["method"] != "POST":
            refusal = HTTPStatus.METHOD_NOT_ALLOWED
        body = None if refusal else await _body(receive)
        if body is None:
            await _refuse(refusal or HTTPStatus.REQUEST_ENTITY_TOO_LARGE, send)
            return
        request = Request(scope | {_ROOM: room})
        if is_elder(request):
            await _send(await exchanged(self._sessions.app, request, body), send)
        else:
            await self._sessions.handle_request(request.scope, _again(body, receive), send)

    def _room(self, path: bytes) -> Room | None:
        found = _PATH.fullmatch(path)
        return self.find(digest_of(found[1].decode())) if found else None

    @asynccontextmanager
    async def listening(self, sockets: list[socket.socket]) -> AsyncIterator[Any]:
        """Answer requests on bound sockets for as long as this lasts; yields the task that does so."""
        for name in ("mcp", "uvicorn"):  # below this they talk about single requests, of strangers as well
            logging.getLogger(name).setLevel(logging.ERROR)
        config = uvicorn.Config(
            self,
            interface="asgi3",
            loop="asyncio",
            http=Connection,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=5,
        )
        serving: Any = uvicorn.Server(config)
        serving.capture_signals = nullcontext  # signals are for whoever listens
        async with self._sessions.run(), _brisk():
            task = asyncio.create_task(serving.serve(sockets=sockets))
            try:
                while not serving.started and not task.done():
                    await asyncio.sleep(0.005)
                yield task
            finally:
                serving.should_exit = True
                await task


@asynccontextmanager
async def _brisk() -> AsyncIterator[None]:
    """Let threads that open an evaluation, or score it, give way to whoever is answered meanwhile."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too long, which is said when it has been heard: who still talks hears nothing."""
    body, more, heard = bytearray(), True, 0
    while more and heard <= MOST_HEARD:
        message = await receive()
        piece, more = message.get("body", b""), message.get("more_body", False)
        heard += len(piece)
        if heard <= LONGEST_BODY:
            body += piece
    return bytes(body) if heard <= LONGEST_BODY else None


def _again(body: bytes, receive: Receive) -> Receive:
    """Receive a body that was received before, and then whatever else comes."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return left.pop() if left else await receive()

    return again


async def _send(reply: Reply, send: Send) -> None:
    body = reply.body
    head = [(b"content-type", JSON.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": reply.status.value, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _refuse(status: HTTPStatus, send: Send) -> None:
    body = f"{status.phrase}\n".encode()
    head = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        head.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status.value, "headers": head})
    await send({"type": "http.response.body", "body": body})

"""The HTTP side of MCP: one URL per evaluation, `/e/TOKEN/mcp`, and a short refusal of every other request.

A URL is all that is needed to play its evaluation, so URLs are never stored or logged: sessions are found by token digests.
"""

import asyncio
import logging
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from http import HTTPStatus
from math import inf
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from uvicorn.protocols.http.h11_impl import H11Protocol

from algoworlds.adapters.mcp.protocol import build_server
from algoworlds.adapters.mcp.sessions import ServedSession
from algoworlds.core.canonical import JsonObject
from algoworlds.runs.external.access import LOCAL_HOSTS, TOKEN_PATTERN, origin_problem, token_digest

MAX_REQUEST_SECONDS = 60.0
"""Seconds in which a whole request must arrive."""
MAX_CONNECTIONS = 512
"""Open connections; beyond them the longest idle one is closed, so that new clients are always served."""
MAX_BODY_BYTES = 5_000_000
"""Bytes of a request body."""
LONG_BODY_BYTES = 2**17
MAX_LONG_BODIES = 4
"""Bodies above `LONG_BODY_BYTES` that are in memory at the same time; a call needs less, so only odd clients wait."""
MAX_DISCARDED_BYTES = 10 * MAX_BODY_BYTES
"""Bytes read of a body that is too long, before the connection is closed."""
SWITCH_INTERVAL_SECONDS = 0.0005
"""How long a thread may hold the interpreter while others wait, a tenth of Python's default."""
_PATH = re.compile(f"/e/({TOKEN_PATTERN})/mcp".encode())
_SESSION_KEY = "algoworlds.session"

FindSession = Callable[[str], ServedSession | None]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def evaluation_url(base: str, token: str) -> str:
    """The URL at which the evaluation of `token` is played."""
    return f"{base}/e/{token}/mcp"


class TimedConnection(H11Protocol):
    """An uvicorn connection with a deadline for each request; there is none while we answer."""

    deadline_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the deadline of the first request, and close idle connections if there are too many."""
        super().connection_made(transport)
        self._update_deadline()
        if len(self.connections) > MAX_CONNECTIONS:
            connections = [
                connection
                for connection in self.connections
                if isinstance(connection, TimedConnection) and not connection.transport.is_closing()
            ]
            connections.sort(key=TimedConnection.deadline)
            for connection in connections[: max(0, len(connections) - MAX_CONNECTIONS)]:
                connection.transport.close()

    def deadline(self) -> float:
        """The loop time at which the connection is closed; infinite while we answer."""
        return inf if self.deadline_timer is None else self.deadline_timer.when()

    def data_received(self, data: bytes) -> None:
        """Stop the deadline if the request is complete."""
        super().data_received(data)
        self._update_deadline()

    def on_response_complete(self) -> None:
        """Start the deadline of the next request."""
        super().on_response_complete()
        self._cancel_deadline()
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self._cancel_deadline()
        super().connection_lost(exc)

    def _update_deadline(self) -> None:
        answering = self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete
        if answering or self.transport.is_closing():
            self._cancel_deadline()
        elif self.deadline_timer is None:
            self.deadline_timer = self.loop.call_later(MAX_REQUEST_SECONDS, self.transport.close)

    def _cancel_deadline(self) -> None:
        if self.deadline_timer is not None:
            self.deadline_timer.cancel()
            self.deadline_timer = None


@dataclass(frozen=True)
class Endpoint:
    """An ASGI application that hands requests with a valid token to the MCP SDK and refuses all others."""

    find_session: FindSession
    """The session of a token, by its digest."""
    allowed_hosts: frozenset[str] = frozenset(LOCAL_HOSTS)
    """Host names that requests may use."""
    _manager: Any = field(init=False, repr=False)
    _long_bodies: asyncio.Semaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        server = build_server(lambda context: context.request.scope[_SESSION_KEY])
        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES)
        object.__setattr__(self, "_manager", manager)
        object.__setattr__(self, "_long_bodies", asyncio.Semaphore(MAX_LONG_BODIES))

    async def __call__(self, scope: JsonObject, receive: Receive, send: Send) -> None:
        """Answer a request."""
        hosts, origins = (
            [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted]
            for wanted in (b"host", b"origin")
        )
        session, refusal = None, origin_problem(self.allowed_hosts, hosts, origins)
        if refusal is None:
            match = _PATH.fullmatch(scope["raw_path"])
            session = self.find_session(token_digest(match[1].decode())) if match else None
            if session is None:
                refusal = HTTPStatus.NOT_FOUND
            elif scope["method"] != "POST":
                refusal = HTTPStatus.METHOD_NOT_ALLOWED
        async with AsyncExitStack() as stack:
            body = None if refusal else await self._read_body(receive, stack)
            if body is None:
                await _refuse(refusal or HTTPStatus.REQUEST_ENTITY_TOO_LARGE, send)
                return
            await self._manager.handle_request(scope | {_SESSION_KEY: session}, _replay_body(body, receive), send)

    async def _read_body(self, receive: Receive, stack: AsyncExitStack) -> bytes | None:
        """The body of a request; None if it is too long. A long body takes a slot, which `stack` gives back.

        A body that is too long is read to its end (within limits): a client that is still sending does not read a refusal.
        """
        body, more, length = bytearray(), True, 0
        while more and length <= MAX_DISCARDED_BYTES:
            message = await receive()
            chunk, more = message.get("body", b""), message.get("more_body", False)
            if length <= LONG_BODY_BYTES < length + len(chunk):
                await stack.enter_async_context(self._long_bodies)  # meanwhile the connection reads no further
            length += len(chunk)
            if length <= MAX_BODY_BYTES:
                body += chunk
        return bytes(body) if length <= MAX_BODY_BYTES else None

    @asynccontextmanager
    async def listening(self, sockets: list[socket.socket]) -> AsyncIterator[Any]:
        """Answer requests on bound `sockets` inside the context; yields the server's task."""
        for name in ("mcp", "uvicorn"):  # below this level they log single requests
            logging.getLogger(name).setLevel(logging.ERROR)
        config = uvicorn.Config(
            self,
            interface="asgi3",
            loop="asyncio",
            http=TimedConnection,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=5,
        )
        server: Any = uvicorn.Server(config)
        server.capture_signals = nullcontext  # signals are handled by the caller
        interval = sys.getswitchinterval()
        async with self._manager.run():
            # Threads that open or score an evaluation give way sooner to the loop that answers the others.
            sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
            task = asyncio.create_task(server.serve(sockets=sockets))
            try:
                while not server.started and not task.done():
                    await asyncio.sleep(0.005)
                yield task
            finally:
                sys.setswitchinterval(interval)
                server.should_exit = True
                await task


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns `body` again, and then whatever else arrives."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return messages.pop() if messages else await receive()

    return replay


async def _refuse(status: HTTPStatus, send: Send) -> None:
    body = f"{status.phrase}\n".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""A model provider on loopback: speaks the three APIs, answers by a script, and fails by a plan.

    with Server(playing([("read_policy", "{}"), ("submit", '{"x": 1}')]), {2: status(429, "0")}) as server:
        provider = Provider(server.configuration("chat"), server.environment)
        ...
        server.requests[0].json

For commands, `server.toml("chat")` is a configuration file and `server.environment` what they need in theirs.
The script is the model: a function from the `Conversation` that a request carries to a `Reply`. The plan maps request
numbers, from 1, to a `Fault`; `repeated(fault)` makes every answer fail. Every request is recorded with its path, headers
and bytes. The server runs in a thread of its own; several conversations can talk to it at once.
"""

import asyncio
import fcntl
import json
import socket
import struct
import termios
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from algoworlds.runs.providers.configuration import Configuration
from tests.command import PATIENCE
from tests.runs import events, wire
from tests.runs.wire import Conversation, Reply

KEY = "canary-key-5f1d9a"
"""The key that configurations of this server send; it must not appear anywhere else."""

Script = Callable[[Conversation], Reply]


@dataclass(frozen=True)
class Fault:
    """How one answer is altered; unset fields leave it correct."""

    status: int = 200
    headers: Mapping[str, str | bytes] = field(default_factory=dict)
    body: bytes | None = None
    """Sent in place of the reply."""
    edit: Callable[[str, list[bytes]], list[bytes]] | None = None
    """Changes the events of a stream; called with the name of the API and the events."""
    cut: int | None = None
    """Bytes of the body after which the connection ends; -1 ends it before the headers."""
    how: str = "reset"
    """How it ends: reset, drop (closed early), close (as if complete) or stall (open until the client closes it)."""
    chunk: int | None = None
    """Bytes that are written at a time."""


class Request(NamedTuple):
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The parsed body."""
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


def answer_with(code: int, retry_after: str | None = None, body: bytes = b'{"error": {"message": "not now"}}') -> Fault:
    """An answer with an error status."""
    return Fault(code, {} if retry_after is None else {"retry-after": retry_after}, body)


def cut_after(at: int, how: str = "reset") -> Fault:
    """A connection that ends after so many bytes of the body (-1: before the headers)."""
    return Fault(cut=at, how=how)


def always(fault: Fault) -> Mapping[int, Fault]:
    """A plan in which every answer has the same fault."""
    return defaultdict(lambda: fault)


def model_that_calls(calls: Sequence[tuple[str, str]], text: str = "done") -> Script:
    """A model that makes one of `calls` in each turn and then ends with a text."""

    def script(conversation: Conversation) -> Reply:
        done = len(conversation.call_turns)
        return Reply((calls[done],)) if done < len(calls) else Reply(text=text)

    return script


class Server:
    """The provider; use it as a context manager."""

    def __init__(self, script: Script, plan: Mapping[int, Fault] | None = None, thinks: bool = True) -> None:
        self.script, self.plan, self.thinks = script, plan if plan is not None else {}, thinks
        self.requests: list[Request] = []
        self.environment = {"LOOPBACK_KEY": KEY}
        self.models: list[dict[str, Any]] = [{"id": "scripted-1", "object": "model"}]
        self.connections = self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def configuration(self, api: str, **changes: Any) -> Configuration:
        """A configuration whose requests come here."""
        base = self.url if api == "messages" else f"{self.url}/v1"
        given = {"label": "Loopback", "model": "scripted-1", "output_cap": 4096, "base_url": base, "key_env": "LOOPBACK_KEY"}
        return Configuration(**{"api": api, "timeout": PATIENCE, **given, **changes})

    def toml(self, api: str, **changes: Any) -> str:
        """The same configuration as the text of a file, for commands."""
        given = asdict(self.configuration(api, **changes))
        return "".join(f"{name} = {_toml(value)}\n" for name, value in given.items() if value is not None)

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}"

    # -- the server's thread -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._serve_connection, "127.0.0.1", 0, limit=2**26, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                fault = self.plan[len(self.requests)] if _is_planned(self.plan, len(self.requests)) else Fault()
                if not await self._answer(request, fault, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, request: Request, fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer a request; False if the connection is over."""
        code, kind, parts = self._reply(request, fault)
        if fault.cut == -1:
            return await _end_connection(fault, reader, writer)
        headers = {"content-type": kind, "transfer-encoding": "chunked", **fault.headers}
        if fault.cut is not None and fault.how == "close":
            del headers["transfer-encoding"]
            headers["connection"] = "close"
        values = [(name, value if isinstance(value, bytes) else value.encode()) for name, value in headers.items()]
        lines = [b"HTTP/1.1 %d X" % code, *(b"%b: %b" % (name.encode(), value) for name, value in values), b"", b""]
        writer.write(b"\r\n".join(lines))
        left = fault.cut
        for part in _split_parts(parts, fault.chunk):
            part = part if left is None else part[:left]
            left = None if left is None else left - len(part)
            if part:
                writer.write(b"%x\r\n%b\r\n" % (len(part), part) if "transfer-encoding" in headers else part)
            if fault.chunk:
                await writer.drain()
                await asyncio.sleep(0)
            if left == 0:
                return await _end_connection(fault, reader, writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    def _reply(self, request: Request, fault: Fault) -> tuple[int, str, list[bytes]]:
        """Status, content type and body of an answer."""
        if fault.body is not None:
            return fault.status, "text/html" if fault.body.startswith(b"<") else "application/json", [fault.body]
        if request.path.partition("?")[0].endswith("/models"):
            return fault.status, "application/json", [json.dumps({"object": "list", "data": self.models}).encode()]
        api = next((api for path, api in wire.PATHS.items() if request.path.endswith(path)), None)
        body = request.json
        try:
            wire.require(api, f"no such path: {request.path}")
            conversation = wire.read(str(api), body, self.thinks)
        except (wire.RefusedRequest, KeyError, ValueError) as problem:
            text = {"error": {"type": "invalid_request_error", "message": f"{type(problem).__name__}: {problem}"}}
            return 400, "application/json", [json.dumps(text).encode()]
        response = wire.write(str(api), body, self.script(conversation), len(conversation.call_turns), self.thinks)
        if body.get("stream"):
            parts = events.stream(str(api), response)
            return fault.status, "text/event-stream", fault.edit(str(api), parts) if fault.edit else parts
        return fault.status, "application/json", [json.dumps(wire.without_streaming(response)).encode()]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(item)}" for name, item in value.items()) + " }"
    return json.dumps(value)


def _is_planned(plan: Mapping[int, Fault], number: int) -> bool:
    return number in plan or isinstance(plan, defaultdict)


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    first, *lines = head.decode("latin-1").split("\r\n")[:-2] or [""]
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split(" ")[1], headers, body) if first else None


async def _end_connection(fault: Fault, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    await writer.drain()
    if fault.how == "stall":
        await reader.read()
    elif fault.how == "reset":
        connection = writer.get_extra_info("socket")
        while _unsent_bytes(connection):  # what was written arrives before the reset discards it
            await asyncio.sleep(0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    return False


def _unsent_bytes(connection: Any) -> int:
    """Bytes that were written and have not arrived at the client."""
    return struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)))[0]


def _split_parts(parts: list[bytes], size: int | None) -> list[bytes]:
    if size is None:
        return parts
    whole = b"".join(parts)
    return [whole[at : at + size] for at in range(0, len(whole), size)]

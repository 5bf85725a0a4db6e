"""One request of the protocol's elder era and its answer.

Without sessions each request stands for itself, so it is handed straight to what the SDK's servers are made of. The SDK's own
way there starts a server with its streams and tasks for each request, which takes several times as long as the answer.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple

import pydantic_core
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request

VERSION = "mcp-protocol-version"
JSON = "application/json"
_CHANNEL = TransportContext(kind="streamable-http", can_send_request=False)


class Reply(NamedTuple):
    """What a request is answered: a status, and a document unless there is nothing to say."""

    status: HTTPStatus
    document: Mapping[str, Any] | None = None

    @property
    def body(self) -> bytes:
        """The document in bytes."""
        return b"" if self.document is None else json.dumps(self.document, separators=(",", ":")).encode()


@dataclass
class Exchange:
    """What the SDK asks of whoever hands it a request; to the client there is no way but its answer."""

    request_id: Any
    message_metadata: ServerMessageMetadata
    transport: TransportContext = _CHANNEL
    progress_token: Any = None
    can_send_request: bool = False
    cancel_requested: asyncio.Event = field(default_factory=asyncio.Event)

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> dict[str, Any]:
        """A server that asks its client would never hear of it."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        """Nobody listens."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Nobody waits for it."""


def is_elder(request: Request) -> bool:
    """Whether a request is of the era in which clients shake hands first; others say so in every request."""
    return request.headers.get(VERSION, DEFAULT_NEGOTIATED_VERSION) in HANDSHAKE_PROTOCOL_VERSIONS


async def exchanged(server: Any, request: Request, body: bytes) -> Reply:
    """What a request is answered by a server."""
    if not check_accept_headers(request)[0]:
        return _refused(HTTPStatus.NOT_ACCEPTABLE, INVALID_REQUEST, f"the answer is {JSON}, which is not accepted")
    if not request.headers.get("content-type", "").lower().startswith(JSON):
        return _refused(HTTPStatus.BAD_REQUEST, INVALID_REQUEST, f"a request is {JSON}")
    try:
        message = jsonrpc_message_adapter.validate_python(pydantic_core.from_json(body), by_name=False)
    except ValidationError:
        return _refused(HTTPStatus.BAD_REQUEST, INVALID_PARAMS, "no message of JSON-RPC 2.0, of which one makes a request")
    except ValueError:
        return _refused(HTTPStatus.BAD_REQUEST, PARSE_ERROR, "no JSON")
    if not isinstance(message, JSONRPCRequest):
        return Reply(HTTPStatus.ACCEPTED)
    return await _served(server, request, message)


async def _served(server: Any, request: Request, message: JSONRPCRequest) -> Reply:
    connection = Connection.from_envelope(request.headers.get(VERSION, DEFAULT_NEGOTIATED_VERSION), None, None)
    exchange, told = Exchange(message.id, ServerMessageMetadata(request_context=request)), {"jsonrpc": "2.0", "id": message.id}
    try:
        result = await serve_one(server, exchange, message.method, message.params, connection=connection, lifespan_state={})
    except Exception as problem:
        return Reply(HTTPStatus.OK, told | {"error": modern_error_data(problem).model_dump(exclude_none=True)})
    return Reply(HTTPStatus.OK, told | {"result": result})


def _refused(status: HTTPStatus, code: int, message: str) -> Reply:
    return Reply(status, {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}})

"""A wire API as one value: everything in which one API differs from another.

Below it, the official SDKs' clients, set up so that only the configuration decides what is sent, and where.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlsplit

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Transient
from algoworlds.runs.providers.turn import Thinking, Turn


class StreamAssembler(Protocol):
    """Assembles a streamed response."""

    def feed(self, event: JsonObject) -> None:
        """Add the data of one event."""

    def end(self) -> None:
        """Note a [DONE]."""

    def response(self) -> JsonObject | None:
        """The complete response, or None before its terminal event."""


class SdkClient(NamedTuple):
    """An SDK client, its methods with raw answers (to a request, and its list of models), and the errors it raises."""

    client: Any
    create: Callable[..., AbstractAsyncContextManager[Any]]
    list_models: Callable[[], AbstractAsyncContextManager[Any]]
    status_error: type[Exception]
    connection_errors: tuple[type[Exception], ...]


@dataclass(frozen=True)
class WireApi:
    """How request bodies are built, responses read and endpoints called. A new API is one more value in APIS."""

    name: str
    """Its name in configurations."""
    first_body: Callable[[Configuration, str, list[JsonObject]], JsonObject]
    """The first request's body: the question as the one user message, and the tools."""
    read_turn: Callable[[JsonObject], Turn]
    """The turn in a complete response; raises Transient, ContextOverflow or ContentFiltered if there is none."""
    next_body: Callable[[JsonObject, JsonObject, list[str]], JsonObject]
    """The next body: the history, the response's items verbatim except what servers refuse, and an answer to each call."""
    new_assembler: Callable[[], StreamAssembler]
    """Creates an assembler of streamed responses."""
    history_field: str
    """The field of a body that holds the conversation."""
    protocol_fields: frozenset[str]
    """Request fields that the protocol sets or omits: configurations may not contain them."""
    reasoning_fields: Callable[[JsonObject], list[str]]
    """The request fields that a configuration's reasoning settings become."""
    connect: Callable[[Configuration, str], SdkClient]
    """Creates a client of the official SDK, which is imported only then."""
    configuration_problem: Callable[[Configuration], str | None] = lambda configuration: None
    """What is wrong with a configuration for this API, if anything."""
    read_thinking: Callable[[JsonObject], Thinking] = lambda response: Thinking()
    """What a complete response holds of the model's thinking; never raises."""
    cap_fields: tuple[str, ...] = ()
    """The request fields that can hold the output cap, the usual one first, if there are several."""


MAX_CONNECTIONS = 1000
CONNECT_SECONDS = 30.0
MAX_ANSWER_BYTES = 64 * 2**20
"""Bytes of an answer, unpacked, after which it is given up; no model writes as much in a turn."""
ALLOWED_HEADERS = {
    "accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "host", "user-agent",
}  # fmt: skip
"""Headers of a request, besides the key and what the SDKs say about themselves."""
PLACEHOLDER_KEY = "none"
"""What servers that want no key are sent, because the SDKs insist on one."""


def openai_connector(resource: Callable[[Any], Any]) -> Callable[[Configuration, str], SdkClient]:
    """How to connect to an API of the OpenAI SDK, which has a resource of its own for each."""

    def connect(configuration: Configuration, secret: str) -> SdkClient:
        import httpx2
        import openai

        client = openai.AsyncOpenAI(**_settings(configuration, secret, "https://api.openai.com/v1"))
        create = resource(client).with_streaming_response.create
        models = client.models.with_streaming_response.list
        return SdkClient(client, create, models, openai.APIStatusError, (openai.APIConnectionError, httpx2.HTTPError))

    return connect


def connect_anthropic(configuration: Configuration, secret: str) -> SdkClient:
    """A client of the Anthropic SDK."""
    import anthropic
    import httpx2

    client = anthropic.AsyncAnthropic(**_settings(configuration, secret, "https://api.anthropic.com"), open_telemetry=False)
    create = client.messages.with_streaming_response.create
    models = client.models.with_streaming_response.list
    return SdkClient(client, create, models, anthropic.APIStatusError, (anthropic.APIConnectionError, httpx2.HTTPError))


def open_client(connect: Callable[[Configuration, str], SdkClient], configuration: Configuration, secret: str) -> SdkClient:
    """A client for an API; connections are opened when first needed."""
    try:
        return connect(configuration, secret or PLACEHOLDER_KEY)
    except ImportError as problem:
        raise InputError(f"asking a model needs the package {problem.name}: install algoworlds[models]") from None


def _settings(configuration: Configuration, secret: str, usual: str) -> JsonObject:
    """Arguments of both SDKs. The timeout is repeated, because they ignore a client's timeout that equals the default.

    A query in the address is passed separately: the SDKs would append the path of a request to it.
    """
    http, address = http_client(configuration, secret), urlsplit(configuration.base_url or usual)
    query = dict(parse_qsl(address.query, keep_blank_values=True))
    return {
        "api_key": secret,
        "max_retries": 0,
        "timeout": http.timeout,
        "http_client": http,
        "base_url": address._replace(query="").geturl(),
        "default_query": query,
    }


def http_client(configuration: Configuration, secret: str) -> Any:
    """An HTTP client without proxies from the environment or redirects: both would send the key to another host."""
    import httpx2

    async def remove_other_headers(request: Any) -> None:
        """Remove headers that the SDKs take from the environment: a request must not depend on it."""
        for name in [name for name in request.headers if not name.startswith("x-stainless-") and name not in ALLOWED_HEADERS]:
            del request.headers[name]
        name = configuration.key_header.lower()
        request.headers[name] = f"Bearer {secret}" if name == "authorization" else secret

    limits = httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS)
    return httpx2.AsyncClient(
        transport=_limit_answers(httpx2.AsyncHTTPTransport(verify=_certificates(), trust_env=False, limits=limits)),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(configuration.timeout, connect=min(CONNECT_SECONDS, configuration.timeout)),
        event_hooks={"request": [remove_other_headers]},
    )


def _limit_answers(transport: Any) -> Any:
    """A transport whose answers are decompressed and limited in size, because the SDKs read error answers completely."""
    import httpx2

    class Answer(httpx2.AsyncByteStream):
        def __init__(self, packed: httpx2.Response) -> None:
            self._packed = packed

        async def __aiter__(self) -> AsyncIterator[bytes]:
            length = 0
            async for part in self._packed.aiter_bytes():
                length += len(part)
                if length > MAX_ANSWER_BYTES:
                    raise Transient("too_long", f"an answer of more than {MAX_ANSWER_BYTES:,} bytes", self._packed.status_code)
                yield part

        async def aclose(self) -> None:
            await self._packed.aclose()

    class Bounded(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            packed = await transport.handle_async_request(request)
            packing = (b"content-encoding", b"content-length")
            # as bytes: a header may hold any byte, and text would be encoded again as ASCII
            headers = [pair for pair in packed.headers.raw if pair[0].lower() not in packing]
            return httpx2.Response(packed.status_code, headers=headers, stream=Answer(packed), extensions=packed.extensions)

        async def aclose(self) -> None:
            await transport.aclose()

    return Bounded()


@cache
def _certificates() -> Any:
    """The trusted certificates, read once because that takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()

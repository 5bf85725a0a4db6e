"""The official SDKs' clients, set up so that nothing but the configuration decides what is sent, and where."""

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import Any, NamedTuple

from algoworlds.errors import InputError
from algoworlds.runs.providers.configuration import Configuration

CONNECTIONS = 1000
CONNECT_SECONDS = 30.0
HEADERS = {
    "accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "host", "user-agent",
}  # fmt: skip
"""Headers of a request, besides the key and what the SDKs say about themselves."""
LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")
"""Their debug logs repeat whole requests and the headers of answers, in which servers have been seen to echo keys."""
NO_KEY = "none"
"""What servers that want no key are sent, because the SDKs insist on one."""


class Sdk(NamedTuple):
    """A client, its method that makes one request and hands out the raw answer, and the errors it raises."""

    client: Any
    create: Callable[..., AbstractAsyncContextManager[Any]]
    refused: type[Exception]
    unreachable: tuple[type[Exception], ...]


def key(configuration: Configuration, environment: Mapping[str, str]) -> str:
    """The key that the configuration's variable holds, or nothing where none is needed."""
    if configuration.key_env is None:
        return ""
    held = environment.get(configuration.key_env, "").strip()
    if not re.fullmatch(r"[!-~]+", held):
        wrong = "holds something that is no key" if held else "is not set"
        raise InputError(f"{configuration.label} needs a key, but the environment variable {configuration.key_env} {wrong}")
    return held


def connect(configuration: Configuration, secret: str) -> Sdk:
    """A client for the configuration's API; connections are opened when first needed."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        return (_anthropic if configuration.api == "messages" else _openai)(configuration, secret or NO_KEY)
    except ImportError as problem:
        raise InputError(f"asking a model needs the package {problem.name}: install algoworlds[models]") from None


def _openai(configuration: Configuration, secret: str) -> Sdk:
    import httpx2
    import openai

    client = openai.AsyncOpenAI(
        api_key=secret,
        base_url=configuration.base_url or "https://api.openai.com/v1",
        max_retries=0,
        http_client=_http(configuration, secret),
    )
    resource = client.responses if configuration.api == "responses" else client.chat.completions
    create = resource.with_streaming_response.create
    return Sdk(client, create, openai.APIStatusError, (openai.APIConnectionError, httpx2.HTTPError))


def _anthropic(configuration: Configuration, secret: str) -> Sdk:
    import anthropic
    import httpx2

    client = anthropic.AsyncAnthropic(
        api_key=secret,
        base_url=configuration.base_url or "https://api.anthropic.com",
        max_retries=0,
        http_client=_http(configuration, secret),
        open_telemetry=False,
    )
    create = client.messages.with_streaming_response.create
    return Sdk(client, create, anthropic.APIStatusError, (anthropic.APIConnectionError, httpx2.HTTPError))


def _http(configuration: Configuration, secret: str) -> Any:
    """Neither proxies from the environment nor redirects: both would show the key to a host nobody named."""
    import httpx2

    async def only_ours(request: Any) -> None:
        """The SDKs also send headers that the environment names; a request must not depend on those."""
        for name in [name for name in request.headers if not name.startswith("x-stainless-") and name not in HEADERS]:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {secret}"

    return httpx2.AsyncClient(
        verify=_certificates(),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(configuration.timeout, connect=min(CONNECT_SECONDS, configuration.timeout)),
        limits=httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
        event_hooks={"request": [only_ours]},
    )


@cache
def _certificates() -> Any:
    """The certificates to trust, read once: that takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()

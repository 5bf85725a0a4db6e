"""The official SDKs' clients, set up so that nothing but the configuration decides what is sent, and where."""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from algoworlds.errors import InputError
from algoworlds.evaluate.providers.configuration import Configuration

CONNECTIONS = 1000
CONNECT_SECONDS = 30.0
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
    return (_anthropic if configuration.api == "messages" else _openai)(configuration, secret or NO_KEY)


def _openai(configuration: Configuration, secret: str) -> Sdk:
    import httpx2
    import openai

    client = openai.AsyncOpenAI(
        api_key=secret,
        base_url=configuration.base_url or "https://api.openai.com/v1",
        max_retries=0,
        http_client=_http(configuration),
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
        http_client=_http(configuration),
        open_telemetry=False,
    )
    create = client.messages.with_streaming_response.create
    return Sdk(client, create, anthropic.APIStatusError, (anthropic.APIConnectionError, httpx2.HTTPError))


def _http(configuration: Configuration) -> Any:
    """Neither proxies from the environment nor redirects: both would show the key to a host nobody named."""
    import httpx2

    return httpx2.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(configuration.timeout, connect=min(CONNECT_SECONDS, configuration.timeout)),
        limits=httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
    )

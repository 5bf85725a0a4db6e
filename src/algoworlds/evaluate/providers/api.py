"""The three wire APIs, and the provider that speaks one of them through its official SDK."""

from collections.abc import Mapping
from typing import Any, Protocol

from algoworlds.evaluate.providers.configuration import Configuration
from algoworlds.evaluate.providers.turn import Asked, Turn

Json = dict[str, Any]


class Api(Protocol):
    """What tells one wire API from another: how bodies are made and responses read. No network here."""

    def opening(self, configuration: Configuration, question: str, tools: list[Json]) -> Json:
        """The first request's body: the question as the one user message, and the tools."""

    def turn(self, response: Json) -> Turn:
        """What a complete response says; Transient or ContextOverflow if it is none."""

    def continued(self, body: Json, response: Json, answers: list[tuple[Asked, str]]) -> Json:
        """The next body: the history, the provider's items verbatim, and one answer to each of the turn's calls."""


APIS: dict[str, Api] = {}


class Provider:
    """One model's endpoint: the SDK's client, shared by all conversations of a run. One attempt a call, no retries."""

    def __init__(self, configuration: Configuration, environment: Mapping[str, str]) -> None:
        raise NotImplementedError

    async def attempt(self, body: Json) -> Json:
        """The complete response to a body as plain JSON, or a ProviderFault."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close all connections."""
        raise NotImplementedError

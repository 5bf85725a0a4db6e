"""A wire API is one value: everything that tells one from another, and nothing of the network."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import Turn
from algoworlds.runs.providers.wording import NO_PHRASES, Phrases

Json = dict[str, Any]


class Assembler(Protocol):
    """Puts a streamed response together."""

    def feed(self, event: Json) -> None:
        """Take in the data of one event."""

    def done(self) -> None:
        """Take in a [DONE]."""

    def response(self) -> Json | None:
        """The complete response, or None before its terminal event."""


class Sdk(NamedTuple):
    """A client, its methods that hand out raw answers (to a request, and about its models), and the errors it raises."""

    client: Any
    create: Callable[..., AbstractAsyncContextManager[Any]]
    models: Callable[[], AbstractAsyncContextManager[Any]]
    refused: type[Exception]
    unreachable: tuple[type[Exception], ...]


@dataclass(frozen=True)
class Api:
    """How bodies are made, responses read and an endpoint asked. A further API is one more such value in APIS."""

    name: str
    """What configurations call it."""
    opening: Callable[[Configuration, str, list[Json]], Json]
    """The first request's body: the question as the one user message, and the tools."""
    turn: Callable[[Json], Turn]
    """What a complete response says; Transient, ContextOverflow or ContentFiltered if it is none."""
    continued: Callable[[Json, Json, list[str]], Json]
    """The next body: the history, the provider's items verbatim but for what it would refuse, an answer to each call."""
    assembler: Callable[[], Assembler]
    """What puts a streamed response together."""
    history: str
    """The field of a body that holds the conversation."""
    protocol: frozenset[str]
    """Request fields that the protocol sets or leaves out, so that no configuration can change what is measured."""
    thinking: Callable[[Json], list[str]]
    """The request fields that a configuration's reasoning settings amount to."""
    connect: Callable[[Configuration, str], Sdk]
    """A client for an endpoint with a key, made by the official SDK, which is imported only now."""
    complaint: Callable[[Configuration], str | None] = lambda configuration: None
    """What is wrong with a configuration for this API, if anything."""
    caps: tuple[str, ...] = ()
    """The request fields that can hold the output cap, the usual one first, where there are several."""
    phrases: Phrases = NO_PHRASES
    """Its own ways to refuse, beside those of the known vendors."""

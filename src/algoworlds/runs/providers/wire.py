"""A wire API as one value: everything in which one API differs from another, without any networking."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.refusals import NO_PHRASES, Phrases
from algoworlds.runs.providers.turn import Turn

Json = dict[str, Any]


class StreamAssembler(Protocol):
    """Assembles a streamed response."""

    def feed(self, event: Json) -> None:
        """Add the data of one event."""

    def end(self) -> None:
        """Note a [DONE]."""

    def response(self) -> Json | None:
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
    first_body: Callable[[Configuration, str, list[Json]], Json]
    """The first request's body: the question as the one user message, and the tools."""
    read_turn: Callable[[Json], Turn]
    """The turn in a complete response; raises Transient, ContextOverflow or ContentFiltered if there is none."""
    next_body: Callable[[Json, Json, list[str]], Json]
    """The next body: the history, the response's items verbatim except what servers refuse, and an answer to each call."""
    new_assembler: Callable[[], StreamAssembler]
    """Creates an assembler of streamed responses."""
    history_field: str
    """The field of a body that holds the conversation."""
    protocol_fields: frozenset[str]
    """Request fields that the protocol sets or omits: configurations may not contain them."""
    reasoning_fields: Callable[[Json], list[str]]
    """The request fields that a configuration's reasoning settings become."""
    connect: Callable[[Configuration, str], SdkClient]
    """Creates a client of the official SDK, which is imported only then."""
    configuration_problem: Callable[[Configuration], str | None] = lambda configuration: None
    """What is wrong with a configuration for this API, if anything."""
    cap_fields: tuple[str, ...] = ()
    """The request fields that can hold the output cap, the usual one first, if there are several."""
    phrases: Phrases = NO_PHRASES
    """Phrases of refusal beside those of the known vendors."""

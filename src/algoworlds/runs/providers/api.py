"""The three wire APIs, and the provider that speaks one of them through its official SDK."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Protocol

from algoworlds.runs.providers.chat import Chat, ChatAssembler
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Misconfigured, Transient
from algoworlds.runs.providers.messages import Messages, MessagesAssembler
from algoworlds.runs.providers.responses import Responses, ResponsesAssembler
from algoworlds.runs.providers.sdk import connect, key
from algoworlds.runs.providers.sse import events
from algoworlds.runs.providers.turn import Asked, Turn, no_constant, shallow
from algoworlds.runs.providers.wording import refusal

Json = dict[str, Any]

_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}(-?\d{2})?")
"""What a provider may add to the name of a model that it answers with: the date of the snapshot."""


class Api(Protocol):
    """What tells one wire API from another: how bodies are made and responses read. No network here."""

    def opening(self, configuration: Configuration, question: str, tools: list[Json]) -> Json:
        """The first request's body: the question as the one user message, and the tools."""

    def turn(self, response: Json) -> Turn:
        """What a complete response says; Transient, ContextOverflow or ContentFiltered if it is none."""

    def continued(self, body: Json, response: Json, answers: list[tuple[Asked, str]]) -> Json:
        """The next body: the history, the provider's items verbatim, and one answer to each of the turn's calls."""


class Assembler(Protocol):
    """Puts a streamed response together."""

    def feed(self, event: Json) -> None:
        """Take in the data of one event."""

    def done(self) -> None:
        """Take in a [DONE]."""

    def response(self) -> Json | None:
        """The complete response, or None before its terminal event."""


APIS: dict[str, Api] = {"responses": Responses(), "chat": Chat(), "messages": Messages()}
_HISTORY = {"responses": "input", "chat": "messages", "messages": "messages"}
_ASSEMBLERS: dict[str, Callable[[], Assembler]] = {
    "responses": ResponsesAssembler,
    "chat": ChatAssembler,
    "messages": MessagesAssembler,
}


class Provider:
    """One model's endpoint: the SDK's client, shared by all conversations of a run. One attempt a call, no retries."""

    def __init__(self, configuration: Configuration, environment: Mapping[str, str]) -> None:
        self.configuration, self.api = configuration, APIS[configuration.api]
        self._secret = key(configuration, environment)
        self._sdk = connect(configuration, self._secret)

    async def attempt(self, body: Json) -> Json:
        """The complete response to a body as plain JSON, or a ProviderFault."""
        try:
            async with asyncio.timeout(self.configuration.attempt_seconds):
                response = await self._encodable(body)
        except TimeoutError:
            raise Transient("timeout", "the attempt took too long") from None
        with _legible():
            self._check(self.api.turn(response))
        return response

    async def close(self) -> None:
        """Close all connections."""
        await self._sdk.client.close()

    async def _encodable(self, body: Json) -> Json:
        """Half a surrogate pair, which a model can write, has no bytes in UTF-8: it goes back to it as a question mark."""
        try:
            return await self._exchange(body)
        except UnicodeEncodeError:
            return await self._exchange(json.loads(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")))

    async def _exchange(self, body: Json) -> Json:
        try:
            async with self._request(body) as answer:
                if answer.status_code != 200:
                    raise self._refusal(answer.http_response, await answer.read())
                if self.configuration.stream and "json" not in answer.headers.get("content-type", ""):
                    return await self._streamed(answer.iter_bytes())
                return _parsed(self._hidden(await answer.read()))
        except self._sdk.refused as problem:
            answer = problem.response  # type: ignore[attr-defined]
            raise self._refusal(answer, answer.content) from None
        except self._sdk.unreachable as problem:
            raise Transient("connection", type(problem.__cause__ or problem).__name__) from None

    def _request(self, body: Json) -> AbstractAsyncContextManager[Any]:
        """The SDK's own method with the body's fields: it refuses an unknown one unless it is named as the vendor's.

        The history goes beside the typed fields too: its items must arrive as they came, and the SDK's conversion of
        typed lists takes some 200 ms for one of forty turns.
        """
        history = _HISTORY[self.configuration.api]
        aside = {name: body[name] for name in (history, *self.configuration.extra_body)}
        typed = {name: value for name, value in body.items() if name not in aside}
        try:
            return self._sdk.create(**typed, **{history: ()}, extra_body=aside)
        except TypeError as problem:
            advice = "put a vendor's own fields under [extra_body]"
            raise Misconfigured("unknown_parameter", f"{problem}; {advice}") from None

    async def _streamed(self, chunks: AsyncIterator[bytes]) -> Json:
        """The response that a stream amounts to. A connection that breaks after the terminal event takes nothing back."""
        stream = _ASSEMBLERS[self.configuration.api]()
        with _legible():
            try:
                async for data in events(chunks):
                    self._feed(stream, data)
            except self._sdk.unreachable:
                if stream.response() is None:
                    raise
            response = stream.response()
        if response is None:
            raise Transient("cut_off", "the stream ended before its terminal event", 200)
        return response

    def _feed(self, stream: Assembler, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            stream.done()
        else:
            stream.feed(_parsed(self._hidden(data)))

    def _refusal(self, answer: Any, content: bytes) -> Exception:
        return refusal(answer.status_code, answer.headers, self._hidden(content).decode("utf-8", "replace"))

    def _hidden(self, data: bytes) -> bytes:
        """What a server sent, without our key, which some echo."""
        return data.replace(self._secret.encode(), b"[key]") if self._secret else data

    def _check(self, turn: Turn) -> None:
        """A run measures one model: an answer by another stops it."""
        asked = self.configuration.returned_model or self.configuration.model
        if turn.model is None or turn.model == asked:
            return
        if not (turn.model.startswith(asked) and _SNAPSHOT.fullmatch(turn.model[len(asked) :])):
            raise Misconfigured("other_model", f"asked for {asked}, answered by {turn.model}", 200)


@contextmanager
def _legible() -> Iterator[None]:
    """An answer of the wrong shape is the provider's trouble and not ours."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as problem:
        raise Transient("unreadable", f"an answer of the wrong shape ({type(problem).__name__}: {problem})", 200) from None


def _parsed(data: bytes) -> Json:
    try:
        text = shallow(data.decode(json.detect_encoding(data), "surrogatepass"))
        value = json.loads(text, parse_int=_integer, parse_constant=no_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Transient("unreadable", "an answer that is no JSON object", 200)
    return value


def _integer(digits: str) -> int | str:
    """Thousands of digits stay text: Python refuses them, and a model's nonsense must not look like a broken answer."""
    return int(digits) if len(digits) < 1000 else digits

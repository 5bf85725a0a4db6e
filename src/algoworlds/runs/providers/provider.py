"""The provider: one model's endpoint, asked over one wire API through the official SDK."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, contextmanager, suppress
from typing import Any

from algoworlds.errors import shown
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Misconfigured, ProviderFault, Transient
from algoworlds.runs.providers.reaching import why
from algoworlds.runs.providers.sdk import CONNECT_SECONDS, connected
from algoworlds.runs.providers.secrets import keep_out_of_logs, key_of
from algoworlds.runs.providers.sse import events
from algoworlds.runs.providers.turn import Answer, Turn, no_constant, shallow
from algoworlds.runs.providers.wire import Assembler
from algoworlds.runs.providers.wording import refusal

Json = dict[str, Any]

AFTERMATH_SECONDS = 1.0
"""How long a stream may go on after its terminal event: its orderly end lets the connection be used again."""

_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}(-?\d{2})?")
"""What a provider may add to the name of a model that it answers with: the date of the snapshot."""


class Provider:
    """One model's endpoint: the SDK's client, shared by all conversations of a run. One attempt a call, no retries."""

    def __init__(self, configuration: Configuration, environment: Mapping[str, str]) -> None:
        self.configuration, self.api = configuration, APIS[configuration.api]
        self.secret = key_of(configuration.key_env, configuration.label, environment)
        self._sdk = connected(self.api.connect, configuration, self.secret.value)
        self.address = configuration.base_url or str(self._sdk.client.base_url)
        keep_out_of_logs(self.secret)

    async def attempt(self, body: Json) -> Answer:
        """The complete response to a body, or a ProviderFault."""
        try:
            async with asyncio.timeout(self.configuration.attempt_seconds):
                response = await self._encodable(body)
        except TimeoutError:
            raise Transient("timeout", "the attempt took too long") from None
        with _legible():
            turn = self.api.turn(response)
        self._check(turn)
        return Answer(response, turn)

    async def listed(self) -> list[Json]:
        """What the server says of its models; ProviderFault if it says nothing legible."""
        with self._faults():
            async with self._sdk.models() as answer:
                found = self._parsed(await answer.read()).get("data")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

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
        with self._faults():
            return self.secret.out_of_all(await self._asked(body))  # type: ignore[no-any-return]

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """What the SDK raises, as faults."""
        try:
            yield
        except self._sdk.refused as problem:
            answer = problem.response  # type: ignore[attr-defined]
            raise self._refusal(answer, answer.content) from None
        except self._sdk.unreachable as problem:
            if isinstance(problem.__cause__, ProviderFault):
                raise problem.__cause__ from None
            silence = self.configuration.timeout
            words = why(problem, shown(self.address), silence, min(CONNECT_SECONDS, silence))
            raise Transient("connection", words) from None

    async def _asked(self, body: Json) -> Json:
        """The response as the server gave it."""
        async with self._request(body) as answer:
            if answer.status_code != 200:
                raise self._refusal(answer.http_response, await answer.read())
            kind = answer.headers.get("content-type", "")
            if "html" in kind:
                raise Transient("unreadable", "a page of HTML in place of an answer", 200)
            if self.configuration.stream and "json" not in kind:
                return await self._streamed(answer.iter_bytes())
            return self._parsed(await answer.read())

    def _request(self, body: Json) -> AbstractAsyncContextManager[Any]:
        """The SDK's own method with the body's fields: it refuses an unknown one unless it is named as the vendor's.

        The history goes beside the typed fields too: its items must arrive as they came, and the SDK's conversion of
        typed lists takes some 200 ms for one of forty turns.
        """
        history = self.api.history
        aside = {name: body[name] for name in (history, *self.configuration.extra_body)}
        typed = {name: value for name, value in body.items() if name not in aside}
        try:
            return self._sdk.create(**typed, **{history: ()}, extra_body=aside)
        except TypeError as problem:
            unknown = next((name for name in typed if f"'{name}'" in str(problem)), "a field of it")
            advice = "put a vendor's own fields under [extra_body]"
            raise Misconfigured("unknown_parameter", f"the SDK's request has no parameter {unknown}: {advice}") from None

    async def _streamed(self, chunks: AsyncIterator[bytes]) -> Json:
        """The response that a stream amounts to. Whatever follows or breaks after the terminal event takes nothing back."""
        assembler = self.api.assembler()
        with _legible():
            async with aclosing(events(chunks)) as stream:
                async for data in stream:
                    self._feed(assembler, data)
                    if (response := assembler.response()) is not None:
                        await self._finish(stream)
                        return response
        raise Transient("cut_off", "the stream ended before its terminal event", 200)

    async def _finish(self, stream: AsyncIterator[bytes]) -> None:
        """Read a complete stream to its end, if that comes soon."""
        with suppress(TimeoutError, Transient, *self._sdk.unreachable):
            async with asyncio.timeout(AFTERMATH_SECONDS):
                async for _ in stream:
                    pass

    def _feed(self, assembler: Assembler, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            assembler.done()
        else:
            assembler.feed(self._parsed(data))

    def _parsed(self, data: bytes) -> Json:
        """What was sent, without our key, which some servers echo; a key in pieces is found when they are put together."""
        return self.secret.out_of_all(parsed(data))  # type: ignore[no-any-return]

    def _refusal(self, answer: Any, content: bytes) -> ProviderFault:
        text = self.secret.out_of(content.decode(json.detect_encoding(content), "replace"))
        return refusal(answer.status_code, answer.headers, text, self.api.phrases)

    def _check(self, turn: Turn) -> None:
        """A run measures one model: an answer by another stops it."""
        asked = self.configuration.returned_model or self.configuration.model
        if turn.model is None or turn.model == asked:
            return
        if not (turn.model.startswith(asked) and _SNAPSHOT.fullmatch(turn.model[len(asked) :])):
            advice = f"if that is the one you mean, set returned_model = {json.dumps(shown(turn.model))}"
            raise Misconfigured("other_model", f"asked for {shown(asked)}, answered by {shown(turn.model)}; {advice}", 200)


@contextmanager
def _legible() -> Iterator[None]:
    """An answer of the wrong shape is the provider's trouble and not ours."""
    try:
        yield
    except (KeyError, TypeError, AttributeError):
        raise Transient("unreadable", "an answer of the wrong shape", 200) from None


def parsed(data: bytes) -> Json:
    """The JSON object that some bytes are, in whatever encoding JSON allows; Transient if they are none.

    Thousands of digits stay text: Python refuses them, and a model's nonsense must not look like a broken answer.
    """
    try:
        text = shallow(data.decode(json.detect_encoding(data), "surrogatepass"))
        value = json.loads(
            text, parse_int=lambda digits: int(digits) if len(digits) < 1000 else digits, parse_constant=no_constant
        )
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Transient("unreadable", "an answer that is no JSON object", 200)
    return value

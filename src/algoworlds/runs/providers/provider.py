"""The provider: requests to one model's endpoint, over one wire API, through the official SDK, with retries."""

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, contextmanager, suppress
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Misconfigured, ProviderFault, RequestTruncated, Transient, fault_from_response
from algoworlds.runs.providers.secrets import read_key, redact_logs
from algoworlds.runs.providers.turn import Answer, Turn, limit_nesting
from algoworlds.runs.providers.wire import CONNECT_SECONDS, StreamAssembler, open_client


async def sse_events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each server-sent event, including a last one without its empty line; other fields are ignored.

    Event names are not needed, because all three APIs repeat them inside the data. Data that is cut off does not parse, and
    only the terminal event completes a response.
    """
    data: list[bytes] = []
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines ended by LF, CR or CRLF. Parts of a long line are joined once, so that long lines take linear time."""
    parts: list[bytes] = []
    after_return = False
    async for chunk in chunks:
        if after_return and chunk.startswith(b"\n"):
            chunk, after_return = chunk[1:], False
        after_return = chunk.endswith(b"\r") if chunk else after_return
        first, *rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        parts.append(first)
        for line in rest:
            yield b"".join(parts)
            parts = [line]
    if any(parts):
        yield b"".join(parts)


FAILURE_TEXTS = {
    "ConnectionRefusedError": "connection refused",
    "gaierror": "the host's name is not known",
    "SSLCertVerificationError": "its certificate is not trusted",
    "SSLEOFError": "no TLS there; does it speak plain http://?",
    "SSLError": "no TLS there; does it speak plain http://?",
    "ConnectTimeout": "no connection within {connect:g} s",
    "ReadTimeout": "silent for {silence:g} s",
    "ConnectionResetError": "the connection was reset",
    "RemoteProtocolError": "it hung up before the end of its answer",
}
"""By class name of an exception, because the standard library and the SDKs' HTTP clients have classes of their own."""


CANNOT_CONNECT = "cannot connect to"
"""How the text of a failure begins if no connection was made, so that nothing was sent."""


def connection_failure_text(problem: BaseException, address: str, silence: float, connect: float) -> str:
    """Why `address` could not be reached, from the deepest cause with a known text."""
    causes = list(_causes(problem))
    names = [type(cause).__name__ for cause in reversed(causes)]
    words = next((FAILURE_TEXTS[name] for name in names if name in FAILURE_TEXTS), None)
    if words is None:
        messages = (cause.strerror for cause in reversed(causes) if isinstance(cause, OSError) and cause.strerror)
        words = next(messages, names[0])
    begin = CANNOT_CONNECT if any(name in ("ConnectError", "ConnectTimeout") for name in names) else "no answer from"
    return f"{begin} {address}: " + words.format(connect=connect, silence=silence)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """An exception and its chain of causes."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


STREAM_END_SECONDS = 1.0
"""Seconds to wait for the end of a stream after its terminal event, so that the connection can be reused."""

_SNAPSHOT = re.compile(r"-\d{4}-?\d{2}(-?\d{2})?")
"""The date of a snapshot, which a provider may append to the model's name in its answer."""


class Provider:
    """One model's endpoint: an SDK client shared by all conversations of a run. One attempt per call, no retries."""

    def __init__(self, configuration: Configuration, environment: Mapping[str, str]) -> None:
        self.configuration, self.api = configuration, APIS[configuration.api]
        self.secret = read_key(configuration.key_env, configuration.label, environment)
        self._sdk = open_client(self.api.connect, configuration, self.secret.value)
        self.address = configuration.base_url or str(self._sdk.client.base_url)
        redact_logs(self.secret)

    async def attempt(self, body: JsonObject) -> Answer:
        """The complete response to a body, or a ProviderFault."""
        try:
            async with asyncio.timeout(self.configuration.attempt_seconds):
                response = await self._exchange(replace_lone_surrogates(body))
        except TimeoutError:
            raise Transient("timeout", "the attempt took too long") from None
        with _shape_faults():
            turn = self.api.read_turn(response)
        self._require_model(turn)
        return Answer(response, turn)

    async def list_models(self) -> list[JsonObject]:
        """The models that the server lists; ProviderFault if its answer cannot be read."""
        with self._faults():
            async with self._sdk.list_models() as answer:
                models = self.secret.redact_json(parse_json_object(await answer.read())).get("data")
        return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []

    async def close(self) -> None:
        """Close all connections."""
        await self._sdk.client.close()

    async def _exchange(self, body: JsonObject) -> JsonObject:
        with self._faults():
            # Some servers echo the key. A key in several chunks is only found in the assembled response.
            return self.secret.redact_json(await self._request(body))  # type: ignore[no-any-return]

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn exceptions of the SDK into faults."""
        try:
            yield
        except self._sdk.status_error as problem:
            answer = problem.response  # type: ignore[attr-defined]
            raise self._refusal(answer, answer.content) from None
        except self._sdk.connection_errors as problem:
            if isinstance(problem.__cause__, ProviderFault):
                raise problem.__cause__ from None
            silence = self.configuration.timeout
            words = connection_failure_text(problem, format_value(self.address), silence, min(CONNECT_SECONDS, silence))
            was_sent = not words.startswith(CANNOT_CONNECT)
            raise Transient("connection", words, was_sent=was_sent) from None

    async def _request(self, body: JsonObject) -> JsonObject:
        """The complete response of the server, unredacted."""
        async with self._open_request(body) as answer:
            if answer.status_code != 200:
                raise self._refusal(answer.http_response, await answer.read())
            kind = answer.headers.get("content-type", "")
            if "html" in kind:
                raise Transient("unreadable", "a page of HTML in place of an answer", 200)
            if self.configuration.stream and "json" not in kind:
                return await self._read_stream(answer.iter_bytes())
            return parse_json_object(await answer.read())

    def _open_request(self, body: JsonObject) -> AbstractAsyncContextManager[Any]:
        """Call the SDK with the body's fields; unknown fields are refused unless they are in `extra_body`.

        The history goes through `extra_body` too: its items must arrive unchanged, and the SDK takes some 200 ms to convert
        a typed list of forty turns.
        """
        history = self.api.history_field
        aside = {name: body[name] for name in (history, *self.configuration.extra_body)}
        typed = {name: value for name, value in body.items() if name not in aside}
        try:
            return self._sdk.create(**typed, **{history: ()}, extra_body=aside)
        except TypeError as problem:
            unknown = next((name for name in typed if f"'{name}'" in str(problem)), "a field of it")
            advice = "put a vendor's own fields under [extra_body]"
            detail = f"the SDK's request has no parameter {unknown}: {advice}"
            raise Misconfigured("unknown_parameter", detail, was_sent=False) from None

    async def _read_stream(self, chunks: AsyncIterator[bytes]) -> JsonObject:
        """The response of a stream. What follows the terminal event, or fails after it, does not matter."""
        assembler = self.api.new_assembler()
        with _shape_faults():
            async with aclosing(sse_events(chunks)) as stream:
                async for data in stream:
                    self._feed(assembler, data)
                    if (response := assembler.response()) is not None:
                        await self._drain(stream)
                        return response
        raise Transient("cut_off", "the stream ended before its terminal event", 200)

    async def _drain(self, stream: AsyncIterator[bytes]) -> None:
        """Read a completed stream to its end, if that comes soon."""
        with suppress(TimeoutError, Transient, *self._sdk.connection_errors):
            async with asyncio.timeout(STREAM_END_SECONDS):
                async for _ in stream:
                    pass

    def _feed(self, assembler: StreamAssembler, data: bytes) -> None:
        if data.strip() == b"[DONE]":
            assembler.end()
        else:
            event = parse_json_object(data)
            is_error = event.get("error") or event.get("type") == "error"
            assembler.feed(self.secret.redact_json(event) if is_error else event)  # an error is quoted at once in a fault

    def _refusal(self, answer: Any, content: bytes) -> ProviderFault:
        text = self.secret.redact(content.decode(json.detect_encoding(content), "replace"))
        return fault_from_response(answer.status_code, answer.headers, text)

    def _require_model(self, turn: Turn) -> None:
        """Misconfigured if another model has answered: a run measures one model."""
        expected = self.configuration.returned_model or self.configuration.model
        if turn.model is None or turn.model == expected:
            return
        if not (turn.model.startswith(expected) and _SNAPSHOT.fullmatch(turn.model[len(expected) :])):
            advice = f"if that is the one you mean, set returned_model = {json.dumps(format_value(turn.model))}"
            raise Misconfigured(
                "other_model", f"asked for {format_value(expected)}, answered by {format_value(turn.model)}; {advice}", 200
            )


@contextmanager
def _shape_faults() -> Iterator[None]:
    """Report an answer of the wrong shape as a fault of the provider."""
    try:
        yield
    except (KeyError, TypeError, AttributeError):
        raise Transient("unreadable", "an answer of the wrong shape", 200) from None


def replace_lone_surrogates(body: JsonObject) -> JsonObject:
    """`body` with question marks for lone surrogates: a model can write them, but UTF-8 cannot encode them."""
    text = json.dumps(body, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))  # type: ignore[no-any-return]
    return body


def parse_json_object(data: bytes) -> JsonObject:
    """`data` as a JSON object, in any encoding that JSON allows; Transient if it is not one.

    Numbers that JSON or Python refuses become text, because they may be the model's own output: those of thousands of digits,
    NaN, infinities, and numbers too large for a float. A count of tokens that is text is an unknown count.
    """
    try:
        text = limit_nesting(data.decode(json.detect_encoding(data), "surrogatepass"))
        value = json.loads(text, parse_int=_int_or_text, parse_float=_float_or_text, parse_constant=str)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Transient("unreadable", "an answer that is not a JSON object", 200)
    return value


def _int_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) < 1000 else digits


def _float_or_text(digits: str) -> float | str:
    return number if math.isfinite(number := float(digits)) else digits


UNANSWERED = "unanswered"
"""The fault of an attempt without a result: the process ended, or an error of ours came up, while its request was open."""


class Attempt(NamedTuple):
    """One attempt: its number from 1, its result, its duration, and the wait before it."""

    number: int
    status: int | None
    fault: str | None
    detail: str | None
    seconds: float
    waited: float
    date: str
    may_be_billed: bool
    """Whether the provider may charge for it."""


class RetryPolicy(NamedTuple):
    """When to retry: wait as long as the server asks, up to a bound, plus exponential backoff with jitter."""

    seconds: float = 3600.0
    """Wall time after which no further attempt starts."""
    first: float = 1.0
    longest: float = 120.0
    """Upper bound of the backoff, and of the wait that a server may ask for."""
    truncated: int = 3
    """Attempts that may end in a complaint about a truncated body."""
    random: Random = Random()
    """Jitter only: no result depends on it."""

    def wait_seconds(self, number: int, fault: Transient) -> float:
        """Seconds to wait after attempt `number` failed with `fault`."""
        backoff = min(self.longest, self.first * 2.0 ** min(number - 1, 30))
        return min(fault.retry_after or 0.0, self.longest) + self.random.uniform(0.0, backoff)


async def request_with_retries(
    provider: Provider,
    body: JsonObject,
    note: Callable[[Attempt], None],
    policy: RetryPolicy = RetryPolicy(),  # noqa: B008  an immutable value
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
    announce: Callable[[Attempt], None] = lambda attempt: None,
) -> Answer:
    """The answer to `body`; the last fault is raised when the policy allows no more attempts.

    `announce` gets every attempt before its request is sent, as it stands if it never ends; `note` gets it with its result.
    """
    begin, waited, number, truncated = clock(), 0.0, 0, 0
    while True:
        number += 1
        start, date = clock(), datetime.now(UTC).isoformat(timespec="milliseconds")
        announce(Attempt(number, None, UNANSWERED, None, 0.0, waited, date, True))
        try:
            answer = await provider.attempt(body)
        except ProviderFault as fault:
            note(Attempt(number, fault.status, fault.kind, fault.detail, clock() - start, waited, date, fault.may_be_billed))
            truncated += isinstance(fault, RequestTruncated)
            if not isinstance(fault, Transient) or truncated >= policy.truncated:
                raise
            waited = policy.wait_seconds(number, fault)
            if clock() + waited - begin > policy.seconds:
                raise
        else:
            note(Attempt(number, 200, None, None, clock() - start, waited, date, True))
            return answer
        await sleep(waited)

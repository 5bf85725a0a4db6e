"""Failures between us and a provider (A2, A3, A4, A14, A24) become the right fault, and never a turn."""

import asyncio
import json

import httpx2
import pytest

from algoworlds.runs.providers.faults import (
    FILTER_PHRASES,
    OVERFLOW_PHRASES,
    TRUNCATION_PHRASES,
    ContentFiltered,
    ContextOverflow,
    Misconfigured,
    ProviderFault,
    RequestTruncated,
    Transient,
)
from algoworlds.runs.providers.provider import Provider
from tests.runs import events, wire
from tests.runs.client import API_NAMES, CALLS, Client, attempt_once, attempt_several
from tests.runs.server import Fault, Reply, Server, always, answer_with, cut_after, model_that_calls

HTML = b"<html><body>520: web server is returning an unknown error</body></html>"


def faults_of(api, *faults, **changes):
    """The faults of requests that the server answers by `faults`."""
    with Server(model_that_calls(CALLS), dict(enumerate(faults, 1))) as server:
        results = attempt_several(server, api, len(faults), **changes)
    assert len(server.requests) == len(faults)
    assert all(isinstance(result, ProviderFault) for result in results), results
    return results


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("body", [b"", HTML, b'{"error": {"message": "later"}}', b"[]"], ids=["empty", "html", "json", "list"])
def test_a2_server_error_is_transient(api, body):
    codes = [408, 409, 425, 429, 500, 502, 503, 504, 520, 529]
    for code, fault in zip(codes, faults_of(api, *(answer_with(code, "7", body) for code in codes)), strict=True):
        assert type(fault) is Transient
        assert (fault.status, fault.kind, fault.retry_after) == (code, f"http_{code}", 7.0)


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False])
def test_a2_status_200_without_a_response_is_transient(api, stream):
    bodies = [
        b'{"error": {"message": "overloaded"}}',
        b"{}",
        b"[]",
        b"",
        b"null",
        HTML,
        b'{"choices": []}',
        b'{"choices": [7]}',
    ]
    for fault in faults_of(api, *(answer_with(200, None, body) for body in bodies), stream=stream):
        assert type(fault) is Transient
        assert fault.status == 200


@pytest.mark.parametrize("api", API_NAMES)
def test_a2_answer_of_wrong_shape_is_transient(api):
    lines = [
        b'data: {"type": "content_block_delta"}',
        b'data: {"choices": [{"delta": {"tool_calls": [3]}}]}',
        b'data: {"type": "response.completed", "response": {"status": "completed", "output": [4]}}',
        b'data: {"choices": [{"delta": []',
        b"data: \xff\xfe",
    ]
    for fault in faults_of(api, *(Fault(edit=lambda _, __, line=line: [line + b"\n\n"]) for line in lines)):
        assert type(fault) is Transient


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize(
    ("code", "body"),
    [
        (400, b'{"error": {"message": "Unknown parameter: \'reasoning_efort\'."}}'),
        (401, b'{"error": {"message": "invalid key"}}'),
        (402, b'{"error": {"message": "Insufficient Balance"}}'),
        (403, HTML),
        (404, b'{"error": {"message": "model not found"}}'),
        (422, b'{"error": {"message": "extra fields not permitted"}}'),
        (429, b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'),
    ],
)
def test_permanent_refusal_is_misconfigured(api, code, body):
    (fault,) = faults_of(api, answer_with(code, None, body))
    assert type(fault) is Misconfigured
    assert fault.status == code


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("how", ["reset", "drop", "close", "stall"])
@pytest.mark.parametrize("stream", [True, False])
def test_a3_broken_connection_is_transient(api, how, stream):
    """Before the headers, after them and in the middle."""
    response = wire.write(api, {"model": "m"}, Reply((CALLS[0],)), 0)
    whole = b"".join(events.stream(api, response)) if stream else json.dumps(wire.without_streaming(response)).encode()
    cuts = [cut_after(at, how) for at in (-1, 0, 1, len(whole) // 2)]
    for fault in faults_of(api, *cuts, stream=stream, **({"timeout": 0.1} if how == "stall" else {})):
        assert type(fault) is Transient
        assert fault.kind in ("connection", "cut_off", "unreadable")


@pytest.mark.parametrize("api", API_NAMES)
def test_a3_stream_cut_at_any_event_is_discarded(api):
    parts = events.stream(api, wire.write(api, {"model": "scripted-1"}, Reply((CALLS[0],)), 0))
    positions = [sum(map(len, parts[:count])) for count in range(len(parts))]
    for fault in faults_of(api, *(cut_after(position, "close") for position in positions)):
        assert (type(fault), fault.kind) == (Transient, "cut_off")


@pytest.mark.parametrize("api", API_NAMES)
def test_a3_stream_cut_at_any_byte_is_discarded(api):
    """Feeds the decoder directly: over the network this would take minutes."""
    whole = b"".join(events.stream(api, wire.write(api, {"model": "scripted-1"}, Reply((CALLS[2],)), 0)))
    with Server(model_that_calls([])) as server:
        provider = Provider(server.configuration(api), server.environment)

    async def chunks(data):
        yield data

    async def go():
        complete = len(whole.rstrip(b"\n"))
        for at in range(complete):
            with pytest.raises(Transient):
                await provider._read_stream(chunks(whole[:at]))
        for at in range(complete, len(whole) + 1):  # the last event counts without its empty line, too
            assert provider.api.read_turn(await provider._read_stream(chunks(whole[:at]))).calls[0].arguments == CALLS[2][1]
        await provider.close()

    asyncio.run(go())


@pytest.mark.parametrize("api", API_NAMES)
def test_a3_break_after_terminal_event_keeps_the_response(api):
    """Closed by the server, or silent until the client gives up; the timeout is raised at once to save time."""
    whole = b"".join(events.stream(api, wire.write(api, {"model": "scripted-1"}, Reply((CALLS[0],)), 0)))
    with Server(model_that_calls(CALLS), {1: cut_after(len(whole), "drop")}) as server:
        dropped = attempt_once(server, api)
        provider = Provider(server.configuration(api), server.environment)

    async def silent():
        yield whole
        raise httpx2.ReadTimeout("nothing further came")

    async def go():
        response = await provider._read_stream(silent())
        await provider.close()
        return provider.api.read_turn(response)

    assert dropped.calls == asyncio.run(go()).calls
    assert dropped.calls[0].arguments == CALLS[0][1]


@pytest.mark.parametrize("api", API_NAMES)
def test_a3_refused_connection_is_transient(api):
    with Server(model_that_calls(CALLS)) as server:
        configuration = server.configuration(api)
    with pytest.raises(Transient, match="connection"):
        attempt_once(server, api, base_url=configuration.base_url)


@pytest.mark.parametrize("api", API_NAMES)
def test_a3_attempt_with_only_keep_alives_times_out(api):
    keep_alives = Fault(edit=lambda _, parts: [b": alive\n\n"] * 100_000, chunk=10)
    with Server(model_that_calls(CALLS), always(keep_alives)) as server, pytest.raises(Transient, match="timeout"):
        attempt_once(server, api, attempt_seconds=0.3)


def overload_at(at):
    """A stream that ends with an error event, in the form of its API, at position `at`."""
    error = {"type": "overloaded_error", "message": "Overloaded"}
    forms = {
        "responses": events.event({"type": "error", "code": "server_error", "message": "Overloaded"}, "error"),
        "chat": events.event({"error": error}),
        "messages": events.event({"type": "error", "error": error}, "error"),
    }
    return Fault(edit=lambda api, parts: [*parts[:at], forms[api]])


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("at", [0, 1, 4, -1], ids=["first", "second", "within", "last"])
def test_a4_error_inside_stream_is_transient(api, at):
    (fault,) = faults_of(api, overload_at(at))
    assert type(fault) is Transient
    assert "Overloaded" in str(fault)


def test_a4_failed_response_is_transient():
    failed = {"status": "failed", "error": {"code": "server_error", "message": "sorry"}}
    ending = events.event({"type": "response.failed", "response": failed})
    (fault,) = faults_of("responses", Fault(edit=lambda _, parts: [*parts[:-1], ending]))
    assert type(fault) is Transient


WORDINGS = {
    "OpenAI": {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"},
    "OpenAI chat": {"message": "This model's maximum context length is 128000 tokens. However, your messages resulted in 1."},
    "Anthropic": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
    "Anthropic cap": {"message": "input length and `max_tokens` exceed context limit: 199211 + 20000 > 204798"},
    "Qwen": {"message": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]"},
    "DeepSeek": {"message": "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"},
    "GLM": {"code": "1261", "message": "Prompt exceeds max length"},
    "vLLM": {"message": "'max_tokens' is too large: 8192. This model's maximum context length is 65536 tokens"},
    "SGLang": {"message": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."},
    "llama.cpp": {"type": "exceed_context_size_error", "message": "the request exceeds the available context size"},
    "llama-cpp-python": {"message": "Requested tokens (9000) exceed context window of 8192"},
}


def test_a14_every_provider_in_the_table_has_a_wording():
    assert set(OVERFLOW_PHRASES) <= set(WORDINGS)


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("name", WORDINGS)
def test_a14_recognises_context_overflow_in_every_wording(api, name):
    body = json.dumps({"error": WORDINGS[name]}).encode()
    for fault in faults_of(api, answer_with(400, None, body), answer_with(422, None, body), answer_with(200, None, body)):
        assert type(fault) is ContextOverflow


@pytest.mark.parametrize("api", API_NAMES)
def test_a14_status_413_is_an_overflow(api):
    (fault,) = faults_of(api, answer_with(413, None, HTML))
    assert type(fault) is ContextOverflow


@pytest.mark.parametrize("api", ["chat", "messages"])
@pytest.mark.parametrize("stream", [True, False])
def test_a14_response_that_ran_out_of_context_is_an_overflow(api, stream):
    with Server(lambda _: Reply(text="and then", finish="overflow")) as server, pytest.raises(ContextOverflow):
        attempt_once(server, api, stream=stream)


@pytest.mark.parametrize("api", API_NAMES)
def test_a13_filter_phrases_mean_content_filtered(api):
    phrases = [phrase.strip('"') for phrases in FILTER_PHRASES.values() for phrase in phrases]
    bodies = [json.dumps({"error": {"code": phrase, "message": "no"}}).encode() for phrase in phrases]
    for fault in faults_of(api, *(answer_with(400, None, body) for body in bodies)):
        assert type(fault) is ContentFiltered


@pytest.mark.parametrize("api", API_NAMES)
def test_truncation_phrases_mean_request_truncated(api):
    bodies = [json.dumps({"message": phrase.upper()}).encode() for phrase in TRUNCATION_PHRASES]
    for fault in faults_of(api, *(answer_with(400, None, body) for body in bodies)):
        assert type(fault) is RequestTruncated


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False])
def test_a24_another_model_is_misconfigured(api, stream):
    with Server(lambda _: Reply(text="hi", model="scripted-1-mini")) as server:
        with pytest.raises(Misconfigured, match="asked for scripted-1, answered by scripted-1-mini"):
            attempt_once(server, api, stream=stream)
        assert attempt_once(server, api, stream=stream, returned_model="scripted-1-mini").model == "scripted-1-mini"


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("model", ["scripted-1-2026-06-30", "scripted-1-20260630", "scripted-1", None])
def test_a24_dated_snapshot_is_the_same_model(api, model):
    with Server(lambda _: Reply(text="hi", model=model)) as server:
        assert attempt_once(server, api).model == model


@pytest.mark.parametrize("api", API_NAMES)
def test_a2_conversation_continues_unchanged_after_faults(api):
    plan = {1: answer_with(500), 3: Fault(body=HTML), 4: overload_at(3), 6: cut_after(300, "close")}
    with Server(model_that_calls(CALLS)) as server:
        undisturbed = Client(server, api).run()
    with Server(model_that_calls(CALLS), plan) as server:
        disturbed = Client(server, api).run()
    assert disturbed.turns == undisturbed.turns
    assert [attempt.fault is None for attempt in disturbed.attempts] == [False, True, False, False, True, False, True, True]

"""Bounds on what servers send and runs spend: compressed bombs, endless streams, full disks, timeouts, cost limits."""

import asyncio
import gzip
import json
import resource
import shutil
from functools import cache
from itertools import cycle, product
from types import SimpleNamespace

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Transient
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.turn import Usage
from algoworlds.runs.providers.wire import MAX_ANSWER_BYTES
from algoworlds.runs.status import read_attempts
from tests.runs.client import API_NAMES, CALLS, attempt_once
from tests.runs.model_runs import optimal_model, record_bytes, run_model
from tests.runs.server import Fault, Server, answer_with, model_that_calls
from tests.runs.wire import Reply

WORLD = "fleet_dispatch-0-1*-direct"
ENDLESS = Fault(edit=lambda api, parts: [*parts[:2], b"data: ", *[b"x" * 2**20] * 80])


@cache
def compressed_bomb():
    """640 MB of zeros in a few hundred kilobytes."""
    return gzip.compress(bytes(10 * MAX_ANSWER_BYTES), 1)


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


CODES = (200, 400, 503)
IN_TURN = tuple((*way, stream) for way, stream in zip(product(API_NAMES, CODES), cycle((True, False)), strict=False))


@pytest.mark.parametrize(
    ("api", "code", "stream"),
    [pytest.param(*way, marks=() if way in IN_TURN else pytest.mark.full) for way in product(API_NAMES, CODES, (True, False))],
)
def test_compressed_answer_beyond_the_limit_is_transient(api, code, stream):
    packed = Fault(code, {"content-encoding": "gzip"}, compressed_bomb())
    before = peak_megabytes()
    with Server(model_that_calls(CALLS), {1: packed}) as server:
        with pytest.raises(Transient, match="too_long"):
            attempt_once(server, api, stream=stream)
        assert attempt_once(server, api, stream=stream).calls, "the next attempt succeeds"
    assert peak_megabytes() - before < 400


@pytest.mark.parametrize("api", API_NAMES)
def test_endless_line_is_transient(api):
    with Server(model_that_calls(CALLS), {1: ENDLESS}) as server:
        with pytest.raises(Transient, match="too_long"):
            attempt_once(server, api)
        assert attempt_once(server, api).calls


@pytest.mark.parametrize("api", API_NAMES)
def test_compressed_answer_within_the_limit_is_read(api):
    with Server(model_that_calls(CALLS)) as server:
        plain = attempt_once(server, api, stream=False)
        body = gzip.compress(server._reply(server.requests[0], Fault())[2][0])
        server.plan = {2: Fault(headers={"content-encoding": "gzip"}, body=body)}
        assert attempt_once(server, api, stream=False) == plain


@pytest.mark.parametrize("api", API_NAMES)
def test_completed_stream_is_not_read_for_ever(monkeypatch, api):
    """Reading on would last until the attempt times out, and lose the response."""
    monkeypatch.setattr("algoworlds.runs.providers.provider.STREAM_END_SECONDS", 0.2)
    keep_alives = Fault(edit=lambda _, parts: [*parts, *[b": alive\n\n"] * 10**6], chunk=16)
    with Server(model_that_calls(CALLS), {2: keep_alives}) as server:
        assert attempt_once(server, api) == attempt_once(server, api, attempt_seconds=120.0)


def test_connection_is_reused_after_a_stream():
    with Server(model_that_calls(CALLS)) as server:

        async def go():
            provider = Provider(server.configuration("chat"), server.environment)
            for _ in range(3):
                await provider.attempt(provider.api.first_body(provider.configuration, "q", []))
            await provider.close()

        asyncio.run(go())
    assert (len(server.requests), server.connections) == (3, 1)


def test_full_disk_stops_requests(server, suite, undisturbed, tmp_path, monkeypatch):
    out, configuration = tmp_path / "run", server.configuration("chat")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
        totals = run_model(suite, out, configuration, server.environment, concurrency=4)
    assert (totals.finished, server.requests) == (0, [])
    assert "has room for 1,000 bytes, and an answer may take 1,048,576: make room" in totals.halted
    assert run_model(suite, out, configuration, server.environment, concurrency=4).finished == 4
    assert record_bytes(out) == undisturbed["chat"]


@pytest.mark.parametrize("api", API_NAMES)
def test_configured_timeout_is_used(api):
    """Both SDKs ignore a timeout that equals the HTTP library's default of 5 s, and wait for 600."""
    for seconds in (5, 5.0, 7.5):
        with Server(model_that_calls([])) as server:
            provider = Provider(server.configuration(api, timeout=seconds), server.environment)
        assert provider._sdk.client.timeout.read == seconds


# -- money --------------------------------------------------------------------------------------------------------------

PRICED = Configuration("X", "chat", "m", 1000, prices={"input": 1e5, "output": 2e5, "cached": 1e3})


def test_cached_tokens_beyond_input_are_ignored():
    assert PRICED.cost(Usage(10, 1, None, 10)) == pytest.approx((10 * 1e3 + 2e5) / 1e6)
    assert PRICED.cost(Usage(10, 1, None, 10**9)) == PRICED.cost(Usage(10, 1, None, None)) == pytest.approx(1.2)


def test_unreported_tokens_cost_the_upper_bound():
    assert PRICED.cost_bound(Usage(), 50) == pytest.approx((50 * 1e5 + 1000 * 2e5) / 1e6)
    assert PRICED.cost_bound(Usage(7, None), 50) == pytest.approx((7 * 1e5 + 1000 * 2e5) / 1e6)
    assert PRICED.cost_bound(Usage(None, 3), 50) == pytest.approx((50 * 1e5 + 3 * 2e5) / 1e6)


def model_without_second_usage(suite):
    """The optimal model, whose second turn reports no tokens."""
    model = optimal_model(suite)

    def script(conversation):
        reply = model(conversation)
        return Reply(reply.calls, reply.text, usage=len(conversation.call_turns) != 1)

    return script


def test_cost_limit_remembers_unreported_tokens(server, suite, tmp_path):
    """After a restart the cost is the same, for finished and pending evaluations, and the message says why."""
    server.script, out = model_without_second_usage(suite), tmp_path / "run"
    configuration = server.configuration("chat", prices={"input": 1.0, "output": 1000.0})
    first = run_model(suite, out, configuration, server.environment, max_cost=21.0)
    assert first.cost >= 21.0
    assert f"answers without tokens ({first.turns_without_tokens}) count as the most they can have cost" in first.halted
    assert 0 < len(record_bytes(out)) < 4
    assert None in [json.loads(text)["cost"] for text in record_bytes(out).values()], "a record holds reported tokens only"
    sent = len(server.requests)
    again = run_model(suite, out, configuration, server.environment, max_cost=21.0)
    assert len(server.requests) == sent, "a restart does not raise the limit"
    assert (again.cost, again.turns_without_tokens) == (pytest.approx(first.cost), first.turns_without_tokens)
    assert sum(read_attempt["cost"] for read_attempt in read_attempts(RunDirectory(out))) == pytest.approx(first.cost)


# -- configuration faults -------------------------------------------------------------------------------------------------

TOO_LARGE = b"""{"error": {"message": "max_tokens is too large: 4096. This model's maximum context length is 1024 tokens"}}"""
FIRST = {
    "output_cap": answer_with(400, body=TOO_LARGE),
    "base_url": answer_with(413, body=b"<html><title>413 Request Entity Too Large</title></html>"),
}


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("setting", FIRST)
def test_overflow_before_any_answer_is_misconfigured(server, suite, tmp_path, api, setting):
    server.plan = {1: FIRST[setting]}
    totals = run_model(suite, tmp_path / "run", server.configuration(api), server.environment)
    assert (totals.finished, len(server.requests), totals.pending) == (0, 1, {"misconfigured": 1})
    assert setting in totals.halted
    assert record_bytes(tmp_path / "run") == {}


@pytest.mark.parametrize("setting", FIRST)
def test_overflow_after_an_answer_is_an_outcome(server, suite, tmp_path, setting):
    server.plan = {2: FIRST[setting]}
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["stop_reason"], document["turns"]) == ("context_overflow", 2)

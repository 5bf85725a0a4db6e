"""What a server may send, and what we keep of it: bombs, endless lines and keep-alives, full disks, time and money."""

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
from tests.runs.play import model_run, optimal, records
from tests.runs.server import Fault, Server, playing
from tests.runs.server import status as failing
from tests.runs.talk import APIS, CALLS, once
from tests.runs.wire import Reply

WORLD = "fleet_dispatch-0-1*-direct"
ENDLESS = Fault(edit=lambda api, made: [*made[:2], b"data: ", *[b"x" * 2**20] * 80])


@cache
def bomb():
    """640 MB of nothing in three megabytes."""
    return gzip.compress(bytes(10 * MAX_ANSWER_BYTES), 1)


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


CODES = (200, 400, 503)
IN_TURN = tuple((*way, stream) for way, stream in zip(product(APIS, CODES), cycle((True, False)), strict=False))


@pytest.mark.parametrize(
    ("api", "code", "stream"),
    [pytest.param(*way, marks=() if way in IN_TURN else pytest.mark.full) for way in product(APIS, CODES, (True, False))],
)
def test_a_packed_answer_is_given_up_at_its_bound(api, code, stream):
    packed = Fault(code, {"content-encoding": "gzip"}, bomb())
    held = megabytes()
    with Server(playing(CALLS), {1: packed}) as server:
        with pytest.raises(Transient, match="too_long"):
            once(server, api, stream=stream)
        assert once(server, api, stream=stream).calls, "a passing trouble"
    assert megabytes() - held < 400


@pytest.mark.parametrize("api", APIS)
def test_an_endless_line_is_given_up_at_its_bound(api):
    with Server(playing(CALLS), {1: ENDLESS}) as server:
        with pytest.raises(Transient, match="too_long"):
            once(server, api)
        assert once(server, api).calls


@pytest.mark.parametrize("api", APIS)
def test_a_packed_answer_within_its_bound_is_read(api):
    with Server(playing(CALLS)) as server:
        plain = once(server, api, stream=False)
        body = gzip.compress(server._reply(server.requests[0], Fault())[2][0])
        server.plan = {2: Fault(headers={"content-encoding": "gzip"}, body=body)}
        assert once(server, api, stream=False) == plain


@pytest.mark.parametrize("api", APIS)
def test_a_complete_stream_that_is_kept_alive_for_ever_is_complete(monkeypatch, api):
    """Before, the attempt lasted until its time was up and came to nothing."""
    monkeypatch.setattr("algoworlds.runs.providers.provider.STREAM_END_SECONDS", 0.2)
    beating = Fault(edit=lambda _, made: [*made, *[b": alive\n\n"] * 10**6], chunk=16)
    with Server(playing(CALLS), {2: beating}) as server:
        assert once(server, api) == once(server, api, attempt_seconds=120.0)


def test_a_stream_that_ends_lets_its_connection_be_used_again():
    with Server(playing(CALLS)) as server:

        async def go():
            provider = Provider(server.configuration("chat"), server.environment)
            for _ in range(3):
                await provider.attempt(provider.api.first_body(provider.configuration, "q", []))
            await provider.close()

        asyncio.run(go())
    assert (len(server.requests), server.connections) == (3, 1)


def test_nothing_is_asked_whose_answer_has_no_room(server, suite, undisturbed, tmp_path, monkeypatch):
    out, configuration = tmp_path / "run", server.configuration("chat")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
        totals = model_run(suite, out, configuration, server.environment, concurrency=4)
    assert (totals.finished, server.requests) == (0, [])
    assert "has room for 1,000 bytes, and an answer may take 1,048,576: make room" in totals.halted
    assert model_run(suite, out, configuration, server.environment, concurrency=4).finished == 4
    assert records(out) == undisturbed["chat"]


@pytest.mark.parametrize("api", APIS)
def test_a_timeout_of_five_seconds_is_one_of_five_seconds(api):
    """Both SDKs take the HTTP library's own default of 5 s for none, and wait for 600."""
    for seconds in (5, 5.0, 7.5):
        with Server(playing([])) as server:
            provider = Provider(server.configuration(api, timeout=seconds), server.environment)
        assert provider._sdk.client.timeout.read == seconds


# -- money --------------------------------------------------------------------------------------------------------------

PRICED = Configuration("X", "chat", "m", 1000, prices={"input": 1e5, "output": 2e5, "cached": 1e3})


def test_cached_beyond_input_costs_no_less_than_nothing():
    assert PRICED.cost(Usage(10, 1, None, 10)) == pytest.approx((10 * 1e3 + 2e5) / 1e6)
    assert PRICED.cost(Usage(10, 1, None, 10**9)) == PRICED.cost(Usage(10, 1, None, None)) == pytest.approx(1.2)


def test_what_is_not_told_counts_as_the_most_it_can_be():
    assert PRICED.cost_bound(Usage(), 50) == pytest.approx((50 * 1e5 + 1000 * 2e5) / 1e6)
    assert PRICED.cost_bound(Usage(7, None), 50) == pytest.approx((7 * 1e5 + 1000 * 2e5) / 1e6)
    assert PRICED.cost_bound(Usage(None, 3), 50) == pytest.approx((50 * 1e5 + 3 * 2e5) / 1e6)


def untold(suite):
    """The optimal model, whose second turn tells no tokens."""
    model = optimal(suite)

    def script(conversation):
        reply = model(conversation)
        return Reply(reply.calls, reply.text, usage=len(conversation.call_turns) != 1)

    return script


def test_a_cost_limit_remembers_what_was_not_told(server, suite, tmp_path):
    """After a restart it stands where it stood, for finished evaluations and for pending ones, and says why."""
    server.script, out = untold(suite), tmp_path / "run"
    configuration = server.configuration("chat", prices={"input": 1.0, "output": 1000.0})
    first = model_run(suite, out, configuration, server.environment, max_cost=21.0)
    assert first.cost >= 21.0
    assert f"answers without tokens ({first.turns_without_tokens}) count as the most they can have cost" in first.halted
    assert 0 < len(records(out)) < 4
    assert None in [json.loads(text)["cost"] for text in records(out).values()], "a record tells only what was told"
    asked = len(server.requests)
    again = model_run(suite, out, configuration, server.environment, max_cost=21.0)
    assert len(server.requests) == asked, "a restart is no new purse"
    assert (again.cost, again.turns_without_tokens) == (pytest.approx(first.cost), first.turns_without_tokens)
    assert sum(read_attempt["cost"] for read_attempt in read_attempts(RunDirectory(out))) == pytest.approx(first.cost)


# -- configuration faults -------------------------------------------------------------------------------------------------

TOO_LARGE = b"""{"error": {"message": "max_tokens is too large: 4096. This model's maximum context length is 1024 tokens"}}"""
FIRST = {
    "output_cap": failing(400, body=TOO_LARGE),
    "base_url": failing(413, body=b"<html><title>413 Request Entity Too Large</title></html>"),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("setting", FIRST)
def test_too_large_before_any_answer_is_a_fault_of_the_configuration(server, suite, tmp_path, api, setting):
    server.plan = {1: FIRST[setting]}
    totals = model_run(suite, tmp_path / "run", server.configuration(api), server.environment)
    assert (totals.finished, len(server.requests), totals.pending) == (0, 1, {"misconfigured": 1})
    assert setting in totals.halted
    assert records(tmp_path / "run") == {}


@pytest.mark.parametrize("setting", FIRST)
def test_too_large_after_an_answer_is_an_outcome(server, suite, tmp_path, setting):
    server.plan = {2: FIRST[setting]}
    model_run(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["stop_reason"], document["turns"]) == ("context_overflow", 2)

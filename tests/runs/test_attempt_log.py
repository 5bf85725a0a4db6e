"""Every request that leaves is logged before it leaves, and counts for the cost limit whatever happens afterwards (A29)."""

import asyncio
import json
import os
import signal

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import encode_line
from algoworlds.runs.providers.faults import Misconfigured, Transient
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.status import merge_attempts, read_attempts
from tests.command import COMMAND, PATIENCE, start_process, until
from tests.runs.client import API_NAMES, CALLS, attempt_once
from tests.runs.model_runs import QUICK_RETRIES, BlockedModel, optimal_model, record_bytes, run_model
from tests.runs.server import KEY, Fault, Server, always, answer_with, cut_after, model_that_calls
from tests.silence import silent

WORLD = "fleet_dispatch-0-1*-direct"
PRICES = {"input": 1.0, "output": 1000.0}
MOST = 4096 * 1000 / 1e6
"""USD that the whole output cap of one answer costs."""
ODD_HEADERS = {
    "latin-1": {"x-served-by": "Zürich".encode("latin-1")},
    "utf-8": {"x-served-by": "Zürich 東京".encode()},
    "any byte": {"x-served-by": bytes(byte for byte in range(33, 256) if byte != 127)},
    "in known headers": {
        "x-request-id": b"\xfc",
        "retry-after": b"\xb2",
        "server": b"\xff\xfe",
        "set-cookie": b"a=\xe4; Path=/",
    },
    "name in capitals": {"X-Served-By": "Zürich".encode("latin-1"), "Content-Language": b"\xe9"},
}


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", ODD_HEADERS)
def test_header_with_non_ascii_bytes_is_read(api, stream, name):
    with Server(model_that_calls(CALLS), always(Fault(headers=ODD_HEADERS[name]))) as server:
        assert attempt_once(server, api, stream=stream).calls
    assert len(server.requests) == 1


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("name", ODD_HEADERS)
@pytest.mark.parametrize(("code", "kind"), [(401, Misconfigured), (503, Transient), (302, Misconfigured)])
def test_refusal_with_non_ascii_headers_is_the_usual_fault(api, name, code, kind):
    headers = ODD_HEADERS[name] | ({"location": "http://zürich.example/ö".encode("latin-1")} if code == 302 else {})
    with Server(model_that_calls(CALLS), always(Fault(code, headers, b"{}"))) as server:
        with pytest.raises(kind):
            attempt_once(server, api)
        assert len(server.requests) == 1


@pytest.mark.parametrize("name", ODD_HEADERS)
def test_list_of_models_with_non_ascii_headers_is_read(name):
    async def list_models(server):
        provider = Provider(server.configuration("chat"), server.environment)
        try:
            return await provider.list_models()
        finally:
            await provider.close()

    with Server(model_that_calls(CALLS), always(Fault(headers=ODD_HEADERS[name]))) as server:
        assert asyncio.run(list_models(server)) == server.models


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_run_with_non_ascii_headers_sends_and_logs_each_request_once(server, suite, undisturbed, tmp_path, api, stream):
    server.plan = always(Fault(headers=ODD_HEADERS["latin-1"]))
    totals = run_model(suite, tmp_path / "run", server.configuration(api, stream=stream), server.environment)
    attempts = read_attempts(RunDirectory(tmp_path / "run"))
    assert (totals.finished, totals.retries) == (4, 0)
    assert len(attempts) == len(server.requests)
    if stream:
        assert record_bytes(tmp_path / "run") == undisturbed[api]


def test_request_is_in_the_log_when_it_arrives(server, suite, tmp_path):
    """Already then: read by the model while the client waits for its answer."""
    model, logged = optimal_model(suite), []

    def script(conversation):
        logged.append(read_attempts(RunDirectory(tmp_path / "run")))
        return model(conversation)

    server.script = script
    configuration = server.configuration("chat", prices=PRICES)
    run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD)
    assert [len(attempts) for attempts in logged] == list(range(1, len(server.requests) + 1))
    for attempts in logged:
        *earlier, last = attempts
        assert {attempt["fault"] for attempt in earlier} <= {None}
        assert (last["fault"], last["status"], last["tokens"], last["turn"]) == ("unanswered", None, None, len(attempts))
        assert last["cost"] > MOST
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


LOST_ANSWERS = {
    "cut before the headers": cut_after(-1),
    "cut in the middle": cut_after(200, "close"),
    "reset in the middle": cut_after(200),
    "not JSON": Fault(body=b"{"),
    "an error inside": answer_with(200, body=b'{"error": {"message": "overloaded"}}'),
}


@pytest.mark.parametrize("name", LOST_ANSWERS)
def test_lost_answer_counts_as_the_most_it_can_have_cost(server, suite, tmp_path, name):
    """In this run and after a restart."""
    server.plan = {2: LOST_ANSWERS[name]}
    configuration, out = server.configuration("chat", prices=PRICES), tmp_path / "run"
    totals = run_model(suite, out, configuration, server.environment, worlds=WORLD, max_cost=MOST)
    assert totals.cost > MOST
    assert totals.unanswered_requests == 1
    assert totals.halted == "the cost limit of 4.096 USD is reached; so do requests without a usable answer (1)"
    sent = len(server.requests)
    again = run_model(suite, out, configuration, server.environment, worlds=WORLD, max_cost=MOST)
    assert (len(server.requests), again.unanswered_requests) == (sent, 1)
    assert again.cost == pytest.approx(totals.cost)


@pytest.mark.parametrize("fault", [answer_with(503), answer_with(429, "0")], ids=["503", "429"])
def test_refused_request_costs_nothing(server, suite, tmp_path, fault):
    server.plan = dict.fromkeys(range(1, 9), fault)
    configuration = server.configuration("chat", prices=PRICES)
    totals = run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD, max_cost=MOST)
    assert (totals.finished, totals.halted, totals.unanswered_requests) == (1, None, 0)
    assert totals.cost < MOST


def test_refused_connection_costs_nothing(server, suite, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.runs.model_runs.QUICK_RETRIES", QUICK_RETRIES._replace(seconds=0.01))
    configuration = server.configuration("chat", prices=PRICES, base_url="http://127.0.0.1:1/v1")
    totals = run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD, max_cost=1.0)
    assert (totals.pending, totals.cost) == ({"transient": 1}, 0.0)


def test_error_of_ours_after_an_answer_leaves_its_request_in_log_and_cost(server, suite, tmp_path, monkeypatch):
    monkeypatch.setattr(Provider, "_require_model", lambda self, turn: 1 / 0)
    configuration, out = server.configuration("chat", prices=PRICES), tmp_path / "run"
    totals = run_model(suite, out, configuration, server.environment, worlds=WORLD)
    assert (totals.pending, totals.unanswered_requests) == ({"harness": 1}, 1)
    assert totals.cost > MOST
    (attempt,) = read_attempts(RunDirectory(out))
    assert (attempt["fault"], attempt["cost"]) == ("unanswered", pytest.approx(totals.cost))


def test_request_open_at_a_kill_is_logged_and_counted(server, suite, tmp_path):
    """A process that dies while the server works on its third request."""
    (tmp_path / "model.toml").write_text(server.toml("chat", prices=PRICES))
    server.script = held = BlockedModel(optimal_model(suite), at=3)
    arguments = ("--suite", suite.directory, "--model", tmp_path / "model.toml", "--out", tmp_path / "run", "--trials", 1)
    process = start_process(COMMAND, "run", *map(str, arguments), env=os.environ | {"LOOPBACK_KEY": KEY})
    until(held.reached.is_set, process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    held.released.set()
    attempts = read_attempts(RunDirectory(tmp_path / "run"))
    assert [attempt["fault"] for attempt in attempts] == [None, None, "unanswered"]
    command = [COMMAND, "run", *map(str, arguments), "--max-cost", "4"]
    again = start_process(*command, env=os.environ | {"LOOPBACK_KEY": KEY})
    _, errors = again.communicate(timeout=PATIENCE)
    assert "the cost limit of 4 USD is reached" in errors
    assert (again.returncode, len(server.requests)) == (1, 3)


def test_log_that_cannot_be_written_sends_nothing(server, suite, tmp_path, monkeypatch):
    from algoworlds.runs.journal import Journal

    append = Journal.append

    def fail_for_attempts(self, value):
        if "fault" in value:
            raise OSError(28, "No space left on device")
        append(self, value)

    monkeypatch.setattr(Journal, "append", fail_for_attempts)
    totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    assert server.requests == []
    assert "No space left on device" in totals.halted


@pytest.mark.parametrize("line", [None, 3, [], {}, {"world": "x", "fault": None}], ids=str)
def test_edited_attempt_log_is_refused_in_one_line(server, suite, tmp_path, line):
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    with (tmp_path / "run" / "attempts.jsonl").open("ab") as file:
        file.write(encode_line(line))
    with pytest.raises(InputError, match=r"attempts\.jsonl: a line has not the form of an attempt"):
        run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    assert json.dumps(verify_run(RunDirectory(tmp_path / "run"), suite, None, silent)).count("form of an attempt") == 1


def test_attempts_of_a_resumed_turn_are_separate():
    def line(number, fault):
        fields = dict.fromkeys(("status", "detail", "seconds", "waited", "date", "tokens", "cost"))
        return {"world": "w", "trial": 1, "turn": 1, "number": number, "fault": fault, **fields}

    lines = [line(1, "unanswered"), line(1, "unanswered"), line(1, "http_503"), line(2, "unanswered"), line(2, None)]
    assert [(attempt["number"], attempt["fault"]) for attempt in merge_attempts(lines)] == [
        (1, "unanswered"),
        (1, "http_503"),
        (2, None),
    ]

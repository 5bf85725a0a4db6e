"""The probe against servers broken in every way we know (A28): what it says of each, and that it says it at once."""

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.probe import forecast_run, measure_pace, run_probe
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import RetryPolicy, connection_failure_text
from algoworlds.worlds.world import load_world
from tests.command import PATIENCE
from tests.runs.play import model_run, optimal
from tests.runs.server import KEY, Fault, Server, cut, repeated, status
from tests.runs.talk import APIS
from tests.runs.test_vendors import RECIPES, here, keys, vendor_of
from tests.runs.vendors import Imitation
from tests.runs.wire import Reply

ONCE = RetryPolicy(seconds=0.0)
"""No second attempt: what is under test says the same each time."""
HTML = b"<html><body>It works!</body></html>"
PAGE = b'<!DOCTYPE HTML>\n<html lang="en">\n<head><title>Error response</title></head><body><p>Nothing here.</p></body></html>'


@pytest.fixture(scope="session")
def small():
    return load_world("fleet_dispatch-0-1-direct")


@pytest.fixture
def able(small):
    """A model that reads twice and submits."""
    calls = [tuple(call) for call in min(small.plans.values(), key=len)][:2]
    moves = [*calls, (small.family.template.decision_tools.submit, json.dumps({"assignment": {}}))]
    return lambda conversation: Reply((moves[len(conversation.call_turns)],))


def probe_server(configuration, small, told=None, **more):
    """A probe that waits for nothing but the server."""
    more = {"silence_seconds": PATIENCE, "listing_seconds": PATIENCE, "policy": ONCE} | more
    return run_probe(configuration, {"LOOPBACK_KEY": KEY}, small, [].append if told is None else told.append, **more)


def states(found):
    return {finding.about: finding.state for finding in found.findings}


def asked_only(fault):
    """A plan in which the list of models is told and every question goes wrong."""
    return dict.fromkeys(range(2, 40), fault)


def refusal(code, message, **more):
    return status(code, None, json.dumps({"error": {"message": message, **more}}).encode())


@contextmanager
def raw(*, listens=True, says=b""):
    """A port of no model server: it refuses connections, or says a few bytes to each."""
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        if listens:
            here.listen()
            threading.Thread(target=_greet, args=(here, says), daemon=True).start()
        yield here.getsockname()[1]
        if listens:
            here.shutdown(socket.SHUT_RDWR)


def _greet(here, says):
    while True:
        try:
            other, _ = here.accept()
        except OSError:
            return
        with other:
            other.recv(65536)
            other.sendall(says)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_fit_server_is_ready(able, small, api, stream):
    told = []
    with Server(able) as server:
        found = probe_server(server.configuration(api, stream=stream), small, told)
    assert found.problems == []
    assert set(states(found).values()) == {"ok"}
    assert list(states(found)) == ["connection", "key", "model", "tools", "parallel calls", "tokens", "limits", "answer"]
    assert [request.path.rsplit("/", 1)[-1] for request in server.requests][:1] == ["models"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert found.json["tokens"]["reasoning"] == 900
    assert told[0].startswith("asking http://127.0.0.1:")
    assert told[-1].startswith("turn 3: ")


BROKEN = {
    "a key that is refused": (repeated(refusal(401, "Incorrect API key provided.")), "key", "LOOPBACK_KEY is refused"),
    "a key without rights": (repeated(status(403, None, HTML)), "key", "LOOPBACK_KEY may not do this"),
    "a key that Gemini refuses": (repeated(refusal(400, "API key not valid.")), "key", "LOOPBACK_KEY is refused"),
    "an account without credit": (repeated(refusal(402, "Insufficient credits")), "key", "used up"),
    "an unknown model": (
        asked_only(refusal(404, "The model `scripted-1` does not exist.")),
        "model",
        "check the spelling of model, which is scripted-1; it lists scripted-1",
    ),
    "an invalid model": (asked_only(refusal(400, "scripted-1 is not a valid model ID")), "model", "spelling"),
    "a path that is none": (repeated(status(404, None, b'{"detail": "Not Found"}')), "connection", "no such path"),
    "a page for an answer": (repeated(status(200, None, HTML)), "connection", "no API there"),
    "a server of pages": (repeated(status(501, None, PAGE)), "connection", "http_501: an HTML page (Error response); no API"),
    "a gateway's page": (repeated(status(502, None, PAGE)), "answer", "http_502: an HTML page (Error response)"),
    "a redirection": (repeated(Fault(307, {"location": "http://127.0.0.1:1/"}, b"")), "connection", "redirects"),
    "rate limits for ever": (repeated(status(429, "30")), "limits", "http_429: not now; it limits the rate"),
    "errors for ever": (repeated(status(500)), "answer", "http_500: not now"),
    "empty choices": (asked_only(status(200, None, b'{"choices": []}')), "answer", "without choices"),
    "an error inside an answer": (asked_only(refusal(200, "overloaded")), "answer", "overloaded"),
    "a model without tools": (asked_only(refusal(400, "gemma3:1b does not support tools")), "tools", "can call tools"),
    "vLLM without options": (
        asked_only(refusal(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
        "tools",
        "start the server with these two options",
    ),
    "llama.cpp without jinja": (asked_only(refusal(500, "tools param requires --jinja flag")), "tools", "--jinja"),
    "another cap": (
        asked_only(refusal(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead.")),
        "limits",
        'set cap_field = "max_completion_tokens"',
    ),
    "a context that is too short": (
        asked_only(refusal(400, "This model's maximum context length is 2048 tokens.")),
        "limits",
        "lower output_cap",
    ),
    "a stream that is cut": (asked_only(cut(300, "close")), "answer", "try stream the other way"),
    "a stream without its end": (
        asked_only(Fault(edit=lambda _, made: made[:-1])),
        "answer",
        "cut_off: the stream ended before its terminal event",
    ),
    "a connection that is cut": (asked_only(cut(300, "drop")), "connection", "hung up before the end"),
    "a connection that is reset": (asked_only(cut(-1, "reset")), "connection", "no answer from http://127.0.0.1:"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_server_is_named_by_what_is_broken(able, small, name):
    plan, about, words = BROKEN[name]
    with Server(able, plan) as server:
        found = probe_server(server.configuration("chat"), small)
    (problem,) = [finding for finding in found.findings if finding.state == "problem"]
    assert (problem.about, words in problem.text) == (about, True), problem
    assert len(server.requests) <= 2, "it is not tried again and again"
    assert KEY not in json.dumps(found.json)


@pytest.mark.parametrize("api", APIS)
def test_nobody_there_is_said_without_a_second_try(small, api):
    told = []
    with raw(listens=False) as port, Server(lambda _: None) as server:
        address = server.configuration(api).base_url.replace(str(server.port), str(port))
        found = probe_server(server.configuration(api, base_url=address), small, told)
    (finding,) = found.findings
    assert finding.text.startswith(f"cannot connect to {address}: connection refused")
    assert len(told) == 1
    assert found.attempts == []


def test_a_host_that_has_no_address(small, monkeypatch):
    def unknown(host, *_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with Server(lambda _: None) as server:
        found = probe_server(server.configuration("chat", base_url="http://models.example/v1"), small)
    assert found.findings[0].text.startswith("cannot connect to http://models.example/v1: the host's name is not known")


def test_tls_to_a_plain_port(small):
    with raw(says=b"HTTP/1.1 400 Bad Request\r\n\r\n") as port, Server(lambda _: None) as server:
        found = probe_server(server.configuration("chat", base_url=f"https://127.0.0.1:{port}/v1"), small)
    assert "no TLS there; does it speak plain http://?" in found.findings[0].text


def test_a_port_that_hangs_up(small):
    with raw() as port, Server(lambda _: None) as server:
        found = probe_server(server.configuration("chat", base_url=f"http://127.0.0.1:{port}/v1"), small)
    assert "it hung up before the end of its answer" in found.findings[0].text


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_server_that_only_listens(able, small, stream):
    """Neither models nor an answer: given up after the patience that was asked for, not after the run's ten minutes."""
    with Server(able, repeated(cut(-1, "stall"))) as server:
        found = probe_server(server.configuration("chat", stream=stream), small, silence_seconds=0.2, listing_seconds=0.1)
    assert found.problems[0].startswith(f"no answer from {server.url}/v1: silent for 0.2 s")


def test_a_key_that_is_missing_is_bad_input(able, small):
    with Server(able) as server, pytest.raises(InputError, match="LOOPBACK_KEY is not set"):
        run_probe(server.configuration("chat"), {}, small, [].append)
    assert server.requests == []


def test_troubles_are_told_as_they_come(able, small):
    told = []
    with Server(able, {2: status(503), 3: status(503)}) as server:
        found = probe_server(server.configuration("chat"), small, told, policy=RetryPolicy(PATIENCE, 0.001, 0.002))
    assert found.problems == []
    assert [line for line in told if "attempt" in line] == [
        "turn 1, attempt 1: http_503: not now",
        "turn 1, attempt 2: http_503: not now",
    ]


def test_without_a_list_of_models_the_model_is_asked_all_the_same(able, small):
    with Server(able, {1: status(404)}) as server:
        found = probe_server(server.configuration("chat"), small)
    assert (found.problems, found.listed_models) == ([], None)


def test_tools_that_are_ignored(small):
    with Server(lambda _: Reply(text="I would rather not")) as server:
        found = probe_server(server.configuration("chat"), small)
    assert found.problems == [
        "it executed 0 information calls; several rounds need 2 at least",
        "it ended with text_end instead of a well-formed submission",
    ]


def test_tokens_that_are_not_told(able, small):
    with Server(lambda conversation: replace(able(conversation), usage=False)) as server:
        found = probe_server(server.configuration("chat"), small)
    assert (found.problems, states(found)["tokens"]) == ([], "warning")
    assert measure_pace(found) is None


def test_several_calls_in_a_turn(able, small):
    with Server(lambda conversation: Reply(able(conversation).calls * 3)) as server:
        found = probe_server(server.configuration("chat"), small)
    (note,) = [finding for finding in found.findings if finding.state == "warning"]
    assert (note.about, note.text.split(":")[0]) == ("parallel calls", "6 refused")


def test_another_model_is_told_with_the_setting(able, small):
    with Server(lambda conversation: replace(able(conversation), model="scripted-1-mini")) as server:
        found = probe_server(server.configuration("chat"), small)
    assert found.problems == [
        "other_model: asked for scripted-1, answered by scripted-1-mini; if that is the one you mean, "
        'set returned_model = "scripted-1-mini"; it lists scripted-1'
    ]


def test_reasoning_that_is_configured_and_not_done(able, small):
    lazy = Fault(edit=lambda _, made: [chunk.replace(b'"reasoning_tokens": 300', b'"reasoning_tokens": 0') for chunk in made])
    with Server(able, asked_only(lazy)) as server:
        found = probe_server(server.configuration("chat", reasoning={"reasoning_effort": "max"}), small)
    assert found.problems == ["it reports no reasoning tokens although reasoning is configured"]


def test_a_conversation_whose_beginning_is_dropped(able, small):
    """Ollama's way with a context that is too short: no error, fewer tokens."""
    dropped = Fault(edit=lambda _, made: [chunk.replace(b'"prompt_tokens": 1200', b'"prompt_tokens": 800') for chunk in made])
    with Server(able, {4: dropped}) as server:
        found = probe_server(server.configuration("chat"), small)
    (problem,) = found.problems
    assert problem.startswith("input fell from 1,200 to 800 tokens")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"max_model_len": 2048}, "context ends at 2,048"),
        ({"meta": {"n_ctx": 2048}}, "context ends at 2,048"),
        ({"top_provider": {"context_length": 99999, "max_completion_tokens": 1024}}, "output ends at 1,024"),
        ({"max_input_tokens": 200000, "max_tokens": 64}, "output ends at 64"),
    ],
)
def test_a_cap_beyond_what_the_server_tells(able, small, told, words):
    with Server(able) as server:
        server.models = [{"id": "another", "max_model_len": 1}, {"id": "scripted-1", **told}]
        found = probe_server(server.configuration("chat"), small)
    (note,) = [finding for finding in found.findings if finding.state == "warning"]
    assert (note.about, words in note.text) == ("limits", True), note


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_is_ready(able, small, name):
    with Imitation(vendor_of(name), able) as server:
        configuration = here(name, server, reasoning={})
        found = run_probe(configuration, keys(configuration), small, [].append, PATIENCE, ONCE, PATIENCE)
    assert found.problems == []
    told = {"vLLM 1": "context 40,960", "llama.cpp 1": "context 65,536", "OpenRouter 1": "context 262,144, output 65,536"}
    (limits,) = [finding.text for finding in found.findings if finding.about == "limits"]
    assert limits.endswith(f"the server tells {told.get(name, 'neither context nor output')}")


def test_an_estimate_is_what_a_run_takes(able, small, suite, tmp_path):
    """By a model that follows the shortest plans: as many requests, as many bytes but for its own words."""
    prices = {"input": 2.0, "output": 10.0, "cached": 0.5}
    with Server(able) as server:
        found = probe_server(server.configuration("chat", prices=prices), small)
        guess = forecast_run(found, suite, list(suite.manifest.worlds), 2, 4)
        server.script, server.requests = optimal(suite), []
        configuration = server.configuration("chat", prices=prices)
        totals = model_run(suite, tmp_path / "run", configuration, server.environment, trials=2)
    assert (guess.evaluations, guess.calls) == (totals.finished, len(server.requests))
    assert guess.output == 340 * guess.calls
    measured = measure_pace(found)
    sent = sum(len(json.dumps(request.json, separators=(",", ":"))) for request in server.requests)
    assert guess.input == pytest.approx(sent * measured.tokens_per_byte, rel=0.1)
    assert guess.seconds == pytest.approx(guess.calls * measured.seconds / 4)
    cached = guess.input * 1000 / 1200
    assert guess.cost == pytest.approx(((guess.input - cached) * 2 + cached * 0.5 + guess.output * 10) / 1e6, rel=1e-3)
    without = replace(found, configuration=replace(found.configuration, prices={}))
    assert forecast_run(without, suite, list(suite.manifest.worlds), 1, 1).cost is None


def test_what_has_no_words_is_told_by_its_own():
    deep = OSError(101, "Network is unreachable")
    outer = ProviderFault("x")
    outer.__cause__ = deep
    assert connection_failure_text(outer, "http://a", 1, 1) == "no answer from http://a: Network is unreachable"
    assert connection_failure_text(ValueError("odd"), "http://a", 1, 1) == "no answer from http://a: ValueError"

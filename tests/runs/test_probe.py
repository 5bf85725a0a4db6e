"""The probe against servers that are broken in every known way (A28): it reports the cause, without retries."""

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
from tests.runs.client import API_NAMES
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import KEY, Fault, Server, always, answer_with, cut_after
from tests.runs.test_vendors import RECIPES, key_environment, local_configuration, vendor_of_recipe
from tests.runs.vendors import VendorServer
from tests.runs.wire import Reply

NO_RETRY = RetryPolicy(seconds=0.0)
"""No second attempt: the servers of these tests answer the same each time."""
HTML = b"<html><body>It works!</body></html>"
PAGE = b'<!DOCTYPE HTML>\n<html lang="en">\n<head><title>Error response</title></head><body><p>Nothing here.</p></body></html>'


@pytest.fixture(scope="session")
def world():
    return load_world("fleet_dispatch-0-1-direct")


@pytest.fixture
def working_model(world):
    """A model that reads twice and submits."""
    calls = [tuple(call) for call in min(world.plans.values(), key=len)][:2]
    moves = [*calls, (world.family.template.decision_tools.submit, json.dumps({"assignment": {}}))]
    return lambda conversation: Reply((moves[len(conversation.call_turns)],))


def probe_server(configuration, world, messages=None, **more):
    """Probe a server without retries or time limits."""
    more = {"silence_seconds": PATIENCE, "listing_seconds": PATIENCE, "policy": NO_RETRY} | more
    return run_probe(configuration, {"LOOPBACK_KEY": KEY}, world, [].append if messages is None else messages.append, **more)


def states(result):
    return {finding.about: finding.state for finding in result.findings}


def fail_after_list(fault):
    """A plan in which the list of models works and every other request fails."""
    return dict.fromkeys(range(2, 40), fault)


def refusal(code, message, **more):
    return answer_with(code, None, json.dumps({"error": {"message": message, **more}}).encode())


@contextmanager
def open_port(*, accepts=True, greeting=b""):
    """A port without a model server: it refuses connections, or sends `greeting` to each."""
    with socket.socket() as local_configuration:
        local_configuration.bind(("127.0.0.1", 0))
        if accepts:
            local_configuration.listen()
            threading.Thread(target=_send_greeting, args=(local_configuration, greeting), daemon=True).start()
        yield local_configuration.getsockname()[1]
        if accepts:
            local_configuration.shutdown(socket.SHUT_RDWR)


def _send_greeting(local_configuration, greeting):
    while True:
        try:
            other, _ = local_configuration.accept()
        except OSError:
            return
        with other:
            other.recv(65536)
            other.sendall(greeting)


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_working_server_has_no_problems(working_model, world, api, stream):
    messages = []
    with Server(working_model) as server:
        result = probe_server(server.configuration(api, stream=stream), world, messages)
    assert result.problems == []
    assert set(states(result).values()) == {"ok"}
    assert list(states(result)) == ["connection", "key", "model", "tools", "parallel calls", "tokens", "limits", "answer"]
    assert [request.path.rsplit("/", 1)[-1] for request in server.requests][:1] == ["models"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert result.json["tokens"]["reasoning"] == 900
    assert messages[0].startswith("asking http://127.0.0.1:")
    assert messages[-1].startswith("turn 3: ")


BROKEN = {
    "a key that is refused": (always(refusal(401, "Incorrect API key provided.")), "key", "LOOPBACK_KEY is refused"),
    "a key without rights": (always(answer_with(403, None, HTML)), "key", "LOOPBACK_KEY may not do this"),
    "a key that Gemini refuses": (always(refusal(400, "API key not valid.")), "key", "LOOPBACK_KEY is refused"),
    "an account without credit": (always(refusal(402, "Insufficient credits")), "key", "used up"),
    "an unknown model": (
        fail_after_list(refusal(404, "The model `scripted-1` does not exist.")),
        "model",
        "check the spelling of model, which is scripted-1; it lists scripted-1",
    ),
    "an invalid model": (fail_after_list(refusal(400, "scripted-1 is not a valid model ID")), "model", "spelling"),
    "a path that is none": (always(answer_with(404, None, b'{"detail": "Not Found"}')), "connection", "no such path"),
    "a page for an answer": (always(answer_with(200, None, HTML)), "connection", "no API there"),
    "a server of pages": (
        always(answer_with(501, None, PAGE)),
        "connection",
        "http_501: an HTML page (Error response); no API",
    ),
    "a gateway's page": (always(answer_with(502, None, PAGE)), "answer", "http_502: an HTML page (Error response)"),
    "a redirection": (always(Fault(307, {"location": "http://127.0.0.1:1/"}, b"")), "connection", "redirects"),
    "rate limits for ever": (always(answer_with(429, "30")), "limits", "http_429: not now; it limits the rate"),
    "errors for ever": (always(answer_with(500)), "answer", "http_500: not now"),
    "empty choices": (fail_after_list(answer_with(200, None, b'{"choices": []}')), "answer", "without choices"),
    "an error inside an answer": (fail_after_list(refusal(200, "overloaded")), "answer", "overloaded"),
    "a model without tools": (fail_after_list(refusal(400, "gemma3:1b does not support tools")), "tools", "can call tools"),
    "vLLM without options": (
        fail_after_list(refusal(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')),
        "tools",
        "start the server with these two options",
    ),
    "llama.cpp without jinja": (fail_after_list(refusal(500, "tools param requires --jinja flag")), "tools", "--jinja"),
    "another cap": (
        fail_after_list(refusal(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead.")),
        "limits",
        'set cap_field = "max_completion_tokens"',
    ),
    "a context that is too short": (
        fail_after_list(refusal(400, "This model's maximum context length is 2048 tokens.")),
        "limits",
        "lower output_cap",
    ),
    "a stream that is cut": (fail_after_list(cut_after(300, "close")), "answer", "try stream the other way"),
    "a stream without its end": (
        fail_after_list(Fault(edit=lambda _, parts: parts[:-1])),
        "answer",
        "cut_off: the stream ended before its terminal event",
    ),
    "a connection that is cut": (fail_after_list(cut_after(300, "drop")), "connection", "hung up before the end"),
    "a connection that is reset": (fail_after_list(cut_after(-1, "reset")), "connection", "no answer from http://127.0.0.1:"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_server_is_reported_with_the_failing_part(working_model, world, name):
    plan, about, words = BROKEN[name]
    with Server(working_model, plan) as server:
        result = probe_server(server.configuration("chat"), world)
    (problem,) = [finding for finding in result.findings if finding.state == "problem"]
    assert (problem.about, words in problem.text) == (about, True), problem
    assert len(server.requests) <= 2, "it is not retried"
    assert KEY not in json.dumps(result.json)


@pytest.mark.parametrize("api", API_NAMES)
def test_refused_connection_is_reported_without_a_retry(world, api):
    messages = []
    with open_port(accepts=False) as port, Server(lambda _: None) as server:
        address = server.configuration(api).base_url.replace(str(server.port), str(port))
        result = probe_server(server.configuration(api, base_url=address), world, messages)
    (finding,) = result.findings
    assert finding.text.startswith(f"cannot connect to {address}: connection refused")
    assert len(messages) == 1
    assert result.attempts == []


def test_unknown_host_is_reported(world, monkeypatch):
    def unknown(host, *_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with Server(lambda _: None) as server:
        result = probe_server(server.configuration("chat", base_url="http://models.example/v1"), world)
    assert result.findings[0].text.startswith("cannot connect to http://models.example/v1: the host's name is not known")


def test_tls_to_a_plain_port_is_reported(world):
    with open_port(greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n") as port, Server(lambda _: None) as server:
        result = probe_server(server.configuration("chat", base_url=f"https://127.0.0.1:{port}/v1"), world)
    assert "no TLS there; does it speak plain http://?" in result.findings[0].text


def test_closed_connection_is_reported(world):
    with open_port() as port, Server(lambda _: None) as server:
        result = probe_server(server.configuration("chat", base_url=f"http://127.0.0.1:{port}/v1"), world)
    assert "it hung up before the end of its answer" in result.findings[0].text


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_silent_server_is_given_up_after_the_time_limit(working_model, world, stream):
    """It lists no models and answers nothing; the limit is that of the probe, not the ten minutes of a run."""
    with Server(working_model, always(cut_after(-1, "stall"))) as server:
        result = probe_server(server.configuration("chat", stream=stream), world, silence_seconds=0.2, listing_seconds=0.1)
    assert result.problems[0].startswith(f"no answer from {server.url}/v1: silent for 0.2 s")
    assert "; it runs but is slow: wait until it has loaded the model, or give it longer (--patience" in result.problems[0]
    assert "check base_url" not in result.problems[0]


def test_missing_key_is_an_input_error(working_model, world):
    with Server(working_model) as server, pytest.raises(InputError, match="LOOPBACK_KEY is not set"):
        run_probe(server.configuration("chat"), {}, world, [].append)
    assert server.requests == []


def test_failed_attempts_are_reported_at_once(working_model, world):
    messages = []
    with Server(working_model, {2: answer_with(503), 3: answer_with(503)}) as server:
        result = probe_server(server.configuration("chat"), world, messages, policy=RetryPolicy(PATIENCE, 0.001, 0.002))
    assert result.problems == []
    assert [line for line in messages if "attempt" in line] == [
        "turn 1, attempt 1: http_503: not now",
        "turn 1, attempt 2: http_503: not now",
    ]


def test_probe_works_without_a_list_of_models(working_model, world):
    with Server(working_model, {1: answer_with(404)}) as server:
        result = probe_server(server.configuration("chat"), world)
    assert (result.problems, result.listed_models) == ([], None)


def test_model_that_ignores_tools_is_a_problem(world):
    with Server(lambda _: Reply(text="I would rather not")) as server:
        result = probe_server(server.configuration("chat"), world)
    assert result.problems == [
        "it executed 0 information calls, and must execute 2 at least",
        "it ended with text_end instead of a well-formed submission",
    ]


def test_unreported_tokens_are_a_warning(working_model, world):
    with Server(lambda conversation: replace(working_model(conversation), usage=False)) as server:
        result = probe_server(server.configuration("chat"), world)
    assert (result.problems, states(result)["tokens"]) == ([], "warning")
    assert measure_pace(result) is None


def test_parallel_calls_are_a_warning(working_model, world):
    with Server(lambda conversation: Reply(working_model(conversation).calls * 3)) as server:
        result = probe_server(server.configuration("chat"), world)
    (warning,) = [finding for finding in result.findings if finding.state == "warning"]
    assert (warning.about, warning.text.split(":")[0]) == ("parallel calls", "6 refused")


def test_other_model_is_reported_with_the_setting_to_change(working_model, world):
    with Server(lambda conversation: replace(working_model(conversation), model="scripted-1-mini")) as server:
        result = probe_server(server.configuration("chat"), world)
    assert result.problems == [
        "other_model: asked for scripted-1, answered by scripted-1-mini; if that is the one you mean, "
        'set returned_model = "scripted-1-mini"; it lists scripted-1'
    ]


def test_configured_reasoning_without_tokens_is_a_problem(working_model, world):
    no_reasoning = Fault(
        edit=lambda _, parts: [chunk.replace(b'"reasoning_tokens": 300', b'"reasoning_tokens": 0') for chunk in parts]
    )
    with Server(working_model, fail_after_list(no_reasoning)) as server:
        result = probe_server(server.configuration("chat", reasoning={"reasoning_effort": "max"}), world)
    assert result.problems == ["it reports no reasoning tokens although reasoning is configured"]


def test_shrinking_input_is_a_problem(working_model, world):
    """Ollama drops the beginning if its context is too short: no error, but fewer input tokens."""
    dropped = Fault(edit=lambda _, parts: [part.replace(b": 1200", b": 800") for part in parts])
    with Server(working_model, {4: dropped}) as server:
        result = probe_server(server.configuration("chat"), world)
    (problem,) = result.problems
    assert problem.startswith("input fell from 1,200 to 800 tokens")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"max_model_len": 2048}, "context ends at 2,048"),
        ({"meta": {"n_ctx": 2048}}, "context ends at 2,048"),
        ({"top_provider": {"context_length": 99999, "max_completion_tokens": 1024}}, "output ends at 1,024"),
        ({"max_input_tokens": 200000, "max_tokens": 64}, "output ends at 64"),
    ],
)
def test_output_cap_above_the_server_limit_is_a_warning(working_model, world, entry, words):
    with Server(working_model) as server:
        server.models = [{"id": "another", "max_model_len": 1}, {"id": "scripted-1", **entry}]
        result = probe_server(server.configuration("chat"), world)
    (warning,) = [finding for finding in result.findings if finding.state == "warning"]
    assert (warning.about, words in warning.text) == ("limits", True), warning


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_passes_the_probe(working_model, world, name):
    with VendorServer(vendor_of_recipe(name), working_model) as server:
        configuration = local_configuration(name, server, reasoning={})
        result = run_probe(configuration, key_environment(configuration), world, [].append, PATIENCE, NO_RETRY, PATIENCE)
    assert result.problems == []
    limits_by_recipe = {
        "vLLM 1": "context 40,960",
        "llama.cpp 1": "context 65,536",
        "OpenRouter 1": "context 262,144, output 65,536",
    }
    (limits,) = [finding.text for finding in result.findings if finding.about == "limits"]
    assert limits.endswith(f"the server tells {limits_by_recipe.get(name, 'neither context nor output')}")


def test_forecast_matches_a_run(working_model, world, suite, tmp_path):
    """For a model that follows the shortest plans: the same number of requests, and about as many input tokens."""
    prices = {"input": 2.0, "output": 10.0, "cached": 0.5}
    with Server(working_model) as server:
        result = probe_server(server.configuration("chat", prices=prices), world)
        forecast = forecast_run(result, suite, list(suite.manifest.worlds), 2, 4)
        server.script, server.requests = optimal_model(suite), []
        configuration = server.configuration("chat", prices=prices)
        totals = run_model(suite, tmp_path / "run", configuration, server.environment, trials=2)
    assert (forecast.evaluations, forecast.calls) == (totals.finished, len(server.requests))
    assert forecast.output == 340 * forecast.calls
    measured = measure_pace(result)
    sent = sum(len(json.dumps(request.json, separators=(",", ":"))) for request in server.requests)
    assert forecast.input == pytest.approx(sent * measured.tokens_per_byte, rel=0.1)
    assert forecast.seconds == pytest.approx(forecast.calls * measured.seconds / 4)
    cached = forecast.input * 1000 / 1200
    assert forecast.cost == pytest.approx(((forecast.input - cached) * 2 + cached * 0.5 + forecast.output * 10) / 1e6, rel=1e-3)
    without = replace(result, configuration=replace(result.configuration, prices={}))
    assert forecast_run(without, suite, list(suite.manifest.worlds), 1, 1).cost is None


def test_unknown_connection_error_is_described_by_its_own_text():
    deep = OSError(101, "Network is unreachable")
    outer = ProviderFault("x")
    outer.__cause__ = deep
    assert connection_failure_text(outer, "http://a", 1, 1) == "no answer from http://a: Network is unreachable"
    assert connection_failure_text(ValueError("odd"), "http://a", 1, 1) == "no answer from http://a: ValueError"

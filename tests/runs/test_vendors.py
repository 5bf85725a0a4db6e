"""The recipes of docs/model-servers.md (A27), each played against an imitation of its server, and their refusals."""

import asyncio
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.chat import ChatAssembler, merge_delta
from algoworlds.runs.providers.configuration_file import parse_configuration
from algoworlds.runs.providers.faults import Misconfigured, ProviderFault, Transient, fault_from_response
from algoworlds.runs.providers.provider import Provider
from tests.runs import events
from tests.runs.client import CALLS, QUESTION, TOOLS
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import KEY, Fault, Reply, model_that_calls
from tests.runs.vendors import (
    AZURE,
    GEMINI,
    LLAMA_CPP,
    LLAMA_CPP_WITHOUT_JINJA,
    MID_STREAM,
    OLLAMA,
    OPENROUTER,
    VLLM,
    VLLM_WITHOUT_PARSER,
    VendorServer,
)

PAGE = (Path(__file__).parents[2] / "docs" / "model-servers.md").read_text("utf-8")
WORLD = "fleet_dispatch-0-1*-direct"


def recipes():
    """Every recipe of the page with its section's name."""
    for section in PAGE.split("\n## ")[1:]:
        for at, block in enumerate(re.findall(r"```toml\n(.*?)```", section, re.DOTALL)):
            yield f"{section.splitlines()[0]} {at + 1}", tomllib.loads(block)


RECIPES = dict(recipes())
SERVERS = {server.name: server for server in (VLLM, OLLAMA, LLAMA_CPP, AZURE, GEMINI, OPENROUTER)}


def vendor_of_recipe(name):
    return SERVERS[name.rsplit(" ", 1)[0]]


def local_configuration(name, server, **changes):
    """A recipe whose host is the loopback server."""
    configuration = parse_configuration(RECIPES[name])
    address = urlsplit(configuration.base_url)
    local = address._replace(scheme="http", netloc=f"127.0.0.1:{server.port}").geturl()
    return replace(configuration, base_url=local, **changes)


def key_environment(configuration):
    return {configuration.key_env: KEY} if configuration.key_env else {}


def fault_of(name, vendor, **changes):
    """The fault of the first request."""

    async def attempt(configuration):
        provider = Provider(configuration, key_environment(configuration))
        try:
            await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
        finally:
            await provider.close()

    with VendorServer(vendor, model_that_calls(CALLS)) as server, pytest.raises(ProviderFault) as caught:
        asyncio.run(attempt(local_configuration(name, server, **changes)))
    return caught.value


def test_every_server_has_a_recipe_and_vice_versa():
    assert {name.rsplit(" ", 1)[0] for name in RECIPES} == set(SERVERS)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", RECIPES)
def test_recipe_plays_a_world_to_its_optimum(suite, tmp_path, name, stream):
    with VendorServer(vendor_of_recipe(name), optimal_model(suite)) as server:
        configuration = local_configuration(name, server, stream=stream)
        totals = run_model(suite, tmp_path / "run", configuration, key_environment(configuration), worlds=WORLD)
    assert (totals.halted, totals.pending, totals.retries) == (None, {}, 0)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["exact"], document["stop_reason"]) == (1, "submitted")
    assert document["turns"] == len(server.requests) > 2
    assert document["tokens"]["input"] == 1200 * document["turns"]


@pytest.mark.parametrize("name", ["Gemini 1", "OpenRouter 1"])
def test_vendor_server_refuses_a_history_without_signatures(suite, tmp_path, name, monkeypatch):
    """The servers refuse a history without their signatures, so the test above can fail."""

    class LossyAssembler(ChatAssembler):
        def response(self):
            text = json.dumps(super().response())
            return json.loads(text.replace('"extra_content"', '"a"').replace('"reasoning_details"', '"b"'))

    monkeypatch.setitem(APIS, "chat", replace(APIS["chat"], new_assembler=LossyAssembler))
    with VendorServer(vendor_of_recipe(name), optimal_model(suite)) as server:
        configuration = local_configuration(name, server)
        totals = run_model(suite, tmp_path / "run", configuration, key_environment(configuration), worlds=WORLD)
    assert totals.pending == {"rejected": 1}


REFUSED = {
    "vLLM without its options": ("vLLM 1", VLLM_WITHOUT_PARSER, {}, "--tool-call-parser"),
    "vLLM, another model": ("vLLM 1", VLLM, {"model": "Qwen/Qwen3-31B"}, "does not exist"),
    "Ollama, a model without tools": ("Ollama 1", OLLAMA, {"model": "gemma3:1b"}, "does not support tools"),
    "Ollama, another model": ("Ollama 1", OLLAMA, {"model": "qwen3"}, "not found"),
    "llama.cpp without --jinja": ("llama.cpp 1", LLAMA_CPP_WITHOUT_JINJA, {}, "requires --jinja"),
    "llama.cpp, its path not named": (
        "llama.cpp 1",
        LLAMA_CPP,
        {"returned_model": None},
        'set returned_model = "/models/Qwen3-0.6B-Q4_0.gguf"',
    ),
    "Azure, its model not named": ("Azure 1", AZURE, {"returned_model": None}, 'returned_model = "gpt-5.1-2025-11-13"'),
    "Azure, the usual cap": ("Azure 1", AZURE, {"cap_field": None}, "max_completion_tokens"),
    "Azure, a bearer at an old address": ("Azure 2", AZURE, {"key_header": "authorization"}, "Access denied"),
    "Gemini, a list for an error": ("Gemini 1", GEMINI, {"key_env": None}, "API key not valid"),
    "OpenRouter, a model without tools": (
        "OpenRouter 1",
        OPENROUTER,
        {"model": "meta-llama/llama-guard-4-12b"},
        "support tool use",
    ),
}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("case", REFUSED)
def test_refusal_is_misconfigured_and_quotes_the_server(case, stream):
    name, vendor, changes, words = REFUSED[case]
    fault = fault_of(name, vendor, stream=stream, **changes)
    assert type(fault) is Misconfigured
    assert words in fault.detail
    assert not fault.detail.startswith(("[", "{"))


def test_query_follows_the_path_and_key_uses_its_header():
    with VendorServer(AZURE, model_that_calls(CALLS)) as server:
        configuration = local_configuration("Azure 2", server)

        async def attempt():
            provider = Provider(configuration, key_environment(configuration))
            await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
            await provider.close()

        asyncio.run(attempt())
    (request,) = server.requests
    assert request.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    assert (request.headers["api-key"], "authorization" in request.headers) == (KEY, False)
    assert request.json["max_completion_tokens"] == 65536
    assert "max_tokens" not in request.json


def test_error_within_a_stream_is_retried(suite, tmp_path):
    """In OpenRouter's form: an error beside a choice with finish_reason "error"."""
    ended = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}], "error": MID_STREAM}
    broken = Fault(edit=lambda _, parts: [*parts[:6], events.event({"id": "x", "model": "m", **ended})])
    with VendorServer(OPENROUTER, optimal_model(suite), {2: broken}) as server:
        configuration = local_configuration("OpenRouter 1", server)
        totals = run_model(suite, tmp_path / "run", configuration, key_environment(configuration), worlds=WORLD)
    assert (totals.finished, totals.retries, totals.faults) == (1, 1, {"error_in_answer": 1})
    assert "Provider disconnected" in totals.reasons["error_in_answer"]


def test_quota_error_with_a_retry_delay_is_transient():
    """Gemini answers 429 with the same text for a quota per minute and for that of the account."""
    text = "You exceeded your current quota, please check your plan and billing details."
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"}
    for more, kind in (({"details": [delay]}, Transient), ({}, Misconfigured)):
        body = json.dumps([{"error": {"code": 429, "message": text, "status": "RESOURCE_EXHAUSTED", **more}}])
        fault = fault_from_response(429, {}, body)
        assert (type(fault), fault.detail) == (kind, text)


def test_unknown_fields_of_a_stream_are_preserved():
    """Fields of calls, functions and the message, in one part or several, for each call separately."""
    parts = [
        {"role": "assistant", "content": None, "annotations": {"a": {"b": 1}}},
        {
            "tool_calls": [
                {"index": 0, "id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x"', "tone": "dry"}}
            ]
        },
        {"tool_calls": [{"index": 0, "type": "function", "extra_content": {"google": {"thought_signature": "abc"}}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}, "extra_content": {"google": {"more": None}, "z": [1]}}]},
        {"tool_calls": [{"index": 1, "id": "2", "function": {"name": "g", "arguments": "{}"}}]},
        {"annotations": {"a": {"c": 2}}},
    ]
    assembler = ChatAssembler()
    for delta in parts:
        assembler.feed({"model": "m", "choices": [{"index": 0, "delta": delta}]})
    assembler.feed({"model": "", "choices": [{"index": 0, "finish_reason": "tool_calls"}]})
    assembler.end()
    response = assembler.response()
    message = response["choices"][0]["message"]
    first, second = message["tool_calls"]
    assert first == {
        "id": "1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"x":1}', "tone": "dry"},
        "extra_content": {"google": {"thought_signature": "abc"}, "z": [1]},
    }
    assert second == {"id": "2", "type": "function", "function": {"name": "g", "arguments": "{}"}}
    assert (message["annotations"], response["model"]) == ({"a": {"b": 1, "c": 2}}, "m")


def test_list_deltas_are_merged_by_index():
    whole = merge_delta(None, [{"index": 0, "type": "t", "text": "a"}])
    whole = merge_delta(
        whole, [{"index": 0, "type": "t", "text": "b", "signature": "s"}, {"index": 0, "type": "u", "text": "c"}]
    )
    whole = merge_delta(whole, [{"text": "d"}, {"text": "e"}, 5])
    joined = {"index": 0, "type": "t", "text": "ab", "signature": "s"}
    assert whole == [joined, {"index": 0, "type": "u", "text": "c"}, {"text": "d"}, {"text": "e"}, 5]


GOOD = {"label": "X", "api": "chat", "model": "m", "output_cap": 9}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cap_field": "max_output_tokens"}, "cap_field must be one of max_tokens, max_completion_tokens"),
        ({"api": "messages", "cap_field": "max_tokens"}, "messages has no cap_field"),
        ({"key_header": "two words"}, "key_header must be a header"),
        ({"key_header": "Host"}, "key_header must be a header"),
        ({"key_header": "x-stainless-lang"}, "key_header must be a header"),
        ({"extra_body": {"max_completion_tokens": 5}}, "max_completion_tokens is set by the protocol"),
        ({"base_url": "http://localhost/v1#x"}, "line breaks or #"),
    ],
)
def test_invalid_settings_are_refused(fields, words):
    with pytest.raises(InputError, match=words):
        parse_configuration(GOOD | fields)


def test_refusal_after_the_first_turn_is_quarantined_with_its_message(suite, tmp_path):
    """The message, here Gemini's to a lost signature, tells the user what is wrong."""
    with VendorServer(replace(GEMINI, edit_response=lambda response, index: response), optimal_model(suite)) as server:
        configuration = local_configuration("Gemini 1", server)
        totals = run_model(suite, tmp_path / "run", configuration, key_environment(configuration), worlds=WORLD)
    assert totals.pending == {"rejected": 1}
    (path,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "missing a thought_signature" in path.read_text()


def test_gemini_calls_with_equal_indexes_stay_separate():
    """All have index 0 and are separated by their ids; the signature stays with its call."""

    async def attempt(server):
        configuration = local_configuration("Gemini 1", server)
        provider = Provider(configuration, key_environment(configuration))
        try:
            return await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
        finally:
            await provider.close()

    with VendorServer(GEMINI, lambda _: Reply((CALLS[0], CALLS[1]))) as server:
        answer = asyncio.run(attempt(server))
    assert [(call.tool, call.arguments) for call in answer.turn.calls] == CALLS[:2]
    calls = answer.response["choices"][0]["message"]["tool_calls"]
    assert ["extra_content" in call for call in calls] == [True, False]

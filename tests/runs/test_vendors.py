"""The recipes of docs/model-servers.md (A27): each played against an imitation of its server, and what those refuse."""

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
from tests.runs.play import model_run, optimal
from tests.runs.server import KEY, Fault, Reply, playing
from tests.runs.talk import CALLS, QUESTION, TOOLS
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
    Imitation,
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


def vendor_of(name):
    return SERVERS[name.rsplit(" ", 1)[0]]


def here(name, server, **changes):
    """A recipe whose host is the loopback server."""
    configuration = parse_configuration(RECIPES[name])
    address = urlsplit(configuration.base_url)
    local = address._replace(scheme="http", netloc=f"127.0.0.1:{server.port}").geturl()
    return replace(configuration, base_url=local, **changes)


def keys(configuration):
    return {configuration.key_env: KEY} if configuration.key_env else {}


def fault_of(name, vendor, **changes):
    """The fault that the first request comes to."""

    async def go(configuration):
        provider = Provider(configuration, keys(configuration))
        try:
            await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
        finally:
            await provider.close()

    with Imitation(vendor, playing(CALLS)) as server, pytest.raises(ProviderFault) as caught:
        asyncio.run(go(here(name, server, **changes)))
    return caught.value


def test_every_server_has_a_recipe_and_every_recipe_a_server():
    assert {name.rsplit(" ", 1)[0] for name in RECIPES} == set(SERVERS)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_plays_a_world_to_its_optimum(suite, tmp_path, name, stream):
    with Imitation(vendor_of(name), optimal(suite)) as server:
        configuration = here(name, server, stream=stream)
        totals = model_run(suite, tmp_path / "run", configuration, keys(configuration), worlds=WORLD)
    assert (totals.halted, totals.pending, totals.retries) == (None, {}, 0)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["exact"], document["stop_reason"]) == (1, "submitted")
    assert document["turns"] == len(server.requests) > 2
    assert document["tokens"]["input"] == 1200 * document["turns"]


@pytest.mark.parametrize("name", ["Gemini 1", "OpenRouter 1"])
def test_a_lost_signature_would_be_noticed(suite, tmp_path, name, monkeypatch):
    """The imitations refuse a history without what they signed: the test above can fail."""

    class Forgetful(ChatAssembler):
        def response(self):
            text = json.dumps(super().response())
            return json.loads(text.replace('"extra_content"', '"a"').replace('"reasoning_details"', '"b"'))

    monkeypatch.setitem(APIS, "chat", replace(APIS["chat"], new_assembler=Forgetful))
    with Imitation(vendor_of(name), optimal(suite)) as server:
        configuration = here(name, server)
        totals = model_run(suite, tmp_path / "run", configuration, keys(configuration), worlds=WORLD)
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
def test_what_a_server_refuses_stops_the_queue_in_its_words(case, stream):
    name, vendor, changes, words = REFUSED[case]
    fault = fault_of(name, vendor, stream=stream, **changes)
    assert type(fault) is Misconfigured
    assert words in fault.detail
    assert not fault.detail.startswith(("[", "{"))


def test_a_query_stands_behind_the_path_and_the_key_in_its_header():
    with Imitation(AZURE, playing(CALLS)) as server:
        configuration = here("Azure 2", server)

        async def go():
            provider = Provider(configuration, keys(configuration))
            await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
            await provider.close()

        asyncio.run(go())
    (request,) = server.requests
    assert request.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    assert (request.headers["api-key"], "authorization" in request.headers) == (KEY, False)
    assert request.json["max_completion_tokens"] == 65536
    assert "max_tokens" not in request.json


def test_an_error_in_the_middle_of_a_stream_is_tried_again(suite, tmp_path):
    """OpenRouter's form: an error beside a choice that finishes with it."""
    ended = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}], "error": MID_STREAM}
    broken = Fault(edit=lambda _, made: [*made[:6], events.event({"id": "x", "model": "m", **ended})])
    with Imitation(OPENROUTER, optimal(suite), {2: broken}) as server:
        configuration = here("OpenRouter 1", server)
        totals = model_run(suite, tmp_path / "run", configuration, keys(configuration), worlds=WORLD)
    assert (totals.finished, totals.retries, totals.faults) == (1, 1, {"error_in_answer": 1})
    assert "Provider disconnected" in totals.reasons["error_in_answer"]


def test_a_quota_that_says_when_to_come_back_is_waited_for():
    """Gemini's 429 speaks of a quota whether it is a minute's or the account's."""
    text = "You exceeded your current quota, please check your plan and billing details."
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"}
    for more, kind in (({"details": [delay]}, Transient), ({}, Misconfigured)):
        body = json.dumps([{"error": {"code": 429, "message": text, "status": "RESOURCE_EXHAUSTED", **more}}])
        fault = fault_from_response(429, {}, body)
        assert (type(fault), fault.detail) == (kind, text)


def test_fields_that_nobody_knows_are_kept_as_they_came():
    """Of calls, their functions and the message; in one part or in several, for each call its own."""
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


def test_pieces_of_a_list_are_joined_by_their_index():
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
def test_odd_settings_are_refused(fields, words):
    with pytest.raises(InputError, match=words):
        parse_configuration(GOOD | fields)


def test_a_refusal_midway_is_kept_with_its_words(suite, tmp_path):
    """What Gemini says to a lost signature is what somebody will look for."""
    with Imitation(replace(GEMINI, dressed=lambda response, place: response), optimal(suite)) as server:
        configuration = here("Gemini 1", server)
        totals = model_run(suite, tmp_path / "run", configuration, keys(configuration), worlds=WORLD)
    assert totals.pending == {"rejected": 1}
    (kept,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "missing a thought_signature" in kept.read_text()


def test_several_calls_of_gemini_stay_several():
    """All counted as the first, told apart by their ids; the signature stays with the one it came with."""

    async def go(server):
        configuration = here("Gemini 1", server)
        provider = Provider(configuration, keys(configuration))
        try:
            return await provider.attempt(provider.api.first_body(configuration, QUESTION, TOOLS))
        finally:
            await provider.close()

    with Imitation(GEMINI, lambda _: Reply((CALLS[0], CALLS[1]))) as server:
        answer = asyncio.run(go(server))
    assert [(call.tool, call.arguments) for call in answer.turn.calls] == CALLS[:2]
    calls = answer.response["choices"][0]["message"]["tool_calls"]
    assert ["extra_content" in call for call in calls] == [True, False]

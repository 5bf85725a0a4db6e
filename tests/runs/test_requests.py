"""What is sent (A26): reviewed first requests for the shipped configurations, and the same content over every API.

`python -m tests.runs.test_requests` rewrites the reviewed files; check the difference before committing it.
"""

import asyncio
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.runs.providers import APIS as ADAPTERS
from algoworlds.runs.providers.configuration_file import load_configuration, shipped_configurations
from algoworlds.runs.providers.faults import Misconfigured, ProviderFault
from algoworlds.runs.providers.provider import Provider
from algoworlds.worlds.admission import DEFAULT_SEED, Coordinate, admit
from algoworlds.worlds.world import build_world
from tests.runs.client import API_NAMES, CALLS, QUESTION, TOOLS, Client, attempt_once, first_body
from tests.runs.server import KEY, Server, model_that_calls

GOLDEN = Path(__file__).parent / "golden"
NAMES = (
    "gpt-5.6-terra",
    "gpt-5.6-sol",
    "qwen3.5-plus",
    "deepseek-v4-pro",
    "claude-opus-4.8",
    "claude-sonnet-5",
    "glm-5.2",
)
HEADERS = ("accept", "anthropic-version", "authorization", "content-type", "x-api-key")


def first_request(name):
    """The first request of a shipped configuration as it arrives, its key redacted."""
    configuration = load_configuration(name)

    async def attempt(server):
        here = replace(configuration, base_url=server.url + urlsplit(configuration.base_url).path)
        provider = Provider(here, {configuration.key_env: KEY})
        try:
            await provider.attempt(first_body(provider))
        finally:
            await provider.close()

    with Server(model_that_calls(CALLS)) as server:
        asyncio.run(attempt(server))
    (request,) = server.requests
    headers = {key: request.headers[key].replace(KEY, "[key]") for key in HEADERS if key in request.headers}
    return {"path": request.path, "headers": headers, "body": request.json}


def test_seven_configurations_are_shipped():
    assert set(shipped_configurations()) == set(NAMES) == {path.stem for path in GOLDEN.glob("*.json")}


@pytest.mark.parametrize("name", NAMES)
def test_a26_first_request_equals_the_reviewed_file(name):
    assert first_request(name) == json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


TABLE = {
    "gpt-5.6-terra": ("gpt-5.6-terra", {"reasoning": {"effort": "max"}, "max_output_tokens": 131072}),
    "gpt-5.6-sol": ("gpt-5.6-sol", {"reasoning": {"effort": "max"}, "max_output_tokens": 131072}),
    "qwen3.5-plus": (
        "qwen3.5-plus",
        {"enable_thinking": True, "thinking_budget": 81920, "max_tokens": 65536, "temperature": 0.6},
    ),
    "deepseek-v4-pro": (
        "deepseek-v4-pro-202606",
        {"thinking": {"type": "enabled"}, "reasoning_effort": "max", "max_tokens": 131072},
    ),
    "claude-opus-4.8": (
        "claude-opus-4-8",
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}, "max_tokens": 131072},
    ),
    "claude-sonnet-5": (
        "claude-sonnet-5",
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}, "max_tokens": 131072},
    ),
    "glm-5.2": (
        "glm-5.2",
        {"thinking": {"type": "enabled"}, "reasoning_effort": "max", "temperature": 1.0, "max_tokens": 131072},
    ),
}
"""The paper's table of request settings: the model's id, and every field that sets thinking, cap or temperature."""

SHARED = {"model", "messages", "input", "tools", "tool_choice", "parallel_tool_calls", "store", "include", "stream"}
SHARED |= {"stream_options"}


@pytest.mark.parametrize("name", NAMES)
def test_a26_reviewed_request_has_the_settings_of_the_paper(name):
    body = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))["body"]
    model, settings = TABLE[name]
    assert body["model"] == model
    assert {key: value for key, value in body.items() if key not in SHARED} == settings
    assert body.get("parallel_tool_calls") is False or body["tool_choice"]["disable_parallel_tool_use"] is True


def request_content(api, body):
    """Question and tools of a body, as text in one form."""
    if api == "responses":
        (message,) = body["input"]
        tools = [(tool["name"], tool["description"], tool["parameters"]) for tool in body["tools"]]
    elif api == "chat":
        (message,) = body["messages"]
        tools = [
            (tool["function"]["name"], tool["function"]["description"], tool["function"]["parameters"])
            for tool in body["tools"]
        ]
    else:
        (message,) = body["messages"]
        tools = [(tool["name"], tool["description"], tool["input_schema"]) for tool in body["tools"]]
    assert message["role"] == "user"
    return message["content"], json.dumps(tools)


@pytest.mark.parametrize("family", FAMILIES)
def test_a26_question_and_schemas_are_the_same_over_every_api_and_interface(family):
    bodies, admitted = set(), admit(Coordinate(family, 0, 1, DEFAULT_SEED))
    for interface in (Interface.DIRECT, Interface.MEDIATED):
        world = build_world(admitted, interface)
        for name in NAMES:
            configuration = load_configuration(name)
            body = ADAPTERS[configuration.api].first_body(configuration, world.question, world.tools)
            bodies.add(request_content(configuration.api, json.loads(json.dumps(body))))
    ((question, tools),) = bodies
    assert question == world.question
    assert json.loads(tools) == [[tool["name"], tool["description"], tool["parameters"]] for tool in world.tools]


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_each_request_extends_the_one_before(api, stream):
    """Each request begins with the one before; reasoning comes back verbatim, which the server checks."""
    with Server(model_that_calls(CALLS)) as server:
        client = Client(server, api, stream=stream).run()
    assert [turn.finish.value for turn in client.turns] == ["calls", "calls", "calls", "end"]
    histories = [request.json.get("input") or request.json["messages"] for request in server.requests]
    for earlier, later in pairwise(histories):
        assert later[: len(earlier)] == earlier
        assert len(later) > len(earlier)


@pytest.mark.parametrize("api", API_NAMES)
def test_server_refuses_a_history_without_reasoning(api, monkeypatch):
    """The server refuses a history without its reasoning, so the test above can fail."""
    next_body = ADAPTERS[api].next_body

    def lossy_next_body(body, response, answers):
        text = json.dumps(next_body(body, response, answers))
        for word in ('"reasoning_content"', '"encrypted_content"', '"signature"'):
            text = text.replace(word, '"renamed"')
        return json.loads(text)

    monkeypatch.setitem(ADAPTERS, api, replace(ADAPTERS[api], next_body=lossy_next_body))
    with Server(model_that_calls(CALLS)) as server, pytest.raises(Misconfigured):
        Client(server, api).run()


@pytest.mark.parametrize("api", API_NAMES)
def test_request_body_arrives_unchanged(api):
    with Server(model_that_calls(CALLS)) as server:
        attempt_once(server, api, extra_body={"vendor": {"deep": [1, None, {"a": "é"}]}})
        expected = ADAPTERS[api].first_body(server.configuration(api), QUESTION, TOOLS)
    assert server.requests[0].json == expected | {"vendor": {"deep": [1, None, {"a": "é"}]}}


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_setting_unknown_to_the_sdk_is_misconfigured(api):
    with Server(model_that_calls(CALLS)) as server:
        with pytest.raises(Misconfigured, match=r"unknown_parameter.*reasoning_efort.*extra_body"):
            attempt_once(server, api, reasoning={"reasoning_efort": "max"})
        assert server.requests == []


def test_missing_key_error_names_the_variable():
    for environment in ({}, {"OPENAI_API_KEY": "  "}):
        with pytest.raises(InputError, match="environment variable OPENAI_API_KEY is not set"):
            Provider(load_configuration("gpt-5.6-sol"), environment)
    with pytest.raises(InputError, match="holds something that is not a key") as caught:
        Provider(load_configuration("gpt-5.6-sol"), {"OPENAI_API_KEY": "two words"})
    assert "two words" not in str(caught.value)


def write_golden():
    """Rewrite the reviewed files."""
    for name in NAMES:
        try:
            text = json.dumps(first_request(name), indent=2, ensure_ascii=False)
        except ProviderFault as fault:
            raise SystemExit(f"{name}: {fault}") from None
        (GOLDEN / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    write_golden()

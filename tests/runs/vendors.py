"""Model servers as their documentation and their users describe them: each speaks Chat Completions with quirks of its own.

    with Imitation(GEMINI, optimal(suite)) as server: ...

A vendor is one value: what it refuse and how it says so, what its answers look like, and how it streams them. `Imitation` is
the loopback server with such manners; its script is the model, as ever.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.runs import events, wire
from tests.runs.server import KEY, Fault, Request, Server
from tests.runs.wire import reasoning_text

Json = dict[str, Any]
Refusal = tuple[int, Any]


def refuse_nothing(request: Request, body: Json) -> None:
    """Refuse nothing."""


@dataclass(frozen=True)
class Vendor:
    """How one model server deviates from the plain API."""

    name: str
    refuse: Callable[[Request, Json], Refusal | None] = refuse_nothing
    """Status and body of a refusal, if a request deserves one."""
    edit_response: Callable[[Json, int], Json] = lambda response, index: response
    """Turns a plain response into one of this server; `index` is the number of earlier turns."""
    to_events: Callable[[Json], list[bytes]] = lambda response: events.stream("chat", response)
    """The events of a streamed response."""
    models: tuple[Json, ...] = ()
    """Its list of models."""


class VendorServer(Server):
    """The loopback server with the deviations of a vendor."""

    def __init__(self, vendor: Vendor, script: Any, plan: Any = None) -> None:
        super().__init__(script, plan, thinks=False)
        self.vendor, self.models = vendor, list(vendor.models)

    def _reply(self, request: Request, fault: Fault) -> tuple[int, str, list[bytes]]:
        if fault.body is not None or request.path.partition("?")[0].endswith("/models"):
            return super()._reply(request, fault)
        body = request.json
        try:
            refusal = self.vendor.refuse(request, body)
            conversation = wire.read("chat", _without_reasoning(body), thinks=False)
        except (wire.RefusedRequest, KeyError, ValueError) as problem:
            refusal = (400, error(f"{type(problem).__name__}: {problem}"))
        if refusal:
            return refusal[0], "application/json", [json.dumps(refusal[1]).encode()]
        plain = wire.write("chat", body, self.script(conversation), len(conversation.call_turns), thinks=False)
        response = self.vendor.edit_response(plain, len(conversation.call_turns))
        if not body["stream"]:
            return 200, "application/json", [json.dumps(response).encode()]
        parts = self.vendor.to_events(response)
        return 200, "text/event-stream", fault.edit("chat", parts) if fault.edit else parts


def _without_reasoning(body: Json) -> Json:
    """A body without reasoning, which each vendor checks for itself."""
    kept = [{name: value for name, value in message.items() if name != "reasoning_content"} for message in body["messages"]]
    return body | {"messages": kept}


def message_in(response: Json) -> Json:
    """The assistant's message, to be changed in place."""
    message: Json = response["choices"][0]["message"]
    return message


def assistant_messages(body: Json) -> list[Json]:
    """The assistant's messages in a history."""
    return [message for message in body["messages"] if message["role"] == "assistant"]


def chunk(response: Json, delta: Json) -> bytes:
    """One event of a stream."""
    frame = {"id": response["id"], "object": "chat.completion.chunk", "model": response["model"]}
    return events.event(frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def _send_whole_calls(parts: list[bytes], response: Json) -> list[bytes]:
    """A stream in which each call comes in one delta, as Ollama and Gemini send it, all counted as the first."""
    calls = message_in(response).get("tool_calls") or []
    kept = [chunk for chunk in parts if b'"tool_calls": [' not in chunk]
    whole = [chunk(response, {"tool_calls": [{"index": 0, **call}]}) for call in calls]
    at = next(at for at, chunk in enumerate(kept) if b'"delta": {}' in chunk)
    return [*kept[:at], *whole, *kept[at:]]


def error(message: str, kind: str = "invalid_request_error", code: Any = None, **more: Any) -> Json:
    """An error in OpenAI's form."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


# -- vLLM: docs.vllm.ai, "Tool Calling" and "Reasoning Outputs" ------------------------------------------------------------


def _reasoning(index: int) -> str:
    return f"I think {index} times."


def _vllm_refusal(request: Request, body: Json) -> Refusal | None:
    if body["model"] != "Qwen/Qwen3-32B":
        return 404, error(f"The model `{body['model']}` does not exist.", "NotFoundError", 404)
    if [message.get("reasoning") for message in assistant_messages(body)] != [
        _reasoning(index) for index in range(len(assistant_messages(body)))
    ]:
        return 400, error("reasoning was lost", "BadRequestError", 400)
    if body["max_tokens"] > 40960:
        text = f"'max_tokens' is too large: {body['max_tokens']}. This model's maximum context length is 40960 tokens."
        return 400, error(text, "BadRequestError", 400)
    return None


def _vllm_response(response: Json, index: int) -> Json:
    message_in(response)["reasoning"] = _reasoning(index)
    response["choices"][0] |= {"stop_reason": None, "token_ids": None}
    return response | {"service_tier": None, "system_fingerprint": None, "prompt_logprobs": None}


def _vllm_events(response: Json) -> list[bytes]:
    return _with_reasoning(events.stream("chat", response), response, "reasoning")


def _with_reasoning(parts: list[bytes], response: Json, name: str) -> list[bytes]:
    """The events with the reasoning in two deltas after the first chunk."""
    text = message_in(response).get(name) or ""
    return [parts[0], chunk(response, {name: text[:7]}), chunk(response, {name: text[7:]}), *parts[1:]]


VLLM = Vendor(
    "vLLM",
    _vllm_refusal,
    _vllm_response,
    _vllm_events,
    ({"id": "Qwen/Qwen3-32B", "object": "model", "owned_by": "vllm", "root": "Qwen/Qwen3-32B", "max_model_len": 40960},),
)
VLLM_WITHOUT_PARSER = Vendor(
    "vLLM started without a parser",
    lambda request, body: (
        400,
        error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "BadRequestError", 400),
    ),
    models=VLLM.models,
)

# -- Ollama: docs.ollama.com, "OpenAI compatibility"; ollama#6027 ----------------------------------------------------------


def _ollama_refusal(request: Request, body: Json) -> Refusal | None:
    if body["model"] == "gemma3:1b":
        return 400, error("registry.ollama.ai/library/gemma3:1b does not support tools")
    if body["model"] != "qwen3:32b":
        return 404, error(f"model '{body['model']}' not found", "not_found_error")
    if any(message.get("content") is None for message in body["messages"]):
        return 400, error("invalid message content type: <nil>")
    return None


def _ollama_response(response: Json, index: int) -> Json:
    message = message_in(response)
    message |= {"content": message["content"] or "", "reasoning": "Hm."}
    for call in message.get("tool_calls") or []:
        call["index"] = 0
    usage = {name: response["usage"][name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    return response | {"system_fingerprint": "fp_ollama", "usage": usage}


OLLAMA = Vendor(
    "Ollama",
    _ollama_refusal,
    _ollama_response,
    lambda response: _with_reasoning(_send_whole_calls(events.stream("chat", response), response), response, "reasoning"),
    ({"id": "qwen3:32b", "object": "model", "created": 0, "owned_by": "library"},),
)

# -- llama.cpp: tools/server/README.md; lemonade#2730, LLMKube#126 ---------------------------------------------------------

GGUF = "/models/Qwen3-0.6B-Q4_0.gguf"


def _llama_response(response: Json, index: int) -> Json:
    message_in(response)["reasoning_content"] = "Well."
    timings = {"prompt_n": 12, "prompt_ms": 3.5, "predicted_n": 7}
    return response | {"model": GGUF, "system_fingerprint": "b8681-Debian", "timings": timings}


def _llama_refusal(request: Request, body: Json) -> Refusal | None:
    lost = any(message.get("reasoning_content") != "Well." for message in assistant_messages(body))
    return (400, error("reasoning was lost")) if lost else None


LLAMA_CPP = Vendor(
    "llama.cpp",
    _llama_refusal,
    edit_response=_llama_response,
    models=({"id": GGUF, "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx": 65536, "n_ctx_train": 262144}},),
)
LLAMA_CPP_WITHOUT_JINJA = Vendor(
    "llama.cpp started without --jinja",
    lambda request, body: (500, error("tools param requires --jinja flag", "server_error", 500)),
)

# -- Azure OpenAI: learn.microsoft.com, "REST API reference"; autogen#6465, mentat#429 -------------------------------------

DEPLOYED = "gpt-5.1-2025-11-13"


def _azure_refusal(request: Request, body: Json) -> Refusal | None:
    path, _, query = request.path.partition("?")
    old = path == "/openai/deployments/my-deployment/chat/completions" and query == "api-version=2024-10-21"
    if not old and not (path == "/openai/v1/chat/completions" and not query):
        return 404, {"error": {"code": "404", "message": "Resource not found"}}
    bearer = request.headers.get("authorization") == f"Bearer {KEY}" and not old
    if request.headers.get("api-key") != KEY and not bearer:
        text = "Access denied due to invalid subscription key or wrong API endpoint."
        return 401, {"error": {"code": "401", "message": text}}
    if "max_tokens" in body:
        text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return 400, error(text, code="unsupported_parameter")
    return None


def _azure_events(response: Json) -> list[bytes]:
    """What was filtered in the prompt comes first, an annotation without a delta last; neither names a model."""
    blank = {"id": "", "object": "", "created": 0, "model": ""}
    safe = {"hate": {"filtered": False, "severity": "safe"}}
    prompt = [{"prompt_index": 0, "content_filter_results": safe}]
    first = events.event(blank | {"choices": [], "prompt_filter_results": prompt})
    noted = {"index": 0, "finish_reason": None, "content_filter_results": safe, "content_filter_offsets": {"check_offset": 44}}
    *parts, done = events.stream("chat", response)
    return [first, *parts, events.event(blank | {"choices": [noted], "usage": None}), done]


AZURE = Vendor("Azure", _azure_refusal, lambda response, index: response | {"model": DEPLOYED}, _azure_events)

# -- Gemini: ai.google.dev, "OpenAI compatibility" and "Thought signatures"; pi#3234, litellm#16893 ------------------------


def _gemini_refusal(request: Request, body: Json) -> Refusal | None:
    """Errors come as a list, and a wrong key as a bad request."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return 400, [error("API key not valid. Please pass a valid API key.", code=400, status="INVALID_ARGUMENT")]
    for index, message in enumerate(assistant_messages(body)):
        first = message["tool_calls"][0]
        if first.get("extra_content") != _signature(index):
            text = "Function call is missing a thought_signature in functionCall parts."
            return 400, [error(text, code=400, status="INVALID_ARGUMENT")]
    return None


def _signature(index: int) -> Json:
    return {"google": {"thought_signature": reasoning_text(index)}}


def _gemini_response(response: Json, index: int) -> Json:
    """A turn with calls ends with `stop`, and the first of them is signed."""
    for at, call in enumerate(message_in(response).get("tool_calls") or []):
        call |= {"extra_content": _signature(index)} if at == 0 else {}
    response["choices"][0]["finish_reason"] = "stop"
    return response


GEMINI = Vendor(
    "Gemini",
    _gemini_refusal,
    _gemini_response,
    lambda response: _send_whole_calls(events.stream("chat", response), response),
    ({"id": "models/gemini-3-pro-preview", "object": "model", "owned_by": "google"},),
)

# -- OpenRouter: openrouter.ai/docs, "Errors and Debugging", "Streaming", "Reasoning Tokens" -------------------------------


def _details(index: int) -> list[Json]:
    """What must come back: one text with its signature, and one encrypted block."""
    return [
        {
            "type": "reasoning.text",
            "text": f"Step {index}, slowly.",
            "signature": reasoning_text(index),
            "format": "x-v1",
            "index": 0,
        },
        {"type": "reasoning.encrypted", "data": reasoning_text(-index), "format": "x-v1", "index": 1},
    ]


def _openrouter_refusal(request: Request, body: Json) -> Refusal | None:
    if body["model"] == "meta-llama/llama-guard-4-12b":
        return 404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}
    if body["model"] != "deepseek/deepseek-v4-pro":
        return 400, {"error": {"message": f"{body['model']} is not a valid model ID", "code": 400}}
    if body.get("provider") != {"require_parameters": True, "allow_fallbacks": False, "order": ["deepseek"]}:
        return 400, {"error": {"message": "any provider might answer", "code": 400}}
    if [message.get("reasoning_details") for message in assistant_messages(body)] != [
        _details(index) for index in range(len(assistant_messages(body)))
    ]:
        return 400, {"error": {"message": "Provider returned error", "code": 400}}
    return None


def _openrouter_response(response: Json, index: int) -> Json:
    message_in(response)["reasoning_details"] = _details(index)
    response["choices"][0]["native_finish_reason"] = "stop"
    return response | {"provider": "DeepSeek", "model": f"{response['model']}-20260601"}


def _openrouter_events(response: Json) -> list[bytes]:
    """Comments while it waits, and details in pieces: the text bit by bit, its format every time, its signature last."""
    text, sealed = copy.deepcopy(message_in(response)["reasoning_details"])
    words, signature = text.pop("text"), text.pop("signature")
    pieces = [text | {"text": words[:4]}, text | {"text": words[4:]}, text | {"signature": signature}, sealed]
    details = [chunk(response, {"reasoning_details": [piece]}) for piece in pieces]
    first, *rest = events.stream("chat", response)
    return [b": OPENROUTER PROCESSING\n\n", b": OPENROUTER PROCESSING\n\n", first, *details, *rest]


OPENROUTER = Vendor(
    "OpenRouter",
    _openrouter_refusal,
    _openrouter_response,
    _openrouter_events,
    (
        {
            "id": "deepseek/deepseek-v4-pro",
            "context_length": 1048576,
            "top_provider": {"context_length": 262144, "max_completion_tokens": 65536},
        },
    ),
)

MID_STREAM = {"code": "server_error", "message": "Provider disconnected unexpectedly"}
"""An error of OpenRouter after its stream began."""

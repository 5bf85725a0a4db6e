"""The three wire APIs from the provider's side: reading a request as a conversation, and writing a reply as JSON or events.

Written from the APIs' documentation and not from the adapters, so that a mistake in one shows against the other. Like a
real provider, `read` refuses a history that does not pair answers with calls or that lost the reasoning it was given.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

PATHS = {"/responses": "responses", "/chat/completions": "chat", "/v1/messages": "messages"}
"""How the address of each API ends."""

USAGE = (1200, 340, 300, 1000)
"""Tokens that every reply reports: input, output, reasoning, cached."""


class AnsweredCall(NamedTuple):
    """One earlier call and its answer."""

    id: str
    tool: str
    arguments: Any
    answer: str


class Conversation(NamedTuple):
    """What a model sees: the question, the tools' schemas, and the calls of each earlier turn with their answers."""

    question: str
    tools: list[dict[str, Any]]
    call_turns: list[list[AnsweredCall]]


@dataclass(frozen=True)
class Reply:
    """The next turn of a scripted model: calls as (tool, raw arguments), a text, and deviations from a correct response."""

    calls: tuple[tuple[str, str], ...] = ()
    text: str = ""
    finish: str = ""
    """"" for what follows from the calls, or calls, length, refusal, content_filter, overflow, or an API's own word."""
    usage: bool = True
    model: str | None = ""
    """"" for the model that was asked for; None leaves it out."""
    ids: tuple[str, ...] | None = None


class RefusedRequest(Exception):
    """A request that a real provider would answer with status 400."""


def reasoning_text(index: int) -> str:
    """The reasoning that the model writes in turn `index` and expects back."""
    return hashlib.sha256(f"reasoning {index}".encode()).hexdigest()[:24]


NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI, Anthropic and Bedrock accept as the name of a tool, in the history as well."""


def require(condition: object, text: str) -> None:
    if not condition:
        raise RefusedRequest(text)


# -- reading requests ------------------------------------------------------------------------------------------------------


def read(api: str, body: dict[str, Any], thinks: bool = True) -> Conversation:
    """The conversation in a request's body; with `thinks`, the reasoning of every turn must be passed back."""
    conversation = {"responses": _read_responses, "chat": _read_chat, "messages": _read_messages}[api](body, thinks)
    ids = [call.id for turn in conversation.call_turns for call in turn]
    require(len(set(ids)) == len(ids), "`tool_use` ids must be unique")
    names = [call.tool for turn in conversation.call_turns for call in turn]
    require(all(map(NAME.fullmatch, names)), "function.name: string does not match pattern '^[a-zA-Z0-9_-]+$'")
    return conversation


def _read_responses(body: dict[str, Any], thinks: bool) -> Conversation:
    require(body["parallel_tool_calls"] is False and body["store"] is False, "parallel or stored")
    require("reasoning.encrypted_content" in body["include"], "encrypted reasoning is not included")
    first, *items = body["input"]
    waiting: list[dict[str, Any]] = []
    turns: list[list[AnsweredCall]] = []
    reasoning: list[str] = []
    answering = True
    for item in items:
        if item["type"] == "function_call_output":
            require(waiting and waiting[0]["call_id"] == item["call_id"], "No tool call found for function call output.")
            call, answering = waiting.pop(0), True
            turns[-1].append(AnsweredCall(call["call_id"], call["name"], call["arguments"], item["output"]))
            continue
        turns += [[]] if answering else []
        answering = False
        if item["type"] == "reasoning":
            reasoning.append(item["encrypted_content"])
        elif item["type"] == "function_call":
            waiting.append(item)
    require(not waiting, "No tool output found for function call.")
    require(reasoning == [reasoning_text(index) for index in range(len(turns)) if thinks], "reasoning was not passed back")
    return Conversation(first["content"], body["tools"], turns)


def _read_chat(body: dict[str, Any], thinks: bool) -> Conversation:
    require(body["parallel_tool_calls"] is False, "parallel")
    first, *messages = body["messages"]
    turns: list[list[AnsweredCall]] = []
    while messages:
        message, *messages = messages
        require(message["role"] == "assistant" and message["tool_calls"], "an assistant message must be next")
        passed = message.get("reasoning_content") == (reasoning_text(len(turns)) if thinks else None)
        require(passed, "The reasoning_content in the thinking mode must be passed back to the API.")
        turn = []
        for call in message["tool_calls"]:
            answer, *messages = messages or [{}]
            require(answer.get("tool_call_id") == call["id"] and call["id"], "tool_call_ids did not have response messages")
            require(isinstance(json.loads(call["function"]["arguments"]), dict), "function.arguments must be in JSON format.")
            turn.append(AnsweredCall(call["id"], call["function"]["name"], call["function"]["arguments"], answer["content"]))
        turns.append(turn)
    return Conversation(first["content"], [tool["function"] for tool in body["tools"]], turns)


def _read_messages(body: dict[str, Any], thinks: bool) -> Conversation:
    require(body["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}, "parallel")
    first, *messages = body["messages"]
    turns: list[list[AnsweredCall]] = []
    for message, results in zip(messages[::2], messages[1::2], strict=True):
        texts = [block.get("text", "-") for block in message["content"]]
        require(all(text.strip() for text in texts), "text content blocks must contain non-whitespace text")
        reasoning = [block for block in message["content"] if "thinking" in block["type"]]
        require(reasoning == (_thinking_blocks(len(turns)) if thinks else []), "Invalid `signature` in `thinking` block")
        uses = [block for block in message["content"] if block["type"] == "tool_use"]
        ids = [use["id"] for use in uses]
        require(all(ids), "`tool_use` ids must be given")
        require(ids == [result["tool_use_id"] for result in results["content"]], "`tool_use` ids without `tool_result` blocks")
        require(all(isinstance(use["input"], dict) for use in uses), "tool_use.input: Input should be a valid dictionary")
        pairs = zip(uses, results["content"], strict=True)
        turns.append([AnsweredCall(use["id"], use["name"], use["input"], result["content"]) for use, result in pairs])
    return Conversation(first["content"], body["tools"], turns)


# -- writing responses -----------------------------------------------------------------------------------------------------


def write(api: str, body: dict[str, Any], reply: Reply, index: int, thinks: bool = True) -> dict[str, Any]:
    """A complete response, as the API gives it without streaming."""
    writer = {"responses": _write_responses, "chat": _write_chat, "messages": _write_messages}[api]
    response = writer(reply, index, reply.ids or tuple(f"call-{index}-{at}" for at in range(len(reply.calls))), thinks)
    if reply.model is not None:
        response["model"] = reply.model or body["model"]
    if not reply.usage:
        response.pop("usage")
    return response


def _write_responses(reply: Reply, index: int, ids: tuple[str, ...], thinks: bool) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if thinks:
        output.append({"id": f"rs_{index}", "type": "reasoning", "summary": [], "encrypted_content": reasoning_text(index)})
    if reply.text:
        kind, name = ("refusal", "refusal") if reply.finish == "refusal" else ("output_text", "text")
        part = {"type": kind, name: reply.text, **({} if kind == "refusal" else {"annotations": []})}
        message = {"id": f"msg_{index}", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        output.append(message)
    for (tool, arguments), call_id in zip(reply.calls, ids, strict=True):
        item = {"id": f"fc_{index}", "type": "function_call", "status": "completed", "name": tool, "arguments": arguments}
        output.append(item | ({"call_id": call_id} if call_id else {}))
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    reason = {"reason": reasons[reply.finish]} if reply.finish in reasons else None
    input_tokens, output_tokens, reasoning_tokens, cached_tokens = USAGE
    return {
        "id": f"resp_{index}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if reason else "completed",
        "incomplete_details": reason,
        "error": None,
        "output": output,
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": cached_tokens},
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
            "total_tokens": input_tokens + output_tokens,
        },
    }


def _write_chat(reply: Reply, index: int, ids: tuple[str, ...], thinks: bool) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.finish == "refusal":
        message |= {"content": None, "refusal": reply.text}
    if thinks:
        message["reasoning_content"] = reasoning_text(index)
    if reply.calls:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": tool, "arguments": arguments}, **({"id": call_id} if call_id else {})}
            for (tool, arguments), call_id in zip(reply.calls, ids, strict=True)
        ]
    finish_reasons = {"": "tool_calls" if reply.calls else "stop", "calls": "tool_calls", "refusal": "stop"}
    finish_reasons["overflow"] = "model_context_window_exceeded"
    input_tokens, output_tokens, reasoning_tokens, cached_tokens = USAGE
    return {
        "id": f"chatcmpl-{index}",
        "object": "chat.completion",
        "created": 0,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reasons.get(reply.finish, reply.finish)}],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
        },
    }


def _thinking_blocks(index: int) -> list[dict[str, Any]]:
    thought = {"type": "thinking", "thinking": reasoning_text(index), "signature": reasoning_text(-index)}
    return [thought, {"type": "redacted_thinking", "data": "b3BhcXVl"}]


def _write_messages(reply: Reply, index: int, ids: tuple[str, ...], thinks: bool) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if thinks:
        content += _thinking_blocks(index)
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for (tool, arguments), call_id in zip(reply.calls, ids, strict=True):
        content.append({"type": "tool_use", "name": tool, "input": arguments, **({"id": call_id} if call_id else {})})
    finish_reasons = {"": "tool_use" if reply.calls else "end_turn", "calls": "tool_use", "length": "max_tokens"}
    finish_reasons |= {"content_filter": "refusal", "overflow": "model_context_window_exceeded"}
    input_tokens, output_tokens, reasoning_tokens, cached_tokens = USAGE
    return {
        "id": f"msg_{index}",
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": finish_reasons.get(reply.finish, reply.finish),
        "stop_sequence": None,
        "usage": {
            "input_tokens": input_tokens - cached_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached_tokens,
            "output_tokens": output_tokens,
            "output_tokens_details": {"thinking_tokens": reasoning_tokens},
        },
    }


def without_streaming(response: dict[str, Any]) -> dict[str, Any]:
    """A response without streaming: there the Messages API gives the input of a call as an object."""
    if response.get("type") != "message":
        return response
    content = [
        block | ({"input": json.loads(block["input"])} if block["type"] == "tool_use" else {}) for block in response["content"]
    ]
    return response | {"content": content}

"""The Messages API, with thinking blocks and their signatures passed back untouched."""

import json
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ContextExhausted, Transient, fault_from_error
from algoworlds.runs.providers.turn import (
    FinishReason,
    Thinking,
    ToolCall,
    Turn,
    Usage,
    arguments_text,
    build_turn,
    count_at,
    join_thinking,
    replayable_arguments,
    safe_tool_name,
    unique_call_ids,
)
from algoworlds.runs.providers.wire import WireApi, connect_anthropic

WRITTEN_INPUTS = "written_inputs"
"""The field of a streamed response with the arguments as the model wrote them, by the position of their block."""

_FINISH = {
    "end_turn": FinishReason.END,
    "stop_sequence": FinishReason.END,
    "tool_use": FinishReason.CALLS,
    "pause_turn": FinishReason.CALLS,  # the turn is not over
    "max_tokens": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSAL,
}
_APPENDED_FIELDS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def first_body(configuration: Configuration, question: str, tools: list[JsonObject]) -> JsonObject:
    """The first request's body."""
    body: JsonObject = {
        "model": configuration.model,
        "messages": [{"role": "user", "content": question}],
        "tools": [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]} for tool in tools
        ],
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "max_tokens": configuration.output_cap,
        "stream": configuration.stream,
    }
    return body | configuration.reasoning | configuration.extra_body


def read_turn(response: JsonObject) -> Turn:
    """The turn in a complete response."""
    blocks, reason = _blocks(response), response.get("stop_reason")
    if reason == "model_context_window_exceeded":
        raise ContextExhausted("context_overflow", "", 200)
    if reason not in _FINISH:
        raise Transient("no_response", f"stop_reason {format_value(reason)}", 200)
    streamed = response.get(WRITTEN_INPUTS) or {}
    calls = [_tool_call(block, streamed.get(str(at))) for at, block in enumerate(blocks) if block.get("type") == "tool_use"]
    text = "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    return build_turn(calls, text, _FINISH[reason], _usage(response.get("usage")), response.get("model"))


def read_thinking(response: JsonObject) -> Thinking:
    """Thinking blocks; redacted ones, and those with a signature but no text, are encrypted."""
    blocks = [block for block in _blocks(response) if block.get("type") in ("thinking", "redacted_thinking")]
    return join_thinking([block.get("thinking") for block in blocks], not all(block.get("thinking") for block in blocks))


def next_body(body: JsonObject, response: JsonObject, answers: list[str]) -> JsonObject:
    """The next body: the assistant's blocks verbatim (except blank texts, which the API refuses), then the answers."""
    blocks = [block for block in _blocks(response) if block.get("type") != "text" or (block.get("text") or "").strip()]
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    taken = {result["tool_use_id"] for message in body["messages"][2::2] for result in message["content"]}
    ids = unique_call_ids([call.get("id") for call in calls], taken, f"toolu_{len(body['messages'])}")
    remaining_ids = iter(ids)
    blocks = [_replayable_call(block, next(remaining_ids)) if block.get("type") == "tool_use" else block for block in blocks]
    pairs = zip(ids, answers, strict=True)
    results = [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id, text in pairs]
    messages = [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return body | {"messages": [*body["messages"], *messages]}


class MessagesAssembler:
    """Assembles a streamed message from its blocks' deltas."""

    def __init__(self) -> None:
        self._message: JsonObject | None = None
        self._blocks: dict[int, JsonObject] = {}
        self._parts: dict[tuple[int, str], list[str]] = {}
        self._stopped = False

    def feed(self, event: JsonObject) -> None:
        """Add one event; unknown ones are ignored."""
        kind = event.get("type")
        if kind == "error" or event.get("error"):
            raise fault_from_error(event.get("error") or event)
        if kind == "message_start" and self._message is None:
            self._message = event["message"] | {"content": []}
        elif kind == "content_block_start":
            self._blocks[event["index"]] = event["content_block"]
        elif kind == "content_block_delta":
            self._append(event["index"], event["delta"])
        elif kind == "message_delta" and self._message is not None:
            usage = (self._message.get("usage") or {}) | (event.get("usage") or {})
            self._message |= event["delta"] | ({"usage": usage} if usage else {})
        self._stopped |= kind == "message_stop"

    def end(self) -> None:
        """Ignore the [DONE] that some servers add after message_stop."""

    def response(self) -> JsonObject | None:
        """The complete response, or None before its terminal event."""
        if not self._stopped or self._message is None:
            return None
        indexes = sorted(self._blocks)
        inputs = {str(at): self._input(index) for at, index in enumerate(indexes) if self._input(index)}
        content = [self._block(index) for index in indexes]
        return self._message | {"content": content} | ({WRITTEN_INPUTS: inputs} if inputs else {})

    def _append(self, index: int, delta: JsonObject) -> None:
        kind = delta.get("type")
        if kind == "input_json_delta":
            self._parts.setdefault((index, "input"), []).append(delta["partial_json"])
        elif kind in _APPENDED_FIELDS:
            self._parts.setdefault((index, _APPENDED_FIELDS[kind]), []).append(delta[_APPENDED_FIELDS[kind]])

    def _input(self, index: int) -> str:
        return "".join(self._parts.get((index, "input"), ()))

    def _block(self, index: int) -> JsonObject:
        block = dict(self._blocks[index])
        for name in _APPENDED_FIELDS.values():
            if (index, name) in self._parts:
                block[name] = (block.get(name) or "") + "".join(self._parts[index, name])
        if arguments := self._input(index):
            block["input"] = json.loads(replayable_arguments(arguments))
        return block


def _replayable_call(block: JsonObject, call_id: str) -> JsonObject:
    """`block` as servers accept it in a history: with a unique id, a valid tool name, and an object as its input."""
    arguments = json.loads(replayable_arguments(arguments_text(block.get("input"))))
    return block | {"id": call_id, "name": safe_tool_name(block.get("name")), "input": arguments}


def _blocks(response: JsonObject) -> list[JsonObject]:
    if response.get("type") == "error" or response.get("error"):
        raise fault_from_error(response.get("error"))
    content = response.get("content")
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise Transient("no_response", "a response without content", 200)
    return content


def _tool_call(block: JsonObject, streamed: str | None) -> ToolCall:
    arguments = arguments_text(block.get("input")) if streamed is None else streamed
    return ToolCall(block.get("id") or "", str(block.get("name") or ""), arguments)


def _usage(usage: Any) -> Usage:
    """Input is the sum of fresh, cached and newly cached tokens, as the other two APIs count it."""
    fresh, cached = count_at(usage, "input_tokens"), count_at(usage, "cache_read_input_tokens")
    stored = count_at(usage, "cache_creation_input_tokens")
    return Usage(
        None if fresh is None else fresh + (cached or 0) + (stored or 0),
        count_at(usage, "output_tokens"),
        count_at(usage, "output_tokens_details", "thinking_tokens"),
        cached,
    )


def _configuration_problem(configuration: Configuration) -> str | None:
    if configuration.temperature is None:
        return None
    return "temperature is not a field of the Messages API any more; omit it, or put it under [extra_body]"


MESSAGES = WireApi(
    name="messages",
    first_body=first_body,
    read_turn=read_turn,
    read_thinking=read_thinking,
    next_body=next_body,
    new_assembler=MessagesAssembler,
    history_field="messages",
    protocol_fields=frozenset(
        {"model", "messages", "system", "tools", "tool_choice", "stream", "max_tokens", "context_management"}
    ),
    reasoning_fields=list,
    connect=connect_anthropic,
    configuration_problem=_configuration_problem,
)

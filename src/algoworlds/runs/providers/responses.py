"""The Responses API: stateless, with encrypted reasoning items passed back from turn to turn."""

from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Transient, fault_from_error
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
    safe_tool_name,
    unique_call_ids,
)
from algoworlds.runs.providers.wire import WireApi, openai_connector

_INCOMPLETE = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.CONTENT_FILTER}
_TERMINAL = {"response.completed", "response.incomplete", "response.failed"}


def first_body(configuration: Configuration, question: str, tools: list[JsonObject]) -> JsonObject:
    """The first request's body."""
    body: JsonObject = {
        "model": configuration.model,
        "input": [{"role": "user", "content": question}],
        "tools": [{"type": "function", **tool, "strict": False} for tool in tools],  # strict would forbid parts of schemas
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "max_output_tokens": configuration.output_cap,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "stream": configuration.stream,
    }
    if configuration.reasoning:
        body["reasoning"] = configuration.reasoning
    if configuration.temperature is not None:
        body["temperature"] = configuration.temperature
    return body | configuration.extra_body


def read_turn(response: JsonObject) -> Turn:
    """The turn in a complete response."""
    if response.get("error") or response.get("status") == "failed":
        raise fault_from_error(response.get("error"))
    finish, items = _finish(response), _items(response)
    parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or []]
    if any(part.get("type") == "refusal" for part in parts):
        finish = FinishReason.REFUSAL
    calls = [
        ToolCall(item.get("call_id") or "", str(item.get("name") or ""), arguments_text(item.get("arguments")))
        for item in items
        if item.get("type") == "function_call"
    ]
    text = "".join(part.get("text") or part.get("refusal") or "" for part in parts)
    return build_turn(calls, text, finish, _usage(response.get("usage")), response.get("model"))


def read_thinking(response: JsonObject) -> Thinking:
    """The summaries of reasoning items, and their plain text where a server shows it."""
    items = [item for item in _items(response) if item.get("type") == "reasoning"]
    parts = [part for item in items for name in ("summary", "content") for part in item.get(name) or []]
    return join_thinking([part.get("text") for part in parts], any(item.get("encrypted_content") for item in items))


def next_body(body: JsonObject, response: JsonObject, answers: list[str]) -> JsonObject:
    """The next body: all output items verbatim, except that calls get unique ids and valid names, then the answers."""
    items = _items(response)
    calls = [item for item in items if item.get("type") == "function_call"]
    taken = {item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"}
    ids = unique_call_ids([call.get("call_id") for call in calls], taken, f"call_{len(body['input'])}")
    remaining_ids = iter(ids)
    history = [
        item | {"call_id": next(remaining_ids), "name": safe_tool_name(item.get("name"))}
        if item.get("type") == "function_call"
        else item
        for item in items
    ]
    pairs = zip(ids, answers, strict=True)
    outputs = [{"type": "function_call_output", "call_id": call_id, "output": text} for call_id, text in pairs]
    return body | {"input": [*body["input"], *history, *outputs]}


class ResponsesAssembler:
    """Assembles a streamed response: the terminal event contains all of it."""

    def __init__(self) -> None:
        self._items: dict[int, JsonObject] = {}
        self._response: JsonObject | None = None

    def feed(self, event: JsonObject) -> None:
        """Add one event."""
        kind = event.get("type")
        if kind == "error" or event.get("error"):
            raise fault_from_error(event.get("error") or event)
        if kind == "response.output_item.done":
            self._items[event.get("output_index", len(self._items))] = event.get("item") or {}
        elif kind in _TERMINAL and isinstance(event.get("response"), dict):
            self._response = event["response"]

    def end(self) -> None:
        """Ignore the [DONE] that some servers add after the terminal event."""

    def response(self) -> JsonObject | None:
        """The complete response, None before the terminal event; output that a server leaves out there is added."""
        if self._response is None or self._response.get("output") or not self._items:
            return self._response
        return self._response | {"output": [self._items[index] for index in sorted(self._items)]}


def _finish(response: JsonObject) -> FinishReason:
    status = response.get("status")
    reason = (response.get("incomplete_details") or {}).get("reason") if status == "incomplete" else None
    if status == "completed":
        return FinishReason.END
    if reason not in _INCOMPLETE:
        raise Transient("no_response", f"status {format_value(status)}, reason {format_value(reason)}", 200)
    return _INCOMPLETE[reason]


def _items(response: JsonObject) -> list[JsonObject]:
    output = response.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise Transient("no_response", "a response without output", 200)
    return output


def _usage(usage: Any) -> Usage:
    return Usage(
        count_at(usage, "input_tokens"),
        count_at(usage, "output_tokens"),
        count_at(usage, "output_tokens_details", "reasoning_tokens"),
        count_at(usage, "input_tokens_details", "cached_tokens"),
    )


RESPONSES = WireApi(
    name="responses",
    first_body=first_body,
    read_turn=read_turn,
    read_thinking=read_thinking,
    next_body=next_body,
    new_assembler=ResponsesAssembler,
    history_field="input",
    protocol_fields=frozenset(
        {
            "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "store", "include",
            "max_output_tokens", "previous_response_id", "conversation", "truncation", "context_management", "background",
        }
    ),
    reasoning_fields=lambda reasoning: ["reasoning"] if reasoning else [],
    connect=openai_connector(lambda client: client.responses),
)  # fmt: skip

"""The Chat Completions API, with the vendors' `reasoning_content` passed back inside the assistant's message."""

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
from algoworlds.runs.providers.wire import WireApi, openai_connector

_FINISH = {
    "stop": FinishReason.END,
    "tool_calls": FinishReason.CALLS,
    "function_call": FinishReason.CALLS,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,  # GLM
}
_CAPS = ("max_tokens", "max_completion_tokens")
_APPENDED_FIELDS = ("text", "summary")
"""Texts inside vendor-specific fields that are streamed in pieces; all others come complete, some with every chunk."""


def first_body(configuration: Configuration, question: str, tools: list[JsonObject]) -> JsonObject:
    """The first request's body."""
    body: JsonObject = {
        "model": configuration.model,
        "messages": [{"role": "user", "content": question}],
        "tools": [{"type": "function", "function": tool} for tool in tools],
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        configuration.cap_field or _CAPS[0]: configuration.output_cap,
        "stream": configuration.stream,
    }
    if configuration.stream:
        body["stream_options"] = {"include_usage": True}
    if configuration.temperature is not None:
        body["temperature"] = configuration.temperature
    return body | configuration.reasoning | configuration.extra_body


def read_turn(response: JsonObject) -> Turn:
    """The turn in a complete response."""
    choice = _choice(response)
    message, reason = choice["message"], choice.get("finish_reason")
    if reason == "model_context_window_exceeded":
        raise ContextExhausted("context_overflow", "", 200)
    if reason not in _FINISH:
        raise Transient("no_response", f"finish_reason {format_value(reason)}", 200)
    finish = FinishReason.REFUSAL if message.get("refusal") else _FINISH[reason]
    functions = [(call.get("id") or "", call.get("function") or {}) for call in message.get("tool_calls") or []]
    calls = [
        ToolCall(call_id, str(function.get("name") or ""), arguments_text(function.get("arguments")))
        for call_id, function in functions
    ]
    text = message.get("content") or message.get("refusal") or ""
    return build_turn(
        calls, text if isinstance(text, str) else "", finish, _usage(response.get("usage")), response.get("model")
    )


def read_thinking(response: JsonObject) -> Thinking:
    """`reasoning_content`, or what other vendors have in its place: `reasoning`, or the list `reasoning_details`."""
    message = _choice(response)["message"]
    details = message.get("reasoning_details") or []
    plain = message.get("reasoning_content") or message.get("reasoning")
    texts = [plain] if isinstance(plain, str) else [part.get("text") or part.get("summary") for part in details]
    return join_thinking(texts, any(part.get("data") for part in details))


def next_body(body: JsonObject, response: JsonObject, answers: list[str]) -> JsonObject:
    """The next body: the assistant's message verbatim, then the answers; a missing content becomes an empty text.

    Some servers refuse a null content in a history although they sent it; all of them accept an empty text.
    """
    message = _choice(response)["message"]
    message = message | {"content": message.get("content") or ""}
    calls = message.get("tool_calls") or []
    taken = {message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"}
    ids = unique_call_ids([call.get("id") for call in calls], taken, f"call_{len(body['messages'])}")
    calls = [_replayable_call(call, call_id) for call, call_id in zip(calls, ids, strict=True)]
    results = [{"role": "tool", "tool_call_id": call_id, "content": text} for call_id, text in zip(ids, answers, strict=True)]
    return body | {"messages": [*body["messages"], message | {"tool_calls": calls}, *results]}


class ChatAssembler:
    """Assembles a streamed completion from its deltas."""

    def __init__(self) -> None:
        self._frame: JsonObject = {}
        self._message: JsonObject = {"role": "assistant", "content": None}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[tuple[JsonObject, list[str]]] = []
        self._latest: dict[object, tuple[JsonObject, list[str]]] = {}
        self._reason: str | None = None
        self._done = False

    def feed(self, chunk: JsonObject) -> None:
        """Add one chunk."""
        if chunk.get("error"):
            raise fault_from_error(chunk["error"])
        self._frame |= _other_fields(chunk, "choices")
        for choice in chunk.get("choices") or []:
            if choice.get("index", 0) == 0:
                self._merge(choice.get("delta") or {})
                self._reason = choice.get("finish_reason") or self._reason

    def end(self) -> None:
        """Note the [DONE] that ends a stream."""
        self._done = True

    def response(self) -> JsonObject | None:
        """The complete response, or None before its terminal event."""
        if not self._done:
            return None
        message = self._message | {name: "".join(parts) for name, parts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [
                call | {"function": call["function"] | {"arguments": "".join(arguments)}} for call, arguments in self._calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        return self._frame | {"object": "chat.completion", "choices": [choice]}

    def _merge(self, delta: JsonObject) -> None:
        for name, value in delta.items():
            if name == "tool_calls":
                for part in value or []:
                    self._add_call_part(part)
            elif name != "role" and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
            elif name != "role" and value is not None:
                self._message[name] = merge_delta(self._message.get(name), value)

    def _add_call_part(self, part: JsonObject) -> None:
        """Add a part to the call at its index, unless it has another id: some servers give every call the index 0.

        Unknown fields are preserved: Gemini puts the signature of its reasoning into one and requires it back.
        """
        index, part_id, function = part.get("index"), part.get("id"), part.get("function") or {}
        current = self._latest.get(index)
        if current is None or (part_id and current[0]["id"] and part_id != current[0]["id"]):
            current = ({"id": "", "type": "function", "function": {"name": ""}}, [])
            self._calls.append(current)
        self._latest[index] = self._latest[None] = current
        call, arguments = current
        call["id"] = call["id"] or part_id or ""
        call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
        call |= merge_delta(call, _other_fields(part, "index", "id", "function"))
        call["function"] |= merge_delta(call["function"], _other_fields(function, "name", "arguments"))
        arguments.append(arguments_text(function.get("arguments")))


def merge_delta(whole: Any, part: Any) -> Any:
    """A vendor-specific value with a further part: objects merge by name, lists by the items' index; else the later wins."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return whole | {name: _merge_field(name, whole.get(name), value) for name, value in part.items() if value is not None}
    if not (isinstance(whole, list) and isinstance(part, list)):
        return part
    joined = list(whole)
    for item in part:
        index = next((at for at, other in enumerate(joined) if _is_same_item(other, item)), len(joined))
        joined[index : index + 1] = [merge_delta(joined[index], item) if index < len(joined) else item]
    return joined


def _merge_field(name: str, whole: Any, part: Any) -> Any:
    joins = name in _APPENDED_FIELDS and isinstance(whole, str) and isinstance(part, str)
    return whole + part if joins else merge_delta(whole, part)


def _is_same_item(one: Any, other: Any) -> bool:
    """Whether two list items are parts of the same item."""
    both = isinstance(one, dict) and isinstance(other, dict) and "index" in one
    return both and all(one.get(name) == other.get(name) for name in ("index", "type"))


def _other_fields(fields: JsonObject, *handled: str) -> JsonObject:
    """The non-empty fields except those `handled` by name; the first and last chunks of Azure have an empty model."""
    return {name: value for name, value in fields.items() if name not in handled and value not in (None, "")}


def _replayable_call(call: JsonObject, call_id: str) -> JsonObject:
    """`call` as servers accept it in a history: with a unique id, a valid tool name, and arguments that parse."""
    function = call.get("function") or {}
    name, arguments = safe_tool_name(function.get("name")), replayable_arguments(arguments_text(function.get("arguments")))
    return call | {"id": call_id, "function": function | {"name": name, "arguments": arguments}}


def _choice(response: JsonObject) -> JsonObject:
    if response.get("error"):
        raise fault_from_error(response["error"])
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise Transient("no_response", "a response without choices", 200)
    return choice


def _usage(usage: Any) -> Usage:
    cached = count_at(usage, "prompt_tokens_details", "cached_tokens")
    return Usage(
        count_at(usage, "prompt_tokens"),
        count_at(usage, "completion_tokens"),
        count_at(usage, "completion_tokens_details", "reasoning_tokens"),
        count_at(usage, "prompt_cache_hit_tokens") if cached is None else cached,  # DeepSeek
    )


CHAT = WireApi(
    name="chat",
    first_body=first_body,
    read_turn=read_turn,
    read_thinking=read_thinking,
    next_body=next_body,
    new_assembler=ChatAssembler,
    history_field="messages",
    protocol_fields=frozenset(
        {"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "n", "stream", "stream_options", *_CAPS}
    ),
    cap_fields=_CAPS,
    reasoning_fields=list,
    connect=openai_connector(lambda client: client.chat.completions),
)

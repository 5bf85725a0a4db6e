"""Split a complete response into the events that stream it, for each of the three APIs."""

import json
from collections.abc import Iterator
from typing import Any

STEP = 7
"""Characters of a delta, few enough to cut names, numbers and escapes."""


def stream(api: str, response: dict[str, Any]) -> list[bytes]:
    """The events of a streamed response, each with its closing empty line."""
    return list({"responses": _responses, "chat": _chat, "messages": _messages}[api](response))


def event(data: dict[str, Any], name: str | None = None) -> bytes:
    """One event as bytes, in UTF-8 where possible, so that a cut can go through a character."""
    text = json.dumps(data, ensure_ascii=False)
    safe = text if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + b"data: " + safe.encode() + b"\n\n"


def _pieces(text: str) -> list[str]:
    """Split `text` into deltas; long texts into long deltas."""
    step = max(STEP, len(text) // 200)
    return [text[at : at + step] for at in range(0, len(text), step)]


def _responses(response: dict[str, Any]) -> Iterator[bytes]:
    number = 0

    def emit(kind: str, **data: Any) -> bytes:
        nonlocal number
        number += 1
        return event({"type": kind, "sequence_number": number, **data}, kind)

    started = response | {"status": "in_progress", "output": [], "usage": None}
    yield emit("response.created", response=started)
    yield emit("response.in_progress", response=started)
    for index, item in enumerate(response["output"]):
        started = item | {"status": "in_progress"} | {name: item[name][:0] for name in ("arguments", "content") if name in item}
        yield emit("response.output_item.added", output_index=index, item=started)
        for piece in _pieces(item.get("arguments", "")):
            yield emit("response.function_call_arguments.delta", output_index=index, delta=piece)
        yield emit("response.output_item.done", output_index=index, item=item)
    yield emit(f"response.{response['status']}", response=response)


def _chat(response: dict[str, Any]) -> Iterator[bytes]:
    frame = {key: value for key, value in response.items() if key not in ("choices", "usage")}
    frame["object"] = "chat.completion.chunk"
    (choice,) = response["choices"]
    message = choice["message"]

    def emit(delta: dict[str, Any], reason: str | None = None) -> bytes:
        return event(frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None})

    yield emit({"role": "assistant", "content": ""} if message.get("content") else {"role": "assistant"})
    for name in ("reasoning_content", "content", "refusal"):
        for piece in _pieces(message.get(name) or ""):
            yield emit({name: piece})
    for index, call in enumerate(message.get("tool_calls", [])):
        head = {key: value for key, value in call.items() if key != "function"}
        yield emit({"tool_calls": [head | {"index": index, "function": {"name": call["function"]["name"], "arguments": ""}}]})
        for piece in _pieces(call["function"]["arguments"]):
            yield emit({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield emit({}, choice["finish_reason"])
    if "usage" in response:
        yield event(frame | {"choices": [], "usage": response["usage"]})
    yield b"data: [DONE]\n\n"


def _messages(response: dict[str, Any]) -> Iterator[bytes]:
    def emit(kind: str, **data: Any) -> bytes:
        return event({"type": kind, **data}, kind)

    started = response | {"content": [], "stop_reason": None}
    if "usage" in response:
        started["usage"] = response["usage"] | {"output_tokens": 1}
    yield emit("message_start", message=started)
    yield emit("ping")
    for index, block in enumerate(response["content"]):
        yield from _content_block(emit, index, block)
    end = {"delta": {"stop_reason": response["stop_reason"], "stop_sequence": None}}
    if "usage" in response:
        end["usage"] = {key: response["usage"][key] for key in ("output_tokens", "output_tokens_details")}
    yield emit("message_delta", **end)
    yield emit("message_stop")


def _content_block(emit: Any, index: int, block: dict[str, Any]) -> Iterator[bytes]:
    streamed = {"thinking": ("thinking", "signature"), "text": ("text",), "tool_use": ("input",)}.get(block["type"], ())
    empty = {name: {} if name == "input" else "" for name in streamed}
    yield emit("content_block_start", index=index, content_block=block | empty)
    for name in streamed:
        kind, field = ("input_json_delta", "partial_json") if name == "input" else (f"{name}_delta", name)
        for piece in _pieces(block[name]):
            yield emit("content_block_delta", index=index, delta={"type": kind, field: piece})
    yield emit("content_block_stop", index=index)

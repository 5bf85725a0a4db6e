"""The Messages API, with thinking blocks and their signatures passed back untouched."""

import json
from typing import Any

from algoworlds.errors import shown
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import RanOut, Transient
from algoworlds.runs.providers.sdk import anthropic_client
from algoworlds.runs.providers.turn import Asked, Finish, Turn, Usage, count, distinct, nameable, replayable, turn, written
from algoworlds.runs.providers.wire import Api
from algoworlds.runs.providers.wording import broken

Json = dict[str, Any]

WRITTEN = "written_inputs"
"""Where a streamed response keeps the arguments as written, by the position of their block."""

_FINISH = {
    "end_turn": Finish.END,
    "stop_sequence": Finish.END,
    "tool_use": Finish.CALLS,
    "pause_turn": Finish.CALLS,  # the turn is not over
    "max_tokens": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}
_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def opening(configuration: Configuration, question: str, tools: list[Json]) -> Json:
    """The first request's body."""
    body: Json = {
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


def read(response: Json) -> Turn:
    """What a complete response says."""
    blocks, reason = _blocks(response), response.get("stop_reason")
    if reason == "model_context_window_exceeded":
        raise RanOut("context_overflow", "", 200)
    if reason not in _FINISH:
        raise Transient("no_response", f"stop_reason {shown(reason)}", 200)
    streamed = response.get(WRITTEN) or {}
    calls = [_asked(block, streamed.get(str(at))) for at, block in enumerate(blocks) if block.get("type") == "tool_use"]
    text = "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    return turn(calls, text, _FINISH[reason], _usage(response.get("usage")), response.get("model"))


def continued(body: Json, response: Json, answers: list[str]) -> Json:
    """The next body: the assistant's blocks verbatim (but for blank texts, which the API refuses), then the answers."""
    blocks = [block for block in _blocks(response) if block.get("type") != "text" or (block.get("text") or "").strip()]
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    taken = {result["tool_use_id"] for heard in body["messages"][2::2] for result in heard["content"]}
    ids = distinct([call.get("id") for call in calls], taken, f"toolu_{len(body['messages'])}")
    left = iter(ids)
    blocks = [_sound(block, next(left)) if block.get("type") == "tool_use" else block for block in blocks]
    pairs = zip(ids, answers, strict=True)
    results = [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id, text in pairs]
    said = [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return body | {"messages": [*body["messages"], *said]}


class MessagesAssembler:
    """Puts a streamed message together from its blocks' deltas."""

    def __init__(self) -> None:
        self._message: Json | None = None
        self._blocks: dict[int, Json] = {}
        self._parts: dict[tuple[int, str], list[str]] = {}
        self._stopped = False

    def feed(self, event: Json) -> None:
        """Take in one event; unknown ones say nothing."""
        kind = event.get("type")
        if kind == "error" or event.get("error"):
            raise broken(event.get("error") or event)
        if kind == "message_start" and self._message is None:
            self._message = event["message"] | {"content": []}
        elif kind == "content_block_start":
            self._blocks[event["index"]] = event["content_block"]
        elif kind == "content_block_delta":
            self._grow(event["index"], event["delta"])
        elif kind == "message_delta" and self._message is not None:
            usage = (self._message.get("usage") or {}) | (event.get("usage") or {})
            self._message |= event["delta"] | ({"usage": usage} if usage else {})
        self._stopped |= kind == "message_stop"

    def done(self) -> None:
        """Take in the [DONE] that some servers add; message_stop has said it already."""

    def response(self) -> Json | None:
        """The complete response, or None before its terminal event."""
        if not self._stopped or self._message is None:
            return None
        places = sorted(self._blocks)
        inputs = {str(at): self._input(index) for at, index in enumerate(places) if self._input(index)}
        return self._message | {"content": [self._block(index) for index in places]} | ({WRITTEN: inputs} if inputs else {})

    def _grow(self, index: int, delta: Json) -> None:
        kind = delta.get("type")
        if kind == "input_json_delta":
            self._parts.setdefault((index, "input"), []).append(delta["partial_json"])
        elif kind in _GROWING:
            self._parts.setdefault((index, _GROWING[kind]), []).append(delta[_GROWING[kind]])

    def _input(self, index: int) -> str:
        return "".join(self._parts.get((index, "input"), ()))

    def _block(self, index: int) -> Json:
        block = dict(self._blocks[index])
        for name in _GROWING.values():
            if (index, name) in self._parts:
                block[name] = (block.get(name) or "") + "".join(self._parts[index, name])
        if arguments := self._input(index):
            block["input"] = json.loads(replayable(arguments))
        return block


def _sound(block: Json, call_id: str) -> Json:
    """A call as history can carry it: with an id of its own, a name that a tool could have, and an object as its input."""
    given = json.loads(replayable(written(block.get("input"))))
    return block | {"id": call_id, "name": nameable(block.get("name")), "input": given}


def _blocks(response: Json) -> list[Json]:
    if response.get("type") == "error" or response.get("error"):
        raise broken(response.get("error"))
    content = response.get("content")
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise Transient("no_response", "a response without content", 200)
    return content


def _asked(block: Json, streamed: str | None) -> Asked:
    arguments = written(block.get("input")) if streamed is None else streamed
    return Asked(block.get("id") or "", str(block.get("name") or ""), arguments)


def _usage(usage: Any) -> Usage:
    """Input is the sum of fresh, cached and newly cached tokens, as the other two APIs count it."""
    fresh, cached = count(usage, "input_tokens"), count(usage, "cache_read_input_tokens")
    stored = count(usage, "cache_creation_input_tokens")
    return Usage(
        None if fresh is None else fresh + (cached or 0) + (stored or 0),
        count(usage, "output_tokens"),
        count(usage, "output_tokens_details", "thinking_tokens"),
        cached,
    )


def _complaint(configuration: Configuration) -> str | None:
    if configuration.temperature is None:
        return None
    return "temperature is no field of the Messages API any more; omit it, or put it under [extra_body]"


MESSAGES = Api(
    name="messages",
    opening=opening,
    turn=read,
    continued=continued,
    assembler=MessagesAssembler,
    history="messages",
    protocol=frozenset({"model", "messages", "system", "tools", "tool_choice", "stream", "max_tokens", "context_management"}),
    thinking=list,
    connect=anthropic_client,
    complaint=_complaint,
)

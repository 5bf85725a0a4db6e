"""The Responses API: stateless, with encrypted reasoning items passed back from turn to turn."""

from typing import Any

from algoworlds.errors import shown
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import Transient
from algoworlds.runs.providers.sdk import openai_client
from algoworlds.runs.providers.turn import Asked, Finish, Turn, Usage, count, distinct, nameable, turn, written
from algoworlds.runs.providers.wire import Api
from algoworlds.runs.providers.wording import broken

Json = dict[str, Any]

_INCOMPLETE = {"max_output_tokens": Finish.LENGTH, "content_filter": Finish.CONTENT_FILTER}
_TERMINAL = {"response.completed", "response.incomplete", "response.failed"}


def opening(configuration: Configuration, question: str, tools: list[Json]) -> Json:
    """The first request's body."""
    body: Json = {
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


def read(response: Json) -> Turn:
    """What a complete response says."""
    if response.get("error") or response.get("status") == "failed":
        raise broken(response.get("error"))
    finish, items = _finish(response), _items(response)
    parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or []]
    if any(part.get("type") == "refusal" for part in parts):
        finish = Finish.REFUSAL
    called = [item for item in items if item.get("type") == "function_call"]
    calls = [Asked(item.get("call_id") or "", str(item.get("name") or ""), written(item.get("arguments"))) for item in called]
    text = "".join(part.get("text") or part.get("refusal") or "" for part in parts)
    return turn(calls, text, finish, _usage(response.get("usage")), response.get("model"))


def continued(body: Json, response: Json, answers: list[str]) -> Json:
    """The next body: all output items verbatim, calls with ids of their own and possible names, then the answers."""
    items = _items(response)
    calls = [item for item in items if item.get("type") == "function_call"]
    taken = {each["call_id"] for each in body["input"] if each.get("type") == "function_call_output"}
    ids = distinct([call.get("call_id") for call in calls], taken, f"call_{len(body['input'])}")
    left = iter(ids)
    said = [
        item | {"call_id": next(left), "name": nameable(item.get("name"))} if item.get("type") == "function_call" else item
        for item in items
    ]
    pairs = zip(ids, answers, strict=True)
    outputs = [{"type": "function_call_output", "call_id": call_id, "output": text} for call_id, text in pairs]
    return body | {"input": [*body["input"], *said, *outputs]}


class ResponsesAssembler:
    """Puts a streamed response together: the terminal event carries it whole."""

    def __init__(self) -> None:
        self._items: dict[int, Json] = {}
        self._response: Json | None = None

    def feed(self, event: Json) -> None:
        """Take in one event."""
        kind = event.get("type")
        if kind == "error" or event.get("error"):
            raise broken(event.get("error") or event)
        if kind == "response.output_item.done":
            self._items[event.get("output_index", len(self._items))] = event.get("item") or {}
        elif kind in _TERMINAL and isinstance(event.get("response"), dict):
            self._response = event["response"]

    def done(self) -> None:
        """Take in the [DONE] that some servers add; the terminal event has said it already."""

    def response(self) -> Json | None:
        """The complete response, or None before its terminal event. Some servers leave the output out of that event."""
        if self._response is None or self._response.get("output") or not self._items:
            return self._response
        return self._response | {"output": [self._items[index] for index in sorted(self._items)]}


def _finish(response: Json) -> Finish:
    status = response.get("status")
    reason = (response.get("incomplete_details") or {}).get("reason") if status == "incomplete" else None
    if status == "completed":
        return Finish.END
    if reason not in _INCOMPLETE:
        raise Transient("no_response", f"status {shown(status)}, reason {shown(reason)}", 200)
    return _INCOMPLETE[reason]


def _items(response: Json) -> list[Json]:
    output = response.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise Transient("no_response", "a response without output", 200)
    return output


def _usage(usage: Any) -> Usage:
    return Usage(
        count(usage, "input_tokens"),
        count(usage, "output_tokens"),
        count(usage, "output_tokens_details", "reasoning_tokens"),
        count(usage, "input_tokens_details", "cached_tokens"),
    )


RESPONSES = Api(
    name="responses",
    opening=opening,
    turn=read,
    continued=continued,
    assembler=ResponsesAssembler,
    history="input",
    protocol=frozenset(
        {
            "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "stream", "store", "include",
            "max_output_tokens", "previous_response_id", "conversation", "truncation", "context_management", "background",
        }
    ),
    thinking=lambda reasoning: ["reasoning"] if reasoning else [],
    connect=openai_client(lambda client: client.responses),
)  # fmt: skip

"""The Chat Completions API, with the vendors' `reasoning_content` passed back inside the assistant's message."""

from typing import Any

from algoworlds.errors import shown
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import RanOut, Transient
from algoworlds.runs.providers.sdk import openai_client
from algoworlds.runs.providers.turn import Asked, Finish, Turn, Usage, count, distinct, nameable, replayable, turn, written
from algoworlds.runs.providers.wire import Api
from algoworlds.runs.providers.wording import broken

Json = dict[str, Any]

_FINISH = {
    "stop": Finish.END,
    "tool_calls": Finish.CALLS,
    "function_call": Finish.CALLS,
    "length": Finish.LENGTH,
    "content_filter": Finish.CONTENT_FILTER,
    "sensitive": Finish.CONTENT_FILTER,  # GLM
}
_CAPS = ("max_tokens", "max_completion_tokens")
_GROWING = ("text", "summary")
"""Texts inside a vendor's own fields that come in pieces; all others come whole, and some of them with every piece."""


def opening(configuration: Configuration, question: str, tools: list[Json]) -> Json:
    """The first request's body."""
    body: Json = {
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


def read(response: Json) -> Turn:
    """What a complete response says."""
    choice = _choice(response)
    message, reason = choice["message"], choice.get("finish_reason")
    if reason == "model_context_window_exceeded":
        raise RanOut("context_overflow", "", 200)
    if reason not in _FINISH:
        raise Transient("no_response", f"finish_reason {shown(reason)}", 200)
    finish = Finish.REFUSAL if message.get("refusal") else _FINISH[reason]
    calls = [_asked(call) for call in message.get("tool_calls") or []]
    text = message.get("content") or message.get("refusal") or ""
    return turn(calls, text if isinstance(text, str) else "", finish, _usage(response.get("usage")), response.get("model"))


def continued(body: Json, response: Json, answers: list[str]) -> Json:
    """The next body: the assistant's message verbatim, then the answers; no content is written as an empty one.

    Some servers refuse a null content in a history although they sent it; all of them take an empty text.
    """
    message = _choice(response)["message"]
    message = message | {"content": message.get("content") or ""}
    calls = message.get("tool_calls") or []
    taken = {each["tool_call_id"] for each in body["messages"] if each["role"] == "tool"}
    ids = distinct([call.get("id") for call in calls], taken, f"call_{len(body['messages'])}")
    calls = [_sound(call, call_id) for call, call_id in zip(calls, ids, strict=True)]
    results = [{"role": "tool", "tool_call_id": call_id, "content": text} for call_id, text in zip(ids, answers, strict=True)]
    return body | {"messages": [*body["messages"], message | {"tool_calls": calls}, *results]}


class ChatAssembler:
    """Puts a streamed completion together from its deltas."""

    def __init__(self) -> None:
        self._frame: Json = {}
        self._message: Json = {"role": "assistant", "content": None}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[tuple[Json, list[str]]] = []
        self._latest: dict[object, tuple[Json, list[str]]] = {}
        self._reason: str | None = None
        self._done = False

    def feed(self, chunk: Json) -> None:
        """Take in one chunk."""
        if chunk.get("error"):
            raise broken(chunk["error"])
        self._frame |= _others(chunk, "choices")
        for choice in chunk.get("choices") or []:
            if choice.get("index", 0) == 0:
                self._merge(choice.get("delta") or {})
                self._reason = choice.get("finish_reason") or self._reason

    def done(self) -> None:
        """Take in the [DONE] that ends a stream."""
        self._done = True

    def response(self) -> Json | None:
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

    def _merge(self, delta: Json) -> None:
        for name, value in delta.items():
            if name == "tool_calls":
                for part in value or []:
                    self._call(part)
            elif name != "role" and isinstance(value, str):
                self._texts.setdefault(name, []).append(value)
            elif name != "role" and value is not None:
                self._message[name] = grown(self._message.get(name), value)

    def _call(self, part: Json) -> None:
        """A part belongs to the call at its index, unless it brings another id: some servers count every call as 0.

        Fields that we do not know are kept: Gemini signs its thoughts in one, and wants the signature back.
        """
        index, part_id, function = part.get("index"), part.get("id"), part.get("function") or {}
        mine = self._latest.get(index)
        if mine is None or (part_id and mine[0]["id"] and part_id != mine[0]["id"]):
            mine = ({"id": "", "type": "function", "function": {"name": ""}}, [])
            self._calls.append(mine)
        self._latest[index] = self._latest[None] = mine
        call, arguments = mine
        call["id"] = call["id"] or part_id or ""
        call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
        call |= grown(call, _others(part, "index", "id", "function"))
        call["function"] |= grown(call["function"], _others(function, "name", "arguments"))
        arguments.append(written(function.get("arguments")))


def grown(whole: Any, part: Any) -> Any:
    """A vendor's own value with a further part: tables join by name, lists by the items' index; else the later counts."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return whole | {name: _field(name, whole.get(name), value) for name, value in part.items() if value is not None}
    if not (isinstance(whole, list) and isinstance(part, list)):
        return part
    joined = list(whole)
    for item in part:
        place = next((at for at, each in enumerate(joined) if _same(each, item)), len(joined))
        joined[place : place + 1] = [grown(joined[place], item) if place < len(joined) else item]
    return joined


def _field(name: str, whole: Any, part: Any) -> Any:
    joins = name in _GROWING and isinstance(whole, str) and isinstance(part, str)
    return whole + part if joins else grown(whole, part)


def _same(one: Any, other: Any) -> bool:
    """Whether two items of a list are pieces of one."""
    both = isinstance(one, dict) and isinstance(other, dict) and "index" in one
    return both and all(one.get(name) == other.get(name) for name in ("index", "type"))


def _others(given: Json, *known: str) -> Json:
    """The fields that say something, without those that are read by name; Azure's first and last chunks name no model."""
    return {name: value for name, value in given.items() if name not in known and value not in (None, "")}


def _sound(call: Json, call_id: str) -> Json:
    """A call as history can carry it: with an id of its own, a name that a tool could have, and arguments that parse."""
    function = call.get("function") or {}
    name, arguments = nameable(function.get("name")), replayable(written(function.get("arguments")))
    return call | {"id": call_id, "function": function | {"name": name, "arguments": arguments}}


def _choice(response: Json) -> Json:
    if response.get("error"):
        raise broken(response["error"])
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise Transient("no_response", "a response without choices", 200)
    return choice


def _asked(call: Json) -> Asked:
    function = call.get("function") or {}
    return Asked(call.get("id") or "", str(function.get("name") or ""), written(function.get("arguments")))


def _usage(usage: Any) -> Usage:
    cached = count(usage, "prompt_tokens_details", "cached_tokens")
    return Usage(
        count(usage, "prompt_tokens"),
        count(usage, "completion_tokens"),
        count(usage, "completion_tokens_details", "reasoning_tokens"),
        count(usage, "prompt_cache_hit_tokens") if cached is None else cached,  # DeepSeek
    )


CHAT = Api(
    name="chat",
    opening=opening,
    turn=read,
    continued=continued,
    assembler=ChatAssembler,
    history="messages",
    protocol=frozenset(
        {"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "n", "stream", "stream_options", *_CAPS}
    ),
    caps=_CAPS,
    thinking=list,
    connect=openai_client(lambda client: client.chat.completions),
)

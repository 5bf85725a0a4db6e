"""Runs as OpenTelemetry traces by the GenAI conventions, in OTLP JSON: one trace per evaluation.

Written by hand: the SDK would assign its own ids and times, but the trace of a finished run has those of the run.
Attribute names are literals, since their constants moved between releases of the conventions' package.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from algoworlds.adapters.trajectory import AnsweredCall, Trajectory, TrajectoryTurn
from algoworlds.core.canonical import JsonObject
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.record import PlayerKind

SPAN_INTERNAL, SPAN_CLIENT = 1, 3
"""Span kinds."""
PROVIDER_BY_API = {"responses": "openai", "chat": "openai", "messages": "anthropic"}
"""By wire API, the conventions' name of the provider whose protocol it is."""
UNTIMED_NANOSECONDS = 1_000
"""Nanoseconds given to a tool call, and to a turn without a time: they show the order, not a measurement."""


def encode_trace(run: RunDirectory, trajectory: Trajectory) -> JsonObject:
    """An evaluation of `run` as an OTLP document: one line of a file that a collector reads."""
    scope = {"name": "algoworlds", "version": version("algoworlds")}
    resource = _attributes({"service.name": "algoworlds", "algoworlds.canary": CANARY})
    spans = [{"scope": scope, "spans": list(_spans(run, trajectory))}]
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": spans}]}


def _spans(run: RunDirectory, trajectory: Trajectory) -> Iterator[JsonObject]:
    """The agent's span, and inside it one for each turn of a model and each call."""
    builder = _SpanBuilder(f"{run.document['identity']}/{trajectory.slot.name}")
    inner, now = list[JsonObject](), 0
    for turn in trajectory.turns:
        begin, end = _times(turn, now)
        if run.kind is PlayerKind.MODEL:
            attributes = _chat_attributes(run, trajectory, turn)
            inner.append(builder.child(f"chat {_model(run)}", SPAN_CLIENT, (begin, end), attributes))
        for index, answered in enumerate(turn.calls, start=1):
            begin, end = end, end + UNTIMED_NANOSECONDS
            attributes = _call_attributes(f"call_{turn.number}_{index}", answered)
            inner.append(builder.child(f"execute_tool {answered.call.tool}", SPAN_INTERNAL, (begin, end), attributes))
        now = end
    start = min((int(span["startTimeUnixNano"]) for span in inner), default=0)
    end = max((int(span["endTimeUnixNano"]) for span in inner), default=0)
    name = f"invoke_agent {run.document['plan']['label']}"
    yield builder.root(name, (start, end), _agent_attributes(run, trajectory), _score_events(trajectory, end))
    yield from inner


class _SpanBuilder:
    """Builds spans whose ids are hashes of `seed` and their position, so that an export repeats byte for byte."""

    def __init__(self, seed: str) -> None:
        self._children, self._seed = 0, seed

    def child(self, name: str, kind: int, times: tuple[int, int], attributes: Mapping[str, Any]) -> JsonObject:
        self._children += 1
        ids = {"spanId": self._id(str(self._children), 16), "parentSpanId": self._id("0", 16)}
        return self._span(ids, name, kind, times, attributes)

    def root(self, name: str, times: tuple[int, int], attributes: Mapping[str, Any], events: list[JsonObject]) -> JsonObject:
        return self._span({"spanId": self._id("0", 16)}, name, SPAN_INTERNAL, times, attributes) | {"events": events}

    def _span(
        self, ids: dict[str, str], name: str, kind: int, times: tuple[int, int], attributes: Mapping[str, Any]
    ) -> JsonObject:
        span = {"traceId": self._id("trace", 32), **ids, "name": name, "kind": kind, "attributes": _attributes(attributes)}
        return span | {"startTimeUnixNano": str(times[0]), "endTimeUnixNano": str(times[1])}

    def _id(self, part: str, digits: int) -> str:
        return sha256(f"{self._seed}/{part}".encode()).hexdigest()[:digits]


def _times(turn: TrajectoryTurn, now: int) -> tuple[int, int]:
    """Start and end of a turn's attempt; of a turn without one, a moment after `now`."""
    if not turn.attempt:
        return now, now + UNTIMED_NANOSECONDS
    begin = int(datetime.fromisoformat(turn.attempt["date"]).timestamp() * 1_000_000) * 1_000
    return begin, begin + int(turn.attempt["seconds"] * 1_000_000) * 1_000


def _model(run: RunDirectory) -> str:
    return str(run.document["plan"]["settings"].get("model", ""))


def _agent_attributes(run: RunDirectory, trajectory: Trajectory) -> JsonObject:
    plan, record = run.document["plan"], trajectory.record
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": PROVIDER_BY_API.get(plan["settings"].get("api"), "algoworlds"),
        "gen_ai.agent.name": plan["label"],
        "gen_ai.conversation.id": f"{run.document['identity'][:16]}/{trajectory.slot.name}",
        "gen_ai.request.model": _model(run) or None,
        "gen_ai.response.model": record["model"],
        "gen_ai.tool.definitions": json.dumps(trajectory.world.tools),
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": trajectory.world.question}]}]
        ),
        "algoworlds.suite": plan["suite"]["root"],
        "algoworlds.run": run.document["identity"],
        "algoworlds.kind": plan["kind"],
        "algoworlds.world": trajectory.slot.world,
        "algoworlds.trial": trajectory.slot.trial,
        "algoworlds.stop_reason": record["stop_reason"],
        "algoworlds.budget": record["budget"],
        **_token_attributes(record["tokens"]),
    }


def _chat_attributes(run: RunDirectory, trajectory: Trajectory, turn: TrajectoryTurn) -> JsonObject:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER_BY_API.get(run.document["plan"]["settings"].get("api")),
        "gen_ai.request.model": _model(run),
        "gen_ai.response.model": trajectory.record["model"],
        "gen_ai.output.messages": _output_messages(turn),
        "algoworlds.turn": turn.number,
        "algoworlds.reasoning_tokens": turn.thinking.tokens if turn.thinking else None,
        **_token_attributes(turn.attempt.get("tokens")),
    }


def _output_messages(turn: TrajectoryTurn) -> str | None:
    """What a model thought and said in a turn; None if the journal shows neither."""
    thinking = turn.thinking.text if turn.thinking else ""
    parts = [{"type": kind, "content": text} for kind, text in (("reasoning", thinking), ("text", turn.text)) if text]
    return json.dumps([{"role": "assistant", "parts": parts}]) if parts else None


def _token_attributes(tokens: Mapping[str, Any] | None) -> JsonObject:
    names = {"input_tokens": "input", "output_tokens": "output", "cache_read.input_tokens": "cached"}
    return {f"gen_ai.usage.{name}": (tokens or {}).get(kind) for name, kind in names.items()}


def _call_attributes(call_id: str, answered: AnsweredCall) -> JsonObject:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": answered.call.tool,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": answered.call.arguments,
        "gen_ai.tool.call.result": answered.text,
        "algoworlds.status": answered.status,
        "algoworlds.charged": answered.charged,
    }


def _score_events(trajectory: Trajectory, now: int) -> list[JsonObject]:
    """The measures as evaluation events: numbers as score values, texts as labels."""
    events = []
    for name, value in trajectory.measures.items():
        kind = "label" if isinstance(value, str) else "value"
        score = None if value is None else value if isinstance(value, str) else float(value)
        attributes = {"gen_ai.evaluation.name": f"algoworlds.{name}", f"gen_ai.evaluation.score.{kind}": score}
        events.append({"name": "gen_ai.evaluation.result", "timeUnixNano": str(now), "attributes": _attributes(attributes)})
    return events


def _attributes(values: Mapping[str, Any]) -> list[JsonObject]:
    """Attributes as OTLP encodes them, without those that are None."""
    return [{"key": name, "value": _encode_value(value)} for name, value in values.items() if value is not None]


def _encode_value(value: str | int | float) -> JsonObject:
    if isinstance(value, str):
        return {"stringValue": value}
    return {"doubleValue": value} if isinstance(value, float) else {"intValue": str(value)}  # OTLP: integers as text

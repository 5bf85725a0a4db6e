"""Runs as traces of OpenTelemetry's GenAI conventions, in OTLP's JSON: one trace an evaluation.

Written by hand: the SDK makes ids and times of its own, while a trace of a finished run has the run's. Names of attributes are
spelled out, since the constants for them have moved between releases of the conventions' package.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from algoworlds.adapters.trajectory import Answered, Journey, Round
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.documents import CANARY
from algoworlds.suites.record import Kind

INTERNAL, CLIENT = 1, 3
"""Kinds of spans."""
PROVIDERS = {"responses": "openai", "chat": "openai", "messages": "anthropic"}
"""By wire API, what the conventions call the provider whose protocol is spoken."""
TICK = 1_000
"""Nanoseconds that a tool call takes, and a turn that nobody timed: an order, not a measurement."""


def trace(run: RunDirectory, told: Journey) -> dict[str, Any]:
    """An evaluation as one document of OTLP: a line of a file that a collector reads."""
    scope = {"name": "algoworlds", "version": version("algoworlds")}
    resource = _attributes({"service.name": "algoworlds", "algoworlds.canary": CANARY})
    spans = [{"scope": scope, "spans": list(_spans(run, told))}]
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": spans}]}


def _spans(run: RunDirectory, told: Journey) -> Iterator[dict[str, Any]]:
    """The agent's span, and in it one a turn of a model and one a call."""
    ids = _Ids(run.document["identity"], told.slot.name)
    inner, now = list[dict[str, Any]](), 0
    for turn in told.rounds:
        begin, end = _times(turn, now)
        if run.kind is Kind.MODEL:
            inner.append(ids.span(f"chat {_model(run)}", CLIENT, (begin, end), _asked(run, told, turn)))
        for at, answered in enumerate(turn.calls, start=1):
            call_id, begin, end = f"call_{turn.turn}_{at}", end, end + TICK
            inner.append(ids.span(f"execute_tool {answered.call.tool}", INTERNAL, (begin, end), _executed(call_id, answered)))
        now = end
    begun = min((int(span["startTimeUnixNano"]) for span in inner), default=0)
    ended = max((int(span["endTimeUnixNano"]) for span in inner), default=0)
    label = run.document["plan"]["label"]
    yield ids.root(f"invoke_agent {label}", (begun, ended), _invoked(run, told), _scored(told, ended))
    yield from inner


class _Ids:
    """Ids that follow from the run and the evaluation, so that the same trace is written again."""

    def __init__(self, identity: str, name: str) -> None:
        self._made, self._seed = 0, f"{identity}/{name}"

    def _id(self, what: str, digits: int) -> str:
        return sha256(f"{self._seed}/{what}".encode()).hexdigest()[:digits]

    def span(self, name: str, kind: int, times: tuple[int, int], attributes: Mapping[str, Any]) -> dict[str, Any]:
        self._made += 1
        own = {"spanId": self._id(str(self._made), 16), "parentSpanId": self._id("0", 16)}
        return {"traceId": self._id("trace", 32), **own, **_span(name, kind, times, attributes)}

    def root(
        self, name: str, times: tuple[int, int], attributes: Mapping[str, Any], events: list[dict[str, Any]]
    ) -> dict[str, Any]:
        made = {"traceId": self._id("trace", 32), "spanId": self._id("0", 16)}
        return made | _span(name, INTERNAL, times, attributes) | {"events": events}


def _span(name: str, kind: int, times: tuple[int, int], attributes: Mapping[str, Any]) -> dict[str, Any]:
    begin, end = map(str, times)
    told = {"name": name, "kind": kind, "attributes": _attributes(attributes)}
    return told | {"startTimeUnixNano": begin, "endTimeUnixNano": end}


def _times(turn: Round, now: int) -> tuple[int, int]:
    """When a turn was asked for and answered, by the log of attempts; without one, after what went before it."""
    if not turn.attempt:
        return now, now + TICK
    begin = int(datetime.fromisoformat(turn.attempt["date"]).timestamp() * 1_000_000) * 1_000
    return begin, begin + int(turn.attempt["seconds"] * 1_000_000) * 1_000


def _model(run: RunDirectory) -> str:
    return str(run.document["plan"]["settings"].get("model", ""))


def _invoked(run: RunDirectory, told: Journey) -> dict[str, Any]:
    plan, record = run.document["plan"], told.record
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": PROVIDERS.get(plan["settings"].get("api"), "algoworlds"),
        "gen_ai.agent.name": plan["label"],
        "gen_ai.conversation.id": f"{run.document['identity'][:16]}/{told.slot.name}",
        "gen_ai.request.model": _model(run) or None,
        "gen_ai.response.model": record["model"],
        "gen_ai.tool.definitions": json.dumps(told.world.tools),
        "gen_ai.input.messages": json.dumps([_message("user", told.world.question)]),
        "algoworlds.suite": plan["suite"]["root"],
        "algoworlds.run": run.document["identity"],
        "algoworlds.kind": plan["kind"],
        "algoworlds.world": told.slot.world,
        "algoworlds.trial": told.slot.trial,
        "algoworlds.stop_reason": record["stop_reason"],
        "algoworlds.budget": record["budget"],
        **_usage(record["tokens"] or {}),
    }


def _asked(run: RunDirectory, told: Journey, turn: Round) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(run.document["plan"]["settings"].get("api")),
        "gen_ai.request.model": _model(run),
        "gen_ai.response.model": told.record["model"],
        "gen_ai.output.messages": json.dumps([_message("assistant", turn.text)]) if turn.text else None,
        "algoworlds.turn": turn.turn,
        **_usage(turn.attempt.get("tokens") or {}),
    }


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _usage(tokens: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.usage.input_tokens": tokens.get("input"),
        "gen_ai.usage.output_tokens": tokens.get("output"),
        "gen_ai.usage.cache_read.input_tokens": tokens.get("cached"),
    }


def _executed(call_id: str, answered: Answered) -> dict[str, Any]:
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


def _scored(told: Journey, now: int) -> list[dict[str, Any]]:
    """The measures as events of an evaluation, numbers as scores and words as labels."""
    events = []
    for name, value in told.measures.items():
        kind = "label" if isinstance(value, str) else "value"
        score = None if value is None else value if isinstance(value, str) else float(value)
        named = {"gen_ai.evaluation.name": f"algoworlds.{name}", f"gen_ai.evaluation.score.{kind}": score}
        events.append({"name": "gen_ai.evaluation.result", "timeUnixNano": str(now), "attributes": _attributes(named)})
    return events


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Attributes in OTLP's spelling, in which an integer is a text; what is not known is left out."""
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: str | int | float) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    return {"doubleValue": value} if isinstance(value, float) else {"intValue": str(value)}

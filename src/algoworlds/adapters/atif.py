"""Trajectories in Harbor's ATIF (Agent Trajectory Interchange Format), one document an evaluation, written and read.

Written by hand from its version 1.8: the format is plain JSON, and Harbor itself needs a container daemon and its clients.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from algoworlds.adapters.adopting import Brought, Heard
from algoworlds.adapters.trajectory import Answered, Journey, Round
from algoworlds.core.canonical import canonical_text, strict_loads
from algoworlds.core.given import given
from algoworlds.core.tool import Call
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, Malformed, shown
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.documents import CANARY
from algoworlds.suites.record import Kind

VERSION = "ATIF-v1.8"
LONGEST = 256 * 2**20
"""Bytes of one trajectory."""
OURS = "algoworlds"
"""The field of `extra` that says which evaluation a trajectory is of."""
RAW = "arguments_text"
"""The field of a call's `extra` that keeps arguments which are no object, or not spelled as one is again."""


# -- writing --------------------------------------------------------------------------------------------------------------


def trajectory(run: RunDirectory, told: Journey) -> dict[str, Any]:
    """An evaluation as a trajectory of Harbor's."""
    plan, record = run.document["plan"], told.record
    model = record["model"] or plan["settings"].get("model")
    tools = [{"type": "function", "function": tool} for tool in told.world.tools]
    asked = {"step_id": 1, "source": "user", "message": told.world.question}
    modelled = run.kind is Kind.MODEL
    steps = [asked, *(_step(at, each, modelled) for at, each in enumerate(told.rounds, start=2))]
    names = {"suite": plan["suite"], "world": told.slot.world, "trial": told.slot.trial, "identity": run.document["identity"]}
    return {
        "schema_version": VERSION,
        "session_id": run.document["identity"],
        "trajectory_id": told.slot.name,
        "agent": {
            "name": plan["label"],
            "version": version("algoworlds"),
            **({"model_name": model} if isinstance(model, str) else {}),
            "tool_definitions": tools,
            "extra": {"kind": plan["kind"], "settings": plan["settings"]},
        },
        "steps": steps,
        "notes": CANARY,
        "final_metrics": _final(record, len(steps), told.measures),
        "extra": {OURS: names | {"stop_reason": record["stop_reason"], "protocol": plan["protocol"]}},
    }


def _step(number: int, turn: Round, modelled: bool) -> dict[str, Any]:
    """A turn; what a scripted agent or a stranger's program does is no single inference that could be counted."""
    made: dict[str, Any] = {"step_id": number, "source": "agent", "message": turn.text}
    if turn.calls:
        ids = [f"call_{number}_{at}" for at in range(1, len(turn.calls) + 1)]
        made["tool_calls"] = [_call(name, each) for name, each in zip(ids, turn.calls, strict=True)]
        results = [
            {"source_call_id": name, "content": each.text, "extra": {"status": each.status, "charged": each.charged}}
            for name, each in zip(ids, turn.calls, strict=True)
        ]
        made["observation"] = {"results": results}
    if modelled:
        made |= {"llm_call_count": 1} | _metered(turn.attempt)
    return made


def _call(name: str, answered: Answered) -> dict[str, Any]:
    try:
        parsed = strict_loads(answered.call.arguments)
    except Malformed:
        parsed = None
    arguments = parsed if isinstance(parsed, dict) else {}
    kept = {} if canonical_text(arguments) == answered.call.arguments else {"extra": {RAW: answered.call.arguments}}
    return {"tool_call_id": name, "function_name": answered.call.tool, "arguments": arguments, **kept}


def _metered(attempt: Mapping[str, Any]) -> dict[str, Any]:
    """When a turn was asked for and what it took, where the log of attempts tells."""
    if not attempt:
        return {}
    tokens = attempt["tokens"] or {}
    counted = {"prompt_tokens": "input", "completion_tokens": "output", "cached_tokens": "cached"}
    metrics = {name: tokens[kind] for name, kind in counted.items() if tokens.get(kind) is not None}
    metrics |= {} if attempt["cost"] is None else {"cost_usd": attempt["cost"]}
    return {"timestamp": attempt["date"], **({"metrics": metrics} if metrics else {})}


def _final(record: Mapping[str, Any], steps: int, measures: Mapping[str, Any]) -> dict[str, Any]:
    tokens = record["tokens"] or {}
    counted = {"total_prompt_tokens": "input", "total_completion_tokens": "output", "total_cached_tokens": "cached"}
    final: dict[str, Any] = {name: tokens[kind] for name, kind in counted.items() if tokens.get(kind) is not None}
    final |= {} if record["cost"] is None else {"total_cost_usd": record["cost"]}
    return final | {"total_steps": steps, "extra": dict(measures)}


# -- reading --------------------------------------------------------------------------------------------------------------


def read_trajectories(paths: list[Path]) -> Iterator[Brought]:
    """Every trajectory in some files and folders."""
    for path in paths:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            raise InputError(f"{shown(path)} holds no trajectory: name files, or a folder of *.json")
        for file in files:
            yield _read(file)


def _read(path: Path) -> Brought:
    try:
        if path.stat().st_size > LONGEST:
            raise ValueError("too long")
        return brought(path.name, json.loads(read_plain(path)))
    except OSError as problem:
        raise InputError(f"cannot read {shown(path)}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{shown(path)} is no trajectory in ATIF") from None


def brought(name: str, document: Mapping[str, Any]) -> Brought:
    """A trajectory of Harbor's as it was brought here; whatever a continuation repeats of what went before is left out."""
    if not str(document["schema_version"]).startswith("ATIF-v1."):
        raise ValueError("another format")
    if document.get("continued_trajectory_ref"):
        raise InputError(f"{shown(name)} is continued in another file: join them, for half a trajectory cannot be replayed")
    steps = [step for step in document["steps"] if not step.get("is_copied_context")]
    agent, ours = document["agent"], (document.get("extra") or {}).get(OURS) or {}
    asked = "\n".join(_text(step["message"]) for step in steps if step["source"] != "agent")
    heard = [each for at, step in enumerate(steps) if step["source"] == "agent" for each in _heard(at, step)]
    player = {each: str(agent[each]) for each in ("name", "version", "model_name") if agent.get(each) is not None}
    return Brought(name, asked, ours.get("world"), ours.get("trial"), tuple(heard), player)


def _heard(at: int, step: Mapping[str, Any]) -> Iterator[Heard]:
    results = {each.get("source_call_id"): each for each in (step.get("observation") or {"results": []})["results"]}
    for call in step.get("tool_calls") or ():
        raw = (call.get("extra") or {}).get(RAW)
        made = given(call["function_name"], call["arguments"]) if raw is None else Call(call["function_name"], str(raw))
        result = results.get(call["tool_call_id"])
        yield Heard(at, made, None if result is None else _text(result.get("content")))


def _text(content: Any) -> str:
    """A message, whole or in parts."""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content or ())

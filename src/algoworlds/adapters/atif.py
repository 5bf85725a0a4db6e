"""Harbor's Agent Trajectory Interchange Format (ATIF 1.8): one JSON document per evaluation, written and read.

Implemented by hand: the format is plain JSON, and Harbor itself needs a container daemon and its clients.
"""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from algoworlds.adapters.trajectory import AnsweredCall, Trajectory, TrajectoryTurn
from algoworlds.adapters.trajectory_import import ImportedCall, ImportedTrajectory
from algoworlds.core.canonical import JsonObject, canonical_json, strict_loads
from algoworlds.core.tool import Call, call_from_input
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, Malformed, format_value
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.record import PlayerKind

ATIF_VERSION = "ATIF-v1.8"
MAX_TRAJECTORY_BYTES = 256 * 2**20
EXTRA_KEY = "algoworlds"
"""The field of `extra` that names the evaluation of a trajectory."""
RAW_ARGUMENTS_KEY = "arguments_text"
"""The field of a call's `extra` with the original text of arguments that are not an object in canonical JSON."""


# -- writing --------------------------------------------------------------------------------------------------------------


def encode_trajectory(run: RunDirectory, trajectory: Trajectory) -> JsonObject:
    """An evaluation of `run` as an ATIF document."""
    plan, record, slot = run.document["plan"], trajectory.record, trajectory.slot
    model = record["model"] or plan["settings"].get("model")
    is_model = run.kind is PlayerKind.MODEL
    prompt = {"step_id": 1, "source": "user", "message": trajectory.world.question}
    steps = [prompt, *(_encode_turn(number, turn, is_model) for number, turn in enumerate(trajectory.turns, start=2))]
    totals: JsonObject = _token_counts("total_", record["tokens"])
    totals |= {} if record["cost"] is None else {"total_cost_usd": record["cost"]}
    totals |= {"total_steps": len(steps), "extra": dict(trajectory.measures)}
    names = {"suite": plan["suite"], "world": slot.world, "trial": slot.trial, "identity": run.document["identity"]}
    return {
        "schema_version": ATIF_VERSION,
        "session_id": run.document["identity"],
        "trajectory_id": slot.name,
        "agent": {
            "name": plan["label"],
            "version": version("algoworlds"),
            **({"model_name": model} if isinstance(model, str) else {}),
            "tool_definitions": [{"type": "function", "function": tool} for tool in trajectory.world.tools],
            "extra": {"kind": plan["kind"], "settings": plan["settings"]},
        },
        "steps": steps,
        "notes": CANARY,
        "final_metrics": totals,
        "extra": {EXTRA_KEY: names | {"stop_reason": record["stop_reason"], "protocol": plan["protocol"]}},
    }


def _encode_turn(number: int, turn: TrajectoryTurn, is_model: bool) -> JsonObject:
    """A turn as a step; only a model's turn is one inference with time and metrics."""
    step: JsonObject = {"step_id": number, "source": "agent", "message": turn.text}
    if turn.calls:
        calls = [(f"call_{number}_{index}", call) for index, call in enumerate(turn.calls, start=1)]
        step["tool_calls"] = [_encode_call(call_id, call) for call_id, call in calls]
        results = [
            {"source_call_id": call_id, "content": call.text, "extra": {"status": call.status, "charged": call.charged}}
            for call_id, call in calls
        ]
        step["observation"] = {"results": results}
    if is_model:
        step["llm_call_count"] = 1
        if turn.thinking and turn.thinking.text:
            step["reasoning_content"] = turn.thinking.text
        if turn.attempt:
            step["timestamp"] = turn.attempt["date"]
            metrics: JsonObject = _token_counts("", turn.attempt["tokens"])
            metrics |= {} if turn.attempt["cost"] is None else {"cost_usd": turn.attempt["cost"]}
            if turn.thinking and turn.thinking.tokens is not None:
                metrics["extra"] = {"reasoning_tokens": turn.thinking.tokens}
            step["extra"] = {"seconds": turn.attempt["seconds"]}
            step |= {"metrics": metrics} if metrics else {}
    return step


def _encode_call(call_id: str, answered: AnsweredCall) -> JsonObject:
    name, text = answered.call
    try:
        parsed = strict_loads(text)
    except Malformed:
        parsed = None
    arguments = parsed if isinstance(parsed, dict) else {}
    extra = {} if canonical_json(arguments) == text else {"extra": {RAW_ARGUMENTS_KEY: text}}
    return {"tool_call_id": call_id, "function_name": name, "arguments": arguments, **extra}


def _token_counts(prefix: str, tokens: Mapping[str, int | None] | None) -> dict[str, int]:
    """ATIF's token counts, with `prefix` before their names; unknown counts are left out."""
    kinds = {"prompt": "input", "completion": "output", "cached": "cached"}
    counts = {name: (tokens or {}).get(kind) for name, kind in kinds.items()}
    return {f"{prefix}{name}_tokens": count for name, count in counts.items() if count is not None}


# -- reading --------------------------------------------------------------------------------------------------------------


def read_trajectories(paths: list[Path]) -> Iterator[ImportedTrajectory]:
    """All trajectories in `paths`: files, or folders of *.json; a file that is named twice is read once."""
    files: dict[Path, Path] = {}
    for path in paths:
        found = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not found:
            raise InputError(f"{format_value(path)} holds no trajectory: name files, or a folder of *.json")
        files |= {Path(os.path.realpath(file)): file for file in found}
    evaluations: dict[str, Path] = {}
    for file in files.values():
        key, trajectory = _read_file(file)
        if key in evaluations:
            raise InputError(
                f"{format_value(evaluations[key])} and {format_value(file)} are the same evaluation: name one of them"
            )
        evaluations[key] = file
        yield trajectory


def _read_file(path: Path) -> tuple[str, ImportedTrajectory]:
    """A trajectory, and a key that it shares with copies of itself: the evaluation that it names, or its bytes."""
    try:
        if path.stat().st_size > MAX_TRAJECTORY_BYTES:
            raise ValueError("too long")
        content = read_regular_file(path)
        document = json.loads(content)
        trajectory = decode_trajectory(path.name, document)
        names = (document.get("extra") or {}).get(EXTRA_KEY) or {}
        evaluation = [names.get(field) for field in ("identity", "world", "trial")]
        return sha256(content).hexdigest() if None in evaluation else json.dumps(evaluation), trajectory
    except OSError as problem:
        raise InputError(f"cannot read {format_value(path)}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{format_value(path)} is not an ATIF trajectory") from None


def decode_trajectory(name: str, document: Mapping[str, Any]) -> ImportedTrajectory:
    """An ATIF document as an imported trajectory; steps that a continuation copied from its predecessor are left out."""
    if not str(document["schema_version"]).startswith("ATIF-v1."):
        raise ValueError("another format")
    if document.get("continued_trajectory_ref"):
        raise InputError(f"{format_value(name)} is continued in another file: join them, a part cannot be replayed")
    steps = [step for step in document["steps"] if not step.get("is_copied_context")]
    agent, own = document["agent"], (document.get("extra") or {}).get(EXTRA_KEY) or {}
    world, trial = own.get("world"), own.get("trial")
    if not isinstance(world, str | None) or type(trial) not in (int, type(None)):
        raise TypeError("the evaluation is named by other values than a text and a number")
    prompt = "\n".join(_text(step["message"]) for step in steps if step["source"] != "agent")
    calls = [call for at, step in enumerate(steps) if step["source"] == "agent" for call in _decode_calls(at, step)]
    player = {field: str(agent[field]) for field in ("name", "version", "model_name") if agent.get(field) is not None}
    return ImportedTrajectory(name, prompt, world, trial, tuple(calls), player)


def _decode_calls(number: int, step: Mapping[str, Any]) -> Iterator[ImportedCall]:
    results = {result.get("source_call_id"): result for result in (step.get("observation") or {"results": []})["results"]}
    for encoded in step.get("tool_calls") or ():
        name, raw = encoded["function_name"], (encoded.get("extra") or {}).get(RAW_ARGUMENTS_KEY)
        if not isinstance(name, str):
            raise TypeError("a tool is not named by a text")
        call = call_from_input(name, encoded["arguments"]) if raw is None else Call(name, str(raw))
        result = results.get(encoded["tool_call_id"])
        yield ImportedCall(number, call, None if result is None else _text(result.get("content")))


def _text(content: Any) -> str:
    """The text of a message, which is a text or a list of parts."""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content or ())

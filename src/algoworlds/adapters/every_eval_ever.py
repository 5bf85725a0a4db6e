"""Runs in the schema of Every Eval Ever: one JSON document of aggregates, and one JSON line for each evaluation.

The files lie where the project's datastore keeps them: data/algoworlds/DEVELOPER/MODEL/UUID.json and UUID_samples.jsonl.
Means are taken over rounded utilities, since the mean of a run with a single evaluation is that evaluation's utility.
"""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from math import sqrt
from statistics import fmean
from typing import Any
from uuid import UUID

from algoworlds.adapters.trajectory import DECISION_MEASURES, AnsweredCall, Trajectory
from algoworlds.core.canonical import JsonObject, compact_json, strict_loads
from algoworlds.errors import InputError, Malformed, format_value
from algoworlds.measures.scoring import MEASURES
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.record import PlayerKind

SCHEMA_VERSION = "0.3.0"
COLLECTION = "algoworlds"
SOURCE_URL = "https://arxiv.org/abs/2608.29397"
AGGREGATED_MEASURES = (*DECISION_MEASURES, "spend", "executed_calls")
MAIN_MEASURE = "exact"
"""The measure that the evaluations' own documents score; the others are in their metadata."""
DEVELOPERS = {"responses": "openai", "chat": "openai", "messages": "anthropic"}
"""By wire API, the developer of a model that is asked for at the vendor's own address."""
_PERCENT_UNITS = {"utility"}
_COMPONENT = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9._+-]*(?<!\.)")


def find_model_id(run: RunDirectory, name: str | None) -> str:
    """`name`, or the id of what played `run`, as DEVELOPER/MODEL; InputError if the developer is unknown."""
    plan = run.document["plan"]
    settings = plan["settings"]
    if name is None and run.kind is PlayerKind.MODEL:
        model = str(settings["model"])
        developer = None if settings.get("base_url") else DEVELOPERS.get(settings.get("api"))
        name = model if "/" in model or developer is None else f"{developer}/{model}"
    elif name is None:
        developer = COLLECTION if run.kind is PlayerKind.AGENT else f"{COLLECTION}-{run.kind.value}"
        name = f"{developer}/{re.sub(r'[^A-Za-z0-9_+-]+', '-', plan['label'])}"
    parts = name.split("/")
    if len(parts) < 2 or not all(_COMPONENT.fullmatch(part) for part in parts):
        raise InputError(f"{format_value(name)} does not name a developer and a model: add --model-id DEVELOPER/MODEL")
    return name


def encode_run(
    run: RunDirectory, trajectories: Iterable[Trajectory], model_id: str, organization: str, timestamp: int
) -> dict[str, bytes]:
    """The files of `run` by path; `timestamp` says when its results were retrieved, in seconds since 1970."""
    evaluation_id = f"{COLLECTION}/{model_id}/{timestamp}"
    finished = list(trajectories)
    if not finished:
        raise InputError(f"{format_value(run.path)} has no finished evaluation: finish the run first")
    lines = [compact_json(_encode_evaluation(trajectory, evaluation_id, model_id)) + "\n" for trajectory in finished]
    samples = "".join(lines).encode()
    digest = sha256(f"{run.document['identity']}/{evaluation_id}/".encode() + samples)
    developer, _, model = model_id.partition("/")
    stem = f"data/{COLLECTION}/{developer}/{model.replace('/', '_')}/{UUID(bytes=digest.digest()[:16], version=4)}"
    document = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        "retrieved_timestamp": str(timestamp),
        "source_metadata": {
            "source_name": "AlgoWorlds",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
            "additional_details": {"canary": CANARY, "paper": SOURCE_URL},
        },
        "eval_library": {"name": "algoworlds", "version": version("algoworlds")},
        "model_info": _model_info(run, model_id),
        "evaluation_results": [_encode_result(run, finished, name, evaluation_id) for name in AGGREGATED_MEASURES],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{stem}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": sha256(samples).hexdigest(),
            "total_rows": len(finished),
        },
    }
    return {f"{stem}.json": compact_json(document).encode() + b"\n", f"{stem}_samples.jsonl": samples}


def _model_info(run: RunDirectory, model_id: str) -> JsonObject:
    plan = run.document["plan"]
    details = {"deployment_type": "unknown", "model_availability": "unknown", "kind": plan["kind"]}
    return {"name": plan["label"], "id": model_id, "additional_details": details}


def _encode_result(run: RunDirectory, finished: list[Trajectory], name: str, evaluation_id: str) -> JsonObject:
    """The mean of the measure `name` with its standard error over hidden instances."""
    plan = run.document["plan"]
    suite, measure = plan["suite"], {measure.name: measure for measure in MEASURES}[name]
    is_count = name not in DECISION_MEASURES
    values = [(trajectory, float(trajectory.measures[name])) for trajectory in finished]
    score = fmean(value for _, value in values)
    facts = {
        "suite": suite["root"],
        "edition": suite.get("edition"),
        "track": run.track,
        "protocol": plan["protocol"],
        "scoring": plan["scoring"],
        "run": run.document["identity"],
        "trials": plan["trials"],
    }
    counts = {"evaluations": str(len(finished)), "scheduled": str(len(run.schedule))}
    return {
        "evaluation_result_id": f"{evaluation_id}#{name}",
        "evaluation_name": COLLECTION,
        "source_data": {
            "dataset_name": f"{COLLECTION}/{suite['name']}",
            "source_type": "other",
            "additional_details": {key: str(value) for key, value in facts.items() if value is not None},
        },
        "metric_config": {
            "evaluation_description": " ".join(filter(None, (measure.meaning, measure.caution))),
            "metric_id": f"{COLLECTION}.{name}",
            "metric_name": measure.title,
            "metric_unit": measure.unit,
            "lower_is_better": is_count,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": "Infinity" if is_count else 100 if name in _PERCENT_UNITS else 1,
        },
        "score_details": {"score": score, "details": counts, "uncertainty": _uncertainty(values, score)},
        "generation_config": {
            "additional_details": {key: _to_text(value) for key, value in plan["settings"].items() if value is not None}
        },
    }


def _uncertainty(values: list[tuple[Trajectory, float]], score: float) -> JsonObject:
    """Standard error of a mean whose units are hidden instances: further trials and interfaces are not independent."""
    deviations: dict[tuple[Any, ...], float] = {}
    for trajectory, value in values:
        instance = tuple(trajectory.record[name] for name in ("family", "level", "index"))
        deviations[instance] = deviations.get(instance, 0.0) + value - score
    count = len(deviations)
    if count < 2:
        return {"num_samples": count}
    squares = sum(deviation**2 for deviation in deviations.values())
    error = sqrt(squares * count / (count - 1)) / len(values)
    return {"standard_error": {"value": error, "method": "analytic, clustered by hidden instance"}, "num_samples": count}


def _encode_evaluation(trajectory: Trajectory, evaluation_id: str, model_id: str) -> JsonObject:
    """One evaluation, scored by the main measure."""
    record, question = trajectory.record, trajectory.world.question
    messages, submitted_at = _encode_messages(trajectory)
    decision, exact = record["decision"], trajectory.measures[MAIN_MEASURE]
    attribution = {
        "turn_idx": submitted_at,
        "source": f"messages[{submitted_at}].tool_calls",
        "extracted_value": compact_json(decision),
        "extraction_method": "tool_call",
        "is_terminal": True,
    }
    facts = {name: trajectory.measures[name] for name in trajectory.measures if name != MAIN_MEASURE}
    facts |= {name: record[name] for name in ("family", "level", "interface", "trial", "stop_reason", "budget")}
    document = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        "evaluation_result_id": f"{evaluation_id}#{MAIN_MEASURE}",
        "model_id": model_id,
        "evaluation_name": COLLECTION,
        "sample_id": trajectory.slot.name,
        "sample_hash": sha256(question.encode()).hexdigest(),
        "interaction_type": "agentic",
        "input": {"raw": question, "reference": []},
        "output": None,
        "messages": messages,
        "answer_attribution": [] if decision is None else [attribution],
        "evaluation": {
            "score": float(exact),
            "is_correct": bool(exact),
            "num_turns": len(trajectory.turns) or None,
            "tool_calls_count": sum(len(turn.calls) for turn in trajectory.turns),
        },
        "metadata": {"canary": CANARY, **{name: str(value) for name, value in facts.items() if value is not None}},
    }
    usage = _token_usage(record["tokens"])
    return document | ({"token_usage": usage} if usage else {})


def _encode_messages(trajectory: Trajectory) -> tuple[list[JsonObject], int]:
    """The messages of an evaluation, and the index of the last one with a call, which submits the decision if there is one."""
    messages: list[JsonObject] = [{"turn_idx": 0, "role": "user", "content": trajectory.world.question}]
    last = 0
    for turn in trajectory.turns:
        calls = [(f"call_{turn.number}_{index}", answered) for index, answered in enumerate(turn.calls, start=1)]
        message: JsonObject = {"turn_idx": len(messages), "role": "assistant", "content": turn.text or None}
        if turn.thinking and turn.thinking.text:
            message["reasoning_trace"] = turn.thinking.text
        if calls:
            message["tool_calls"] = [_encode_call(call_id, answered) for call_id, answered in calls]
            last = len(messages)
        messages.append(message)
        for call_id, answered in calls:
            messages.append({"turn_idx": len(messages), "role": "tool", "content": answered.text, "tool_call_id": [call_id]})
    return messages, last


def _encode_call(call_id: str, answered: AnsweredCall) -> JsonObject:
    """A call; the schema wants arguments whose values are texts, so that other values are written as JSON."""
    name, text = answered.call
    try:
        parsed = strict_loads(text)
    except Malformed:
        parsed = None
    arguments = parsed if isinstance(parsed, dict) else {"arguments_text": text}
    return {"id": call_id, "name": name, "arguments": {key: _to_text(value) for key, value in arguments.items()}}


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else compact_json(value)


def _token_usage(tokens: Mapping[str, int | None] | None) -> JsonObject | None:
    """Token counts; None unless both directions were counted."""
    counts = tokens or {}
    taken, given = counts.get("input"), counts.get("output")
    if taken is None or given is None:
        return None
    usage = {"input_tokens": taken, "output_tokens": given, "total_tokens": taken + given}
    cached = counts.get("cached")
    return usage if cached is None else usage | {"input_tokens_cache_read": cached}

"""What the script of the page reads: a small index of all evaluations, and their details packed by world.

A detail refers to calls, and to their responses in the replay of the world, by index.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from algoworlds.core.tool import Call
from algoworlds.families import load_family
from algoworlds.grid import to_one_line
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.measures.measure import Integer, Measure, Number
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.decision_comparison import OwnersById, decision_differences, objective_terms
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.encoding import pack_json, safe_json
from algoworlds.reports.page.replays import Replays, WorldReplay
from algoworlds.reports.results import Results
from algoworlds.reports.verdict import verdict_text
from algoworlds.worlds.episode import REJECTION_TEXTS

_TEXT_FIELDS: dict[str, Callable[[Evaluation], Any]] = {
    "configuration": lambda evaluation: to_one_line(evaluation.configuration),
    **{name: attrgetter(name) for name in ("world", "family", "interface", "category", "quality")},
    "stop_reason": lambda evaluation: to_one_line(evaluation.stop_reason),
    "reason": lambda evaluation: to_one_line(evaluation.record["reason"] or ""),
    "knowledge": lambda evaluation: evaluation.judged_value("knowledge") or "",
    "footing": lambda evaluation: evaluation.judged_value("footing") or "",
    "claim": attrgetter("claim"),
}
"""Text fields of the index: they have few different values, and each value is stored once."""

_NUMBER_FIELDS = (
    "level", "index", "trial", "exact", "feasible", "sufficiency", "call_cap", "budget_cap", "executed_calls",
    "redundant_calls", "spend", "budget", "utility", "coverage", "regret",
)  # fmt: skip
_TOKENS = ("input", "output", "reasoning", "cached")

_SCORED = [measure for measure in MEASURES if isinstance(measure.domain, Integer | Number)]
_JUDGED = [measure for measure in JUDGED_MEASURES if isinstance(measure.domain, Integer | Number)]
NUMERIC_MEASURES: tuple[Measure[Any], ...] = (*_SCORED, *_JUDGED)
"""The measures that are one number; the page draws the others, or puts them into words."""

_RECORD_FIELDS = (*(measure.name for measure in _SCORED), "stop_reason", "turns", "model", "cost", "reason", "observed")


def index_json(results: Results, missing: str | None) -> str:
    """The index of all evaluations as JSON text, column by column; `missing` says why there are no replays."""
    evaluations = results.evaluations
    named = {name: _with_values([read(row) for row in evaluations]) for name, read in _TEXT_FIELDS.items()}
    counted = {name: [_round_float(getattr(row, name)) for row in evaluations] for name in _NUMBER_FIELDS}
    solved = Counter((row.configuration, row.world) for row in evaluations if row.exact)
    counted["solved"] = [solved[row.configuration, row.world] for row in evaluations]
    document: dict[str, Any] = {
        "count": len(evaluations),
        "titles": {name: load_family(name).title for name in results.families},
        "measures": [
            (measure.name, measure.title, measure.unit, f"{measure.meaning} {measure.caution}".strip())
            for measure in NUMERIC_MEASURES
        ],
        "refusals": {status.value: text for status, text in REJECTION_TEXTS.items()},
        "scripted": [to_one_line(label) for label in results.configurations if label not in results.candidates],
    }
    return safe_json({**document, "missing": missing, "named": named, "counted": counted})


def _with_values(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Dictionary encoding: the distinct values, and for each text the index of its value."""
    index = {value: position for position, value in enumerate(dict.fromkeys(texts))}
    return {"values": list(index), "at": [index[text] for text in texts]}


def pack_details(results: Results, replays: Replays) -> Iterator[tuple[str, str]]:
    """For each world its name and the packed details of all evaluations on it, in the order of the index."""
    by_world: dict[str, list[Evaluation]] = {name: [] for name in results.worlds}
    for evaluation in results.evaluations:
        by_world[evaluation.world].append(evaluation)
    for name, evaluations in by_world.items():
        details = [evaluation_detail(evaluation, replays) for evaluation in evaluations]
        yield name, pack_json(_share_calls(details, replays.by_world.get(name)))


def _share_calls(details: list[dict[str, Any]], replay: WorldReplay | None) -> dict[str, Any]:
    """The details on a world, column by column; every call, with the index of its response, and every text is stored once."""
    calls: dict[tuple[str, str], int] = {}
    texts: dict[str, int] = {}
    for detail in details:
        steps = [
            (turn, calls.setdefault((tool, arguments), len(calls)), *rest) for turn, tool, arguments, *rest in detail["steps"]
        ]
        detail |= {"steps": steps, "texts": [(turn, texts.setdefault(text, len(texts))) for turn, text in detail["texts"]]}
    answers = {} if replay is None else replay.answer_indices
    columns = {name: [detail[name] for detail in details] for name in details[0]}
    return {"calls": [(*call, answers.get(Call(*call))) for call in calls], "texts": list(texts), "columns": columns}


def evaluation_detail(evaluation: Evaluation, replays: Replays) -> dict[str, Any]:
    """Everything that the page shows of one evaluation."""
    record, replay = evaluation.record, replays.by_world.get(evaluation.world)
    owners = {} if replay is None else replay.owners
    judged = {measure.name: evaluation.judged_value(measure.name) for measure in _JUDGED}
    return {
        **{name: _round_float(record[name]) for name in _RECORD_FIELDS},
        "judged": {name: _round_float(value) for name, value in judged.items() if value is not None},
        "verdict": to_one_line(verdict_text(record, evaluation.judgement)),
        "claim": evaluation.claim,
        "footing": evaluation.judged_value("footing"),
        "witness": None if replays.omits_responses else _witness_detail(evaluation, owners),
        "tokens": None if record["tokens"] is None else [(name, record["tokens"].get(name)) for name in _TOKENS],
        "terms": [(term.name, term.value, term.optimum, term.change_text, term.is_better) for term in objective_terms(record)],
        "entries": decision_differences(record, owners),
        "decided": record["decision"] is not None,
        "curve": [[calls, _round_float(share)] for calls, share in evaluation.coverage_curve],
        "steps": evaluation.trajectory,
        "texts": () if replays.omits_responses else evaluation.texts,
        "risks": evaluation.judged_value("risk_curve"),
    }


def _witness_detail(evaluation: Evaluation, owners: OwnersById) -> dict[str, Any] | None:
    """What the page shows of a witness: both values, the cells that differ, and where the rival differs from the decision."""
    witness = evaluation.judged_value("witness")
    if witness is None:
        return None
    cells = [
        (cell["table"], " ".join(map(str, cell["row"])), cell["column"], cell["true"], cell["possible"])
        for cell in witness["cells"]
    ]
    entries = decision_differences({**evaluation.record, "optimal_decision": witness["rival"]}, owners)
    changed = [tuple(entry) for entry in entries if entry.chosen != entry.optimal]
    return {**{name: witness[name] for name in ("value", "rival_value", "reason")}, "cells": cells, "changed": changed}


def _round_float(value: Any) -> Any:
    """Floats with six decimals, more than the page shows."""
    return round(value, 6) if isinstance(value, float) else value

"""What the page's script reads: a small index of all evaluations, and their details in compressed parts.

A detail names calls and the places of their answers, which stand in the scene of the world.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from algoworlds.core.tool import Call
from algoworlds.families import family
from algoworlds.grid import one_line
from algoworlds.measures.domain import Number, Whole
from algoworlds.measures.judging import JUDGED
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.parcel import json_text, packed
from algoworlds.reports.page.scene import Scene, Staging
from algoworlds.reports.results import Results
from algoworlds.reports.terms import Owners, differences, terms
from algoworlds.reports.verdict import verdict
from algoworlds.worlds.episode import REJECTIONS

_NAMED: dict[str, Callable[[Evaluation], Any]] = {
    "configuration": lambda each: one_line(each.configuration),
    "world": lambda each: each.world,
    "family": lambda each: each.family,
    "interface": lambda each: each.interface,
    "category": lambda each: each.category,
    "quality": lambda each: each.quality,
    "stop_reason": lambda each: one_line(each.stop_reason),
    "reason": lambda each: one_line(each.record["reason"] or ""),
    "knowledge": lambda each: each.judged("knowledge") or "",
    "footing": lambda each: each.judged("footing") or "",
    "claim": lambda each: each.claim,
}
"""Fields of the index with few different values, which are told once."""

_COUNTED: dict[str, Callable[[Evaluation], Any]] = {
    "level": lambda each: each.level,
    "index": lambda each: each.index,
    "trial": lambda each: each.trial,
    "exact": lambda each: each.exact,
    "feasible": lambda each: each.feasible,
    "sufficiency": lambda each: each.sufficiency,
    "call_cap": lambda each: each.call_cap,
    "budget_cap": lambda each: each.budget_cap,
    "executed_calls": lambda each: each.executed_calls,
    "redundant_calls": lambda each: each.redundant_calls,
    "spend": lambda each: each.spend,
    "budget": lambda each: each.budget,
    "utility": lambda each: _short(each.utility),
    "coverage": lambda each: _short(each.coverage),
    "regret": lambda each: _short(each.regret),
}
"""Fields of the index that are numbers."""

_TOKENS = ("input", "output", "reasoning", "cached")

_SCORED = [each for each in MEASURES if isinstance(each.domain, Whole | Number)]
_RULED = [each for each in JUDGED if isinstance(each.domain, Whole | Number)]
SHOWN: tuple[Measure[Any], ...] = (*_SCORED, *_RULED)
"""The measures that are one number; the page draws the others, or says them in words."""

_KEPT = (*(each.name for each in _SCORED), "stop_reason", "turns", "model", "cost", "reason", "observed")


def index(results: Results, missing: str | None) -> str:
    """The index of all evaluations as JSON text, column by column."""
    found = results.evaluations
    named = {name: _told_once([read(each) for each in found]) for name, read in _NAMED.items()}
    counted = {name: [read(each) for each in found] for name, read in _COUNTED.items()}
    counted["solved"] = _solved(found)
    titles = {name: family(name).title for name in results.families}
    measures = [(each.name, each.title, each.unit, f"{each.meaning} {each.caution}".strip()) for each in SHOWN]
    refusals = {status.value: text for status, text in REJECTIONS.items()}
    told: dict[str, Any] = {"count": len(found), "titles": titles, "measures": measures, "refusals": refusals}
    told["scripted"] = [one_line(label) for label in results.configurations if label not in results.candidates]
    return json_text({**told, "missing": missing, "named": named, "counted": counted})


def _solved(found: Sequence[Evaluation]) -> list[int]:
    """By evaluation, in how many trials its configuration solved its world."""
    times = Counter((each.configuration, each.world) for each in found if each.exact)
    return [times[each.configuration, each.world] for each in found]


def _told_once(values: Sequence[str]) -> dict[str, list[Any]]:
    place = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return {"values": list(place), "at": [place[value] for value in values]}


def parts(results: Results, staging: Staging) -> Iterator[tuple[str, str]]:
    """By world, the details of all evaluations on it, packed in the order of the index: what they share is near."""
    found: dict[str, list[Evaluation]] = {name: [] for name in results.worlds}
    for each in results.evaluations:
        found[each.world].append(each)
    for name, evaluations in found.items():
        yield name, packed(_shared([detail(each, staging) for each in evaluations], staging.scenes.get(name)))


def _shared(details: list[dict[str, Any]], scene: Scene | None) -> dict[str, Any]:
    """The details on a world, column by column, with every call (and the place of its answer) and every text told once."""
    calls: dict[tuple[str, str], int] = {}
    texts: dict[str, int] = {}
    for each in details:
        steps = [(turn, calls.setdefault((tool, given), len(calls)), *more) for turn, tool, given, *more in each["steps"]]
        said = [(turn, texts.setdefault(text, len(texts))) for turn, text in each["texts"]]
        each |= {"steps": steps, "texts": said}
    answers = {} if scene is None else scene.answers
    columns = {name: [each[name] for each in details] for name in details[0]}
    return {"calls": [(*call, answers.get(Call(*call))) for call in calls], "texts": list(texts), "columns": columns}


def detail(evaluation: Evaluation, staging: Staging) -> dict[str, Any]:
    """All that the page shows of one evaluation."""
    record, scene = evaluation.record, staging.scenes.get(evaluation.world)
    return {
        **{name: _short(record[name]) for name in _KEPT},
        "judged": {each.name: _short(told) for each in _RULED if (told := evaluation.judged(each.name)) is not None},
        "verdict": one_line(verdict(record, evaluation.judgement)),
        "claim": evaluation.claim,
        "footing": evaluation.judged("footing"),
        "witness": None if staging.discreet else _witnessed(evaluation, {} if scene is None else scene.owners),
        "tokens": None if record["tokens"] is None else [(name, record["tokens"].get(name)) for name in _TOKENS],
        "terms": [(each.name, each.value, each.optimum, each.change, each.better) for each in terms(record)],
        "entries": differences(record, {} if scene is None else scene.owners),
        "decided": record["decision"] is not None,
        "curve": [[calls, _short(share)] for calls, share in evaluation.coverage_curve],
        "steps": evaluation.trajectory,
        "texts": () if staging.discreet else evaluation.texts,
        "risks": evaluation.judged("risk_curve"),
    }


def _witnessed(evaluation: Evaluation, owners: Owners) -> dict[str, Any] | None:
    """What the page shows of a witness: both values, the cells that decide, and where the rival differs from the decision."""
    witness = evaluation.judged("witness")
    if witness is None:
        return None
    cells = [
        (each["table"], " ".join(map(str, each["row"])), each["column"], each["true"], each["possible"])
        for each in witness["cells"]
    ]
    beside = differences({**evaluation.record, "optimal_decision": witness["rival"]}, owners)
    changed = [(each.argument, each.place, each.chosen, each.optimal) for each in beside if each.chosen != each.optimal]
    return {**{name: witness[name] for name in ("value", "rival_value", "reason")}, "cells": cells, "changed": changed}


def _short(value: Any) -> Any:
    """Six decimals are more than the page shows."""
    return round(value, 6) if isinstance(value, float) else value

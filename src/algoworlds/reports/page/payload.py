"""What the page's script reads: a small index of all evaluations, and their details in compressed parts.

Nothing here is markup. All texts are made plain first, so that what a model wrote cannot reorder or hide a line, and
whole numbers that a script could not hold exactly become text.
"""

import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from algoworlds.core.canonical import LIMIT
from algoworlds.families import family
from algoworlds.grid import one_line, plain
from algoworlds.measures.domain import Number, Whole
from algoworlds.measures.judging import JUDGED
from algoworlds.measures.measure import Measure
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.terms import differences, terms
from algoworlds.reports.verdict import verdict

PART = 16
"""Evaluations in one compressed part: large enough to compress well, small enough to open at once."""

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

_SUSPECT = tuple(map(re.compile, (r"\\[ubf]", r"[\x7f-\x9f\u200b-\u206f\ufeff\ud800-\udfff]", r"[\[:,]-?[0-9]{16}")))
"""JSON text that may hold control characters or large numbers; most holds neither and need not be walked through."""

_SCORED = [each for each in MEASURES if isinstance(each.domain, Whole | Number)]
_RULED = [each for each in JUDGED if isinstance(each.domain, Whole | Number)]
SHOWN: tuple[Measure[Any], ...] = (*_SCORED, *_RULED)
"""The measures that are one number; the page draws the others, or says them in words."""

_KEPT = (*(each.name for each in _SCORED), "stop_reason", "turns", "model", "cost", "reason", "observed")


def index(results: Results) -> str:
    """The index of all evaluations as JSON text, column by column."""
    found = results.evaluations
    named = {name: _told_once([read(each) for each in found]) for name, read in _NAMED.items()}
    counted = {name: [read(each) for each in found] for name, read in _COUNTED.items()}
    counted["solved"] = _solved(found)
    titles = {name: family(name).title for name in results.families}
    measures = [(each.name, each.title, each.unit, f"{each.meaning} {each.caution}".strip()) for each in SHOWN]
    return _json(
        {"part": PART, "count": len(found), "titles": titles, "measures": measures, "named": named, "counted": counted}
    )


def _solved(found: Sequence[Evaluation]) -> list[int]:
    """By evaluation, in how many trials its configuration solved its world."""
    times = Counter((each.configuration, each.world) for each in found if each.exact)
    return [times[each.configuration, each.world] for each in found]


def _told_once(values: Sequence[str]) -> dict[str, list[Any]]:
    place = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return {"values": list(place), "at": [place[value] for value in values]}


def parts(results: Results) -> Iterator[str]:
    """The details of all evaluations in the same order: base64 of raw deflate of JSON, some evaluations a part."""
    found = results.evaluations
    for start in range(0, len(found), PART):
        yield packed([detail(each) for each in found[start : start + PART]])


def packed(value: Any) -> str:
    """A value as base64 of raw deflate of JSON, which the page inflates when it is asked for."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(squeeze.compress(_json(value).encode()) + squeeze.flush()).decode()


def detail(evaluation: Evaluation) -> dict[str, Any]:
    """All that the page shows of one evaluation."""
    record = evaluation.record
    return {
        **{name: _short(record[name]) for name in _KEPT},
        **{each.name: _short(told) for each in _RULED if (told := evaluation.judged(each.name)) is not None},
        "verdict": one_line(verdict(record, evaluation.judgement)),
        "claim": evaluation.claim,
        "footing": evaluation.judged("footing"),
        "witness": _witnessed(evaluation),
        "tokens": None if record["tokens"] is None else [(name, record["tokens"].get(name)) for name in _TOKENS],
        "terms": [(each.name, each.value, each.optimum, each.change, each.better) for each in terms(record)],
        "entries": differences(record),
        "decided": record["decision"] is not None,
        "curve": [[calls, _short(share)] for calls, share in evaluation.coverage_curve],
        "steps": evaluation.trajectory,
        "texts": evaluation.texts,
    }


def _witnessed(evaluation: Evaluation) -> dict[str, Any] | None:
    """What the page shows of a witness: both values, the cells that decide, and where the rival differs from the decision."""
    witness = evaluation.judged("witness")
    if witness is None:
        return None
    cells = [
        (each["table"], " ".join(map(str, each["row"])), each["column"], each["true"], each["possible"])
        for each in witness["cells"]
    ]
    beside = differences({**evaluation.record, "optimal_decision": witness["rival"]})
    changed = [(each.argument, each.place, each.chosen, each.optimal) for each in beside if each.chosen != each.optimal]
    return {**{name: witness[name] for name in ("value", "rival_value", "reason")}, "cells": cells, "changed": changed}


def _short(value: Any) -> Any:
    """Six decimals are more than the page shows."""
    return round(value, 6) if isinstance(value, float) else value


def _json(value: Any) -> str:
    text = _dumps(value)
    return _dumps(_safe(value)) if any(each.search(text) for each in _SUSPECT) else text


def _dumps(value: Any) -> str:
    return dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _safe(value: Any) -> Any:
    """A value whose texts are plain and whose whole numbers a script holds exactly."""
    match value:
        case str():
            return plain(value)
        case int() if abs(value) >= LIMIT:
            return str(value)
        case Mapping():
            return {plain(str(name)): _safe(each) for name, each in value.items()}
        case list() | tuple():
            return [_safe(each) for each in value]
    return value

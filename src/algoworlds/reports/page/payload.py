"""What the script of the page reads: an index of all evaluations, and by world a replay and the details of its evaluations.

The replay of a world has its question, its tools and every response, recomputed from the suite: records store calls but no
responses. A response depends only on the world and the call, so each one is computed once for all evaluations, and a row that
several responses share is stored once. A detail refers to calls and responses by index.

None of this is markup. Control characters are removed from all texts, so that nothing a model wrote can reorder or hide a
line, and integers that a script cannot hold exactly become text.
"""

import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json import dumps
from operator import attrgetter
from typing import Any

from algoworlds.core.canonical import JSON_INTEGER_LIMIT, JsonObject
from algoworlds.core.tool import Call
from algoworlds.families import load_family
from algoworlds.grid import strip_control_chars, to_one_line
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.measures.measure import Integer, Measure, Number
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.decision_comparison import OwnersById, decision_differences, objective_terms, owners_by_id
from algoworlds.reports.evaluation import Evaluation, EvaluationId
from algoworlds.reports.notes import EvaluationNotes, default_notes
from algoworlds.reports.results import Results
from algoworlds.reports.verdict import verdict_text
from algoworlds.suites.open import Suite
from algoworlds.worlds.episode import REJECTION_TEXTS, Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World

# -- encoding -------------------------------------------------------------------------------------------------------------

_SUSPECT = tuple(map(re.compile, (r"\\[ubf]", r"[\x7f-\x9f\u200b-\u206f\ufeff\ud800-\udfff]", r"[\[:,]-?[0-9]{16}")))
"""JSON text that may contain control characters or large integers; all other text needs no second pass."""


def pack_json(value: Any) -> str:
    """Encode `value` as base64 of raw deflate of JSON; the page inflates it on demand."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(compressor.compress(safe_json(value).encode()) + compressor.flush()).decode()


def safe_json(value: Any) -> str:
    """Encode `value` as JSON text that is safe to show and exact to read."""
    text = _to_json(value)
    return _to_json(_sanitize(value)) if any(pattern.search(text) for pattern in _SUSPECT) else text


def _to_json(value: Any) -> str:
    return dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sanitize(value: Any) -> Any:
    match value:
        case str():
            return strip_control_chars(value)
        case int() if abs(value) >= JSON_INTEGER_LIMIT:
            return str(value)
        case Mapping():
            return {strip_control_chars(str(name)): _sanitize(item) for name, item in value.items()}
        case list() | tuple():
            return [_sanitize(item) for item in value]
    return value


# -- replays --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorldReplay:
    """What the page shows of a world: question, tools and responses packed for its script, and the owners of ids."""

    packed_json: str
    answer_indices: Mapping[Call, int]
    """The index of the response to each call."""
    owners: Mapping[str, tuple[str, ...]]
    """By id that a decision can list, the public entities that it belongs to: a title, a stage, participants."""


@dataclass(frozen=True)
class Replays:
    """The replays of a report by world, or the reason why it has none."""

    by_world: Mapping[str, WorldReplay]
    missing_reason: str | None = None
    omits_responses: bool = False
    """Whether the report must also omit everything else that may repeat responses."""
    notes: Mapping[EvaluationId, EvaluationNotes] = field(default_factory=dict)
    """Why evaluations ended and what models thought, beyond their records."""


REPLAYS_WITHOUT_SUITE = Replays(
    {}, "The suite was not at hand when this report was written, so that it does not hold what the tools told."
)
REPLAYS_OMITTED = Replays(
    {}, "This report was written without what the tools told, so that it can be shared.", omits_responses=True
)


def build_replays(suite: Suite, evaluations: Iterable[Evaluation]) -> Replays:
    """The replay of every world in `evaluations`, with all calls that were executed there."""
    calls_by_world: dict[str, dict[Call, None]] = {}
    for evaluation in evaluations:
        executed = [step for step in evaluation.trajectory if step.status == Status.EXECUTED.value]
        calls = {Call(step.tool, step.arguments): None for step in executed}
        calls_by_world.setdefault(evaluation.world, {}).update(calls)
    return Replays({name: build_replay(suite.world(suite.entry(name)), calls) for name, calls in calls_by_world.items()})


def build_replay(world: World, calls: Iterable[Call]) -> WorldReplay:
    """The replay of `world` with the responses to `calls`; a call that would be rejected has none."""
    tables, answers, indices = _ResponseTables(), list[Any](), dict[Call, int]()
    for call in calls:
        observation = Episode(world).call(*call)
        if observation.status is Status.EXECUTED:
            indices[call] = len(answers)
            answers.append(tables.add_response(observation.json))
    tools = [(tool["name"], world.prices.get(tool["name"]), tool["description"]) for tool in world.tools]
    packed = pack_json({"question": world.question, "tools": tools, **tables.to_json(), "answers": answers})
    return WorldReplay(packed, indices, owners_by_id(world))


class _ResponseTables:
    """The distinct rows of all responses by table; a response refers to them by index."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, list[str], dict[str, tuple[int, Any]]]] = {}

    def add_response(self, response: Mapping[str, Any]) -> Any:
        """[[table, [first row, count, ...]], ...] for an information call, feasibility and value for an evaluation."""
        if "records" not in response:
            return {name: response[name] for name in ("feasible", "value") if name in response}
        return [[*self._add_rows(name, table)] for name, table in response["records"].items()]

    def _add_rows(self, name: str, table: Mapping[str, Any]) -> tuple[int, list[int]]:
        """The number of the table `name`, and run lengths of its rows: first row, count, first row, count, ..."""
        number, _, index_by_row = self._tables.setdefault(name, (len(self._tables), table["columns"], {}))
        runs: list[int] = []
        for row in table["rows"]:
            index, _ = index_by_row.setdefault(str(row), (len(index_by_row), row))
            if runs and index == runs[-2] + runs[-1]:
                runs[-1] += 1
            else:
                runs += [index, 1]
        return number, runs

    def to_json(self) -> JsonObject:
        """Tables as name, columns, whether each column has ids, and cells by column; ids are numbered, since most recur."""
        ids: dict[str, int] = {}
        tables = []
        for name, (_, heads, rows) in self._tables.items():
            columns = list(zip(*(row for _, row in rows.values()), strict=True)) or [()] * len(heads)
            has_ids = [any(map(_contains_ids, cells)) for cells in columns]
            encoded = [_number_ids(cells, ids) if ids_here else cells for ids_here, cells in zip(has_ids, columns, strict=True)]
            tables.append((name, heads, has_ids, encoded))
        return {"ids": list(ids), "tables": tables}


def _contains_ids(cell: Any) -> bool:
    return isinstance(cell, str) or (isinstance(cell, list) and any(map(_contains_ids, cell)))


def _number_ids(cell: Any, ids: dict[str, int]) -> Any:
    """`cell`, or a nested sequence of cells, with every id replaced by its number in `ids`."""
    return ids.setdefault(cell, len(ids)) if isinstance(cell, str) else [_number_ids(item, ids) for item in cell]


# -- evaluations ----------------------------------------------------------------------------------------------------------

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
    texts = {name: _with_values([read(row) for row in evaluations]) for name, read in _TEXT_FIELDS.items()}
    numbers = {name: [_round_float(getattr(row, name)) for row in evaluations] for name in _NUMBER_FIELDS}
    solved = Counter((row.configuration, row.world) for row in evaluations if row.exact)
    numbers["solved"] = [solved[row.configuration, row.world] for row in evaluations]
    document: JsonObject = {
        "count": len(evaluations),
        "titles": {name: load_family(name).title for name in results.families},
        "measures": [
            (measure.name, measure.title, measure.unit, f"{measure.meaning} {measure.caution}".strip())
            for measure in NUMERIC_MEASURES
        ],
        "refusals": {status.value: text for status, text in REJECTION_TEXTS.items()},
        "scripted": [to_one_line(label) for label in results.configurations if label not in results.candidates],
    }
    return safe_json({**document, "missing": missing, "texts": texts, "numbers": numbers})


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


def _share_calls(details: list[JsonObject], replay: WorldReplay | None) -> JsonObject:
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


def evaluation_detail(evaluation: Evaluation, replays: Replays) -> JsonObject:
    """Everything that the page shows of one evaluation."""
    record, replay = evaluation.record, replays.by_world.get(evaluation.world)
    owners = {} if replay is None else replay.owners
    judged = {measure.name: evaluation.judged_value(measure.name) for measure in _JUDGED}
    notes = replays.notes.get(evaluation.id) or default_notes(evaluation)
    return {
        **{name: _round_float(record[name]) for name in _RECORD_FIELDS},
        "judged": {name: _round_float(value) for name, value in judged.items() if value is not None},
        "ended": to_one_line(notes.ended),
        "output": notes.output,
        "thinking": [(*turn[:4], _round_float(turn.seconds)) for turn in notes.thinking],
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


def _witness_detail(evaluation: Evaluation, owners: OwnersById) -> JsonObject | None:
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

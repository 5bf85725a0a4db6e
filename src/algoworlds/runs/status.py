"""The status of a run, read from its files alone; safe while the run goes on."""

from collections import Counter
from typing import Any

from algoworlds.runs.directory import RunDirectory, sort_slots
from algoworlds.runs.journal import read_journal_if_exists
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import PlayerKind

FAILURE_STOP_REASONS = (Event.AGENT_ERROR.value, Event.TIME_LIMIT.value)
"""Stop reasons of external agents that failed."""


def run_status(directory: RunDirectory) -> dict[str, Any]:
    """Counts of evaluations, outcomes, stop reasons, tokens, cost and attempts, and the latest reason of each failure."""
    plan, slots = directory.document["plan"], sort_slots(directory.finished_slots)
    records = list(map(directory.read_record, slots))
    attempts = read_attempts(directory)
    failures = [attempt for attempt in attempts if attempt["fault"]]
    costs = [record["cost"] for record in records]
    return {
        "configuration": plan["label"],
        "kind": plan["kind"],
        "suite": plan["suite"],
        "identity": directory.document["identity"],
        "trials": plan["trials"],
        "scheduled": len(directory.schedule),
        "finished": len(records),
        "pending": len(directory.schedule) - len(records),
        "exact": sum(record["exact"] for record in records),
        "outcomes": dict(sorted(Counter(record["outcome"] for record in records).items())),
        "stop_reasons": dict(sorted(Counter(record["stop_reason"] for record in records).items())),
        "tokens": {kind: _total_tokens(records, kind) for kind in ("input", "output", "reasoning", "cached")},
        "cost": None if None in costs or not costs else sum(costs),
        "restarts": sum(starts - 1 for starts in repeated_starts(directory).values()),
        "requests": len(attempts),
        "retries": sum(attempt["number"] > 1 for attempt in attempts),
        "faults": dict(sorted(Counter(attempt["fault"] for attempt in failures).items())),
        "reasons": {attempt["fault"]: attempt.get("detail") for attempt in failures}
        | _agent_failures(directory, slots, records),
    }


def _agent_failures(directory: RunDirectory, slots: list[Slot], records: list[dict[str, Any]]) -> dict[str, str]:
    """By stop reason, the latest detail that a failed external agent left in its journal."""
    details: dict[str, str] = {}
    if directory.kind is PlayerKind.EXTERNAL:
        for slot, record in zip(slots, records, strict=True):
            if (reason := record["stop_reason"]) in FAILURE_STOP_REASONS:
                *_, last = directory.read_journal(slot) or [None]
                if isinstance(last, dict) and isinstance(last.get("detail"), str):
                    details[reason] = last["detail"]
    return details


def repeated_starts(directory: RunDirectory) -> dict[Slot, int]:
    """The number of starts of each external agent that was started more than once, because it was ended from outside."""
    if directory.kind is not PlayerKind.EXTERNAL:
        return {}
    counts = {slot: sum("start" in line for line in directory.read_journal(slot)) for slot in directory.schedule}
    return {slot: starts for slot, starts in counts.items() if starts > 1}


def read_attempts(directory: RunDirectory) -> list[dict[str, Any]]:
    """Every attempt at a request that the run has logged."""
    return read_journal_if_exists(directory.path / "attempts.jsonl")[0]


def _total_tokens(records: list[dict[str, Any]], kind: str) -> int | None:
    """Tokens of `kind` over all records that state them; None if none does."""
    counts = [record["tokens"][kind] for record in records if record["tokens"] and record["tokens"][kind] is not None]
    return sum(counts) if counts else None

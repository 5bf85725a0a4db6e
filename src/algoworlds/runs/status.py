"""How a run stands, read from its files alone; safe while the run goes on."""

from collections import Counter
from typing import Any

from algoworlds.runs.directory import RunDirectory, in_order
from algoworlds.runs.journal import held
from algoworlds.runs.outcome import Event
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import Kind

FAILURES = (Event.AGENT_ERROR.value, Event.TIME_LIMIT.value)
"""Stop reasons of agents that did not come to an end by themselves."""


def status(directory: RunDirectory) -> dict[str, Any]:
    """Counts of evaluations, outcomes, stop reasons, tokens, cost and attempts, and why attempts failed, in the last words."""
    plan, slots = directory.document["plan"], in_order(directory.finished)
    documents = list(map(directory.record, slots))
    attempts = attempts_of(directory)
    costs = [each["cost"] for each in documents]
    return {
        "configuration": plan["label"],
        "kind": plan["kind"],
        "suite": plan["suite"],
        "identity": directory.document["identity"],
        "trials": plan["trials"],
        "scheduled": len(directory.schedule),
        "finished": len(documents),
        "pending": len(directory.schedule) - len(documents),
        "exact": sum(each["exact"] for each in documents),
        "outcomes": dict(sorted(Counter(each["outcome"] for each in documents).items())),
        "stop_reasons": dict(sorted(Counter(each["stop_reason"] for each in documents).items())),
        "tokens": {kind: _total(documents, kind) for kind in ("input", "output", "reasoning", "cached")},
        "cost": None if None in costs or not costs else sum(costs),
        "restarts": sum(starts - 1 for starts in starts_of(directory).values()),
        "requests": len(attempts),
        "retries": sum(each["number"] > 1 for each in attempts),
        "faults": dict(sorted(Counter(each["fault"] for each in attempts if each["fault"]).items())),
        "reasons": {each["fault"]: each.get("detail") for each in attempts if each["fault"]}
        | _own_words(directory, slots, documents),
    }


def _own_words(directory: RunDirectory, slots: list[Slot], documents: list[dict[str, Any]]) -> dict[str, str]:
    """What was said last on each way in which agents of others failed."""
    said: dict[str, str] = {}
    if directory.kind is Kind.EXTERNAL:
        for slot, each in zip(slots, documents, strict=True):
            if (ending := each["stop_reason"]) in FAILURES:
                *_, last = directory.journaled(slot) or [None]
                said |= {ending: last["detail"]} if isinstance(last, dict) and isinstance(last.get("detail"), str) else {}
    return said


def starts_of(directory: RunDirectory) -> dict[Slot, int]:
    """How often the agents of others were started that were started more than once: something from outside had ended them."""
    if directory.kind is not Kind.EXTERNAL:
        return {}
    found = {slot: sum("start" in line for line in directory.journaled(slot)) for slot in directory.schedule}
    return {slot: starts for slot, starts in found.items() if starts > 1}


def attempts_of(directory: RunDirectory) -> list[dict[str, Any]]:
    """Every attempt at a request that the run has logged."""
    return held(directory.path / "attempts.jsonl")[0]


def _total(documents: list[dict[str, Any]], kind: str) -> int | None:
    """Tokens of a kind over all records that tell them; None if none does."""
    known = [each["tokens"][kind] for each in documents if each["tokens"] is not None and each["tokens"][kind] is not None]
    return sum(known) if known else None

"""Tables of how episodes ended and of what it took to get the provider's answers."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from algoworlds.errors import InputError
from algoworlds.reports.aggregate import mean
from algoworlds.reports.evaluation import STOPS, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Column, Row, Sheet, counted, decimals, sheet

Attempts = Mapping[str, Sequence[Mapping[str, Any]]]
"""Provider attempts by configuration: world, trial, turn, number, status, fault, seconds, waited."""


def stops(results: Results) -> Sheet:
    """How many evaluations ended for each reason."""
    present = {each.stop_reason for each in results.evaluations}
    reasons = [name for name in STOPS if name in present]
    rows: list[Row] = [_counts(results, label, reasons) for label in results.configurations]
    columns = [
        Column(f"stop {name}", name.replace("_", " ").capitalize(), counted, (("stop_reason", name),)) for name in reasons
    ]
    return sheet("stops", results, [CONFIGURATION, Column("evaluations", "Evaluations", counted), *columns], rows)


def _counts(results: Results, label: str, reasons: Sequence[str]) -> Row:
    found = [each.stop_reason for trial in results.trials(label) for each in trial]
    return {"configuration": label, "evaluations": len(found)} | {f"stop {name}": found.count(name) for name in reasons}


def retries(results: Results, attempts: Attempts) -> Sheet | None:
    """Requests, retries and faults, and whether evaluations with a fault fared differently; None without attempts."""
    _refuse_foreign(results, attempts)
    labels = [label for label in results.configurations if attempts.get(label)]
    columns = [
        CONFIGURATION,
        Column("requests", "Requests", counted),
        Column("retried", "Retried requests", counted),
        Column("failed", "Failed attempts", counted),
        Column("faults", "Faults", str),
        Column("waited", "Seconds waited", decimals(0)),
        Column("exact_with", "Exact optimality with a failed attempt", decimals(1)),
        Column("exact_without", "Exact optimality without", decimals(1)),
    ]
    return (
        sheet("retries", results, columns, [_retried(results, label, attempts[label]) for label in labels]) if labels else None
    )


def _retried(results: Results, label: str, attempts: Sequence[Mapping[str, Any]]) -> Row:
    numbers = [each["number"] for each in attempts]
    touched = {(each["world"], each["trial"]) for each in attempts if each["fault"] is not None}
    faults = [each["fault"] for each in attempts if each["fault"] is not None]
    return {
        "configuration": label,
        "requests": numbers.count(1),
        "retried": numbers.count(2),
        "failed": len(faults),
        "faults": ", ".join(f"{name} {faults.count(name)}" for name in sorted(set(faults))) or "none",
        "waited": math.fsum(each["waited"] for each in attempts),
        "exact_with": _rate(results, label, lambda each: (each.world, each.trial) in touched),
        "exact_without": _rate(results, label, lambda each: (each.world, each.trial) not in touched),
    }


def _rate(results: Results, label: str, given: Callable[[Evaluation], bool]) -> float | None:
    values = [100 * each.exact for trial in results.trials(label) for each in trial if given(each)]
    return mean(values) if values else None


def _refuse_foreign(results: Results, attempts: Attempts) -> None:
    known = {each.id for each in results.evaluations}
    for label, rows in attempts.items():
        foreign = {(each["world"], each["trial"]) for each in rows if (label, each["world"], each["trial"]) not in known}
        if foreign:
            world, trial = min(foreign)
            raise InputError(
                f"{len(foreign):,} evaluations have attempts but no record, the first {label!r} {world} trial {trial}"
            )

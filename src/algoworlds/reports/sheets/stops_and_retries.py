"""Sheets about the protocol: rejected calls, how episodes ended, provider attempts and restarted agents."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from algoworlds.reports.aggregate import mean
from algoworlds.reports.evaluation import FINAL_STOP_REASONS, UNDECIDED_OUTCOMES, Evaluation
from algoworlds.reports.results import Attempt, Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects,
    decimals,
    format_count,
)
from algoworlds.suites.record import NOT_FIRST
from algoworlds.worlds.episode import REJECTION_TEXTS

# -- stop reasons -----------------------------------------------------------------------------------------------------


def _stop_columns(results: Results) -> list[SheetColumn]:
    """One column per stop reason that occurs."""

    def count(name: str, trials: Sequence[Sequence[Evaluation]]) -> int:
        return sum(evaluation.stop_reason == name for trial in trials for evaluation in trial)

    present = {evaluation.stop_reason for evaluation in results.evaluations}
    return [
        SheetColumn(
            f"stop {name}", name.replace("_", " ").capitalize(), format_count, partial(count, name), (("stop_reason", name),)
        )
        for name in FINAL_STOP_REASONS
        if name in present
    ]


STOP_REASONS = Sheet(
    "stops",
    "How episodes ended",
    DETAILS_SECTION,
    """How episodes ended: number of evaluations by stop reason over all trials. A stop reason is not an outcome: a
    submitted decision may be infeasible.""",
    configuration_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("evaluations", "Evaluations", format_count, lambda trials: sum(map(len, trials))),
        _stop_columns,
    ),
)

# -- rejected calls ---------------------------------------------------------------------------------------------------

REJECTION_HEADS = {status.value: f"Rejected: {status.value.replace('_', ' ')}" for status in REJECTION_TEXTS} | {
    NOT_FIRST: "Rejected: not first of its turn"
}
"""By status of a rejected call, the head of its column."""


def _count_calls(statuses: Collection[str], trials: Sequence[Sequence[Evaluation]]) -> int:
    return sum(call.status in statuses for trial in trials for evaluation in trial for call in evaluation.trajectory)


def _rejection_columns(results: Results) -> list[SheetColumn]:
    """One column per kind of rejection that occurs."""
    present = {call.status for evaluation in results.evaluations for call in evaluation.trajectory}
    return [
        SheetColumn(f"rejected {status}", head, format_count, partial(_count_calls, (status,)))
        for status, head in REJECTION_HEADS.items()
        if status in present
    ]


def _protocol_stop_columns(results: Results) -> list[SheetColumn]:
    return [replace(column, head=f"Ended: {column.head.lower()}") for column in _stop_columns(results)]


PROTOCOL = Sheet(
    "protocol",
    "Rejected calls and reasons for ending",
    DETAILS_SECTION,
    """How configurations kept to the protocol: calls that were tried and those that were rejected, by kind, and evaluations
    by the reason why they ended, with those that ended without a decision; counts over all trials. A rejected call costs
    nothing and reveals nothing, but it uses up one of the calls that are allowed.""",
    configuration_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn(
            "calls", "Calls tried", format_count, lambda trials: sum(len(row.trajectory) for trial in trials for row in trial)
        ),
        SheetColumn("rejected", "Rejected calls", format_count, partial(_count_calls, REJECTION_HEADS)),
        _rejection_columns,
        SheetColumn(
            "undecided",
            "No decision",
            format_count,
            lambda trials: sum(row.outcome in UNDECIDED_OUTCOMES for trial in trials for row in trial),
        ),
        _protocol_stop_columns,
    ),
)

# -- provider attempts ------------------------------------------------------------------------------------------------


class AttemptStats(NamedTuple):
    """Provider attempts of a configuration, and its evaluations with and without a failed attempt."""

    attempts: Sequence[Attempt]
    with_fault: list[Evaluation]
    without: list[Evaluation]

    @property
    def faults(self) -> list[Any]:
        """The faults of all failed attempts."""
        return [attempt["fault"] for attempt in self.attempts if attempt["fault"] is not None]

    def count_with_number(self, number: int) -> int:
        """How many attempts were the `number`-th of their request."""
        return sum(attempt["number"] == number for attempt in self.attempts)


def _attempt_subjects(results: Results) -> list[RowSubject]:
    """One row per configuration with provider attempts."""
    rows = []
    for label in results.configurations:
        if attempts := results.attempts.get(label):
            failed = {(attempt["world"], attempt["trial"]) for attempt in attempts if attempt["fault"] is not None}
            split: dict[bool, list[Evaluation]] = {True: [], False: []}
            for evaluation in (row for trial in results.trials(label) for row in trial):
                split[(evaluation.world, evaluation.trial) in failed].append(evaluation)
            rows.append(RowSubject({"configuration": label}, AttemptStats(attempts, split[True], split[False])))
    return rows


def _exact_rate(evaluations: Sequence[Evaluation]) -> float | None:
    return mean([100 * evaluation.exact for evaluation in evaluations]) if evaluations else None


RETRIES = Sheet(
    "retries",
    "Provider attempts",
    DETAILS_SECTION,
    """Provider attempts: requests, those that needed a second attempt, failed attempts by fault, seconds waited between
    attempts, and exact optimality (percent) of evaluations with and without a failed attempt. Attempts are no outcomes and
    enter no other table.""",
    _attempt_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("requests", "Requests", format_count, lambda stats: stats.count_with_number(1)),
        SheetColumn("retried", "Retried requests", format_count, lambda stats: stats.count_with_number(2)),
        SheetColumn("failed", "Failed attempts", format_count, lambda stats: len(stats.faults)),
        SheetColumn(
            "faults",
            "Faults",
            str,
            lambda stats: ", ".join(f"{name} {count}" for name, count in sorted(Counter(stats.faults).items())) or "none",
        ),
        SheetColumn(
            "waited", "Seconds waited", decimals(0), lambda stats: math.fsum(attempt["waited"] for attempt in stats.attempts)
        ),
        SheetColumn(
            "exact_with", "Exact optimality with a failed attempt", decimals(1), lambda stats: _exact_rate(stats.with_fault)
        ),
        SheetColumn("exact_without", "Exact optimality without", decimals(1), lambda stats: _exact_rate(stats.without)),
    ),
)

# -- agents that were started again -----------------------------------------------------------------------------------


class RestartStats(NamedTuple):
    """Start counts of evaluations whose agent was started more than once, these evaluations, and all others."""

    starts: list[int]
    again: list[Evaluation]
    once: list[Evaluation]


def _restart_subjects(results: Results) -> list[RowSubject]:
    """One row per configuration with an agent that was started again."""
    rows = []
    for label in dict.fromkeys(key.configuration for key in results.starts):
        evaluations = [evaluation for trial in results.trials(label) for evaluation in trial]
        again, once = ([row for row in evaluations if (row.id in results.starts) is restarted] for restarted in (True, False))
        stats = RestartStats([results.starts[evaluation.id] for evaluation in again], again, once)
        rows.append(RowSubject({"configuration": label}, stats))
    return rows


RESTARTS = Sheet(
    "restarts",
    "Agents that were started again",
    DETAILS_SECTION,
    """Agents that were started again: evaluations whose agent something from outside had ended, so that it played anew from the
    beginning; the most starts of one evaluation; and exact optimality (percent) of these and of the others. What came of an
    earlier start is void, but an agent that keeps something elsewhere may have learnt from it.""",
    _restart_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("restarted", "Started again", format_count, lambda stats: len(stats.again)),
        SheetColumn("most", "Most starts", format_count, lambda stats: max(stats.starts)),
        SheetColumn("exact_again", "Exact optimality started again", decimals(1), lambda stats: _exact_rate(stats.again)),
        SheetColumn("exact_once", "Exact optimality of the others", decimals(1), lambda stats: _exact_rate(stats.once)),
    ),
)

"""Sheets of how episodes ended and of what it took to get the provider's answers."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from algoworlds.reports.aggregate import mean
from algoworlds.reports.evaluation import STOPS, Evaluation
from algoworlds.reports.results import Attempt, Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_label
from algoworlds.reports.sheets.sections import DETAILS
from algoworlds.reports.spelling import counted, decimals

# -- stop reasons -----------------------------------------------------------------------------------------------------


def _stopped(name: str, trials: Sequence[Sequence[Evaluation]]) -> int:
    return sum(each.stop_reason == name for trial in trials for each in trial)


def _one_a_reason(results: Results) -> list[SheetColumn]:
    present = {each.stop_reason for each in results.evaluations}
    return [
        SheetColumn(
            f"stop {name}", name.replace("_", " ").capitalize(), counted, partial(_stopped, name), (("stop_reason", name),)
        )
        for name in STOPS
        if name in present
    ]


STOP_REASONS = Sheet(
    "stops",
    "How episodes ended",
    DETAILS,
    """How episodes ended: number of evaluations by stop reason over all trials. A stop reason is not an outcome: a
    submitted decision may be infeasible.""",
    by_label,
    (
        CONFIGURATION,
        SheetColumn("evaluations", "Evaluations", counted, lambda trials: sum(map(len, trials))),
        _one_a_reason,
    ),
)

# -- provider attempts ------------------------------------------------------------------------------------------------


class Tried(NamedTuple):
    """A configuration's provider attempts and its evaluations with and without a failed one."""

    attempts: Sequence[Attempt]
    with_fault: list[Evaluation]
    without: list[Evaluation]

    @property
    def faults(self) -> list[Any]:
        """What went wrong, attempt by attempt."""
        return [each["fault"] for each in self.attempts if each["fault"] is not None]

    def of_number(self, number: int) -> int:
        """How many attempts were the first, the second, ... of their request."""
        return sum(each["number"] == number for each in self.attempts)


def _tried(results: Results) -> list[Subject]:
    labels = [label for label in results.configurations if results.attempts.get(label)]
    return [Subject({"configuration": label}, _of(results, label)) for label in labels]


def _of(results: Results, label: str) -> Tried:
    attempts = results.attempts[label]
    touched = {(each["world"], each["trial"]) for each in attempts if each["fault"] is not None}
    split: dict[bool, list[Evaluation]] = {True: [], False: []}
    for each in (each for trial in results.trials(label) for each in trial):
        split[(each.world, each.trial) in touched].append(each)
    return Tried(attempts, split[True], split[False])


def _rate(found: Sequence[Evaluation]) -> float | None:
    return mean([100 * each.exact for each in found]) if found else None


RETRIES = Sheet(
    "retries",
    "Provider attempts",
    DETAILS,
    """Provider attempts: requests, those that needed a second attempt, failed attempts by fault, seconds waited between
    attempts, and exact optimality (percent) of evaluations with and without a failed attempt. Attempts are no outcomes and
    enter no other table.""",
    _tried,
    (
        CONFIGURATION,
        SheetColumn("requests", "Requests", counted, lambda tried: tried.of_number(1)),
        SheetColumn("retried", "Retried requests", counted, lambda tried: tried.of_number(2)),
        SheetColumn("failed", "Failed attempts", counted, lambda tried: len(tried.faults)),
        SheetColumn(
            "faults",
            "Faults",
            str,
            lambda tried: ", ".join(f"{name} {count}" for name, count in sorted(Counter(tried.faults).items())) or "none",
        ),
        SheetColumn(
            "waited", "Seconds waited", decimals(0), lambda tried: math.fsum(each["waited"] for each in tried.attempts)
        ),
        SheetColumn("exact_with", "Exact optimality with a failed attempt", decimals(1), lambda tried: _rate(tried.with_fault)),
        SheetColumn("exact_without", "Exact optimality without", decimals(1), lambda tried: _rate(tried.without)),
    ),
)

# -- agents that were started again -----------------------------------------------------------------------------------


class Started(NamedTuple):
    """How often the agents of a configuration were started, where it took more than once, and how those did and the others."""

    starts: list[int]
    again: list[Evaluation]
    once: list[Evaluation]


def _started(results: Results) -> list[Subject]:
    labels = dict.fromkeys(each.configuration for each in results.starts)
    return [Subject({"configuration": label}, _starts(results, label)) for label in labels]


def _starts(results: Results, label: str) -> Started:
    made = [each for trial in results.trials(label) for each in trial]
    again, once = ([each for each in made if (each.id in results.starts) is told] for told in (True, False))
    return Started([results.starts[each.id] for each in again], again, once)


RESTARTS = Sheet(
    "restarts",
    "Agents that were started again",
    DETAILS,
    """Agents that were started again: evaluations whose agent something from outside had ended, so that it played anew from the
    beginning; the most starts of one evaluation; and exact optimality (percent) of these and of the others. What came of an
    earlier start is void, but an agent that keeps something elsewhere may have learnt from it.""",
    _started,
    (
        CONFIGURATION,
        SheetColumn("restarted", "Started again", counted, lambda started: len(started.again)),
        SheetColumn("most", "Most starts", counted, lambda started: max(started.starts)),
        SheetColumn("exact_again", "Exact optimality started again", decimals(1), lambda started: _rate(started.again)),
        SheetColumn("exact_once", "Exact optimality of the others", decimals(1), lambda started: _rate(started.once)),
    ),
)

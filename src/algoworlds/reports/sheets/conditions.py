"""Sheets about conditions: what errors in answers cost, beside the clear twins of the same instances.

The tables of the paper, the ranking and the comparisons take clear worlds only; worlds under conditions stand here.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from algoworlds.core.condition import CONDITIONS, condition_title
from algoworlds.families import load_family
from algoworlds.measures.hindsight import Footing
from algoworlds.reports.aggregate import Interval
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import difference_interval, estimate_mean
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONDITION_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    decimals,
    format_signed,
    format_signed_interval,
)
from algoworlds.worlds.observation import Status


class ConditionResults(NamedTuple):
    """The evaluations of a configuration under one condition, and those of their clear twins."""

    evaluations: list[Evaluation]
    twins: list[Evaluation]

    @property
    def paired_difference(self) -> tuple[float, Interval | None] | None:
        """Exact optimality under the condition less that of the same worlds when clear, in points; None without twins."""
        keys = {(one.instance, one.interface, one.trial): one for one in self.twins}
        by_family: dict[str, dict[str, list[int]]] = {}
        for one in self.evaluations:
            twin = keys.get((one.instance, one.interface, one.trial))
            if twin is not None:
                by_family.setdefault(one.family, {}).setdefault(one.instance, []).append(one.exact - twin.exact)
        if not by_family:
            return None
        units = [differences for instances in by_family.values() for differences in instances.values()]
        estimate = estimate_mean(list(map(len, by_family.values())), list(map(sum, units)), list(map(len, units)))
        interval = difference_interval(estimate)
        return 100 * estimate.value, None if interval is None else interval.scale(100)


def _conditioned_evaluations(results: Results) -> Iterable[tuple[str, list[Evaluation], list[Evaluation]]]:
    """By configuration, its evaluations under conditions and its clear ones."""
    source = results if results.conditioned is None else results.conditioned
    for label in source.configurations:
        own = [one for trial in source.trials(label) for one in trial if one.condition]
        is_clear = results.conditioned is not None and label in results.configurations
        clear = [one for trial in results.trials(label) for one in trial] if is_clear else []
        if own:
            yield label, own, clear


def _subjects(by_family: bool) -> Callable[[Results], list[RowSubject]]:
    def subjects(results: Results) -> list[RowSubject]:
        rows = []
        for label, own, clear in _conditioned_evaluations(results):
            families = list(dict.fromkeys(one.family for one in own)) if by_family else [""]
            for family in families:
                for condition in (condition.name for condition in CONDITIONS):
                    chosen = [one for one in own if one.condition == condition and family in ("", one.family)]
                    identity = {"configuration": label, "condition": condition_title(condition)}
                    identity |= {"family": load_family(family).title} if family else {}
                    rows += [RowSubject(identity, ConditionResults(chosen, clear))] if chosen else []
        return rows

    return subjects


def _percent(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return 100 * sum(defined) / len(defined) if defined else None


def _justified_share(one: Evaluation) -> float | None:
    footing = one.judged_value("footing")
    return None if footing is None else float(footing == Footing.JUSTIFIED.value)


def _judged_percent(name: str) -> Callable[[ConditionResults], float | None]:
    return lambda row: _percent(one.judged_value(name) for one in row.evaluations)


def _judged_mean(name: str) -> Callable[[ConditionResults], float | None]:
    def compute(row: ConditionResults) -> float | None:
        percent = _percent(one.judged_value(name) for one in row.evaluations)
        return None if percent is None else percent / 100

    return compute


def _repeats(row: ConditionResults) -> float:
    """The mean number of executed calls that repeat an earlier one in the same words."""
    counts = []
    for one in row.evaluations:
        calls = [(call.tool, call.arguments) for call in one.trajectory if call.status == Status.EXECUTED.value]
        counts.append(len(calls) - len(set(calls)))
    return sum(counts) / len(counts)


def _clear_exact(row: ConditionResults) -> float | None:
    worlds = {(one.instance, one.interface) for one in row.evaluations}
    return _percent(float(one.exact) for one in row.twins if (one.instance, one.interface) in worlds)


_OUTCOMES = (
    SheetColumn("exact", "Exact", decimals(1), lambda row: _percent(float(one.exact) for one in row.evaluations)),
    SheetColumn("justified", "Justified", decimals(1), lambda row: _percent(map(_justified_share, row.evaluations))),
    SheetColumn("best_given", "Best given", decimals(1), _judged_percent("best_given")),
    SheetColumn("repeats", "Read again", decimals(1), _repeats),
)

CONDITION_EFFECTS = Sheet(
    "condition_effects",
    "What a condition costs",
    CONDITION_SECTION,
    """Percent of evaluations under each condition that are exact, justified (exact, and known to be) and best given what was
    read (of those that read everything at least once); the mean number of calls made again; exact optimality of the same worlds
    when clear, and the paired difference to these twins in percentage points, with its 95% interval for new instances.
    Justified and best given need judged runs. The rest of the exact ones is luck.""",
    _subjects(by_family=False),
    (
        SheetColumn("configuration", "Configuration", str),
        SheetColumn("condition", "Condition", str),
        *_OUTCOMES,
        SheetColumn("clear", "Clear twin", decimals(1), _clear_exact),
        SheetColumn(
            "difference", "Difference", format_signed, lambda row: None if (d := row.paired_difference) is None else d[0]
        ),
        SheetColumn(
            "interval",
            "95% interval",
            format_signed_interval,
            lambda row: None if (d := row.paired_difference) is None else d[1],
        ),
    ),
    grouped=True,
)

CONDITION_FAMILIES = Sheet(
    "condition_families",
    "Conditions by task family",
    CONDITION_SECTION,
    """The same by task family, with few instances in every cell; and what two ways to read the answers would have cost, as
    mean regret in reference gaps of the decision that is optimal for them: the average of all answers on a number, and its
    last answer. The decision that is best given what was read costs the acquisition regret.""",
    _subjects(by_family=True),
    (
        SheetColumn("configuration", "Configuration", str),
        SheetColumn("family", "Family", str),
        SheetColumn("condition", "Condition", str),
        *_OUTCOMES,
        SheetColumn("acquisition", "Acquisition regret", decimals(4), _judged_mean("acquisition_regret")),
        SheetColumn("averaging", "Averaging", decimals(4), _judged_mean("averaging_regret")),
        SheetColumn("last", "Last answer", decimals(4), _judged_mean("last_answer_regret")),
    ),
    grouped=True,
)

"""Tables by task family and workload level, and of repeated trials."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from algoworlds.reports.aggregate import Summary, mean, summarize, within
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, FAMILY, Column, Row, Sheet, beside, by_family, decimals, of_family, sheet
from algoworlds.reports.tables.outcomes import MEASURES


def task_results(results: Results) -> Sheet:
    """Exact optimality by family and configuration."""

    def cell(family: str, label: str) -> Summary | None:
        return summarize(within(results, label, of_family(family)), MEASURES["exact_optimality"])

    rows, keys = by_family(results, cell)
    return sheet("task_results", results, _family_columns(results, keys, decimals(1)), rows)


def task_diagnostics(results: Results) -> Sheet:
    """Reference utility and discovery coverage by family and configuration."""
    shown = ("reference_utility", "discovery_coverage")

    def cell(family: str, label: str) -> dict[str, Summary | None]:
        trials = within(results, label, of_family(family))
        return {key: summarize(trials, MEASURES[key]) for key in shown}

    rows, keys = by_family(results, cell)
    return sheet("task_diagnostics", results, _family_columns(results, keys, beside(decimals(1), decimals(1))), rows)


def workload_results(results: Results) -> Sheet:
    """Exact optimality and reference utility by workload level."""
    spell = beside(decimals(1), decimals(1))
    columns = [Column(f"L{level}", f"L{level}", spell, (("level", level),)) for level in results.levels]
    rows: list[Row] = [
        {"configuration": label} | {f"L{level}": _level(results, label, level) for level in results.levels}
        for label in results.configurations
    ]
    return sheet("workload_results", results, [CONFIGURATION, *columns], rows)


def _level(results: Results, label: str, level: int) -> dict[str, Summary | None]:
    trials = within(results, label, lambda each: each.level == level)
    return {key: summarize(trials, MEASURES[key]) for key in ("exact_optimality", "reference_utility")}


def stability(results: Results) -> Sheet:
    """Exact optimality trial by trial, how many trials solve each world, and how far trials agree."""
    most = max(len(results.trials(label)) for label in results.configurations)
    columns = [
        CONFIGURATION,
        *(Column(f"T{trial}", f"T{trial}", decimals(1), (("trial", trial),)) for trial in range(1, most + 1)),
        *(Column(f"solved {times}", f"{times}/{most}", str, (("solved", times),)) for times in range(most + 1)),
        Column("agreement", "Pairwise agreement", decimals(1)),
    ]
    return sheet("stability", results, columns, [_profile(results, label, most) for label in results.configurations])


def _profile(results: Results, label: str, most: int) -> Row:
    trials = results.trials(label)
    rates = [MEASURES["exact_optimality"](trial) for trial in trials]
    times = solved(trials)
    full = len(trials) == most
    return (
        {"configuration": label, "agreement": agreement(trials)}
        | {f"T{place + 1}": rates[place] if place < len(rates) else None for place in range(most)}
        | {f"solved {count}": times.count(count) if full else None for count in range(most + 1)}
    )


def solved(trials: Sequence[Sequence[Evaluation]]) -> list[int]:
    """In how many trials each world was solved to optimality."""
    return [sum(each.exact for each in worlds) for worlds in zip(*trials, strict=True)]


def agreement(trials: Sequence[Sequence[Evaluation]]) -> float | None:
    """The mean percentage of worlds on which two trials have the same status; None with one trial."""
    shares = [
        100 * mean([first.exact == second.exact for first, second in zip(*pair, strict=True)])
        for pair in combinations(trials, 2)
    ]
    return mean(shares) if shares else None


def _family_columns(results: Results, keys: Sequence[str], spell: Callable[[Any], str]) -> list[Column]:
    named = zip(keys, results.configurations, strict=True)
    return [FAMILY, *(Column(key, label, spell, (("configuration", label),)) for key, label in named)]

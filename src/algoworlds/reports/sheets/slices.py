"""Sheets by task family and workload level, and about repeated trials."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Any

from algoworlds.core.work import Sense
from algoworlds.families import load_family
from algoworlds.reports.aggregate import filter_trials, mean, summarize
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.formatting import Formatter, decimals, side_by_side
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RESULTS_SECTION,
    ColumnFactory,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects,
    format_range,
)
from algoworlds.reports.sheets.decisions import TRIAL_MEANS

Trials = Sequence[Sequence[Evaluation]]

# -- by task family -------------------------------------------------------------------------------------------------------

FAMILY_COLUMN = SheetColumn("title", "Task family", str)


def family_subjects(results: Results) -> list[RowSubject]:
    """One row per family, computed from its name."""
    return [RowSubject({"family": name, "title": load_family(name).title}, name) for name in results.families]


def column_per_configuration(compute: Callable[[Trials], Any], formatter: Formatter) -> ColumnFactory:
    """One column per configuration, computed from its evaluations of a family; keyed by position, since labels may clash."""

    def value(results: Results, label: str, name: str) -> Any:
        return compute(filter_trials(results, label, lambda evaluation: evaluation.family == name))

    def columns(results: Results) -> list[SheetColumn]:
        return [
            SheetColumn(
                f"cell {index}", label, formatter, partial(value, results, label), (("configuration", label),), Sense.MAX
            )
            for index, label in enumerate(results.configurations)
        ]

    return columns


def slice_size_caption(key: Callable[[Evaluation], object]) -> Callable[[Results], dict[str, str]]:
    """For captions: the number of worlds and instances in the slices of a trial by `key`."""

    def caption_values(results: Results) -> dict[str, str]:
        slices: dict[object, list[str]] = {}
        for evaluation in results.trials(results.configurations[0])[0]:
            slices.setdefault(key(evaluation), []).append(evaluation.instance)
        worlds, instances = format_range(map(len, slices.values())), format_range(len(set(ids)) for ids in slices.values())
        return {"slice": f"{worlds} worlds on {instances} instances"}

    return caption_values


_FAMILY_SIZES, _LEVEL_SIZES = slice_size_caption(attrgetter("family")), slice_size_caption(attrgetter("level"))


def _summaries(*measures: str) -> Callable[[Trials], Any]:
    return lambda trials: {name: summarize(trials, TRIAL_MEANS[name]) for name in measures}


TASK_RESULTS = Sheet(
    "task_results",
    "By task family",
    RESULTS_SECTION,
    """Exact optimality (percent) by task family: computed within each trial, of {slice} a family, and averaged over
    {trials}. Families differ in more than complexity; the table does not say what makes one hard.""",
    family_subjects,
    (FAMILY_COLUMN, column_per_configuration(lambda trials: summarize(trials, TRIAL_MEANS["exact_optimality"]), decimals(1))),
    caption_values=_FAMILY_SIZES,
    in_paper=True,
    configurations_as_columns=True,
    shade_rates=True,
)

TASK_DIAGNOSTICS = Sheet(
    "task_diagnostics",
    "Utility and coverage by task family",
    DETAILS_SECTION,
    """Reference utility (0-100) / discovery coverage (percent) by task family, each computed within a trial, of {slice} a
    family, and averaged over {trials}. Both are marginal: the table does not pair them within an evaluation.""",
    family_subjects,
    (
        FAMILY_COLUMN,
        column_per_configuration(_summaries("reference_utility", "discovery_coverage"), side_by_side(decimals(1), decimals(1))),
    ),
    caption_values=_FAMILY_SIZES,
    in_paper=True,
    configurations_as_columns=True,
)

# -- by workload level ----------------------------------------------------------------------------------------------------


def _at_level(level: int, trials: Trials) -> Any:
    at_level = [[evaluation for evaluation in trial if evaluation.level == level] for trial in trials]
    return _summaries("exact_optimality", "reference_utility")(at_level)


def _level_columns(results: Results) -> list[SheetColumn]:
    formatter = side_by_side(decimals(1), decimals(1))
    return [
        SheetColumn(f"L{level}", f"L{level}", formatter, partial(_at_level, level), (("level", level),), Sense.MAX)
        for level in results.levels
    ]


WORKLOAD_RESULTS = Sheet(
    "workload_results",
    "By workload level",
    RESULTS_SECTION,
    """Exact optimality / reference utility by workload level, each computed within a trial, of {slice} a level, and
    averaged over {trials}. Levels hold different instances, so a step between neighbours may be composition; the relation
    is descriptive, not an effect of workload.""",
    configuration_subjects,
    (CONFIGURATION_COLUMN, _level_columns),
    caption_values=_LEVEL_SIZES,
    in_paper=True,
)

# -- repeated trials ------------------------------------------------------------------------------------------------------


def solved_counts(trials: Trials) -> list[int]:
    """For every world, the number of trials that solved it to optimality."""
    return [sum(evaluation.exact for evaluation in world) for world in zip(*trials, strict=True)]


def pairwise_agreement(trials: Trials) -> float | None:
    """The mean percentage of worlds on which two trials agree on optimality; None with one trial."""
    shares = [
        100 * mean([first.exact == second.exact for first, second in zip(*pair, strict=True)])
        for pair in combinations(trials, 2)
    ]
    return mean(shares) if shares else None


def max_trials(results: Results) -> int:
    """The largest number of trials of a configuration."""
    return max(len(results.trials(label)) for label in results.configurations)


def _rate(trial: int, trials: Trials) -> float | None:
    return TRIAL_MEANS["exact_optimality"](trials[trial - 1]) if trial <= len(trials) else None


def _trial_columns(results: Results) -> list[SheetColumn]:
    return [
        SheetColumn(f"T{trial}", f"T{trial}", decimals(1), partial(_rate, trial), (("trial", trial),), Sense.MAX)
        for trial in range(1, max_trials(results) + 1)
    ]


def _solved_count_columns(results: Results) -> list[SheetColumn]:
    """For every count, the number of worlds solved that often; configurations with fewer trials have none."""
    most = max_trials(results)

    def worlds(times: int, trials: Trials) -> int | None:
        return solved_counts(trials).count(times) if len(trials) == most else None

    return [
        SheetColumn(f"solved {times}", f"{times}/{most}", str, partial(worlds, times), (("solved", times),))
        for times in range(most + 1)
    ]


STABILITY = Sheet(
    "stability",
    "Repeated trials",
    DETAILS_SECTION,
    """Repeated trials on the same {worlds} worlds: exact optimality (percent) in each trial, the number of worlds solved in
    exactly so many of all trials, and the mean share of worlds (percent) on which two trials agree. It is agreement of the
    status optimal or not, neither a rate of success nor agreement of decisions.""",
    configuration_subjects,
    (
        CONFIGURATION_COLUMN,
        _trial_columns,
        _solved_count_columns,
        SheetColumn("agreement", "Pairwise agreement", decimals(1), pairwise_agreement),
    ),
    in_paper=True,
)

"""Sheets by task family and workload level, and of repeated trials."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from algoworlds.core.work import Sense
from algoworlds.families import family
from algoworlds.reports.aggregate import mean, summarize, within
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Columns, Sheet, SheetColumn, Subject, by_label, span
from algoworlds.reports.sheets.categories import MEANS
from algoworlds.reports.sheets.sections import DETAILS, RESULTS
from algoworlds.reports.spelling import Spelling, beside, decimals

Trials = Sequence[Sequence[Evaluation]]

# -- by task family -------------------------------------------------------------------------------------------------------

FAMILY = SheetColumn("title", "Task family", str)


def by_family(results: Results) -> list[Subject]:
    """One line a family, computed of its name."""
    return [Subject({"family": name, "title": family(name).title}, name) for name in results.families]


def one_a_configuration(cell: Callable[[Trials], Any], spell: Spelling) -> Columns:
    """A column a configuration, computed of its trials' evaluations of a family; keyed by place, so that no label clashes."""

    def value(results: Results, label: str, name: str) -> Any:
        return cell(within(results, label, lambda each: each.family == name))

    def columns(results: Results) -> list[SheetColumn]:
        return [
            SheetColumn(f"cell {place}", label, spell, partial(value, results, label), (("configuration", label),), Sense.MAX)
            for place, label in enumerate(results.configurations)
        ]

    return columns


def slice_sizes(of: Callable[[Evaluation], object]) -> Callable[[Results], dict[str, str]]:
    """A caption's word for how many worlds and instances a slice of each trial holds."""

    def words(results: Results) -> dict[str, str]:
        worlds: dict[object, list[str]] = {}
        for each in results.trials(results.configurations[0])[0]:
            worlds.setdefault(of(each), []).append(each.instance)
        sizes = span(map(len, worlds.values())), span(len(set(found)) for found in worlds.values())
        return {"slice": f"{sizes[0]} worlds on {sizes[1]} instances"}

    return words


_FAMILIES, _LEVELS = slice_sizes(lambda each: each.family), slice_sizes(lambda each: each.level)


def _summaries(*measures: str) -> Callable[[Trials], Any]:
    return lambda trials: {name: summarize(trials, MEANS[name]) for name in measures}


TASK_RESULTS = Sheet(
    "task_results",
    "By task family",
    RESULTS,
    """Exact optimality (percent) by task family: computed within each trial, of {slice} a family, and averaged over
    {trials}. Families differ in more than complexity; the table does not say what makes one hard.""",
    by_family,
    (FAMILY, one_a_configuration(lambda trials: summarize(trials, MEANS["exact_optimality"]), decimals(1))),
    words=_FAMILIES,
    paper=True,
    across=True,
    heated=True,
)

TASK_DIAGNOSTICS = Sheet(
    "task_diagnostics",
    "Utility and coverage by task family",
    DETAILS,
    """Reference utility (0-100) / discovery coverage (percent) by task family, each computed within a trial, of {slice} a
    family, and averaged over {trials}. Both are marginal: the table does not pair them within an evaluation.""",
    by_family,
    (FAMILY, one_a_configuration(_summaries("reference_utility", "discovery_coverage"), beside(decimals(1), decimals(1)))),
    words=_FAMILIES,
    paper=True,
    across=True,
)

# -- by workload level ----------------------------------------------------------------------------------------------------


def _at_level(level: int, trials: Trials) -> Any:
    at_level = [[each for each in trial if each.level == level] for trial in trials]
    return _summaries("exact_optimality", "reference_utility")(at_level)


def _one_a_level(results: Results) -> list[SheetColumn]:
    spell = beside(decimals(1), decimals(1))
    return [
        SheetColumn(f"L{level}", f"L{level}", spell, partial(_at_level, level), (("level", level),), Sense.MAX)
        for level in results.levels
    ]


WORKLOAD_RESULTS = Sheet(
    "workload_results",
    "By workload level",
    RESULTS,
    """Exact optimality / reference utility by workload level, each computed within a trial, of {slice} a level, and
    averaged over {trials}. Levels hold different instances, so a step between neighbours may be composition; the relation
    is descriptive, not an effect of workload.""",
    by_label,
    (CONFIGURATION, _one_a_level),
    words=_LEVELS,
    paper=True,
)

# -- repeated trials ------------------------------------------------------------------------------------------------------


def solved(trials: Trials) -> list[int]:
    """In how many trials each world was solved to optimality."""
    return [sum(each.exact for each in worlds) for worlds in zip(*trials, strict=True)]


def agreement(trials: Trials) -> float | None:
    """The mean percentage of worlds on which two trials have the same status; None with one trial."""
    shares = [
        100 * mean([first.exact == second.exact for first, second in zip(*pair, strict=True)])
        for pair in combinations(trials, 2)
    ]
    return mean(shares) if shares else None


def most_trials(results: Results) -> int:
    """The largest number of trials of a configuration."""
    return max(len(results.trials(label)) for label in results.configurations)


def _rate(trial: int, trials: Trials) -> float | None:
    return MEANS["exact_optimality"](trials[trial - 1]) if trial <= len(trials) else None


def _one_a_trial(results: Results) -> list[SheetColumn]:
    return [
        SheetColumn(f"T{trial}", f"T{trial}", decimals(1), partial(_rate, trial), (("trial", trial),), Sense.MAX)
        for trial in range(1, most_trials(results) + 1)
    ]


def _solved_times(results: Results) -> list[SheetColumn]:
    """How many worlds were solved so many times; a configuration of fewer trials has no such counts."""
    most = most_trials(results)

    def worlds(times: int, trials: Trials) -> int | None:
        return solved(trials).count(times) if len(trials) == most else None

    return [
        SheetColumn(f"solved {times}", f"{times}/{most}", str, partial(worlds, times), (("solved", times),))
        for times in range(most + 1)
    ]


STABILITY = Sheet(
    "stability",
    "Repeated trials",
    DETAILS,
    """Repeated trials on the same {worlds} worlds: exact optimality (percent) in each trial, the number of worlds solved in
    exactly so many of all trials, and the mean share of worlds (percent) on which two trials agree. It is agreement of the
    status optimal or not, neither a rate of success nor agreement of decisions.""",
    by_label,
    (CONFIGURATION, _one_a_trial, _solved_times, SheetColumn("agreement", "Pairwise agreement", decimals(1), agreement)),
    paper=True,
)

"""Sheets by task family, workload level, trial and interface."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

from algoworlds.core.interface import Interface
from algoworlds.core.work import Sense
from algoworlds.families import load_family
from algoworlds.reports.aggregate import Interval, Summary, filter_trials, mean, summarize
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import family_strata, single_instance_note
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    CONFIGURATION_COLUMN,
    DETAILS_SECTION,
    RESULTS_SECTION,
    STATISTICS_SECTION,
    ColumnFactory,
    Formatter,
    RowSubject,
    Sheet,
    SheetColumn,
    configuration_subjects,
    decimals,
    format_p_value,
    format_range,
    format_signed,
    format_signed_interval,
    side_by_side,
)
from algoworlds.reports.sheets.decisions import TRIAL_MEANS
from algoworlds.reports.statistics import PairedDifference, bootstrap_interval, compare_paired, mcnemar_test, resample_counts

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


def _level_columns(results: Results) -> list[SheetColumn]:
    """One column per level."""

    def value(level: int, trials: Trials) -> Any:
        at_level = [[evaluation for evaluation in trial if evaluation.level == level] for trial in trials]
        return _summaries("exact_optimality", "reference_utility")(at_level)

    formatter = side_by_side(decimals(1), decimals(1))
    return [
        SheetColumn(f"L{level}", f"L{level}", formatter, partial(value, level), (("level", level),), Sense.MAX)
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


def _trial_columns(results: Results) -> list[SheetColumn]:
    """One column per trial; configurations with fewer trials have no value."""

    def rate(trial: int, trials: Trials) -> float | None:
        return TRIAL_MEANS["exact_optimality"](trials[trial - 1]) if trial <= len(trials) else None

    return [
        SheetColumn(f"T{trial}", f"T{trial}", decimals(1), partial(rate, trial), (("trial", trial),), Sense.MAX)
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


# -- paired interfaces: the same hidden instances through Direct and Mediated tools ---------------------------------------

_DIRECT, _MEDIATED = Interface.DIRECT.value, Interface.MEDIATED.value


class MatchedPairs(NamedTuple):
    """Matched instance-trial pairs of a configuration: the sum of differences per instance, and all wins and ties."""

    differences: tuple[int, ...]
    trials: int
    direct_wins: int
    mediated_wins: int
    ties: int

    @property
    def delta(self) -> float:
        """Direct minus Mediated in percentage points."""
        return 100 * (self.direct_wins - self.mediated_wins) / (len(self.differences) * self.trials)


def matched_instances(results: Results) -> frozenset[str]:
    """The instances that were played through both interfaces."""
    interfaces: dict[str, set[str]] = {}
    for evaluation in results.trials(results.configurations[0])[0]:
        interfaces.setdefault(evaluation.instance, set()).add(evaluation.interface)
    return frozenset(instance for instance, names in interfaces.items() if {_DIRECT, _MEDIATED} <= names)


def _matched_strata(results: Results) -> list[int]:
    """The number of matched instances of each family."""
    both = matched_instances(results)
    return family_strata(results, lambda evaluation: evaluation.instance in both)


def matched_pairs(results: Results, label: str) -> MatchedPairs:
    """The matched pairs of a configuration."""
    both, trials = matched_instances(results), results.trials(label)
    by_instance: Counter[str] = Counter()
    by_pair: Counter[tuple[str, int]] = Counter()
    for row in (row for trial in trials for row in trial if row.instance in both):
        difference = {_DIRECT: 1, _MEDIATED: -1}.get(row.interface, 0) * row.exact
        by_instance[row.instance] += difference
        by_pair[row.instance, row.trial] += difference
    signs = list(by_pair.values())
    return MatchedPairs(tuple(by_instance.values()), len(trials), signs.count(1), signs.count(-1), signs.count(0))


# -- the paired difference ------------------------------------------------------------------------------------------------


class InterfaceDifference(NamedTuple):
    """Matched pairs of a configuration, both rates, and the interval of their difference."""

    pairs: MatchedPairs
    direct: Summary | None
    mediated: Summary | None
    interval: Interval | None


def _difference_subjects(results: Results) -> list[RowSubject]:
    """One row per configuration; none without matched worlds."""
    both = matched_instances(results)
    if not both:
        return []
    weights = resample_counts([len(both)]) if max(_matched_strata(results)) > 1 else None

    def rate(label: str, interface: str) -> Summary | None:
        trials = filter_trials(
            results, label, lambda evaluation: evaluation.interface == interface and evaluation.instance in both
        )
        return summarize(trials, TRIAL_MEANS["exact_optimality"])

    rows = []
    for label in results.configurations:
        pairs = matched_pairs(results, label)
        sizes = [pairs.trials] * len(pairs.differences)
        interval = None if weights is None else bootstrap_interval(weights, pairs.differences, sizes, 100)
        difference = InterfaceDifference(pairs, rate(label, _DIRECT), rate(label, _MEDIATED), interval)
        rows.append(RowSubject({"configuration": label}, difference))
    return rows


REPRESENTATION_RESULTS = Sheet(
    "representation_results",
    "Direct against Mediated",
    RESULTS_SECTION,
    """Exact optimality of the same instances through the Direct and the Mediated interface: mean rates (percent) over
    {trials}, their difference in percentage points, and its 95% paired bootstrap interval. The bootstrap resamples the
    {matched} instances, each with the mean of its paired differences, 10,000 times; its ends are order statistics (the
    250th and the 9,750th). This is the paper's interval: it makes no allowance for few instances and has no width where no
    instance differs; the one among the tests of this difference does better. {lonely} Wins and ties count matched
    instance-trial pairs; a tie means only that both or neither were optimal. Says nothing of other interfaces.""",
    _difference_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("direct", "Direct", decimals(1), attrgetter("direct"), (("interface", _DIRECT),), Sense.MAX),
        SheetColumn("mediated", "Mediated", decimals(1), attrgetter("mediated"), (("interface", _MEDIATED),), Sense.MAX),
        SheetColumn("delta", "Direct - Mediated", format_signed, attrgetter("pairs.delta")),
        SheetColumn("interval", "95% paired bootstrap interval", format_signed_interval, attrgetter("interval")),
        SheetColumn("direct_wins", "Direct wins", str, attrgetter("pairs.direct_wins")),
        SheetColumn("mediated_wins", "Mediated wins", str, attrgetter("pairs.mediated_wins")),
        SheetColumn("ties", "Ties", str, attrgetter("pairs.ties")),
    ),
    caption_values=lambda results: {
        "matched": len(matched_instances(results)),
        "lonely": single_instance_note(strata) if max(strata := _matched_strata(results)) == 1 else "",
    },
    in_paper=True,
)

# -- its tests ------------------------------------------------------------------------------------------------------------


class InterfaceTest(NamedTuple):
    """Matched pairs of a configuration and the test of their difference."""

    pairs: MatchedPairs
    tested: PairedDifference


def _test_subjects(results: Results) -> list[RowSubject]:
    """One row per model (per agent if there are no models); none without matched worlds."""
    if not matched_instances(results):
        return []
    labels = results.candidates or results.configurations
    matches = [matched_pairs(results, label) for label in labels]
    differences = [pairs.differences for pairs in matches]
    sizes = [[pairs.trials] * len(pairs.differences) for pairs in matches]
    tests = compare_paired(_matched_strata(results), differences, sizes, [1.0] * len(matches))
    return [
        RowSubject({"configuration": label}, InterfaceTest(pairs, tested))
        for label, pairs, tested in zip(labels, matches, tests, strict=True)
    ]


INTERFACE_TESTS = Sheet(
    "interface_tests",
    "Is the interface difference more than chance?",
    STATISTICS_SECTION,
    """Is the Direct-Mediated difference more than chance? Its 95% interval by the standard error within families and
    Student's t, p by the exact sign-flip permutation test over instances, adjusted by Holm over the configurations. The
    reading is of Direct beside Mediated: higher or lower only where interval and adjusted test agree. At the end McNemar's
    exact test over matched pairs, which ignores that trials of an instance are related and is therefore too optimistic; the
    reading does not heed it. {lonely}""",
    _test_subjects,
    (
        CONFIGURATION_COLUMN,
        SheetColumn("delta", "Direct - Mediated", format_signed, attrgetter("pairs.delta")),
        SheetColumn("interval", "95% interval", format_signed_interval, attrgetter("tested.interval")),
        SheetColumn("p", "p (sign flip)", format_p_value, attrgetter("tested.p")),
        SheetColumn("holm", "p (Holm)", format_p_value, attrgetter("tested.holm")),
        SheetColumn("reading", "Reading", str, attrgetter("tested.reading")),
        SheetColumn(
            "mcnemar",
            "p (McNemar)",
            format_p_value,
            lambda test: mcnemar_test(test.pairs.direct_wins, test.pairs.mediated_wins),
        ),
    ),
    caption_values=lambda results: {"lonely": single_instance_note(_matched_strata(results))},
)

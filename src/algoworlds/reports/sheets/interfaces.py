"""Sheets about paired interfaces: the same hidden instances through Direct and Mediated tools."""

from collections import Counter
from operator import attrgetter
from typing import NamedTuple

from algoworlds.core.interface import Interface
from algoworlds.core.work import Sense
from algoworlds.reports.aggregate import Interval, Summary, filter_trials, summarize
from algoworlds.reports.formatting import decimals, format_p_value, format_signed, format_signed_interval
from algoworlds.reports.intervals import difference_interval, estimate_mean, family_strata, single_instance_note
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION_COLUMN, RESULTS_SECTION, STATISTICS_SECTION, RowSubject, Sheet, SheetColumn
from algoworlds.reports.sheets.decisions import TRIAL_MEANS
from algoworlds.reports.statistics import (
    bootstrap_interval,
    holm_adjust,
    interpret_difference,
    mcnemar_test,
    resample_counts,
    sign_flip_test,
)

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
    """Matched pairs of a configuration, the interval of their difference, p, and p adjusted by Holm."""

    pairs: MatchedPairs
    interval: Interval | None
    p: float
    holm: float

    @property
    def interpretation(self) -> str:
        """The conclusion from interval and tests."""
        return interpret_difference(self.interval, self.p, self.holm)


def _test_subjects(results: Results) -> list[RowSubject]:
    """One row per model (per agent if there are no models); none without matched worlds."""
    if not matched_instances(results):
        return []
    labels, strata = results.candidates or results.configurations, _matched_strata(results)
    matches = [matched_pairs(results, label) for label in labels]
    p_values = [sign_flip_test(pairs.differences) for pairs in matches]
    rows = []
    for label, pairs, p, adjusted in zip(labels, matches, p_values, holm_adjust(p_values), strict=True):
        estimate = estimate_mean(strata, pairs.differences, [pairs.trials] * len(pairs.differences))
        interval = difference_interval(estimate)
        scaled = None if interval is None else interval.scale(100)
        rows.append(RowSubject({"configuration": label}, InterfaceTest(pairs, scaled, p, adjusted)))
    return rows


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
        SheetColumn("interval", "95% interval", format_signed_interval, attrgetter("interval")),
        SheetColumn("p", "p (sign flip)", format_p_value, attrgetter("p")),
        SheetColumn("holm", "p (Holm)", format_p_value, attrgetter("holm")),
        SheetColumn("reading", "Reading", str, attrgetter("interpretation")),
        SheetColumn(
            "mcnemar",
            "p (McNemar)",
            format_p_value,
            lambda test: mcnemar_test(test.pairs.direct_wins, test.pairs.mediated_wins),
        ),
    ),
    caption_values=lambda results: {"lonely": single_instance_note(_matched_strata(results))},
)

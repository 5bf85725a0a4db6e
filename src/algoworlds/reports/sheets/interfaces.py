"""Sheets of paired interfaces: the same hidden instances through Direct and Mediated tools."""

from typing import NamedTuple

from algoworlds.core.interface import Interface
from algoworlds.core.work import Sense
from algoworlds.reports.aggregate import Interval, Summary, summarize, within
from algoworlds.reports.clusters import lonely, strata
from algoworlds.reports.intervals import difference_interval, estimate
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject
from algoworlds.reports.sheets.categories import MEANS
from algoworlds.reports.sheets.sections import RESULTS, STATISTICS
from algoworlds.reports.spelling import decimals, probability, signed, signed_interval
from algoworlds.reports.statistics import bootstrap, holm, mcnemar, reading, resample, sign_flip

_DIRECT, _MEDIATED = Interface.DIRECT.value, Interface.MEDIATED.value


class Pairs(NamedTuple):
    """A configuration's matched instance-trial pairs: per instance the sum of differences, and wins and ties over all."""

    differences: tuple[int, ...]
    trials: int
    direct_wins: int
    mediated_wins: int
    ties: int

    @property
    def delta(self) -> float:
        """Direct minus Mediated in percentage points."""
        return 100 * (self.direct_wins - self.mediated_wins) / (len(self.differences) * self.trials)


def matched(results: Results) -> frozenset[str]:
    """The instances that were played through both interfaces."""
    faces: dict[str, set[str]] = {}
    for each in results.trials(results.configurations[0])[0]:
        faces.setdefault(each.instance, set()).add(each.interface)
    return frozenset(instance for instance, seen in faces.items() if {_DIRECT, _MEDIATED} <= seen)


def _families(results: Results) -> list[int]:
    """How many matched instances each family has."""
    both = matched(results)
    return strata(results, lambda each: each.instance in both)


def _lonely(results: Results) -> str:
    return lonely(_families(results))


def pairs(results: Results, label: str) -> Pairs:
    """The matched pairs of a configuration."""
    both, trials = matched(results), results.trials(label)
    sums: dict[str, int] = {}
    single: dict[tuple[str, int], int] = {}
    for each in (each for trial in trials for each in trial if each.instance in both):
        side = {_DIRECT: 1, _MEDIATED: -1}.get(each.interface, 0) * each.exact
        sums[each.instance] = sums.get(each.instance, 0) + side
        single[each.instance, each.trial] = single.get((each.instance, each.trial), 0) + side
    found = list(single.values())
    return Pairs(tuple(sums.values()), len(trials), found.count(1), found.count(-1), found.count(0))


# -- the paired difference ------------------------------------------------------------------------------------------------


class Represented(NamedTuple):
    """A configuration's matched pairs, both rates, and the interval of their difference."""

    pairs: Pairs
    direct: Summary | None
    mediated: Summary | None
    interval: Interval | None


def _represented(results: Results) -> list[Subject]:
    """One line a configuration; none without matched worlds."""
    both = matched(results)
    if not both:
        return []
    weights = resample([len(both)]) if max(_families(results)) > 1 else None

    def rate(label: str, interface: str) -> Summary | None:
        trials = within(results, label, lambda each: each.interface == interface and each.instance in both)
        return summarize(trials, MEANS["exact_optimality"])

    lines = []
    for label in results.configurations:
        found = pairs(results, label)
        sizes = [found.trials] * len(found.differences)
        ends = None if weights is None else bootstrap(weights, found.differences, sizes, 100)
        made = Represented(found, rate(label, _DIRECT), rate(label, _MEDIATED), ends)
        lines.append(Subject({"configuration": label}, made))
    return lines


REPRESENTATION_RESULTS = Sheet(
    "representation_results",
    "Direct against Mediated",
    RESULTS,
    """Exact optimality of the same instances through the Direct and the Mediated interface: mean rates (percent) over
    {trials}, their difference in percentage points, and its 95% paired bootstrap interval. The bootstrap resamples the
    {matched} instances, each with the mean of its paired differences, 10,000 times; its ends are order statistics (the
    250th and the 9,750th). This is the paper's interval: it makes no allowance for few instances and has no width where no
    instance differs; the one among the tests of this difference does better. {lonely} Wins and ties count matched
    instance-trial pairs; a tie means only that both or neither were optimal. Says nothing of other interfaces.""",
    _represented,
    (
        CONFIGURATION,
        SheetColumn("direct", "Direct", decimals(1), lambda each: each.direct, (("interface", _DIRECT),), Sense.MAX),
        SheetColumn("mediated", "Mediated", decimals(1), lambda each: each.mediated, (("interface", _MEDIATED),), Sense.MAX),
        SheetColumn("delta", "Direct - Mediated", signed, lambda each: each.pairs.delta),
        SheetColumn("interval", "95% paired bootstrap interval", signed_interval, lambda each: each.interval),
        SheetColumn("direct_wins", "Direct wins", str, lambda each: each.pairs.direct_wins),
        SheetColumn("mediated_wins", "Mediated wins", str, lambda each: each.pairs.mediated_wins),
        SheetColumn("ties", "Ties", str, lambda each: each.pairs.ties),
    ),
    words=lambda results: {
        "matched": len(matched(results)),
        "lonely": _lonely(results) if max(_families(results)) == 1 else "",
    },
    paper=True,
)

# -- its tests ------------------------------------------------------------------------------------------------------------


class Tested(NamedTuple):
    """A configuration's matched pairs, and p alone and among the configurations."""

    pairs: Pairs
    interval: Interval | None
    p: float
    holm: float

    @property
    def reading(self) -> str:
        """What interval and tests say together."""
        return reading(self.interval, self.p, self.holm)


def _tested(results: Results) -> list[Subject]:
    """One line a model (an agent, where there is no model); none without matched worlds."""
    if not matched(results):
        return []
    labels = results.candidates or results.configurations
    found = [pairs(results, label) for label in labels]
    chances = [sign_flip(each.differences) for each in found]
    return [
        Subject({"configuration": label}, Tested(matches, _interval(results, matches), p, adjusted))
        for label, matches, p, adjusted in zip(labels, found, chances, holm(chances), strict=True)
    ]


def _interval(results: Results, found: Pairs) -> Interval | None:
    sizes = [found.trials] * len(found.differences)
    ends = difference_interval(estimate(_families(results), found.differences, sizes))
    return None if ends is None else ends.times(100)


INTERFACE_TESTS = Sheet(
    "interface_tests",
    "Is the interface difference more than chance?",
    STATISTICS,
    """Is the Direct-Mediated difference more than chance? Its 95% interval by the standard error within families and
    Student's t, p by the exact sign-flip permutation test over instances, adjusted by Holm over the configurations. The
    reading is of Direct beside Mediated: higher or lower only where interval and adjusted test agree. At the end McNemar's
    exact test over matched pairs, which ignores that trials of an instance are related and is therefore too optimistic; the
    reading does not heed it. {lonely}""",
    _tested,
    (
        CONFIGURATION,
        SheetColumn("delta", "Direct - Mediated", signed, lambda each: each.pairs.delta),
        SheetColumn("interval", "95% interval", signed_interval, lambda each: each.interval),
        SheetColumn("p", "p (sign flip)", probability, lambda each: each.p),
        SheetColumn("holm", "p (Holm)", probability, lambda each: each.holm),
        SheetColumn("reading", "Reading", str, lambda each: each.reading),
        SheetColumn(
            "mcnemar", "p (McNemar)", probability, lambda each: mcnemar(each.pairs.direct_wins, each.pairs.mediated_wins)
        ),
    ),
    words=lambda results: {"lonely": _lonely(results)},
)

"""Tables of paired interfaces: the same hidden instances through Direct and Mediated tools."""

from typing import NamedTuple

from algoworlds.core.interface import Interface
from algoworlds.reports.aggregate import Summary, summarize, within
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Column, Row, Sheet, decimals, probability, sheet, signed, signed_interval
from algoworlds.reports.statistics import Counts, bootstrap, holm, mcnemar, resample, sign_flip
from algoworlds.reports.tables.outcomes import MEASURES

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


def representation_results(results: Results) -> Sheet | None:
    """Matched rates, their difference with its paired bootstrap interval, wins and ties; None without matched worlds."""
    both = matched(results)
    if not both:
        return None
    weights = resample([len(both)])
    columns = [
        CONFIGURATION,
        Column("direct", "Direct", decimals(1), (("interface", _DIRECT),)),
        Column("mediated", "Mediated", decimals(1), (("interface", _MEDIATED),)),
        Column("delta", "Direct - Mediated", signed),
        Column("interval", "95% paired bootstrap interval", signed_interval),
        Column("direct_wins", "Direct wins", str),
        Column("mediated_wins", "Mediated wins", str),
        Column("ties", "Ties", str),
    ]
    rows = [_representation(results, label, weights) for label in results.configurations]
    return sheet("representation_results", results, columns, rows, matched=len(both))


def _representation(results: Results, label: str, weights: Counts) -> Row:
    found, both = pairs(results, label), matched(results)

    def rate(interface: str) -> Summary | None:
        trials = within(results, label, lambda each: each.interface == interface and each.instance in both)
        return summarize(trials, MEASURES["exact_optimality"])

    sizes = [found.trials] * len(found.differences)
    return {
        "configuration": label,
        "direct": rate(_DIRECT),
        "mediated": rate(_MEDIATED),
        "delta": found.delta,
        "interval": bootstrap(weights, found.differences, sizes, 100),
        "direct_wins": found.direct_wins,
        "mediated_wins": found.mediated_wins,
        "ties": found.ties,
    }


def interface_tests(results: Results) -> Sheet | None:
    """Tests of the Direct-Mediated difference of models (of agents, where there is no model); None without matched worlds."""
    if not matched(results):
        return None
    found = {label: pairs(results, label) for label in results.models or results.configurations}
    chances = {label: sign_flip(each.differences) for label, each in found.items()}
    adjusted = dict(zip(chances, holm(list(chances.values())), strict=True))
    rows: list[Row] = [
        {
            "configuration": label,
            "delta": each.delta,
            "p": chances[label],
            "holm": adjusted[label],
            "mcnemar": mcnemar(each.direct_wins, each.mediated_wins),
        }
        for label, each in found.items()
    ]
    columns = [
        CONFIGURATION,
        Column("delta", "Direct - Mediated", signed),
        Column("p", "p (sign flip)", probability),
        Column("holm", "p (Holm)", probability),
        Column("mcnemar", "p (McNemar)", probability),
    ]
    return sheet("interface_tests", results, columns, rows)

"""The figures of some results: which numbers each one shows, and their files."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import median_low

from matplotlib.figure import Figure

from algoworlds.core.interface import Interface
from algoworlds.families import family
from algoworlds.knowledge.outlay import PARTS
from algoworlds.reports import figures
from algoworlds.reports.aggregate import Condition, Statistic, Summary, mean, percent, summarize, within
from algoworlds.reports.drawing import FORMATS, PRINT, Size, drawn
from algoworlds.reports.evaluation import OPTIMAL, SUBOPTIMAL, Evaluation
from algoworlds.reports.figures import Course, Levels, Pair, Rate, Split
from algoworlds.reports.headline import headline
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.categories import MEANS
from algoworlds.reports.sheets.interfaces import matched
from algoworlds.reports.teaser import Exemplar, Informed, teaser
from algoworlds.reports.terms import lower_is_better, terms
from algoworlds.suites.record import Kind

EXACT, UTILITY, SUFFICIENT = (MEANS[name] for name in ("exact_optimality", "reference_utility", "information_sufficiency"))

UNVERIFIED = "UNVERIFIED RECORDS"
"""The mark on every figure of records that do not hold; the tables beside it say whose."""


def all_figures(results: Results, size: Size = PRINT) -> dict[str, Figure]:
    """Every figure that the results have data for, by name."""
    labels, example = results.configurations, telling_example(results.evaluations)
    rates, pairs, splits = ([of(results, each) for each in labels] for of in (_rate, _pair, _split))
    mark = UNVERIFIED if results.unverified else ""
    found = {
        "exact_optimality_rates": figures.exact_optimality_rates(rates, size, mark=mark),
        "sufficiency_against_exactness": figures.sufficiency_against_exactness(pairs, size, mark=mark),
        "sufficiency_split": figures.sufficiency_split(splits, size, mark=mark),
    }
    if len(results.levels) > 1:
        found["workload_levels"] = figures.workload_levels([_levels(results, each) for each in labels], size, mark=mark)
    if both := matched(results):
        found["interface_rates"] = figures.interface_rates([_faces(results, each, both) for each in labels], size, mark=mark)
    if courses := list(_courses(results)):
        found["information_prices"] = figures.information_prices(courses, size, mark=mark)
    if example is not None:
        found["objective_breakdown"] = _breakdown(example, size, mark)
        found = {"teaser": teaser(rates, *_teased(results, example), size, mark=mark)} | found
    return found


def figure_files(figures: Mapping[str, Figure]) -> Iterator[tuple[str, bytes]]:
    """Every figure as SVG, PDF and PNG: the files' names and bytes."""
    for name, figure in figures.items():
        for form in FORMATS:
            yield f"{name}.{form}", drawn(figure, form)


def summary(results: Results, label: str, statistic: Statistic) -> Summary:
    """The summary of a statistic that every trial has."""
    found = summarize(results.trials(label), statistic)
    assert found is not None  # results hold no empty trial
    return found


def _rate(results: Results, label: str) -> Rate:
    found = summary(results, label, EXACT)
    trials = tuple(value for value in found.trials if value is not None)
    return Rate(label, _scripted(results, label), found.mean, found.sd, trials)


def _split(results: Results, label: str) -> Split:
    def share(*categories: str) -> float:
        return summary(results, label, percent(lambda each: each.sufficiency and each.category in categories)).mean

    optimal, suboptimal = share(OPTIMAL), share(SUBOPTIMAL)
    sufficient = summary(results, label, SUFFICIENT).mean
    failed = sufficient - optimal - suboptimal
    return Split(label, _scripted(results, label), optimal, suboptimal, max(0.0, failed), 100 - sufficient)


def _pair(results: Results, label: str) -> Pair:
    exact, sufficient = summary(results, label, EXACT).mean, summary(results, label, SUFFICIENT).mean
    return Pair(label, _scripted(results, label), exact, sufficient)


def _levels(results: Results, label: str) -> Levels:
    found = [(level, summarize(within(results, label, _at(level)), EXACT)) for level in results.levels]
    return Levels(label, _scripted(results, label), tuple((level, rate.mean) for level, rate in found if rate is not None))


def _at(level: int) -> Condition:
    return lambda each: each.level == level


def _faces(results: Results, label: str, both: frozenset[str]) -> Pair:
    """Exact optimality through either interface, of the instances that were played through both."""

    def rate(interface: Interface) -> float:
        trials = within(results, label, lambda each: each.instance in both and each.interface == interface.value)
        found = summarize(trials, EXACT)
        return 0.0 if found is None else found.mean

    return Pair(label, _scripted(results, label), rate(Interface.DIRECT), rate(Interface.MEDIATED))


def _scripted(results: Results, label: str) -> bool:
    return results.kinds[label] == Kind.AGENT.value


# -- the price of information ---------------------------------------------------------------------------------------------


def _courses(results: Results) -> Iterator[Course]:
    """By configuration and level, what the optimum risked after each part of the budget, where anything was judged."""
    for label, level in product(results.configurations, results.levels):
        trials = [[each for each in trial if each.level == level] for trial in results.trials(label)]
        if risks := _typical_risks(trials, "risk_curve"):
            yield Course(label, _scripted(results, label), level, risks, _typical_risks(trials, "hindsight_curve"))


def _typical_risks(trials: Sequence[Sequence[Evaluation]], curve: str) -> tuple[float | None, ...]:
    """What was typically risked after each part of the budget, over the evaluations that have such a curve; () without any."""
    told = [[_risks(each, each.judged(curve)) for each in trial if each.judged(curve) is not None] for trial in trials]
    found = [trial for trial in told if trial]
    return tuple(_typical([[each[at] for each in trial] for trial in found]) for at in range(PARTS + 1)) if found else ()


def _typical(trials: Sequence[Sequence[float]]) -> float | None:
    """The lower median within each trial, averaged over the trials; None where it is infinite."""
    found = mean([median_low(trial) for trial in trials])
    return found if math.isfinite(found) else None


def _risks(evaluation: Evaluation, curve: Sequence[Sequence[float]]) -> list[float]:
    """What the optimum risked when each part of the budget could have been spent, as far as it was."""
    parts = [evaluation.budget * at / PARTS for at in range(PARTS + 1)]
    return [next((risk for spent, risk in reversed(curve) if spent <= part), math.inf) for part in parts]


# -- the example of an objective's terms ----------------------------------------------------------------------------------


def telling_example(evaluations: Iterable[Evaluation]) -> Evaluation | None:
    """A decision made on sufficient information that gains on one term and loses more on another.

    Scripted agents come last, informed ones before others, then the largest gain on a term; the first in
    canonical order wins a tie. None if no feasible decision misses the optimum.
    """
    missed = [each for each in evaluations if each.category == SUBOPTIMAL]
    return max(missed, key=_telling, default=None)


def _telling(evaluation: Evaluation) -> tuple[bool, int, float]:
    gains = [abs(term.percent or 0.0) for term in terms(evaluation.record) if term.better]
    return evaluation.kind != Kind.AGENT.value, evaluation.sufficiency, max(gains, default=0.0)


def _teased(results: Results, example: Evaluation) -> tuple[Informed, Exemplar]:
    """Whom the headline is about, and a telling evaluation of it, if there is one."""
    label = headline(results).label
    made = [each for trial in results.trials(label) for each in trial]
    known = [each for each in made if each.sufficiency]
    ends = [sum(each.category == category for each in known) for category in (OPTIMAL, SUBOPTIMAL)]
    return Informed(label, len(made), len(known), ends[0], ends[1]), _exemplar(telling_example(made) or example)


def _exemplar(each: Evaluation) -> Exemplar:
    entries = sum(map(len, each.record["decision"].values()))
    title, lower = family(each.family).title, lower_is_better(each.family)
    return Exemplar(each.configuration, title, bool(each.sufficiency), entries, terms(each.record), lower)


def _breakdown(example: Evaluation, size: Size, mark: str) -> Figure:
    title = f"{example.configuration} on {family(example.family).title}, {example.world}, trial {example.trial}"
    return figures.objective_breakdown(title, terms(example.record), lower_is_better(example.family), size, mark=mark)

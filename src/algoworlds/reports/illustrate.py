"""The figures of some results: which numbers each one shows, and their files."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import median_low

from matplotlib.figure import Figure

from algoworlds.families import family
from algoworlds.measures.outlay import PARTS
from algoworlds.reports import figures
from algoworlds.reports.aggregate import Statistic, Summary, mean, percent, summarize
from algoworlds.reports.drawing import FORMATS, PRINT, Size, drawn
from algoworlds.reports.evaluation import OPTIMAL, SUBOPTIMAL, Evaluation
from algoworlds.reports.figures import Course, Pair, Rate, Split
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.categories import MEANS
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
    if courses := list(_courses(results)):
        found["information_prices"] = figures.information_prices(courses, size, mark=mark)
    return found if example is None else found | {"objective_breakdown": _breakdown(example, size, mark)}


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


def _breakdown(example: Evaluation, size: Size, mark: str) -> Figure:
    title = f"{example.configuration} on {family(example.family).title}, {example.world}, trial {example.trial}"
    return figures.objective_breakdown(title, terms(example.record), lower_is_better(example.family), size, mark=mark)

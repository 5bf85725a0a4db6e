"""What a report finds, in one sentence: who had enough information, and what came of it."""

from collections.abc import Sequence
from typing import NamedTuple

from algoworlds.reports.aggregate import percent, summarize
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.categories import MEANS, informative

MYOPIC = "greedy"
"""The scripted agent that gathers everything and decides without looking ahead: what is found where nobody else played."""


class Headline(NamedTuple):
    """The sentence in parts: about whom, how often it was informed, how often it then decided optimally, and where it lost."""

    label: str
    informed: str
    optimal: str | None
    lost: str


def headline(results: Results) -> Headline:
    """The finding of some results: about the best model, or about the myopic agent where scripted agents are alone."""
    label = _subject(results)
    trials = results.trials(label)
    informed = summarize(trials, MEANS["information_sufficiency"])
    optimal = summarize(trials, percent(lambda each: each.exact, informative))
    assert informed is not None  # results hold no empty trial
    lost = _lost([each for trial in trials for each in trial if not each.exact])
    return Headline(label, _share(informed.mean), None if optimal is None else _share(optimal.mean), lost)


def _subject(results: Results) -> str:
    """Who is spoken of; the order of configurations may be the reader's, so that it says nothing here."""
    myopic = [label for label in results.configurations if label == MYOPIC]
    return max(results.candidates or myopic or results.configurations, key=lambda label: exactness(results, label))


def exactness(results: Results, label: str) -> float:
    """The rate of exact optimality of a configuration."""
    found = summarize(results.trials(label), MEANS["exact_optimality"])
    assert found is not None  # results hold no empty trial
    return found.mean


def _share(rate: float) -> str:
    """A percentage in words where it is all or nothing; what is neither never looks as if it were."""
    if rate in (0.0, 100.0):
        return "all" if rate else "none"
    return f"{min(99, max(1, round(rate))):.0f} %"


def _lost(missed: Sequence[Evaluation]) -> str:
    """Where the evaluations that missed the optimum lost it: before they knew enough, or after."""
    if not missed:
        return "nothing is lost"
    reasoning = sum(map(informative, missed))
    gathering = len(missed) - reasoning
    if reasoning == gathering:
        return "what is lost is lost in gathering and in reasoning alike"
    much = "most of what is lost" if min(reasoning, gathering) else "all that is lost"
    return f"{much} is lost in {'reasoning' if reasoning > gathering else 'gathering information'}"

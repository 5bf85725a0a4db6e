"""The finding of a report in one sentence: how often information was sufficient, and what it led to."""

from typing import NamedTuple

from algoworlds.reports.aggregate import percent_of, summarize
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import TRIAL_MEANS, has_sufficient_information

MYOPIC_AGENT = "greedy"
"""The scripted agent that reads everything and decides myopically; the finding is about it if only scripted agents played."""


class Headline(NamedTuple):
    """The parts of the sentence: configuration, how often it was informed and then optimal, and where it lost."""

    label: str
    informed: str
    optimal: str | None
    lost: str


def find_headline(results: Results) -> Headline:
    """The finding about the best model, or about the myopic agent if only scripted agents played."""
    myopic = [label for label in results.configurations if label == MYOPIC_AGENT]
    candidates = results.candidates or myopic or results.configurations
    label = max(candidates, key=lambda label: exact_rate(results, label))  # the caller may have chosen any order
    trials = results.trials(label)
    informed = summarize(trials, TRIAL_MEANS["information_sufficiency"])
    optimal = summarize(trials, percent_of(lambda evaluation: evaluation.exact, has_sufficient_information))
    assert informed is not None  # results have no empty trial
    missed = [evaluation for trial in trials for evaluation in trial if not evaluation.exact]
    reasoning = sum(map(has_sufficient_information, missed))
    lost = _describe_losses(reasoning, len(missed) - reasoning)
    return Headline(label, _format_share(informed.mean), None if optimal is None else _format_share(optimal.mean), lost)


def exact_rate(results: Results, label: str) -> float:
    """The mean exact optimality of a configuration."""
    summary = summarize(results.trials(label), TRIAL_MEANS["exact_optimality"])
    assert summary is not None  # results have no empty trial
    return summary.mean


def _format_share(rate: float) -> str:
    """A whole percentage; "all" and "none" only if they are exact."""
    if rate in (0.0, 100.0):
        return "all" if rate else "none"
    return f"{min(99, max(1, round(rate))):.0f} %"


def _describe_losses(reasoning: int, gathering: int) -> str:
    """Whether more optima were missed with sufficient information (`reasoning`) or without (`gathering`)."""
    if reasoning == gathering:
        return "what is lost is lost in gathering and in reasoning alike" if reasoning else "nothing is lost"
    much = "most of what is lost" if min(reasoning, gathering) else "all that is lost"
    return f"{much} is lost in {'reasoning' if reasoning > gathering else 'gathering information'}"

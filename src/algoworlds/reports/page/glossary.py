"""Explanations of the numbers in sheets: every measure, and other words in the heads of columns.

`docs/reading-the-report.md` says more.
"""

from typing import Any

from algoworlds.measures.judging import ALL_MEASURES
from algoworlds.measures.measure import Measure

_MEASURE_BY_TERM = {
    "feasib": "feasible",
    "sufficiency": "sufficiency",
    "discovery": "coverage",
    "grounding": "grounding",
    "regret": "regret",
    "calls": "executed_calls",
    "calls to sufficiency": "sufficient_at",
    "protocol violation": "outcome",
    "determined": "knowledge",
    "justified": "footing",
    "lucky": "footing",
    "misread": "footing",
    "premature": "footing",
    "calls to determination": "determined_at",
    "wasted": "wasted_spend",
}
"""Words in heads that stand for a measure but are not its title."""


def explain_measure(measure: Measure[Any]) -> str:
    """What `measure` means and does not mean."""
    return f"{measure.title}: {measure.meaning[0].lower()}{measure.meaning[1:]} {measure.caution}".strip()


_EXPLANATIONS = {measure.name: explain_measure(measure) for measure in ALL_MEASURES}

GLOSSARY = {
    **{measure.title.lower(): _EXPLANATIONS[measure.name] for measure in ALL_MEASURES},
    **{term: _EXPLANATIONS[name] for term, name in _MEASURE_BY_TERM.items()},
    "globally optimal": "Feasible, and as good as the certified optimum.",
    "suboptimal": "Feasible, but another decision is better.",
    "other failure": "Infeasible, no decision, or no well-formed decision.",
    "utility lost": (
        "100 minus reference utility, booked to evaluations without sufficient information or to those with it. An "
        "account, not a cause."
    ),
    "better than reference": "Feasible with regret strictly between 0 and 1.",
    "pass^": (
        "pass^k: share of worlds solved in all of k trials. Measures reliability; falls with k unless success is certain."
    ),
    "pass@": ("pass@k: share of worlds solved in at least one of k trials. Measures reach with retries, not reliability."),
    "interval": (
        "Where the rate would fall for new instances of the same families in 95 of 100 repetitions; it does not cover "
        "new families, other prompts or other interfaces."
    ),
    "wilson": ("Interval for a share that stays honest near 0 and 100 %; its n counts instances, because trials repeat them."),
    "holm": "The p-value after correcting for all comparisons in the table. A large one means: neither rank nor accuse.",
    "agreement": ("Share of worlds on which two trials have the same exact-optimality status. Failing always agrees too."),
    "early": (
        "Compares the first half of a run's schedule with the second, world by world. An alarm means that something changed "
        "with time, such as the model behind a name; it does not say what, and no alarm does not prove that nothing did. "
        "Simulated reports (bench.statistics): 7 models, 10 families x 12 instances, two interfaces, three trials; one model "
        "of 20-90 % loses a share of its successes halfway. After Holm, a step of 12 points is noticed in 90-100 % of reports, "
        "one of 5 points in 20-47 %."
    ),
    "reading": (
        "Interval and test together, at the five-percent level after Holm's correction. Where they disagree about zero "
        "nothing is decided; undecided is not equal."
    ),
    "direct win": (
        "Instance and trial solved under Direct but not under Mediated. A tie may be two successes or two failures."
    ),
}
"""Explanations by a term in a head; of two terms that contain each other, the longer one counts."""


def explanations_for(heads: tuple[str, ...]) -> list[str]:
    """The explanations of all terms in `heads`, without repetition."""
    text = " | ".join(heads).lower()
    terms = [term for term in GLOSSARY if term in text]
    contained = {term for term in terms if any(term != other and term in other for other in terms)}
    return list(dict.fromkeys(GLOSSARY[term] for term in terms if term not in contained))

"""How to read each number: what every measure means and does not mean, and the words of the sheets that are no measure.

`docs/reading-the-report.md` has more.
"""

from typing import Any

from algoworlds.measures.judging import EVERY
from algoworlds.measures.measure import Measure

_SHORT = {
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
"""How heads name measures otherwise than by their titles."""


def explained(measure: Measure[Any]) -> str:
    """What a measure means and does not mean."""
    return f"{measure.title}: {measure.meaning[0].lower()}{measure.meaning[1:]} {measure.caution}".strip()


_MEASURED = {each.name: explained(each) for each in EVERY}

GLOSSARY = {
    **{each.title.lower(): _MEASURED[each.name] for each in EVERY},
    **{term: _MEASURED[name] for term, name in _SHORT.items()},
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
        "with time, such as the model behind a name; it does not say what, and no alarm does not prove that nothing did."
    ),
    "reading": (
        "Interval and test together, at the five-percent level after Holm's correction. Where they disagree about zero "
        "nothing is decided; undecided is not equal."
    ),
    "direct win": (
        "Instance and trial solved under Direct but not under Mediated. A tie may be two successes or two failures."
    ),
}
"""Explanations by what a head says; of two terms that a head holds, the longer one counts."""


def terms_for(heads: tuple[str, ...]) -> list[str]:
    """How to read the numbers under some headings; each explanation once."""
    text = " | ".join(heads).lower()
    found = [term for term in GLOSSARY if term in text]
    general = {term for term in found if any(term != other and term in other for other in found)}
    return list(dict.fromkeys(GLOSSARY[term] for term in found if term not in general))

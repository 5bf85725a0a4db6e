"""One evaluation in words: what was known when, what was decided, and which terms of the objective it gained and lost."""

from collections.abc import Iterable, Mapping
from typing import Any

from algoworlds.reports.terms import Term, terms
from algoworlds.worlds.episode import Outcome

Record = Mapping[str, Any]


def verdict(record: Record) -> str:
    """What a reader of an evaluation wants to know first."""
    return f"{_known(record)} {decided(record)}"


def _known(record: Record) -> str:
    if record["sufficiency"]:
        at = record["sufficient_at"]
        return f"Information was sufficient after call {at:,} of {record['attempted_calls']:,}." if at else "All was known."
    return f"Information was never sufficient: {100 * record['coverage']:.1f} % of the nearest sufficient set was seen."


def decided(record: Record) -> str:
    """How the decision ended and, if it missed the optimum, by which terms."""
    if record["exact"]:
        return "The decision is globally optimal."
    if record["feasible"]:
        return _missed(record)
    if record["outcome"] == Outcome.INFEASIBLE.value:
        return f"The decision is infeasible: {record['reason'] or 'it breaks a rule of the task'}."
    if record["outcome"] == Outcome.PROTOCOL_VIOLATION.value:
        return "A decision was tried, but never in the required form."
    return "No decision was submitted."


def _missed(record: Record) -> str:
    *parts, whole = terms(record)
    share = "" if whole.percent is None else f" ({abs(whole.percent):,.1f} %)"
    told = f"The decision is feasible but {record['gap']:,}{share} worse than the optimum"
    gains = _listed(each for each in parts if each.better)
    losses = _listed(each for each in parts if not each.better and each.value != each.optimum)
    if len(parts) < 2:
        return f"{told}."
    return f"{told}: it gains on {gains} but loses more on {losses}." if gains else f"{told}: it loses on {losses}."


def _listed(found: Iterable[Term]) -> str:
    """Terms with their changes, the largest difference first."""
    ordered = sorted(found, key=lambda each: -abs(each.value - each.optimum))
    texts = [f"{each.name.replace('_', ' ')} ({each.change})" for each in ordered]
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))

"""One evaluation in words: what was known when, what was decided, and which terms of the objective it gained and lost."""

from collections.abc import Iterable, Mapping
from typing import Any

from algoworlds.knowledge.sufficiency.oracle import Knowledge
from algoworlds.reports.terms import Term, terms
from algoworlds.worlds.episode import Outcome

Record = Mapping[str, Any]


def verdict(record: Record, judgement: Record | None = None) -> str:
    """What a reader of an evaluation wants to know first: what could be known, where that was judged, and what was decided."""
    return f"{_known(record) if judgement is None else _knowable(record, judgement)} {decided(record)}"


def _knowable(record: Record, judgement: Record) -> str:
    """What could be known, as far as it is decided, and what the decision risked."""
    match judgement["knowledge"]:
        case Knowledge.DETERMINED.value:
            return f"It knew enough {_when(record, judgement)}{'' if record['exact'] else _ALTHOUGH[record['outcome']]}."
        case Knowledge.NOT_DETERMINED.value if record["exact"]:
            return f"It guessed right: {_risked(record, judgement)}."
        case Knowledge.NOT_DETERMINED.value if record["feasible"]:
            return f"It did not know enough: {_risked(record, judgement)}."
        case Knowledge.NOT_DETERMINED.value:
            return "It did not know enough."
    return _known(record)


_ALTHOUGH = {
    Outcome.FEASIBLE.value: " and still missed the optimum",
    Outcome.INFEASIBLE.value: " and still broke a rule",
    Outcome.NO_DECISION.value: " and did not decide",
    Outcome.PROTOCOL_VIOLATION.value: " and did not submit a decision",
}
"""What became of those who knew enough and missed the optimum."""


def _when(record: Record, judgement: Record) -> str:
    """After which call the optimum was determined, and what share of the spend came after it."""
    at, spent, wasted = judgement["determined_at"], judgement["determined_spend"], judgement["wasted_spend"]
    if at is None:
        return "at the end"
    if not at:
        return "from the beginning"
    rest = f" (for {spent:,} of the {record['spend']:,} that it spent)" if wasted else ""
    return f"after call {at:,} of {record['attempted_calls']:,}{rest}"


def _risked(record: Record, judgement: Record) -> str:
    """What else could have been true, given what had been read."""
    witness = judgement["witness"]
    if judgement["may_be_infeasible"]:
        why = f" ({witness['reason']})" if witness and witness["reason"] else ""
        return f"with what it had read, this decision could have been infeasible{why}"
    if judgement["worst_regret"] is not None and record["optimum"]:
        share = 100 * judgement["worst_regret"] / abs(record["optimum"])
        return f"with what it had read, another decision could have been better by up to {share:,.1f} %"
    return "with what it had read, another decision could have been better"


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

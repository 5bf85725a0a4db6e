"""One evaluation in words: what could be known and when, what was decided, and which terms it gained and lost."""

from collections.abc import Iterable, Mapping
from typing import Any

from algoworlds.knowledge.oracle import Determination
from algoworlds.reports.decision_comparison import Term, objective_terms
from algoworlds.worlds.episode import Outcome

Record = Mapping[str, Any]


def verdict_text(record: Record, judgement: Record | None = None) -> str:
    """What could be known, if `judgement` says so, and what was decided."""
    known = _sufficiency_text(record) if judgement is None else _knowledge_text(record, judgement)
    return f"{known} {decision_text(record)}"


def _sufficiency_text(record: Record) -> str:
    if not record["sufficiency"]:
        return f"Information was never sufficient: {100 * record['coverage']:.1f} % of the nearest sufficient set was seen."
    at = record["sufficient_at"]
    return f"Information was sufficient after call {at:,} of {record['attempted_calls']:,}." if at else "All was known."


def _knowledge_text(record: Record, judgement: Record) -> str:
    """What could be known, if that is decided, and what the decision risked."""
    match judgement["knowledge"]:
        case Determination.DETERMINED.value:
            missed = "" if record["exact"] else _MISSED[record["outcome"]]
            return f"It knew enough {_when_determined(record, judgement)}{missed}."
        case Determination.NOT_DETERMINED.value if record["exact"]:
            return f"It guessed right: {_risk_text(record, judgement)}."
        case Determination.NOT_DETERMINED.value if record["feasible"]:
            return f"It did not know enough: {_risk_text(record, judgement)}."
        case Determination.NOT_DETERMINED.value:
            return "It did not know enough."
    return _sufficiency_text(record)


_MISSED = {
    Outcome.FEASIBLE.value: " and still missed the optimum",
    Outcome.INFEASIBLE.value: " and still broke a rule",
    Outcome.NO_DECISION.value: " and did not decide",
    Outcome.PROTOCOL_VIOLATION.value: " and did not submit a decision",
}
"""By outcome, how an evaluation missed a determined optimum."""


def _when_determined(record: Record, judgement: Record) -> str:
    """After which call the optimum was determined, and what share of the spend came after it."""
    at, spent, wasted = judgement["determined_at"], judgement["determined_spend"], judgement["wasted_spend"]
    if at is None:
        return "at the end"
    if not at:
        return "from the beginning"
    rest = f" (for {spent:,} of the {record['spend']:,} that it spent)" if wasted else ""
    return f"after call {at:,} of {record['attempted_calls']:,}{rest}"


def _risk_text(record: Record, judgement: Record) -> str:
    """What else could have been true, given the responses."""
    witness = judgement["witness"]
    if judgement["may_be_infeasible"]:
        why = f" ({witness['reason']})" if witness and witness["reason"] else ""
        return f"with what it had read, this decision could have been infeasible{why}"
    if judgement["worst_regret"] is not None and record["optimum"]:
        share = 100 * judgement["worst_regret"] / abs(record["optimum"])
        return f"with what it had read, another decision could have been better by up to {share:,.1f} %"
    return "with what it had read, another decision could have been better"


def decision_text(record: Record) -> str:
    """The result of the decision and, if it missed the optimum, by which terms."""
    if record["exact"]:
        return "The decision is globally optimal."
    if record["feasible"]:
        return _gap_text(record)
    if record["outcome"] == Outcome.INFEASIBLE.value:
        return f"The decision is infeasible: {record['reason'] or 'it breaks a rule of the task'}."
    if record["outcome"] == Outcome.PROTOCOL_VIOLATION.value:
        return "A decision was tried, but never in the required form."
    return "No decision was submitted."


def _gap_text(record: Record) -> str:
    *terms, objective = objective_terms(record)
    share = "" if objective.percent_change is None else f" ({abs(objective.percent_change):,.1f} %)"
    gap = f"The decision is feasible but {record['gap']:,}{share} worse than the optimum"
    gains = _list_terms(term for term in terms if term.is_better)
    losses = _list_terms(term for term in terms if not term.is_better and term.value != term.optimum)
    if len(terms) < 2:
        return f"{gap}."
    return f"{gap}: it gains on {gains} but loses more on {losses}." if gains else f"{gap}: it loses on {losses}."


def _list_terms(terms: Iterable[Term]) -> str:
    """`terms` with their changes, largest difference first."""
    ordered = sorted(terms, key=lambda term: -abs(term.value - term.optimum))
    texts = [f"{term.name.replace('_', ' ')} ({term.change_text})" for term in ordered]
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))

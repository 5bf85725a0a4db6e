"""What Evidence-Joined Routing leaves open: an unread exception may be of any class, unless an evaluation leaves few."""

from collections.abc import Iterator

from algoworlds.families.declare import Completions, Knowledge, OptionKind, Unknowns
from algoworlds.families.evidence_joined_routing.generate import ranges
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

MAX_CASES = 64
"""Class assignments with the value of an evaluated path that are tried one by one."""
MAX_SEARCH_STEPS = 40_000
"""Partial assignments that the search for them looks at."""


def cases(completions: Completions, decision: tuple[str, ...]) -> Iterator[EvidenceJoinedRouting | None]:
    """The instance, and every other choice of unread classes that gives an evaluated path its value; None if there are more."""
    instance: EvidenceJoinedRouting = completions.instance
    yield instance
    evaluation = completions.evaluation
    evaluated = () if evaluation is None or evaluation.value is None else evaluation.decision
    own = [row for row in completions.unread_rows("exception") if row[1] in evaluated]
    rates = {name: rate for (_, name), rate in instance.tariff.items()}
    charges = [{name: instance.freight[row[:2]][0] * rate for name, rate in rates.items()} for row in own]
    total = sum(charge[row[2]] for row, charge in zip(own, charges, strict=True))
    for count, classes in enumerate(_assignments(charges, total)):
        if classes is None or count == MAX_CASES:
            yield None
            return
        rows = {row: (*row[:2], name) for row, name in zip(own, classes, strict=True)}
        if any(row != other for row, other in rows.items()):
            yield instance.with_rows(exception=rows)


def _assignments(charges: list[dict[str, int]], total: int) -> Iterator[tuple[str, ...] | None]:
    """All ways to pick one class per arc so that the charges add up to `total`, depth first; None after too many steps.

    `charges` holds, per arc, its charge in every class.
    """
    least = [sum(min(charge.values()) for charge in charges[at:]) for at in range(len(charges) + 1)]
    most = [sum(max(charge.values()) for charge in charges[at:]) for at in range(len(charges) + 1)]
    stack: list[tuple[tuple[str, ...], int]] = [((), total)]
    for _ in range(MAX_SEARCH_STEPS):
        if not stack:
            return
        chosen, left = stack.pop()
        at = len(chosen)
        if least[at] <= left <= most[at]:
            if at == len(charges):
                yield chosen
            else:
                stack += [((*chosen, name), left - cost) for name, cost in charges[at].items()]
    yield None


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding=dict.fromkeys(
            [("ends", "tail"), ("ends", "head"), ("freight", "residue"), ("required", "required_residue")], 0
        ),
        shared=frozenset({("tariff", "rate")}),
        keys_of={"freight": "ends", "exception": "ends", "tariff": ""},
        ranked={("exception", "tariff_class"): "tariff"},
        cases_fix_structure=lambda completions: True,
        cases=cases,
    ),
    options=(OptionKind(("exception", "ends", "freight", "tariff"), drop="arc"),),
)

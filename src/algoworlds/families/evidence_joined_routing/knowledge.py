"""What Evidence-Joined Routing leaves open: an unread exception may be of any class, unless an evaluation leaves few."""

from collections.abc import Iterator

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import Row
from algoworlds.families.evidence_joined_routing.generate import ranges
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Unknowns

FEW = 64
"""Ways to make up the value of an evaluated path that are looked at one by one."""
STEPS = 40_000
"""How many beginnings of such ways are looked at."""

Charges = list[tuple[Row, dict[str, int]]]
"""Unread exceptions of an evaluated path, and what the arc costs in each class."""


def cases(completions: Completions, decision: tuple[str, ...]) -> Iterator[EvidenceJoinedRouting | None]:
    """The member, and every other way to make up what an evaluated path was told to cost; None if there are more."""
    instance: EvidenceJoinedRouting = completions.instance
    yield instance
    told = completions.told
    own = (
        []
        if told is None or told.value is None
        else [row for row in completions.unread("exception") if row[1] in told.decision]
    )
    rate = {name: each for (_, name), each in instance.tariff.items()}
    charges = [(row, {name: instance.freight[row[:2]][0] * each for name, each in rate.items()}) for row in own]
    missing = sum(charge[row[2]] for row, charge in charges)
    for found, classes in enumerate(_ways(charges, missing)):
        if classes is None or found == FEW:
            yield None
            return
        rows: dict[Row, Row | None] = {row: (*row[:2], name) for row, name in zip(own, classes, strict=True)}
        if any(row != other for row, other in rows.items()):
            yield instance.with_rows(exception=rows)


def _ways(charges: Charges, missing: int) -> Iterator[tuple[str, ...] | None]:
    """All choices of classes that cost what is missing, by depth first search; None if it takes too long."""
    least = [sum(min(charge.values()) for _, charge in charges[at:]) for at in range(len(charges) + 1)]
    most = [sum(max(charge.values()) for _, charge in charges[at:]) for at in range(len(charges) + 1)]
    stack: list[tuple[tuple[str, ...], int]] = [((), missing)]
    for _ in range(STEPS):
        if not stack:
            return
        chosen, left = stack.pop()
        at = len(chosen)
        if least[at] <= left <= most[at]:
            if at == len(charges):
                yield chosen
            else:
                stack += [((*chosen, name), left - cost) for name, cost in charges[at][1].items()]
    yield None


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding=dict.fromkeys(
            [("ends", "tail"), ("ends", "head"), ("freight", "residue"), ("required", "required_residue")], 0
        ),
        shared=frozenset({("tariff", "rate")}),
        ranked={("exception", "tariff_class"): "tariff"},
        settles=lambda completions: True,
        cases=cases,
    ),
    options=(Options(("exception", "ends", "freight", "tariff"), dropping("arc")),),
)

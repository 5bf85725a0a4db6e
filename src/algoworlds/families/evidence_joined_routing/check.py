"""Checker of Evidence-Joined Routing, written from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting


def check(instance: EvidenceJoinedRouting, decision: Sequence[str]) -> Verdict:
    """Feasible if the arcs form a path from source to target and meet the required residue; then the charges."""
    stage = instance.derived(_stage_of_arc, reads=("ends",))
    path = [(stage[arc], arc) for arc in decision if arc in stage]
    if len(path) < len(decision):
        return Verdict.infeasible("an unknown arc")
    node = instance.source
    for arc in path:
        tail, head = instance.ends[arc]
        if tail != node:
            return Verdict.infeasible("arcs that do not join")
        node = head
    if node != instance.target:
        return Verdict.infeasible("the target is not reached")
    (component,), (required,) = instance.component, instance.required.values()
    if sum(instance.freight[arc][1] for arc in path) % instance.modulus != required:
        return Verdict.infeasible("the residues miss the required one")
    return Verdict.from_parts(
        charges=sum(instance.freight[arc][0] * instance.tariff[component, instance.exception[arc]] for arc in path)
    )


def _stage_of_arc(instance: EvidenceJoinedRouting) -> dict[str, str]:
    return {arc: stage for stage, arc in instance.ends}

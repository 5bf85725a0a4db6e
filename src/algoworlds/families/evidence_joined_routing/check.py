"""The checker of Evidence-Joined Routing, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting


def check(instance: EvidenceJoinedRouting, decision: Sequence[str]) -> Verdict:
    """Feasible if the arcs lead from source to target, each from where the last ended, and meet the residue."""
    home = instance.derived(_home, reads=("ends",))
    path = [(home[arc], arc) for arc in decision if arc in home]
    if len(path) < len(decision):
        return Verdict.infeasible("an unknown arc")
    here = instance.source
    for arc in path:
        tail, head = instance.ends[arc]
        if tail != here:
            return Verdict.infeasible("arcs that do not join")
        here = head
    if here != instance.target:
        return Verdict.infeasible("the target is not reached")
    (component,), (required,) = instance.component, instance.required.values()
    if sum(instance.freight[arc][1] for arc in path) % instance.modulus != required:
        return Verdict.infeasible("the residues miss the required one")
    return Verdict.of(
        charges=sum(instance.freight[arc][0] * instance.tariff[component, instance.exception[arc]] for arc in path)
    )


def _home(instance: EvidenceJoinedRouting) -> dict[str, str]:
    """The stage under which an arc is filed."""
    return {arc: stage for stage, arc in instance.ends}

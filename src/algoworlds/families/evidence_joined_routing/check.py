"""The checker of Evidence-Joined Routing, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

SENSE = Sense.MIN


def check(instance: EvidenceJoinedRouting, decision: Sequence[str]) -> Verdict:
    """Feasible if the arcs lead from source to target, each from where the last ended, and meet the residue."""
    if any(arc not in instance.heading for arc in decision):
        return Verdict.infeasible("an unknown arc")
    here = instance.source
    for arc in decision:
        tail, head = instance.heading[arc]
        if tail != here:
            return Verdict.infeasible("arcs that do not join")
        here = head
    if here != instance.target:
        return Verdict.infeasible("the target is not reached")
    if sum(instance.rho[arc] for arc in decision) % instance.modulus != instance.residue:
        return Verdict.infeasible("the residues miss the required one")
    return Verdict.of(charges=sum(instance.cost[arc] for arc in decision))

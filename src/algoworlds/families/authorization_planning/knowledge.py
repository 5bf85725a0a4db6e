"""What Authorization Planning leaves open: an authorization that was not read may be missing while all others exist."""

from collections.abc import Iterator
from itertools import pairwise

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, dropping, striking
from algoworlds.core.relation import grouped
from algoworlds.families.authorization_planning.generate import ranges
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Unknowns


def breaks(completions: Completions, decision: tuple[str, ...]) -> Iterator[AuthorizationPlanning]:
    """One step of the plan is not authorized, and every other one into its stage is; or its opening, and all others are."""
    instance: AuthorizationPlanning = completions.instance
    offered, cost = grouped(instance.stage, instance.base_price), completions.ranges.columns["handoff", "handoff_cost"].low
    for (before, u), (stage, v) in pairwise(zip(instance.stage, decision, strict=True)):
        if not completions.whole("handoff", "stage", stage):
            steps = [(stage, one, other) for one in offered[before] for other in offered[stage] if (one, other) != (u, v)]
            kept = {step: each for step, each in instance.handoff.items() if step[0] != stage}
            yield instance.replace(handoff={**kept, **dict.fromkeys(steps, cost)})
    for stage in instance.stage[:1]:
        if not completions.whole("opening", "stage", stage):
            yield instance.replace(opening=frozenset((stage, each) for each in offered[stage] if each != decision[0]))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding=dict.fromkeys(
            [("policy", "required_clearance"), ("clearance", "clearance"), ("opening", ""), ("handoff", "")], 0
        ),
        shared=frozenset({("policy", "adjustments")}),
        breaks=breaks,
    ),
    options=(
        Options(("policy_code", "base_price", "clearance", "opening"), dropping("package"), each="stage"),
        Options(("handoff",), striking("handoff")),
    ),
)

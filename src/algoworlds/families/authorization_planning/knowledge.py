"""What Authorization Planning leaves open: an unread authorization may be missing while all others exist."""

from collections.abc import Iterator
from itertools import pairwise

from algoworlds.families.authorization_planning.generate import ranges
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.declare import Completions, Knowledge, OptionKind, Unknowns, group_pairs


def breaks(completions: Completions, decision: tuple[str, ...]) -> Iterator[AuthorizationPlanning]:
    """One step of the plan is not authorized and every other step into its stage is; the same for its opening."""
    instance: AuthorizationPlanning = completions.instance
    packages, cost = group_pairs(instance.stage, instance.base_price), completions.ranges.columns["handoff", "handoff_cost"].low
    for (before, u), (stage, v) in pairwise(zip(instance.stage, decision, strict=True)):
        if not completions.is_fully_read("handoff", "stage", stage):
            steps = [(stage, one, other) for one in packages[before] for other in packages[stage] if (one, other) != (u, v)]
            elsewhere = {step: price for step, price in instance.handoff.items() if step[0] != stage}
            yield instance.replace(handoff={**elsewhere, **dict.fromkeys(steps, cost)})
    for stage in instance.stage[:1]:
        if not completions.is_fully_read("opening", "stage", stage):
            yield instance.replace(opening=frozenset((stage, v) for v in packages[stage] if v != decision[0]))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("policy", "required_clearance"): 0, ("clearance", "clearance"): 0, ("opening", ""): 0, ("handoff", ""): 0},
        shared=frozenset({("policy", "adjustments")}),
        keys_of={"policy_code": "base_price", "clearance": "base_price"},
        possible_breaks=breaks,
    ),
    options=(
        OptionKind(("policy_code", "base_price", "clearance", "opening"), drop="package", required_roster="stage"),
        OptionKind(("handoff",), drop="handoff"),
    ),
)

"""The checker of Authorization Planning, from the definition alone."""

from collections.abc import Sequence
from itertools import pairwise

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning

SENSE = Sense.MIN


def check(instance: AuthorizationPlanning, decision: Sequence[str]) -> Verdict:
    """Feasible if one package per stage, in order, is opened, authorized and cleared; then prices + adjustments + handoffs."""
    if len(decision) != len(instance.stage):
        return Verdict.infeasible("not exactly one package per stage")
    chosen = list(zip(instance.stage, decision, strict=True))
    if any(each not in instance.base_price for each in chosen):
        return Verdict.infeasible("a package that its stage does not offer")
    if any(first not in instance.opening for first in chosen[:1]):
        return Verdict.infeasible("an opening that is not authorized")
    steps = [(stage, u, v) for (_, u), (stage, v) in pairwise(chosen)]
    if any(step not in instance.handoff for step in steps):
        return Verdict.infeasible("a transition that is not authorized")
    required, adjustments = instance.policy
    eta = dict(zip(instance.code, adjustments, strict=True))
    if sum(instance.clearance[each] for each in chosen) % instance.modulus != required:
        return Verdict.infeasible("the clearances miss the required residue")
    return Verdict.of(
        base_prices=sum(instance.base_price[each] for each in chosen),
        adjustments=sum(eta[instance.policy_code[each]] for each in chosen),
        handoffs=sum(instance.handoff[step] for step in steps),
    )

"""The checker of Authorization Planning, from the definition alone."""

from collections.abc import Sequence
from typing import Any

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning

SENSE = Sense.MIN


def check(instance: AuthorizationPlanning, decision: Sequence[str]) -> Verdict:
    """Feasible if one package per stage, in order, is opened, authorized and cleared; then prices + adjustments + handoffs."""
    if len(decision) != len(instance.stage):
        return Verdict.infeasible("not exactly one package per stage")
    chosen = list(zip(instance.stage, decision, strict=True))
    prices: list[Any] = list(map(instance.base_price.get, chosen))
    if None in prices:
        return Verdict.infeasible("a package that its stage does not offer")
    if not instance.opening.issuperset(chosen[:1]):
        return Verdict.infeasible("an opening that is not authorized")
    handoffs: list[Any] = list(map(instance.handoff.get, zip(instance.stage[1:], decision, decision[1:], strict=False)))
    if None in handoffs:
        return Verdict.infeasible("a transition that is not authorized")
    required, adjustments = instance.policy
    eta = dict(zip(instance.code, adjustments, strict=True))
    if sum(map(instance.clearance.__getitem__, chosen)) % instance.modulus != required:
        return Verdict.infeasible("the clearances miss the required residue")
    return Verdict.of(
        base_prices=sum(prices),
        adjustments=sum(map(eta.__getitem__, map(instance.policy_code.__getitem__, chosen))),
        handoffs=sum(handoffs),
    )

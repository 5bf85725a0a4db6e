"""The checker of Authorization Planning, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning

Keys = Sequence[tuple[str, ...]]

_READS = ("stage", "code", "base_price.package", "policy_code", "opening", "handoff.successor")
"""What says which plans are authorized: of prices and handoffs only which there are."""


def check(instance: AuthorizationPlanning, decision: Sequence[str]) -> Verdict:
    """Feasible if one package per stage, in order, is opened, authorized and cleared; then prices + adjustments + handoffs."""
    said = instance.derived(_read, tuple(decision), reads=_READS)
    if isinstance(said, str):
        return Verdict.infeasible(said)
    (chosen, steps, codes), (required, adjustments) = said, instance.policy
    if sum(map(instance.clearance.__getitem__, chosen)) % instance.modulus != required:
        return Verdict.infeasible("the clearances miss the required residue")
    return Verdict.of(
        base_prices=sum(map(instance.base_price.__getitem__, chosen)),
        adjustments=sum(map(adjustments.__getitem__, codes)),
        handoffs=sum(map(instance.handoff.__getitem__, steps)),
    )


def _read(instance: AuthorizationPlanning, decision: tuple[str, ...]) -> str | tuple[Keys, Keys, list[int]]:
    """Why a plan is infeasible whatever the clearances are; or its packages, its transitions, and where their codes stand."""
    if len(decision) != len(instance.stage):
        return "not exactly one package per stage"
    chosen = list(zip(instance.stage, decision, strict=True))
    if not instance.base_price.keys() >= set(chosen):
        return "a package that its stage does not offer"
    if not instance.opening.issuperset(chosen[:1]):
        return "an opening that is not authorized"
    steps = list(zip(instance.stage[1:], decision, decision[1:], strict=False))
    if not instance.handoff.keys() >= set(steps):
        return "a transition that is not authorized"
    return chosen, steps, [instance.code.index(instance.policy_code[each]) for each in chosen]

"""Checker of Authorization Planning, written from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning

Keys = Sequence[tuple[str, ...]]

_READS = ("stage", "code", "base_price.package", "policy_code", "opening", "handoff.successor")
"""The columns that decide which plans are authorized: no prices, handoff costs or clearances."""


def check(instance: AuthorizationPlanning, decision: Sequence[str]) -> Verdict:
    """Feasible if one package per stage, in order, is opened, authorized and cleared; then prices + adjustments + handoffs."""
    plan = instance.derived(_read_plan, tuple(decision), reads=_READS)
    if isinstance(plan, str):
        return Verdict.infeasible(plan)
    (chosen, steps, codes), (required, adjustments) = plan, instance.policy
    if sum(map(instance.clearance.__getitem__, chosen)) % instance.modulus != required:
        return Verdict.infeasible("the clearances miss the required residue")
    return Verdict.from_parts(
        base_prices=sum(map(instance.base_price.__getitem__, chosen)),
        adjustments=sum(map(adjustments.__getitem__, codes)),
        handoffs=sum(map(instance.handoff.__getitem__, steps)),
    )


def _read_plan(instance: AuthorizationPlanning, decision: tuple[str, ...]) -> str | tuple[Keys, Keys, list[int]]:
    """Why a plan is infeasible whatever the clearances are; or its packages, its transitions and its code positions."""
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
    return chosen, steps, [instance.code.index(instance.policy_code[package]) for package in chosen]

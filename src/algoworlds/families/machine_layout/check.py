"""Checker of Machine Layout, written from the definition alone."""

from collections.abc import Mapping

from algoworlds.core.decision import Verdict
from algoworlds.families.machine_layout.instance import MachineLayout


def check(instance: MachineLayout, decision: Mapping[str, str]) -> Verdict:
    """Feasible if every machine has one slot and no two share one; then flow times distance plus adjustments."""
    if set(decision) != set(instance.machine):
        return Verdict.infeasible("not exactly one entry per machine")
    if not set(decision.values()) <= set(instance.slot):
        return Verdict.infeasible("an unknown slot")
    if len(set(decision.values())) < len(decision):
        return Verdict.infeasible("a slot is used twice")
    return Verdict.from_parts(
        handling=sum(flow * _distance(instance, decision[a], decision[b]) for (a, b), flow in instance.flow.items()),
        adjustments=sum(instance.adjustment[a, s] for a, s in decision.items()),
    )


def _distance(instance: MachineLayout, s: str, t: str) -> int:
    """The distance between two different slots, which the table holds in one order only."""
    return int(instance.distance[(s, t) if (s, t) in instance.distance else (t, s)])

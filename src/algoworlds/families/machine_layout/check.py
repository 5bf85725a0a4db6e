"""The checker of Machine Layout, from the definition alone."""

from collections.abc import Mapping
from itertools import combinations

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.machine_layout.instance import MachineLayout

SENSE = Sense.MIN


def check(instance: MachineLayout, decision: Mapping[str, str]) -> Verdict:
    """Feasible if every machine has one slot and no two share one; then flow times distance plus adjustments."""
    if set(decision) != set(instance.machine):
        return Verdict.infeasible("not exactly one entry per machine")
    if not set(decision.values()) <= set(instance.slot):
        return Verdict.infeasible("an unknown slot")
    if len(set(decision.values())) < len(decision):
        return Verdict.infeasible("a slot is used twice")
    return Verdict.of(
        handling=sum(instance.F(a, b) * instance.d(decision[a], decision[b]) for a, b in combinations(instance.machine, 2)),
        adjustments=sum(instance.adjustment[a, s] for a, s in decision.items()),
    )

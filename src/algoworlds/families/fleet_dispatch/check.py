"""Checker of Fleet Dispatch, written from the definition alone."""

from collections.abc import Mapping
from operator import gt

from algoworlds.core.decision import Verdict
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


def check(instance: FleetDispatch, decision: Mapping[str, str]) -> Verdict:
    """Feasible if every job has one eligible vehicle and no capacity is exceeded; then routes + activations + offset."""
    if decision.keys() != instance.load.keys():
        return Verdict.infeasible("not exactly one entry per job")
    pairs, carried = list(zip(decision.values(), decision, strict=True)), dict.fromkeys(decision.values(), 0)
    if not carried.keys() <= instance.capacity.keys():
        return Verdict.infeasible("an unknown vehicle")
    if not all(map(instance.eligible.__getitem__, pairs)):
        return Verdict.infeasible("an ineligible pair")
    for v, j in pairs:
        carried[v] += instance.load[j]
    if any(map(gt, carried.values(), map(instance.capacity.__getitem__, carried))):
        return Verdict.infeasible("a capacity is exceeded")
    return Verdict.from_parts(
        routes=sum(map(instance.route_cost.__getitem__, pairs)),
        activations=sum(map(instance.activation.__getitem__, carried)),
        offset=instance.offset,
    )

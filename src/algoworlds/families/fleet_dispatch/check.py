"""The checker of Fleet Dispatch, from the definition alone."""

from collections.abc import Mapping

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

SENSE = Sense.MIN


def check(instance: FleetDispatch, decision: Mapping[str, str]) -> Verdict:
    """Feasible if every job has one eligible vehicle and no capacity is exceeded; then routes + activations + offset."""
    if set(decision) != set(instance.job):
        return Verdict.infeasible("not exactly one entry per job")
    if not set(decision.values()) <= set(instance.vehicle):
        return Verdict.infeasible("an unknown vehicle")
    if not all(instance.eligible[v, j] for j, v in decision.items()):
        return Verdict.infeasible("an ineligible pair")
    carried = dict.fromkeys(decision.values(), 0)
    for j, v in decision.items():
        carried[v] += instance.load[j]
    if any(carried[v] > instance.capacity[v] for v in carried):
        return Verdict.infeasible("a capacity is exceeded")
    return Verdict.of(
        routes=sum([instance.route_cost[v, j] for j, v in decision.items()]),
        activations=sum([instance.activation[v] for v in carried]),
        offset=instance.offset,
    )

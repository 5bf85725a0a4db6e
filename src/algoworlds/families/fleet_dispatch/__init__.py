"""The Fleet Dispatch family."""

from algoworlds.core.decision import Each
from algoworlds.core.options import Options, refusing
from algoworlds.families.blind import erased
from algoworlds.families.family import Family
from algoworlds.families.fit import line
from algoworlds.families.fleet_dispatch.check import SENSE, check
from algoworlds.families.fleet_dispatch.generate import LEVELS, generate
from algoworlds.families.fleet_dispatch.hand import FleetHand
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.search import descend, reference, sample
from algoworlds.families.fleet_dispatch.solve import solve
from algoworlds.families.fleet_dispatch.template import TEMPLATE
from algoworlds.families.fleet_dispatch.verify import verify
from algoworlds.families.unknowns import Unknowns


def _average_capacities(instance: FleetDispatch) -> FleetDispatch:
    """All vehicles alike: capacities replaced by their mean, rounded up."""
    mean = -(-sum(instance.capacity.values()) // len(instance.vehicle))
    return instance.replaced(capacity=dict.fromkeys(instance.vehicle, mean))


def _from_routes(instance: FleetDispatch) -> FleetDispatch:
    """Activation costs as a line says them from the mean of the vehicle's routes."""
    means = [sum(instance.route_cost[v, j] for j in instance.job) // len(instance.job) for v in instance.vehicle]
    guesses = line(means, [instance.activation[v] for v in instance.vehicle])
    return instance.replaced(activation=dict(zip(instance.vehicle, guesses, strict=True)))


FLEET_DISPATCH: Family[FleetDispatch, dict[str, str]] = Family(
    title="Fleet Dispatch",
    summary="assign every job to an eligible vehicle with room, at the least total of route and activation costs",
    instance=FleetDispatch,
    decision=Each("assignment", "job", "vehicle"),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    fits={"activation_cost: fitted from route means": _from_routes},
    hand=FleetHand,
    unknowns=Unknowns(binding={("capacity", "capacity"): +1, ("load", "load"): -1, ("eligible", "eligible"): +1}),
    options=(Options(("eligible", "capacity", "activation", "load", "route_cost"), refusing("eligible"), each="job"),),
    blind={
        "capacities": _average_capacities,
        "contracts": erased(activation=0),
        "loads": erased(load=1),
        "eligibility": erased(eligible=True),
        "routes": erased(route_cost=0),
    },
    template=TEMPLATE,
)

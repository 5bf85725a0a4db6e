"""How Fleet Dispatch is attacked: one channel erased, one column guessed, decisions by hand, at random and by descent."""

from algoworlds.families.blind import erased
from algoworlds.families.fit import line
from algoworlds.families.fleet_dispatch.hand import FleetHand
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.search import descend, sample
from algoworlds.families.hardness import Hardness


def _average_capacities(instance: FleetDispatch) -> FleetDispatch:
    """All vehicles alike: capacities replaced by their mean, rounded up."""
    mean = -(-sum(instance.capacity.values()) // len(instance.vehicle))
    return instance.unchecked(capacity=dict.fromkeys(instance.vehicle, mean))


def _means(instance: FleetDispatch) -> list[int]:
    """The mean of every vehicle's routes."""
    return [sum(instance.route_cost[v, j] for j in instance.job) // len(instance.job) for v in instance.vehicle]


def _from_routes(instance: FleetDispatch) -> FleetDispatch:
    """Activation costs as a line says them from the mean of the vehicle's routes."""
    guesses = line(_means(instance), [instance.activation[v] for v in instance.vehicle])
    return instance.unchecked(activation=dict(zip(instance.vehicle, guesses, strict=True)))


def _as_routes_save(instance: FleetDispatch) -> FleetDispatch:
    """Activation costs as far apart as the vehicles' routes, for as many jobs as a vehicle carries if one stays at home."""
    means, m = _means(instance), len(instance.vehicle)
    typical = sum(instance.activation.values()) // m
    saved = [(sum(means) - m * mean) * len(instance.job) // (m * (m - 1)) for mean in means]
    return instance.unchecked(activation={v: max(0, typical + more) for v, more in zip(instance.vehicle, saved, strict=True)})


def _average_routes(instance: FleetDispatch) -> FleetDispatch:
    """Every vehicle's routes alike."""
    mean = dict(zip(instance.vehicle, _means(instance), strict=True))
    return instance.unchecked(route_cost={(v, j): mean[v] for v, j in instance.route_cost})


HARDNESS: Hardness[FleetDispatch, dict[str, str]] = Hardness(
    blind={
        "capacities": _average_capacities,
        "contracts": erased(activation=0),
        "loads": erased(load=1),
        "eligibility": erased(eligible=True),
        "routes": erased(route_cost=0),
    },
    fits={
        "activation_cost: fitted from route means": _from_routes,
        "activation_cost: as far apart as routes save": _as_routes_save,
        "route_cost: the vehicle's mean": _average_routes,
    },
    hand=FleetHand,
    sample=sample,
    descend=descend,
)

"""Attacks on Fleet Dispatch: blind instances, fitted columns, and its search space."""

from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.search import FleetSearchSpace, descend, sample
from algoworlds.families.hardness import Hardness, erase_tables, fit_line


def _average_capacities(instance: FleetDispatch) -> FleetDispatch:
    """Replace all capacities by their mean, rounded up."""
    mean = -(-sum(instance.capacity.values()) // len(instance.vehicle))
    return instance.unchecked(capacity=dict.fromkeys(instance.vehicle, mean))


def _route_means(instance: FleetDispatch) -> list[int]:
    """The mean route cost of each vehicle, rounded down."""
    return [sum(instance.route_cost[v, j] for j in instance.job) // len(instance.job) for v in instance.vehicle]


def _fit_to_routes(instance: FleetDispatch) -> FleetDispatch:
    """Predict activation costs by a line fitted to the mean route costs."""
    guesses = fit_line(_route_means(instance), [instance.activation[v] for v in instance.vehicle])
    return instance.unchecked(activation=dict(zip(instance.vehicle, guesses, strict=True)))


def _match_route_savings(instance: FleetDispatch) -> FleetDispatch:
    """Let activation costs differ by what each vehicle's routes save on the jobs it carries if one vehicle stays idle."""
    means, m = _route_means(instance), len(instance.vehicle)
    mean_cost = sum(instance.activation.values()) // m
    savings = [(sum(means) - m * mean) * len(instance.job) // (m * (m - 1)) for mean in means]
    return instance.unchecked(
        activation={v: max(0, mean_cost + saving) for v, saving in zip(instance.vehicle, savings, strict=True)}
    )


def _average_routes(instance: FleetDispatch) -> FleetDispatch:
    """Replace the route costs of each vehicle by their mean."""
    mean = dict(zip(instance.vehicle, _route_means(instance), strict=True))
    return instance.unchecked(route_cost={(v, j): mean[v] for v, j in instance.route_cost})


HARDNESS: Hardness[FleetDispatch, dict[str, str]] = Hardness(
    blind={
        "capacities": _average_capacities,
        "contracts": erase_tables(activation=0),
        "loads": erase_tables(load=1),
        "eligibility": erase_tables(eligible=True),
        "routes": erase_tables(route_cost=0),
    },
    fits={
        "activation_cost: fitted from route means": _fit_to_routes,
        "activation_cost: as far apart as routes save": _match_route_savings,
        "route_cost: the vehicle's mean": _average_routes,
    },
    search_space=FleetSearchSpace,
    sample=sample,
    descend=descend,
)

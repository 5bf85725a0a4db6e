"""What may be relied on in Fleet Dispatch before everything is read, and what decisions are made of."""

from algoworlds.core.options import Options, refusing
from algoworlds.families.fleet_dispatch.generate import ranges
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Unknowns

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(binding={("capacity", "capacity"): +1, ("load", "load"): -1, ("eligible", "eligible"): +1}),
    options=(Options(("eligible", "capacity", "activation", "load", "route_cost"), refusing("eligible"), each="job"),),
)

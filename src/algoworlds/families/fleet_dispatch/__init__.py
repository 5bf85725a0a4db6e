"""The Fleet Dispatch family."""

from algoworlds.families.declare import Conditions, Family, Knowledge, OptionKind, Unknowns
from algoworlds.families.fleet_dispatch.check import check
from algoworlds.families.fleet_dispatch.generate import LEVELS, between, generate, ranges
from algoworlds.families.fleet_dispatch.hardness import HARDNESS, reference
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.scale import SCALE
from algoworlds.families.fleet_dispatch.solve import solve
from algoworlds.families.fleet_dispatch.template import TEMPLATE
from algoworlds.families.fleet_dispatch.verify import verify

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("capacity", "capacity"): +1, ("load", "load"): -1, ("eligible", "eligible"): +1},
        idle_rows=frozenset({"route_cost"}),
    ),
    options=(
        OptionKind(("eligible", "capacity", "activation", "load", "route_cost"), clear="eligible", required_roster="job"),
    ),
)

CONDITIONS = Conditions(
    measured=(("activation", "activation_cost"), ("route_cost", "route_cost")),
    counted=(("activation", "activation_cost"), ("route_cost", "route_cost")),
    spreads={1: 32, 2: 16},
)

FLEET_DISPATCH: Family[FleetDispatch, dict[str, str]] = Family(
    instance=FleetDispatch,
    levels=LEVELS,
    scale=SCALE,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    between=between,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
    conditions=CONDITIONS,
)

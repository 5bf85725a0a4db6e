"""The Transit Routing family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.transit_routing.check import check
from algoworlds.families.transit_routing.generate import LEVELS, generate
from algoworlds.families.transit_routing.hardness import HARDNESS, reference
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.transit_routing.knowledge import KNOWLEDGE
from algoworlds.families.transit_routing.scale import SCALE
from algoworlds.families.transit_routing.solve import solve
from algoworlds.families.transit_routing.template import TEMPLATE
from algoworlds.families.transit_routing.verify import verify

CONDITIONS = Conditions(
    measured=(("time", "travel_time"),),
    counted=(("time", "travel_time"), ("transfer", "transfer_costs")),
    spreads={1: 128},
)

TRANSIT_ROUTING: Family[TransitRouting, tuple[str, ...]] = Family(
    instance=TransitRouting,
    levels=LEVELS,
    scale=SCALE,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
    conditions=CONDITIONS,
)

"""The Station Siting family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.station_siting.check import check
from algoworlds.families.station_siting.generate import LEVELS, between, generate
from algoworlds.families.station_siting.hardness import HARDNESS, reference
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.station_siting.knowledge import KNOWLEDGE
from algoworlds.families.station_siting.scale import SCALE
from algoworlds.families.station_siting.solve import solve
from algoworlds.families.station_siting.template import TEMPLATE
from algoworlds.families.station_siting.verify import verify

CONDITIONS = Conditions(
    measured=(("cost", "cost"),),
    counted=(("cost", "cost"), ("need", "reward")),
    spreads={1: 2048, 2: 256},
)

STATION_SITING: Family[StationSiting, tuple[str, ...]] = Family(
    instance=StationSiting,
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

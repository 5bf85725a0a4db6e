"""The Fleet Dispatch family."""

from algoworlds.families.family import Family
from algoworlds.families.fleet_dispatch.check import check
from algoworlds.families.fleet_dispatch.generate import LEVELS, between, generate
from algoworlds.families.fleet_dispatch.hardness import HARDNESS
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.knowledge import KNOWLEDGE
from algoworlds.families.fleet_dispatch.search import reference
from algoworlds.families.fleet_dispatch.solve import solve
from algoworlds.families.fleet_dispatch.template import TEMPLATE
from algoworlds.families.fleet_dispatch.verify import verify

FLEET_DISPATCH: Family[FleetDispatch, dict[str, str]] = Family(
    instance=FleetDispatch,
    levels=LEVELS,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    between=between,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
)

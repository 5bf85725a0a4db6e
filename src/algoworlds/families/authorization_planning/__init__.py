"""The Authorization Planning family."""

from algoworlds.families.authorization_planning.check import check
from algoworlds.families.authorization_planning.generate import LEVELS, generate
from algoworlds.families.authorization_planning.hardness import HARDNESS, reference
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.authorization_planning.knowledge import KNOWLEDGE
from algoworlds.families.authorization_planning.scale import SCALE
from algoworlds.families.authorization_planning.solve import solve
from algoworlds.families.authorization_planning.template import TEMPLATE
from algoworlds.families.authorization_planning.verify import verify
from algoworlds.families.declare import Conditions, Family

CONDITIONS = Conditions(
    measured=(("handoff", "handoff_cost"),),
    counted=(("handoff", "handoff_cost"), ("base_price", "base_price"), ("policy", "adjustments")),
    spreads={1: 512},
)

AUTHORIZATION_PLANNING: Family[AuthorizationPlanning, tuple[str, ...]] = Family(
    instance=AuthorizationPlanning,
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

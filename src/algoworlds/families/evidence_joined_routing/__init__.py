"""The Evidence-Joined Routing family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.evidence_joined_routing.check import check
from algoworlds.families.evidence_joined_routing.generate import LEVELS, generate
from algoworlds.families.evidence_joined_routing.hardness import HARDNESS, reference
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.knowledge import KNOWLEDGE
from algoworlds.families.evidence_joined_routing.scale import SCALE
from algoworlds.families.evidence_joined_routing.solve import solve
from algoworlds.families.evidence_joined_routing.template import TEMPLATE
from algoworlds.families.evidence_joined_routing.verify import verify

CONDITIONS = Conditions(
    measured=(("freight", "quantity"),),
    counted=(("freight", "quantity"),),
    spreads={1: 16},
)

EVIDENCE_JOINED_ROUTING: Family[EvidenceJoinedRouting, tuple[str, ...]] = Family(
    instance=EvidenceJoinedRouting,
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

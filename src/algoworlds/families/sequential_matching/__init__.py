"""The Sequential Matching family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.sequential_matching.check import check
from algoworlds.families.sequential_matching.generate import LEVELS, generate
from algoworlds.families.sequential_matching.hardness import HARDNESS, reference
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.knowledge import KNOWLEDGE
from algoworlds.families.sequential_matching.scale import SCALE
from algoworlds.families.sequential_matching.solve import solve
from algoworlds.families.sequential_matching.template import TEMPLATE
from algoworlds.families.sequential_matching.verify import verify

CONDITIONS = Conditions(
    measured=(("pair_cost", "cost"),),
    counted=(("pair_cost", "cost"), ("rate", "rate")),
    spreads={1: 128, 2: 64},
)

SEQUENTIAL_MATCHING: Family[SequentialMatching, tuple[str, ...]] = Family(
    instance=SequentialMatching,
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

"""Crate Knapsack, an eleventh family in a distribution of its own: the value that names its parts.

`pyproject.toml` offers KNAPSACK under the entry point `algoworlds.families`; that is all there is to registering a family.
"""

from algoworlds.families.family import Family
from algoworlds_knapsack.blocks import HARDNESS, KNOWLEDGE
from algoworlds_knapsack.check import check
from algoworlds_knapsack.generate import LEVELS, generate
from algoworlds_knapsack.instance import CrateKnapsack
from algoworlds_knapsack.reference import reference
from algoworlds_knapsack.solve import solve
from algoworlds_knapsack.template import TEMPLATE
from algoworlds_knapsack.tiny import tiny
from algoworlds_knapsack.verify import verify

KNAPSACK: Family[CrateKnapsack, tuple[str, ...]] = Family(
    instance=CrateKnapsack,
    levels=LEVELS,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    # These eight make a family that can be built, played and reported on. What follows is optional.
    tiny=tiny,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
)

"""Crate Knapsack, an eleventh family in its own distribution.

`pyproject.toml` offers KNAPSACK under the entry point `algoworlds.families`; that is all it takes to register a family.
"""

from algoworlds.families.declare import Family
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
    # These eight fields are enough to build, play and report. The following ones are optional.
    tiny=tiny,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
)

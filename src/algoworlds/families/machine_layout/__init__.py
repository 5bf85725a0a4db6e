"""The Machine Layout family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.machine_layout.check import check
from algoworlds.families.machine_layout.generate import LEVELS, generate
from algoworlds.families.machine_layout.hardness import HARDNESS, reference
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.machine_layout.knowledge import KNOWLEDGE
from algoworlds.families.machine_layout.scale import SCALE
from algoworlds.families.machine_layout.solve import solve
from algoworlds.families.machine_layout.template import TEMPLATE
from algoworlds.families.machine_layout.verify import verify

CONDITIONS = Conditions(
    measured=(("adjustment", "adjustment"),),
    counted=(("adjustment", "adjustment"), ("flow", "flow")),
    spreads={1: 512},
)

MACHINE_LAYOUT: Family[MachineLayout, dict[str, str]] = Family(
    instance=MachineLayout,
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

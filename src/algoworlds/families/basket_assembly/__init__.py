"""The Basket Assembly family."""

from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.generate import LEVELS, generate
from algoworlds.families.basket_assembly.hardness import HARDNESS, reference
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.knowledge import KNOWLEDGE
from algoworlds.families.basket_assembly.scale import SCALE
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.basket_assembly.template import TEMPLATE
from algoworlds.families.basket_assembly.verify import verify
from algoworlds.families.declare import Conditions, Family

CONDITIONS = Conditions(
    measured=(("price", "price"),),
    counted=(("price", "price"),),
    spreads={1: 16},
)

BASKET_ASSEMBLY: Family[BasketAssembly, tuple[str, ...]] = Family(
    instance=BasketAssembly,
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

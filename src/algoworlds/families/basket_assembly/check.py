"""The checker of Basket Assembly, from the definition alone."""

from collections import Counter
from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.basket_assembly.instance import BasketAssembly

SENSE = Sense.MIN


def check(instance: BasketAssembly, decision: Sequence[str]) -> Verdict:
    """Feasible if distinct tickets of the catalog deliver every item exactly once; then the sum of their prices."""
    chosen = set(decision)
    if len(chosen) < len(decision):
        return Verdict.infeasible("a ticket is listed twice")
    if not chosen <= set(instance.ticket):
        return Verdict.infeasible("an unknown ticket")
    covers = [(ticket, item) for ticket, item in instance.covers if ticket in chosen]
    size, delivered = Counter([ticket for ticket, _ in covers]), {item for _, item in covers}
    if len(delivered) < len(covers):
        return Verdict.infeasible("an item is delivered more than once")
    if not delivered.issuperset(instance.item):
        return Verdict.infeasible("an item is not delivered")
    return Verdict.of(
        singles=sum(instance.price[ticket] for ticket in chosen if size[ticket] == 1),
        triples=sum(instance.price[ticket] for ticket in chosen if size[ticket] == 3),
    )

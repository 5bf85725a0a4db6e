"""Checker of Basket Assembly, written from the definition alone."""

from collections import Counter
from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.basket_assembly.instance import BasketAssembly


def check(instance: BasketAssembly, decision: Sequence[str]) -> Verdict:
    """Feasible if distinct tickets of the catalog deliver every item exactly once; then the sum of their prices."""
    split = instance.derived(_split_tickets, tuple(decision), reads=("item", "ticket", "covers"))
    if isinstance(split, str):
        return Verdict.infeasible(split)
    singles, triples = (sum(map(instance.price.__getitem__, tickets)) for tickets in split)
    return Verdict.from_parts(singles=singles, triples=triples)


def _split_tickets(instance: BasketAssembly, decision: tuple[str, ...]) -> str | tuple[list[str], list[str]]:
    """The singles and the triples among the tickets, or the reason why they are infeasible."""
    chosen = set(decision)
    if len(chosen) < len(decision):
        return "a ticket is listed twice"
    if not chosen <= set(instance.ticket):
        return "an unknown ticket"
    covers = [(ticket, item) for ticket, item in instance.covers if ticket in chosen]
    size, delivered = Counter([ticket for ticket, _ in covers]), {item for _, item in covers}
    if len(delivered) < len(covers):
        return "an item is delivered more than once"
    if not delivered.issuperset(instance.item):
        return "an item is not delivered"
    return [ticket for ticket in decision if size[ticket] == 1], [ticket for ticket in decision if size[ticket] == 3]

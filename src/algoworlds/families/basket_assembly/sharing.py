"""What responses and promises leave of the recipes of open tickets, and how these are shared out.

Every item is sold singly, no two tickets deliver the same, and a basket that was found to deliver every item once still does:
an allotment of recipes to tickets for each way in which that basket's open tickets share out what its others leave.
"""

from itertools import product

from algoworlds.core.completions import Completions
from algoworlds.core.relation import grouped
from algoworlds.families.basket_assembly.allotment import allotted, indispensable, shares
from algoworlds.families.basket_assembly.instance import BasketAssembly

Items = frozenset[str]
Recipe = tuple[str, ...]
Open = dict[str, frozenset[Recipe]]
"""Every recipe that a ticket may have, for tickets that may have several."""
Held = dict[str, Recipe]


def open_tickets(completions: Completions) -> Open:
    """The tickets of which more than one recipe is left."""
    return {ticket: left for ticket, left in _left(completions).items() if len(left) > 1}


def open_among(completions: Completions, basket: Recipe) -> Open:
    """The same of the tickets of a basket."""
    return {ticket: left for ticket, left in completions.once(open_tickets).items() if ticket in basket}


def _left(completions: Completions) -> Open:
    """What responses leave of the recipes of tickets that were not read, and what promises leave of that."""
    instance: BasketAssembly = completions.instance
    met = grouped(instance.ticket, ((row[0], row[1]) for name, row in completions.facts if name == "covers"))
    among = frozenset(item for item in instance.item if not completions.whole("covers", "item", item))
    unread = {t: frozenset(items) for t, items in met.items() if not completions.whole("covers", "ticket", t)}
    fitting = {items: _fitting(instance, items, among | items) for items in frozenset(unread.values())}
    left, before = {ticket: fitting[items] for ticket, items in unread.items()}, None
    known = {recipe for ticket, recipe in instance.recipes().items() if ticket not in left}
    distinct, singly = completions.once(promised)
    while left != before:
        before, taken = left, known | {recipe for each in left.values() if len(each) == 1 for recipe in each}
        if distinct:
            left = {ticket: each if len(each) == 1 else each - taken for ticket, each in left.items()}
        missing = frozenset((item,) for item in instance.item) - taken if singly else frozenset[Recipe]()
        free = {ticket: each & missing for ticket, each in left.items() if len(each) > 1 and not missing.isdisjoint(each)}
        left = left | {ticket: free[ticket] for ticket in indispensable(free, missing)}
        for single in missing:
            holders = [ticket for ticket in free if single in left[ticket]]
            left = left | {ticket: frozenset({single}) for ticket in holders if len(holders) == 1}
        left = left | _told(completions, left)
    return left


def _told(completions: Completions, left: Open) -> Open:
    """What is left of the recipes of a basket that was found to deliver every item once: those that share out the rest."""
    told, instance = completions.told, completions.instance
    if told is None or told.value is None:
        return {}
    free = [ticket for ticket in told.decision if len(left.get(ticket, ())) > 1]
    delivered = {item for ticket, item in instance.covers if ticket in told.decision and ticket not in free}
    rest = frozenset(instance.item).difference(delivered)
    sizes = [size for size in (1, 3) if size + 3 * (len(free) - 1) >= len(rest) >= size + len(free) - 1]
    fitting = {t: frozenset(each for each in left[t] if rest.issuperset(each) and len(each) in sizes) for t in free}
    ways, all_ = _ways(instance, fitting, rest)
    return {ticket: frozenset(way[ticket] for way in ways) for ticket in free} if all_ else fitting


def _fitting(instance: BasketAssembly, met: Items, among: Items) -> frozenset[Recipe]:
    """Single items, and one item of each group, that hold what was met."""
    groups = [[item for item in group if item in among] for group in instance.groups]
    return frozenset(recipe for recipe in (*((item,) for item in among), *product(*groups)) if met.issubset(recipe))


def shared_out(completions: Completions, open_: Open, given: Held) -> Held | None:
    """What the open tickets hold in a completion in which some hold what they are given; None if there is no such completion.

    If there are too many ways to tell, only what is given: that may be a completion or not.
    """
    (distinct, singly), held = completions.once(promised), completions.instance.recipes()
    single = {(item,) for item in completions.instance.item} if singly else set[Recipe]()
    needed = single.difference(recipe for ticket, recipe in held.items() if ticket not in open_)
    ways, all_ = _shares(completions, open_, given)
    for fixed in (given | way for way in ways):
        taken = frozenset(fixed.values())
        free = {ticket: left - taken if distinct else left for ticket, left in open_.items() if ticket not in fixed}
        found = allotted(free, held, needed - taken, distinct)
        if found is not None and not (distinct and len(taken) < len(fixed)):
            return fixed | found
    return None if all_ else given


def promised(completions: Completions) -> tuple[bool, bool]:
    """Whether no two tickets may deliver the same, and whether every item must be sold singly: what breaks a promise tells."""
    usual = _kept(completions, "a", "b", "c", "abc")
    twice, alone = _kept(completions, "a", "b", "c", "abc", "abc"), _kept(completions, "abc")
    return usual and not twice, usual and not alone


def _kept(completions: Completions, *recipes: str) -> bool:
    """Whether a shop for three items that sells some recipes keeps all promises."""
    covers = frozenset((str(at), item) for at, recipe in enumerate(recipes) for item in recipe)
    price = {str(at): 0 for at in range(len(recipes))}
    shop = BasketAssembly(item=("a", "b", "c"), ticket=tuple(price), covers=covers, price=price)
    return all(promise.kept(shop) for promise in completions.ranges.promises)


def _shares(completions: Completions, open_: Open, given: Held) -> tuple[list[Held], bool]:
    """How open tickets of a basket that was found to deliver every item once share out what its other tickets leave."""
    told, instance = completions.told, completions.instance
    if told is None or told.value is None:
        return [{}], True
    known = {ticket: recipe for ticket, recipe in instance.recipes().items() if ticket not in open_} | given
    delivered = [item for ticket in told.decision for item in known.get(ticket, ())]
    if len(set(delivered)) < len(delivered):
        return [], True
    left = {ticket: open_[ticket] for ticket in told.decision if ticket not in known}
    return _ways(instance, left, frozenset(instance.item).difference(delivered))


def _ways(instance: BasketAssembly, open_: Open, rest: Items) -> tuple[list[Held], bool]:
    """How open tickets deliver every item of a rest once, and whether these are all ways there are."""
    groups = [frozenset(group) for group in instance.groups]

    def can(tickets: int, items: Items) -> bool:
        """Whether so many singles and triples can deliver some items."""
        triples, odd = divmod(len(items) - tickets, 2)
        return not odd and 0 <= triples <= min(len(items & group) for group in groups)

    return shares(open_, rest, can)

"""Sharing out recipes among the open tickets of Basket Assembly, so that a shop keeps every promise and what was told.

Every item is sold singly, no two tickets deliver the same, and a basket that was found to deliver every item once still does:
a matching of tickets and recipes for each way in which that basket's open tickets share out what its others leave.
"""

from collections.abc import Iterator, Set
from itertools import islice

from algoworlds.core.completions import Completions
from algoworlds.families.basket_assembly.instance import BasketAssembly

WAYS = 50
"""Ways to share out a basket that are looked at before nothing is concluded from them."""

Recipe = tuple[str, ...]
Open = dict[str, frozenset[Recipe]]
"""Every recipe that a ticket may have, for tickets that may have several."""
Held = dict[str, Recipe]


def shared_out(completions: Completions, open_: Open, given: Held) -> Held | None:
    """What the open tickets hold in a completion in which some hold what they are given; None if there is no such completion.

    If there are too many ways to tell, only what is given: that may be a completion or not.
    """
    (distinct, singly), held = promised(completions), completions.instance.recipes()
    single = {(item,) for item in completions.instance.item} if singly else set[Recipe]()
    needed = single.difference(recipe for ticket, recipe in held.items() if ticket not in open_)
    ways = list(islice(_ways(completions, open_, given), WAYS + 1))
    for fixed in (given | way for way in ways):
        taken = frozenset(fixed.values())
        free = {ticket: left - taken if distinct else left for ticket, left in open_.items() if ticket not in fixed}
        found = _matched(free, held, needed - taken, distinct)
        if found is not None and not (distinct and len(taken) < len(fixed)):
            return fixed | found
    return given if len(ways) > WAYS else None


def promised(completions: Completions) -> tuple[bool, bool]:
    """Whether no two tickets may deliver the same, and whether every item must be sold singly: what breaks a promise tells."""
    if "promised" not in completions.memo:
        usual = _kept(completions, "a", "b", "c", "abc")
        twice, alone = _kept(completions, "a", "b", "c", "abc", "abc"), _kept(completions, "abc")
        completions.memo["promised"] = usual and not twice, usual and not alone
    return completions.memo["promised"]  # type: ignore[no-any-return]


def _kept(completions: Completions, *recipes: str) -> bool:
    """Whether a shop for three items that sells some recipes keeps all promises."""
    covers = frozenset((str(at), item) for at, recipe in enumerate(recipes) for item in recipe)
    price = {str(at): 0 for at in range(len(recipes))}
    shop = BasketAssembly(item=("a", "b", "c"), ticket=tuple(price), covers=covers, price=price)
    return all(promise.kept(shop) for promise in completions.ranges.promises)


def indispensable(free: Open, singles: frozenset[Recipe]) -> Iterator[str]:
    """The tickets without which some of the single items would be sold by none."""
    kept: Held = {}
    for single in sorted(singles):
        _placed(single, free, kept, singles, set())
    yield from (ticket for ticket in kept if not _placed(kept[ticket], free, dict(kept), singles, {ticket}))


def _ways(completions: Completions, open_: Open, given: Held) -> Iterator[Held]:
    """How open tickets of a basket that was found to deliver every item once share out what its other tickets leave."""
    told, instance = completions.told, completions.instance
    if told is None or told.value is None:
        yield {}
        return
    known = {ticket: recipe for ticket, recipe in instance.recipes().items() if ticket not in open_} | given
    delivered = [item for ticket in told.decision for item in known.get(ticket, ())]
    if len(set(delivered)) == len(delivered):
        rest = frozenset(instance.item).difference(delivered)
        yield from _covers([ticket for ticket in told.decision if ticket not in known], rest, open_)


def _covers(tickets: list[str], rest: frozenset[str], open_: Open) -> Iterator[Held]:
    """How tickets deliver every item of a rest once."""
    if not tickets and not rest:
        yield {}
    for recipe in sorted(open_[tickets[0]]) if tickets and len(tickets) <= len(rest) <= 3 * len(tickets) else ():
        if rest.issuperset(recipe):
            yield from ({tickets[0]: recipe} | way for way in _covers(tickets[1:], rest.difference(recipe), open_))


def _matched(free: Open, held: Held, needed: Set[Recipe], distinct: bool) -> Held | None:
    """A recipe for every ticket, all that are needed among them, as it was held where that can be; None if there is no way."""
    holders = {held[ticket]: ticket for ticket, left in free.items() if held[ticket] in left}
    kept = {ticket: recipe for recipe, ticket in holders.items()}
    for single in sorted(needed - holders.keys()):
        if not _placed(single, free, kept, needed, set()):
            return None
    filled = (ticket in kept or _filled(ticket, free, kept, distinct, set()) for ticket in free)
    return kept if all(filled) else None


def _placed(single: Recipe, free: Open, kept: Held, needed: Set[Recipe], passed: set[str]) -> bool:
    """Give a single item to a ticket that may hold it; if that holds another that is needed, this one finds a place first."""
    for ticket in sorted(free, key=lambda each: kept.get(each) in needed):
        if ticket not in passed and single in free[ticket]:
            passed.add(ticket)
            now = kept.get(ticket, ())
            if now not in needed or _placed(now, free, kept, needed, passed):
                kept[ticket] = single
                return True
    return False


def _filled(ticket: str, free: Open, kept: Held, distinct: bool, passed: set[Recipe]) -> bool:
    """Give a ticket something to hold; if another one holds it and no two may, that finds something else first."""
    holders = {recipe: other for other, recipe in kept.items()} if distinct else {}
    for recipe in sorted(free[ticket], key=lambda each: (each in holders, each)):
        if recipe not in passed:
            passed.add(recipe)
            if recipe not in holders or _filled(holders[recipe], free, kept, distinct, passed):
                kept[ticket] = recipe
                return True
    return False

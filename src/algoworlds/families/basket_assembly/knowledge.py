"""What Basket Assembly leaves open while recipes are unread: which items a ticket delivers.

An item that was looked up is delivered by the tickets that were shown and by no others, so that a ticket may be known
without having been read. Where few combinations of recipes are left, each is a case; otherwise rivals may buy any recipe
that an open ticket may have, as long as a completion has all that they buy.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, dropping
from algoworlds.families.basket_assembly.allotment import combinations, few
from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.generate import ranges
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.sharing import Held, Recipe, open_among, open_tickets, shared_out
from algoworlds.families.basket_assembly.shops import WORK, lesser, shop_for, sold, told_apart
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Relaxed, Unknowns

SPLITS = 200
"""How often open tickets are told apart, since no completion has what a rival buys, before a bound is left as it is."""


def _with(instance: BasketAssembly, recipes: dict[str, Recipe]) -> BasketAssembly:
    kept = {row for row in instance.covers if row[0] not in recipes}
    return instance.replace(covers=frozenset(kept | {(ticket, item) for ticket, held in recipes.items() for item in held}))


def breaks(completions: Completions, decision: Recipe) -> Iterator[BasketAssembly]:
    """Tickets of the decision hold whatever they may together, if that is little, or one of them does; others what is left."""
    held, own = completions.instance.recipes(), open_among(completions, decision)
    changes: Iterable[Held] = ({one: recipe} for one, left in own.items() for recipe in sorted(left) if recipe != held[one])
    for change in combinations(own) if few(own) else changes:
        if (shared := shared_out(completions, completions.once(open_tickets), change)) is not None:
            yield _with(completions.instance, shared)


def hostile(completions: Completions, instance: BasketAssembly, decision: Recipe) -> BasketAssembly:
    """A break that is one; where not all are looked at, any other recipe of a ticket."""
    own = open_among(completions, decision)
    if few(own):
        return next((each for each in breaks(completions, decision) if check(each, decision).value is None), instance)
    one = min(own)
    return _with(instance, {one: min(own[one] - {instance.recipes()[one]})})


def cases(completions: Completions, decision: Recipe) -> Iterable[BasketAssembly]:
    """Every combination of recipes, if they are few."""
    open_ = completions.once(open_tickets)
    if not open_ or not few(open_):
        return (completions.instance,)
    return (_with(completions.instance, chosen) for chosen in combinations(open_))


def relaxed(completions: Completions, instance: BasketAssembly, decision: Recipe) -> Iterator[Relaxed]:
    """Every recipe that open tickets may have is for sale at the least price of any; the best shop that may be a completion."""
    open_ = completions.once(open_tickets)
    if few(open_):
        yield Relaxed(instance)
        return
    shops = [shop_for(instance, open_, order := count())]
    work = shops[0].work
    for _ in range(SPLITS):
        if work > WORK or (parts := told_apart(completions, shops[0])) is None:
            break
        heappop(shops)
        for left in parts:
            heappush(shops, shop := shop_for(instance, left, order))
            work += shop.work
    yield Relaxed(shops[0].offered, work=work)


def made(completions: Completions, instance: BasketAssembly, decision: Recipe, rival: Recipe) -> tuple[BasketAssembly, Recipe]:
    """Open tickets hold what the rival buys, and the others what that leaves; another rival if no completion has that."""
    if any(recipe for _, recipe in map(sold, rival)):
        rival = lesser(completions, instance, rival)
    given = {ticket: recipe for ticket, recipe in map(sold, rival) if recipe}
    shared = shared_out(completions, completions.once(open_tickets), given) if given else {}
    return (_with(instance, shared) if shared else instance), tuple(sorted({sold(offer)[0] for offer in rival}))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("covers", ""): 0},
        structure=frozenset({"covers"}),
        exchanges=frozenset({("covers", "ticket")}),
        moves=frozenset({("covers", "item")}),
        breaks=breaks,
        hostile=hostile,
        settles=lambda completions: few(completions.once(open_tickets)),
        apart=lambda completions: frozenset({"covers"}),
        cases=cases,
        relaxed=relaxed,
        made=made,
    ),
    options=(Options(("price", "covers"), dropping("ticket"), each="item"),),
)

"""What Basket Assembly leaves open while recipes are unread: which items a ticket delivers.

An item that was looked up is delivered by the tickets that were shown and by no others, so that a ticket may be known
without having been read. Where few combinations of recipes are left, each is a case; otherwise rivals may buy any recipe
that an open ticket may have, and no ticket twice.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count, islice, product
from math import inf, prod

from algoworlds.core.completions import Completions
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.unknowns import Relaxed, Unknowns

FEW = 64
"""Combinations of recipes that are looked at one by one."""
SPLITS = 200
"""How often the recipes of a ticket that was bought twice are split before a bound is left as it is."""

Recipe = tuple[str, ...]
Open = dict[str, frozenset[Recipe]]
"""Every recipe that a ticket may have, for tickets that may have several."""


def _open(completions: Completions) -> Open:
    instance: BasketAssembly = completions.instance
    met: dict[str, set[str]] = {ticket: set() for ticket in instance.ticket}
    for name, row in completions.facts:
        if name == "covers":
            met[row[0]].add(row[1])
    left = frozenset(item for item in instance.item if not completions.whole("covers", "item", item))
    unread = {t: frozenset(items) for t, items in met.items() if not completions.whole("covers", "ticket", t)}
    fitting = {items: _fitting(instance, items, left | items) for items in frozenset(unread.values())}
    return {ticket: fitting[items] for ticket, items in unread.items() if len(fitting[items]) > 1}


def _fitting(instance: BasketAssembly, met: frozenset[str], among: frozenset[str]) -> frozenset[Recipe]:
    """Single items, and one item of each group, that hold what was met."""
    n = instance.group_size
    groups = [[item for item in instance.item[at * n : (at + 1) * n] if item in among] for at in range(3)]
    singles = [(item,) for group in groups for item in group]
    return frozenset(recipe for recipe in (*singles, *product(*groups)) if met.issubset(recipe))


def _few(open_: Open) -> bool:
    return prod(map(len, open_.values())) <= FEW


def _with(instance: BasketAssembly, recipes: dict[str, Recipe]) -> BasketAssembly:
    kept = {row for row in instance.covers if row[0] not in recipes}
    return instance.replaced(covers=frozenset(kept | {(ticket, item) for ticket, held in recipes.items() for item in held}))


def breaks(completions: Completions, decision: Recipe) -> Iterator[BasketAssembly]:
    """A ticket of the decision holds what another one was thought to hold, which holds its items; or something else."""
    instance, open_ = completions.instance, _open(completions)
    held = instance.recipes()
    for one in (ticket for ticket in decision if ticket in open_):
        for other, fitting in open_.items():
            if other not in decision and held[other] != held[one] and held[other] in open_[one] and held[one] in fitting:
                yield _with(instance, {one: held[other], other: held[one]})
        yield from (_with(instance, {one: recipe}) for recipe in sorted(open_[one]) if recipe != held[one])


def hostile(completions: Completions, instance: BasketAssembly, decision: Recipe) -> BasketAssembly:
    """Any break will do, unless cases tell."""
    return instance if _few(_open(completions)) else next(breaks(completions, decision), instance)


def cases(completions: Completions, decision: Recipe) -> Iterable[BasketAssembly]:
    """Every combination of recipes, if they are few."""
    open_ = _open(completions)
    if not open_ or not _few(open_):
        return (completions.instance,)
    combinations = product(*(sorted(fitting) for fitting in open_.values()))
    return (_with(completions.instance, dict(zip(open_, chosen, strict=True))) for chosen in combinations)


def relaxed(completions: Completions, instance: BasketAssembly, decision: Recipe) -> Iterator[Relaxed]:
    """Every recipe that open tickets may have is for sale at the least price of any, the best shop that sells none twice."""
    open_ = _open(completions)
    if _few(open_):
        yield Relaxed(instance)
        return
    order = count()
    shops = [_shop(instance, open_, order)]
    for _ in range(SPLITS):
        _, _, open_, _, bought = shops[0]
        twice = [ticket for ticket in bought if sum(_sold(other)[0] == _sold(ticket)[0] for other in bought) > 1]
        if not twice:
            break
        heappop(shops)
        ticket, (item, *_) = _sold(twice[0])
        for holds in (True, False):  # of recipes that share an item nobody buys two
            left = frozenset(recipe for recipe in open_[ticket] if (item in recipe) is holds)
            heappush(shops, _shop(instance, open_ | {ticket: left}, order))
    yield Relaxed(shops[0][3])


def _shop(instance: BasketAssembly, open_: Open, order: Iterator[int]) -> tuple[float, int, Open, BasketAssembly, Recipe]:
    offered = _offered(instance, open_)
    best = solve(offered)
    return inf if best.value is None else best.value, next(order), open_, offered, best.decision or ()


def _offered(instance: BasketAssembly, open_: Open) -> BasketAssembly:
    """The shop with every recipe of the open tickets, under the cheapest ticket that may have it."""
    cheapest: dict[Recipe, str] = {}
    for ticket in sorted(open_, key=lambda ticket: instance.price[ticket]):
        for recipe in open_[ticket]:
            cheapest.setdefault(recipe, ticket)
    offered = {"+".join((ticket, *recipe)): recipe for recipe, ticket in sorted(cheapest.items())}
    kept = instance.without("ticket", frozenset(open_))
    return BasketAssembly(
        item=instance.item,
        ticket=(*kept.ticket, *offered),
        covers=kept.covers | {(ticket, item) for ticket, recipe in offered.items() for item in recipe},
        price={**kept.price, **{ticket: instance.price[_sold(ticket)[0]] for ticket in offered}},
    )


def _sold(offer: str) -> tuple[str, Recipe]:
    """The ticket behind an offer, and the recipe that it has there."""
    ticket, *recipe = offer.split("+")
    return ticket, tuple(recipe)


def made(completions: Completions, instance: BasketAssembly, decision: Recipe, rival: Recipe) -> tuple[BasketAssembly, Recipe]:
    """Open tickets hold what the rival buys; what they were thought to hold goes the other way where it can."""
    open_, held = _open(completions), instance.recipes()
    given = {ticket: recipe for ticket, recipe in map(_sold, rival) if recipe}
    for ticket, recipe in list(given.items()):
        thought = (other for other in open_ if held[other] == recipe and other not in given and held[ticket] in open_[other])
        given |= dict.fromkeys(islice(thought, 1), held[ticket])
    return (_with(instance, given) if given else instance), tuple(sorted({_sold(offer)[0] for offer in rival}))


UNKNOWNS = Unknowns(
    binding={("covers", ""): 0},
    structure=frozenset({"covers"}),
    breaks=breaks,
    hostile=hostile,
    cases=cases,
    relaxed=relaxed,
    made=made,
)

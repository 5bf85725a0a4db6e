"""What Basket Assembly leaves open while recipes are unread: which items a ticket delivers.

An item that was looked up is delivered by the tickets that were shown and by no others, so that a ticket may be known
without having been read. Where few combinations of recipes are left, each is a case; otherwise rivals may buy any recipe
that an open ticket may have, as long as a completion has all that they buy.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count, product
from math import inf, prod
from typing import NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.core.relation import grouped
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.sharing import Open, Recipe, indispensable, promised, shared_out
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.unknowns import Relaxed, Unknowns

FEW = 64
"""Combinations of recipes that are looked at one by one."""
SPLITS = 200
"""How often open tickets are told apart, since no completion has what a rival buys, before a bound is left as it is."""
DEPTH = 60
"""How often they are told apart for a rival that a completion has, if not the best one."""


def _open(completions: Completions) -> Open:
    if "open" not in completions.memo:
        completions.memo["open"] = {t: left for t, left in _left(completions).items() if len(left) > 1}
    return completions.memo["open"]  # type: ignore[no-any-return]


def _left(completions: Completions) -> Open:
    """What responses leave of the recipes of tickets that were not read, and what promises leave of that."""
    instance: BasketAssembly = completions.instance
    met = grouped(instance.ticket, ((row[0], row[1]) for name, row in completions.facts if name == "covers"))
    among = frozenset(item for item in instance.item if not completions.whole("covers", "item", item))
    unread = {t: frozenset(items) for t, items in met.items() if not completions.whole("covers", "ticket", t)}
    fitting = {items: _fitting(instance, items, among | items) for items in frozenset(unread.values())}
    left, before = {ticket: fitting[items] for ticket, items in unread.items()}, None
    known = {recipe for ticket, recipe in instance.recipes().items() if ticket not in left}
    distinct, singly = promised(completions)
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
    told, rest = completions.told, set(completions.instance.item)
    if told is None or told.value is None:
        return {}
    free = [ticket for ticket in told.decision if len(left.get(ticket, ())) > 1]
    rest -= {item for ticket, item in completions.instance.covers if ticket in told.decision and ticket not in free}
    sizes = [size for size in (1, 3) if size + 3 * (len(free) - 1) >= len(rest) >= size + len(free) - 1]
    return {t: frozenset(each for each in left[t] if rest.issuperset(each) and len(each) in sizes) for t in free}


def _fitting(instance: BasketAssembly, met: frozenset[str], among: frozenset[str]) -> frozenset[Recipe]:
    """Single items, and one item of each group, that hold what was met."""
    n = instance.group_size
    groups = [[item for item in instance.item[at * n : (at + 1) * n] if item in among] for at in range(3)]
    return frozenset(recipe for recipe in (*((item,) for item in among), *product(*groups)) if met.issubset(recipe))


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
    """Every recipe that open tickets may have is for sale at the least price of any; the best shop that may be a completion."""
    open_ = _open(completions)
    if _few(open_):
        yield Relaxed(instance)
        return
    shops = [_shop(instance, open_, order := count())]
    work = shops[0].work
    for _ in range(SPLITS):
        parts = _told_apart(completions, shops[0])
        if parts is None:
            break
        heappop(shops)
        for left in parts:
            heappush(shops, shop := _shop(instance, left, order))
            work += shop.work
    yield Relaxed(shops[0].offered, work=work)


def _told_apart(completions: Completions, shop: "_Shop") -> list[Open] | None:
    """What open tickets may have, in parts, if no completion has all that a shop's best basket buys; None if one has."""
    parts = _parts(shop.open_, shop.bought, _missing(completions))
    parts = _torn(completions, shop.open_, shop.bought) if parts is None else parts
    return None if parts is None else [shop.open_ | part for part in parts if all(part.values())]


def _missing(completions: Completions) -> frozenset[Recipe]:
    """The single items that must be for sale and that only open tickets can sell."""
    instance, open_ = completions.instance, _open(completions)
    sold = {recipe for ticket, recipe in instance.recipes().items() if ticket not in open_}
    return frozenset((item,) for item in instance.item) - sold if promised(completions)[1] else frozenset()


def _parts(open_: Open, bought: Recipe, missing: frozenset[Recipe]) -> list[Open] | None:
    """How to tell open tickets apart where a rival buys one twice or leaves too few for missing items; None if it does not."""
    offers = [_sold(offer) for offer in bought if _sold(offer)[0] in open_]
    for ticket, (item, *_) in offers:
        if sum(other == ticket for other, _ in offers) > 1:  # of recipes that share an item nobody buys two
            kinds = (frozenset(each for each in open_[ticket] if (item in each) is holds) for holds in (True, False))
            return [{ticket: kind} for kind in kinds]
    others = {ticket for ticket, recipe in offers if recipe not in missing}
    if len(open_) - len(others) >= len(missing):
        return None
    single = min(each for each in missing if not any(open_[ticket] == {each} for ticket in open_))
    return [{ticket: frozenset({single})} for ticket, each in open_.items() if single in each]


def _torn(completions: Completions, open_: Open, bought: Recipe) -> list[Open] | None:
    """How to tell tickets apart where what a rival buys no completion has: one holds it, or not; None if one has it."""
    offers = {ticket: recipe for ticket, recipe in map(_sold, bought) if ticket in open_}
    if shared_out(completions, open_, offers) is not None:
        return None
    torn = min((ticket for ticket in offers if len(open_[ticket]) > 1), default=None)
    if torn is None:
        return []
    recipe = frozenset({offers[torn]})
    others = {ticket: left - recipe for ticket, left in open_.items()} if promised(completions)[0] else {}
    return [others | {torn: recipe}, {torn: open_[torn] - recipe}]


class _Shop(NamedTuple):
    """What the best basket costs where open tickets may have some recipes; the cheapest comes first, then the oldest."""

    value: float
    number: int
    open_: Open
    offered: BasketAssembly
    bought: Recipe
    work: int


def _shop(instance: BasketAssembly, open_: Open, order: Iterator[int]) -> _Shop:
    offered = _offered(instance, open_)
    best = solve(offered)
    value = inf if best.value is None else best.value
    return _Shop(value, next(order), open_, offered, best.decision or (), best.work.total)


def _offered(instance: BasketAssembly, open_: Open) -> BasketAssembly:
    """The shop with every recipe of the open tickets, under the cheapest ticket that may have it."""
    cheapest = {recipe: ticket for ticket in sorted(open_, key=lambda each: -instance.price[each]) for recipe in open_[ticket]}
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
    """Open tickets hold what the rival buys, and the others what that leaves; another rival if no completion has that."""
    if any(recipe for _, recipe in map(_sold, rival)):
        rival = _lesser(completions, instance, rival)
    given = {ticket: recipe for ticket, recipe in map(_sold, rival) if recipe}
    bought = tuple(sorted({_sold(offer)[0] for offer in rival}))
    shared = shared_out(completions, _open(completions), given) if given else {}
    return (_with(instance, shared) if shared else instance), bought


def _lesser(completions: Completions, instance: BasketAssembly, rival: Recipe) -> Recipe:
    """A basket that some completion has: the rival, or the best one once every missing item has found a ticket."""
    shop = _Shop(0, 0, _open(completions), instance, rival, 0)
    if _told_apart(completions, shop) is None:
        return rival
    for single in sorted(_missing(completions)):
        shop = _best_of(instance, _holders(completions, shop.open_, single)) or shop
    for _ in range(DEPTH):
        following = _best_of(instance, _told_apart(completions, shop) or [])
        if following is None:
            break
        shop = following
    return shop.bought


def _best_of(instance: BasketAssembly, parts: list[Open]) -> "_Shop | None":
    return min((_shop(instance, part, count()) for part in parts), key=lambda each: each.value, default=None)


def _holders(completions: Completions, open_: Open, single: Recipe) -> list[Open]:
    """What open tickets may have if one of them sells a single item, for every one that does so in some completion."""
    found = [open_ | {ticket: frozenset({single})} for ticket, left in open_.items() if single in left]
    held = [{ticket: recipe for ticket, left in part.items() if len(left) == 1 for recipe in left} for part in found]
    return [part for part, each in zip(found, held, strict=True) if shared_out(completions, part, each) is not None]


UNKNOWNS = Unknowns(
    binding={("covers", ""): 0},
    structure=frozenset({"covers"}),
    breaks=breaks,
    hostile=hostile,
    settles=lambda completions: _few(_open(completions)),
    apart=lambda completions: frozenset({"covers"}),
    cases=cases,
    relaxed=relaxed,
    made=made,
)

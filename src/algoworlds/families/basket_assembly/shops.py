"""Shops in which rivals may buy any recipe that an open ticket may have; in parts where no completion has all that one buys."""

from collections.abc import Iterator
from itertools import count
from math import inf
from typing import NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.sharing import Open, Recipe, open_tickets, promised, shared_out
from algoworlds.families.basket_assembly.solve import solve

DEPTH = 60
"""How often open tickets are told apart for a rival that a completion has, if not the best one."""

WORK = 2**29
"""Counted operations of the solver after which open tickets are told apart no further."""


class Shop(NamedTuple):
    """What the best basket costs where open tickets may have some recipes; the cheapest comes first, then the oldest."""

    value: float
    number: int
    open_: Open
    offered: BasketAssembly
    bought: Recipe
    work: int


def shop_for(instance: BasketAssembly, open_: Open, order: Iterator[int]) -> Shop:
    """The shop with every recipe that open tickets may have, and the best basket there."""
    best = solve(offered := _offered(instance, open_))
    return Shop(inf if best.value is None else best.value, next(order), open_, offered, best.decision or (), best.work.total)


def _offered(instance: BasketAssembly, open_: Open) -> BasketAssembly:
    """The shop with every recipe of the open tickets, under the cheapest ticket that may have it."""
    cheapest = {recipe: ticket for ticket in sorted(open_, key=lambda each: -instance.price[each]) for recipe in open_[ticket]}
    offered = {"+".join((ticket, *recipe)): recipe for recipe, ticket in sorted(cheapest.items())}
    kept = instance.restrict(ticket=[ticket for ticket in instance.ticket if ticket not in open_])
    return kept.unchecked(  # as right as it was
        ticket=(*kept.ticket, *offered),
        covers=kept.covers | {(ticket, item) for ticket, recipe in offered.items() for item in recipe},
        price={**kept.price, **{ticket: instance.price[sold(ticket)[0]] for ticket in offered}},
    )


def sold(offer: str) -> tuple[str, Recipe]:
    """The ticket behind an offer, and the recipe that it has there."""
    ticket, *recipe = offer.split("+")
    return ticket, tuple(recipe)


def told_apart(completions: Completions, shop: "Shop") -> list[Open] | None:
    """What open tickets may have, in parts, if no completion has all that a shop's best basket buys; None if one has."""
    parts = _parts(shop.open_, shop.bought, _missing(completions))
    parts = _torn(completions, shop.open_, shop.bought) if parts is None else parts
    return None if parts is None else [shop.open_ | part for part in parts if all(part.values())]


def _parts(open_: Open, bought: Recipe, missing: frozenset[Recipe]) -> list[Open] | None:
    """How to tell open tickets apart where a rival buys one twice or leaves too few for missing items; None if it does not."""
    offers = [sold(offer) for offer in bought if sold(offer)[0] in open_]
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
    offers = {ticket: recipe for ticket, recipe in map(sold, bought) if ticket in open_}
    if shared_out(completions, open_, offers) is not None:
        return None
    torn = min((ticket for ticket in offers if len(open_[ticket]) > 1), default=None)
    if torn is None:
        return []
    recipe = frozenset({offers[torn]})
    others = {ticket: left - recipe for ticket, left in open_.items()} if completions.once(promised)[0] else {}
    return [others | {torn: recipe}, {torn: open_[torn] - recipe}]


def _missing(completions: Completions) -> frozenset[Recipe]:
    """The single items that must be for sale and that only open tickets can sell."""
    instance, open_ = completions.instance, completions.once(open_tickets)
    sold = {recipe for ticket, recipe in instance.recipes().items() if ticket not in open_}
    return frozenset((item,) for item in instance.item) - sold if completions.once(promised)[1] else frozenset()


def lesser(completions: Completions, instance: BasketAssembly, rival: Recipe) -> Recipe:
    """A basket that some completion has: the rival, or the best one once every missing item has found a ticket."""
    shop = Shop(0, 0, completions.once(open_tickets), instance, rival, 0)
    if told_apart(completions, shop) is None:
        return rival
    for single in sorted(_missing(completions)):
        shop = _best_of(instance, _holders(completions, shop.open_, single), shop.work) or shop
    for _ in range(DEPTH):
        if (following := _best_of(instance, told_apart(completions, shop) or [], shop.work)) is None:
            break
        shop = following
    return shop.bought


def _best_of(instance: BasketAssembly, parts: list[Open], work: int) -> "Shop | None":
    """The best shop of all parts, with the work so far; None if there is none, or if that is enough."""
    shops = [shop_for(instance, part, count()) for part in parts if work <= WORK]
    best = min(shops, key=lambda each: each.value, default=None)
    return None if best is None else best._replace(work=work + sum(each.work for each in shops))


def _holders(completions: Completions, open_: Open, single: Recipe) -> list[Open]:
    """What open tickets may have if one of them sells a single item, for every one that does so in some completion."""
    found = [open_ | {ticket: frozenset({single})} for ticket, left in open_.items() if single in left]
    held = [{ticket: recipe for ticket, left in part.items() if len(left) == 1 for recipe in left} for part in found]
    return [part for part, each in zip(found, held, strict=True) if shared_out(completions, part, each) is not None]

"""What Basket Assembly leaves open while recipes are unread: which items a ticket delivers.

An item whose index was read is delivered by the listed tickets and no others, so a recipe may be known without having been
read. If few combinations of recipes are left, each is a case. Otherwise rivals may buy any recipe that an open ticket may
have, and branch and bound splits the open tickets until some completion has everything that the best rival buys.
"""

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.core.options import OptionKind, drop_entities
from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.generate import ranges
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.recipes import (
    HeldRecipes,
    Recipe,
    RecipeOptions,
    can_enumerate,
    complete_recipes,
    open_tickets,
    open_tickets_in,
    option_combinations,
    recipe_promises,
)
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Relaxation, Unknowns

MAX_DEPTH = 60
"""Splits on the way to a rival that a completion has, if the best rival has none."""
MAX_SPLITS = 200
"""Splits of open tickets before a bound is accepted although no completion has the rival."""
MAX_WORK = 2**29
"""Counted operations of the solver after which open tickets are no longer split."""


class RelaxedShop(NamedTuple):
    """A shop that sells all recipes which open tickets may have, and its best basket; ordered by value, then by age."""

    value: float
    number: int
    open_: RecipeOptions
    shop: BasketAssembly
    bought: Recipe
    work: int


def relax_shop(instance: BasketAssembly, open_: RecipeOptions, order: Iterator[int]) -> RelaxedShop:
    """Offer every recipe of the open tickets under the cheapest ticket that may have it, and solve."""
    dearest_first = sorted(open_, key=lambda ticket: -instance.price[ticket])
    cheapest = {recipe: ticket for ticket in dearest_first for recipe in open_[ticket]}
    offers = {"+".join((ticket, *recipe)): recipe for recipe, ticket in sorted(cheapest.items())}
    closed = instance.restrict(ticket=[ticket for ticket in instance.ticket if ticket not in open_])
    shop = closed.unchecked(
        ticket=(*closed.ticket, *offers),
        covers=closed.covers | {(offer, item) for offer, recipe in offers.items() for item in recipe},
        price={**closed.price, **{offer: instance.price[parse_offer(offer)[0]] for offer in offers}},
    )
    best = solve(shop)
    value = inf if best.value is None else best.value
    return RelaxedShop(value, next(order), open_, shop, best.decision or (), best.work.total)


def parse_offer(offer: str) -> tuple[str, Recipe]:
    """The ticket and the recipe that an offer of a relaxed shop stands for; an empty recipe for a ticket itself."""
    ticket, *recipe = offer.split("+")
    return ticket, tuple(recipe)


def split_open_tickets(completions: Completions, shop: RelaxedShop) -> list[RecipeOptions] | None:
    """Parts of the open tickets' options if no completion has all that `shop` buys; None if one has."""
    parts = _split_by_counts(shop.open_, shop.bought, _missing_singles(completions))
    parts = _split_by_assignment(completions, shop.open_, shop.bought) if parts is None else parts
    return None if parts is None else [shop.open_ | part for part in parts if all(part.values())]


def _split_by_counts(open_: RecipeOptions, bought: Recipe, missing: frozenset[Recipe]) -> list[RecipeOptions] | None:
    """Split if the basket buys an open ticket twice or leaves too few for the missing singles; otherwise None."""
    offers = [parse_offer(offer) for offer in bought if parse_offer(offer)[0] in open_]
    for ticket, (item, *_) in offers:
        if sum(other == ticket for other, _ in offers) > 1:  # no basket buys two recipes with the same item
            kinds = (frozenset(recipe for recipe in open_[ticket] if (item in recipe) is holds) for holds in (True, False))
            return [{ticket: kind} for kind in kinds]
    others = {ticket for ticket, recipe in offers if recipe not in missing}
    if len(open_) - len(others) >= len(missing):
        return None
    single = min(recipe for recipe in missing if not any(open_[ticket] == {recipe} for ticket in open_))
    return [{ticket: frozenset({single})} for ticket, recipes in open_.items() if single in recipes]


def _split_by_assignment(completions: Completions, open_: RecipeOptions, bought: Recipe) -> list[RecipeOptions] | None:
    """Split on one bought recipe (its ticket has it or not) if no completion has them all; None if one has."""
    offers = {ticket: recipe for ticket, recipe in map(parse_offer, bought) if ticket in open_}
    if complete_recipes(completions, open_, offers) is not None:
        return None
    split = min((ticket for ticket in offers if len(open_[ticket]) > 1), default=None)
    if split is None:
        return []
    recipe = frozenset({offers[split]})
    others = {ticket: left - recipe for ticket, left in open_.items()} if completions.memoize(recipe_promises)[0] else {}
    return [others | {split: recipe}, {split: open_[split] - recipe}]


def _missing_singles(completions: Completions) -> frozenset[Recipe]:
    """The single items that must be for sale and that only open tickets can sell."""
    instance, open_ = completions.instance, completions.memoize(open_tickets)
    sold = {recipe for ticket, recipe in instance.recipes().items() if ticket not in open_}
    return frozenset((item,) for item in instance.item) - sold if completions.memoize(recipe_promises)[1] else frozenset()


def realizable_rival(completions: Completions, instance: BasketAssembly, rival: Recipe) -> Recipe:
    """`rival` if some completion has it; otherwise the best basket found after assigning every missing single a ticket."""
    shop = RelaxedShop(0, 0, completions.memoize(open_tickets), instance, rival, 0)
    if split_open_tickets(completions, shop) is None:
        return rival
    for single in sorted(_missing_singles(completions)):
        parts = [shop.open_ | {ticket: frozenset({single})} for ticket, left in shop.open_.items() if single in left]
        settled = [{ticket: recipe for ticket, left in part.items() if len(left) == 1 for recipe in left} for part in parts]
        consistent = (complete_recipes(completions, *pair) is not None for pair in zip(parts, settled, strict=True))
        shop = _best_shop(instance, [part for part, ok in zip(parts, consistent, strict=True) if ok], shop.work) or shop
    for _ in range(MAX_DEPTH):
        if (following := _best_shop(instance, split_open_tickets(completions, shop) or [], shop.work)) is None:
            break
        shop = following
    return shop.bought


def _best_shop(instance: BasketAssembly, parts: list[RecipeOptions], work: int) -> RelaxedShop | None:
    """The best shop of all parts, with the work so far added; None if there are no parts or `work` exceeds MAX_WORK."""
    shops = [relax_shop(instance, part, count()) for part in parts if work <= MAX_WORK]
    best = min(shops, key=lambda shop: shop.value, default=None)
    return None if best is None else best._replace(work=work + sum(shop.work for shop in shops))


def _with_recipes(instance: BasketAssembly, recipes: HeldRecipes) -> BasketAssembly:
    others = {row for row in instance.covers if row[0] not in recipes}
    return instance.replace(covers=frozenset(others | {(ticket, item) for ticket, held in recipes.items() for item in held}))


def possible_breaks(completions: Completions, decision: Recipe) -> Iterator[BasketAssembly]:
    """Completions with other recipes for the open tickets of `decision`: all combinations if they are few, else one changed."""
    held, own = completions.instance.recipes(), open_tickets_in(completions, decision)
    changes: Iterable[HeldRecipes] = (
        {ticket: recipe} for ticket, left in own.items() for recipe in sorted(left) if recipe != held[ticket]
    )
    for change in option_combinations(own) if can_enumerate(own) else changes:
        if (shared := complete_recipes(completions, completions.memoize(open_tickets), change)) is not None:
            yield _with_recipes(completions.instance, shared)


def worst_case(completions: Completions, instance: BasketAssembly, decision: Recipe) -> BasketAssembly:
    """A completion that makes `decision` infeasible; if combinations are too many, any other recipe for one ticket."""
    own = open_tickets_in(completions, decision)
    if can_enumerate(own):
        broken = (shop for shop in possible_breaks(completions, decision) if check(shop, decision).value is None)
        return next(broken, instance)
    ticket = min(own)
    return _with_recipes(instance, {ticket: min(own[ticket] - {instance.recipes()[ticket]})})


def cases(completions: Completions, decision: Recipe) -> Iterable[BasketAssembly]:
    """Every combination of recipes, if they are few."""
    open_ = completions.memoize(open_tickets)
    if not open_ or not can_enumerate(open_):
        return (completions.instance,)
    return (_with_recipes(completions.instance, chosen) for chosen in option_combinations(open_))


def relax(completions: Completions, instance: BasketAssembly, decision: Recipe) -> Iterator[Relaxation]:
    """Best-first branch and bound over relaxed shops, until a completion may have what the best one buys."""
    open_ = completions.memoize(open_tickets)
    if can_enumerate(open_):
        yield Relaxation(instance)
        return
    shops = [relax_shop(instance, open_, order := count())]
    work = shops[0].work
    for _ in range(MAX_SPLITS):
        if work > MAX_WORK or (parts := split_open_tickets(completions, shops[0])) is None:
            break
        heappop(shops)
        for part in parts:
            heappush(shops, relaxed := relax_shop(instance, part, order))
            work += relaxed.work
    yield Relaxation(shops[0].shop, work=work)


def realize_rival(
    completions: Completions, instance: BasketAssembly, decision: Recipe, rival: Recipe
) -> tuple[BasketAssembly, Recipe]:
    """Give open tickets the recipes that `rival` buys and the others what is left; another rival if no completion has that."""
    if any(recipe for _, recipe in map(parse_offer, rival)):
        rival = realizable_rival(completions, instance, rival)
    bought = {ticket: recipe for ticket, recipe in map(parse_offer, rival) if recipe}
    shared = complete_recipes(completions, completions.memoize(open_tickets), bought) if bought else {}
    tickets = tuple(sorted({parse_offer(offer)[0] for offer in rival}))
    return (_with_recipes(instance, shared) if shared else instance), tickets


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("covers", ""): 0},
        structure=frozenset({"covers"}),
        exchanges=frozenset({("covers", "ticket")}),
        moves=frozenset({("covers", "item")}),
        breaks=possible_breaks,
        hostile=worst_case,
        settles=lambda completions: can_enumerate(completions.memoize(open_tickets)),
        apart=lambda completions: frozenset({"covers"}),
        cases=cases,
        relaxed=relax,
        made=realize_rival,
    ),
    options=(OptionKind(("price", "covers"), drop_entities("ticket"), required_roster="item"),),
)

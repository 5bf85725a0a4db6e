"""What Basket Assembly leaves open while recipes are unread: which items a ticket delivers.

An item whose index was read is delivered by the listed tickets and no others, so a recipe may be known without having been
read. If few combinations of recipes are left, each is a case. Otherwise rivals may buy any recipe that an open ticket may
have, and branch and bound splits the open tickets until some completion has everything that the best rival buys.

Every item is sold singly, no two tickets have the same recipe, and a basket that was evaluated as feasible delivers every item
once. So recipes are assigned to tickets by augmenting paths (bipartite matching), once for each way in which the open tickets
of the evaluated basket partition the items that its other tickets leave.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from heapq import heappop, heappush
from itertools import count, islice, product
from math import inf, prod
from typing import NamedTuple

from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.generate import ranges
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.declare import Completions, Knowledge, OptionKind, Relaxation, Unknowns, group_pairs, unused_character

MAX_ENUMERATED = 64
"""Combinations of recipes that are tried one by one."""
MAX_PARTITIONS = 50
"""Partitions of the remaining items that are tried."""
MAX_SEARCH_STEPS = 5_000
"""Steps of the search for these partitions."""

Items = frozenset[str]
Recipe = tuple[str, ...]
HeldRecipes = dict[str, Recipe]
RecipeOptions = dict[str, frozenset[Recipe]]
"""All recipes that a ticket may have, for tickets that may have several."""
Offers = Mapping[str, frozenset[Recipe]]

MAX_DEPTH = 60
"""Splits on the way to a rival that a completion has, if the best rival has none."""
MAX_SPLITS = 200
"""Splits of open tickets before a bound is accepted although no completion has the rival."""
MAX_WORK = 2**29
"""Counted operations of the solver after which open tickets are no longer split."""


def can_enumerate(offers: Offers) -> bool:
    """Whether all combinations of recipes are few enough to try."""
    return prod(map(len, offers.values())) <= MAX_ENUMERATED


def option_combinations(offers: Offers) -> Iterator[HeldRecipes]:
    """All combinations of recipes, whether or not they may occur together."""
    return (dict(zip(offers, chosen, strict=True)) for chosen in product(*map(sorted, offers.values())))


def find_assignment(offers: Offers, preferred: Mapping[str, Recipe], needed: Set[Recipe], distinct: bool) -> HeldRecipes | None:
    """A recipe for each ticket, all of `needed` among them, preferably as in `preferred`; None if impossible."""
    holders = {preferred[ticket]: ticket for ticket, recipes in offers.items() if preferred[ticket] in recipes}
    assigned = {ticket: recipe for recipe, ticket in holders.items()}
    for recipe in sorted(needed - holders.keys()):
        if not _assign_recipe(recipe, offers, assigned, needed, set()):
            return None
    complete = (ticket in assigned or _assign_ticket(ticket, offers, assigned, distinct, set()) for ticket in offers)
    return assigned if all(complete) else None


def essential_holders(offers: Offers, needed: frozenset[Recipe]) -> Iterator[str]:
    """The tickets without which some recipe of `needed` has no ticket."""
    assigned: HeldRecipes = {}
    for recipe in sorted(needed):
        _assign_recipe(recipe, offers, assigned, needed, set())
    yield from (ticket for ticket in assigned if not _assign_recipe(assigned[ticket], offers, dict(assigned), needed, {ticket}))


def _assign_recipe(recipe: Recipe, offers: Offers, assigned: HeldRecipes, needed: Set[Recipe], tried: set[str]) -> bool:
    """Assign `recipe` to a ticket; a needed recipe that the ticket holds moves to another one first (augmenting path)."""
    for ticket in sorted(offers, key=lambda ticket: assigned.get(ticket) in needed):
        if ticket not in tried and recipe in offers[ticket]:
            tried.add(ticket)
            current = assigned.get(ticket, ())
            if current not in needed or _assign_recipe(current, offers, assigned, needed, tried):
                assigned[ticket] = recipe
                return True
    return False


def _assign_ticket(ticket: str, offers: Offers, assigned: HeldRecipes, distinct: bool, tried: set[Recipe]) -> bool:
    """Assign `ticket` a recipe; if recipes must be distinct, another holder of it moves first (augmenting path)."""
    holders = {recipe: other for other, recipe in assigned.items()} if distinct else {}
    for recipe in sorted(offers[ticket], key=lambda recipe: (recipe in holders, recipe)):
        if recipe not in tried:
            tried.add(recipe)
            if recipe not in holders or _assign_ticket(holders[recipe], offers, assigned, distinct, tried):
                assigned[ticket] = recipe
                return True
    return False


def exact_partitions(offers: Offers, whole: Items, can: Callable[[int, Items], bool]) -> tuple[list[HeldRecipes], bool]:
    """Ways in which the recipes of all tickets partition `whole`, and whether these are all.

    A branch is cut if `can(tickets, items)` says that so many tickets cannot deliver these items.
    """
    steps = iter(range(MAX_SEARCH_STEPS))

    def search(tickets: list[str], rest: Items) -> Iterator[HeldRecipes]:
        if next(steps, None) is None or not can(len(tickets), rest):
            return
        if not tickets:
            yield {}
        for recipe in sorted(offers[tickets[0]]) if tickets else ():
            if rest.issuperset(recipe):
                for way in search(tickets[1:], rest.difference(recipe)):
                    yield {tickets[0]: recipe} | way

    ways = list(islice(search(list(offers), whole), MAX_PARTITIONS + 1))
    return ways, len(ways) <= MAX_PARTITIONS and next(steps, None) is not None


def open_tickets(completions: Completions) -> RecipeOptions:
    """The tickets that may have more than one recipe."""
    return {ticket: recipes for ticket, recipes in _possible_recipes(completions).items() if len(recipes) > 1}


def open_tickets_in(completions: Completions, basket: Recipe) -> RecipeOptions:
    """The open tickets of `basket`."""
    return {ticket: recipes for ticket, recipes in completions.memoize(open_tickets).items() if ticket in basket}


def _possible_recipes(completions: Completions) -> RecipeOptions:
    """The possible recipes of each ticket that was not read: consistent with the facts, then narrowed by the promises."""
    instance: BasketAssembly = completions.instance
    items_seen = group_pairs(instance.ticket, ((row[0], row[1]) for name, row in completions.facts if name == "covers"))
    open_items = frozenset(item for item in instance.item if not completions.is_fully_read("covers", "item", item))
    unread = {t: frozenset(items) for t, items in items_seen.items() if not completions.is_fully_read("covers", "ticket", t)}
    fitting = {items: _recipes_with(instance, items, open_items | items) for items in frozenset(unread.values())}
    left, before = {ticket: fitting[items] for ticket, items in unread.items()}, None
    read = {recipe for ticket, recipe in instance.recipes().items() if ticket not in left}
    distinct, singly = completions.memoize(recipe_promises)
    while left != before:  # to a fixed point
        before, taken = left, read | {recipe for recipes in left.values() if len(recipes) == 1 for recipe in recipes}
        if distinct:
            left = {ticket: recipes if len(recipes) == 1 else recipes - taken for ticket, recipes in left.items()}
        missing = frozenset((item,) for item in instance.item) - taken if singly else frozenset[Recipe]()
        free = {t: recipes & missing for t, recipes in left.items() if len(recipes) > 1 and not missing.isdisjoint(recipes)}
        left = left | {ticket: free[ticket] for ticket in essential_holders(free, missing)}
        for single in missing:
            holders = [ticket for ticket in free if single in left[ticket]]
            left = left | {ticket: frozenset({single}) for ticket in holders if len(holders) == 1}
        left = left | _narrow_by_evaluation(completions, left)
    return left


def _narrow_by_evaluation(completions: Completions, left: RecipeOptions) -> RecipeOptions:
    """The possible recipes of the tickets in a basket that was evaluated as feasible: together they deliver the rest once."""
    evaluation, instance = completions.evaluation, completions.instance
    if evaluation is None or evaluation.value is None:
        return {}
    free = [ticket for ticket in evaluation.decision if len(left.get(ticket, ())) > 1]
    delivered = {item for ticket, item in instance.covers if ticket in evaluation.decision and ticket not in free}
    rest = frozenset(instance.item).difference(delivered)
    sizes = [size for size in (1, 3) if size + 3 * (len(free) - 1) >= len(rest) >= size + len(free) - 1]
    fitting = {t: frozenset(recipe for recipe in left[t] if rest.issuperset(recipe) and len(recipe) in sizes) for t in free}
    ways, complete = _recipe_partitions(instance, fitting, rest)
    return {ticket: frozenset(way[ticket] for way in ways) for ticket in free} if complete else fitting


def _recipes_with(instance: BasketAssembly, required: Items, allowed: Items) -> frozenset[Recipe]:
    """All recipes of `allowed` items that hold all `required` ones."""
    groups = [[item for item in group if item in allowed] for group in instance.groups]
    recipes = (*((item,) for item in allowed), *product(*groups))
    return frozenset(recipe for recipe in recipes if required.issubset(recipe))


def complete_recipes(completions: Completions, open_: RecipeOptions, fixed: HeldRecipes) -> HeldRecipes | None:
    """The recipes of all open tickets in a completion with `fixed`; None if no completion has them.

    If there are too many partitions to decide, returns `fixed`, which may or may not be part of a completion.
    """
    (distinct, singly), held = completions.memoize(recipe_promises), completions.instance.recipes()
    single = {(item,) for item in completions.instance.item} if singly else set[Recipe]()
    needed = single.difference(recipe for ticket, recipe in held.items() if ticket not in open_)
    ways, complete = _evaluated_basket_partitions(completions, open_, fixed)
    for chosen in (fixed | way for way in ways):
        taken = frozenset(chosen.values())
        free = {ticket: left - taken if distinct else left for ticket, left in open_.items() if ticket not in chosen}
        others = find_assignment(free, held, needed - taken, distinct)
        if others is not None and not (distinct and len(taken) < len(chosen)):
            return chosen | others
    return None if complete else fixed


def recipe_promises(completions: Completions) -> tuple[bool, bool]:
    """Whether recipes must be distinct, and whether every item must be sold singly, found by testing small shops."""
    usual = _keeps_promises(completions, "a", "b", "c", "abc")
    twice, unsold = _keeps_promises(completions, "a", "b", "c", "abc", "abc"), _keeps_promises(completions, "abc")
    return usual and not twice, usual and not unsold


def _keeps_promises(completions: Completions, *recipes: str) -> bool:
    """Whether a shop for the items a, b and c that sells `recipes` keeps all promises."""
    covers = frozenset((str(at), item) for at, recipe in enumerate(recipes) for item in recipe)
    price = {str(at): 0 for at in range(len(recipes))}
    shop = BasketAssembly(item=("a", "b", "c"), ticket=tuple(price), covers=covers, price=price)
    return all(promise.holds(shop) for promise in completions.ranges.promises)


def _evaluated_basket_partitions(
    completions: Completions, open_: RecipeOptions, fixed: HeldRecipes
) -> tuple[list[HeldRecipes], bool]:
    """How the open tickets of a basket that was evaluated as feasible share the items that its other tickets leave."""
    evaluation, instance = completions.evaluation, completions.instance
    if evaluation is None or evaluation.value is None:
        return [{}], True
    settled = {ticket: recipe for ticket, recipe in instance.recipes().items() if ticket not in open_} | fixed
    delivered = [item for ticket in evaluation.decision for item in settled.get(ticket, ())]
    if len(set(delivered)) < len(delivered):
        return [], True
    left = {ticket: open_[ticket] for ticket in evaluation.decision if ticket not in settled}
    return _recipe_partitions(instance, left, frozenset(instance.item).difference(delivered))


def _recipe_partitions(instance: BasketAssembly, open_: RecipeOptions, rest: Items) -> tuple[list[HeldRecipes], bool]:
    """Ways in which open tickets deliver every item of `rest` once, and whether these are all."""
    groups = [frozenset(group) for group in instance.groups]

    def can(tickets: int, items: Items) -> bool:
        """Whether so many singles and triples can deliver these items, by counts alone."""
        triples, odd = divmod(len(items) - tickets, 2)
        return not odd and 0 <= triples <= min(len(items & group) for group in groups)

    return exact_partitions(open_, rest, can)


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
    plus = instance.derived(_plus, reads=("ticket", "item"))
    offers = {plus.join((ticket, *recipe)): (ticket, recipe) for recipe, ticket in sorted(cheapest.items())}
    closed = instance.restrict(ticket=[ticket for ticket in instance.ticket if ticket not in open_])
    shop = closed.unchecked(
        ticket=(*closed.ticket, *offers),
        covers=closed.covers | {(offer, item) for offer, (_, recipe) in offers.items() for item in recipe},
        price={**closed.price, **{offer: instance.price[ticket] for offer, (ticket, _) in offers.items()}},
    )
    best = solve(shop)
    value = inf if best.value is None else best.value
    return RelaxedShop(value, next(order), open_, shop, best.decision or (), best.work.total)


def _plus(instance: BasketAssembly) -> str:
    """The character between the ticket and the items in the id of an offer."""
    return unused_character(instance.ticket, instance.item)


def parse_offers(completions: Completions, basket: Recipe) -> list[tuple[str, Recipe]]:
    """The tickets and recipes that the offers of a relaxed shop stand for; an empty recipe for a ticket itself."""
    plus = completions.instance.derived(_plus, reads=("ticket", "item"))
    return [(ticket, tuple(recipe)) for ticket, *recipe in (offer.split(plus) for offer in basket)]


def split_open_tickets(completions: Completions, shop: RelaxedShop) -> list[RecipeOptions] | None:
    """Parts of the open tickets' options if no completion has all that `shop` buys; None if one has."""
    offers = [(ticket, recipe) for ticket, recipe in parse_offers(completions, shop.bought) if ticket in shop.open_]
    parts = _split_by_counts(shop.open_, offers, _missing_singles(completions))
    parts = _split_by_assignment(completions, shop.open_, dict(offers)) if parts is None else parts
    return None if parts is None else [shop.open_ | part for part in parts if all(part.values())]


def _split_by_counts(
    open_: RecipeOptions, offers: list[tuple[str, Recipe]], missing: frozenset[Recipe]
) -> list[RecipeOptions] | None:
    """Split if the basket buys an open ticket twice or leaves too few for the missing singles; otherwise None."""
    for ticket, (item, *_) in offers:
        if sum(other == ticket for other, _ in offers) > 1:  # no basket buys two recipes with the same item
            kinds = (frozenset(recipe for recipe in open_[ticket] if (item in recipe) is holds) for holds in (True, False))
            return [{ticket: kind} for kind in kinds]
    others = {ticket for ticket, recipe in offers if recipe not in missing}
    if len(open_) - len(others) >= len(missing):
        return None
    single = min(recipe for recipe in missing if not any(open_[ticket] == {recipe} for ticket in open_))
    return [{ticket: frozenset({single})} for ticket, recipes in open_.items() if single in recipes]


def _split_by_assignment(completions: Completions, open_: RecipeOptions, offers: HeldRecipes) -> list[RecipeOptions] | None:
    """Split on one bought recipe (its ticket has it or not) if no completion has them all; None if one has."""
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
    if any(recipe for _, recipe in parse_offers(completions, rival)):
        rival = realizable_rival(completions, instance, rival)
    offers = parse_offers(completions, rival)
    bought = {ticket: recipe for ticket, recipe in offers if recipe}
    shared = complete_recipes(completions, completions.memoize(open_tickets), bought) if bought else {}
    return (_with_recipes(instance, shared) if shared else instance), tuple(sorted({ticket for ticket, _ in offers}))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("covers", ""): 0},
        structure=frozenset({"covers"}),
        exchanges=frozenset({("covers", "ticket")}),
        moves=frozenset({("covers", "item")}),
        possible_breaks=possible_breaks,
        worst_structure=worst_case,
        cases_fix_structure=lambda completions: can_enumerate(completions.memoize(open_tickets)),
        unrelated_to_evaluation=lambda completions: frozenset({"covers"}),
        cases=cases,
        relaxations=relax,
        complete_for_rival=realize_rival,
    ),
    options=(OptionKind(("price", "covers"), drop="ticket", required_roster="item"),),
)

"""Which recipes unread tickets may still have, and how completions assign them.

Every item is sold singly, no two tickets have the same recipe, and a basket that was evaluated as feasible delivers every item
once. So recipes are assigned to tickets by augmenting paths (bipartite matching), once for each way in which the open tickets
of the evaluated basket partition the items that its other tickets leave.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import islice, product
from math import prod

from algoworlds.core.completions import Completions
from algoworlds.core.relation import group_pairs
from algoworlds.families.basket_assembly.instance import BasketAssembly

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

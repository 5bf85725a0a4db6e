"""Attacks on Basket Assembly: blind instances, fitted columns, and its search space."""

from algoworlds.core.relation import group_pairs
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import BasketSearchSpace, descend, sample
from algoworlds.families.hardness import Concession, Hardness, erase_tables, fit_line


def _average_prices(size: int, instance: BasketAssembly) -> BasketAssembly:
    """Replace the prices of all tickets with `size` items by their mean, rounded down."""
    tickets = [ticket for ticket, items in instance.recipes().items() if len(items) == size]
    mean = sum(instance.price[ticket] for ticket in tickets) // max(1, len(tickets))
    return instance.unchecked(price={**instance.price, **dict.fromkeys(tickets, mean)})


def _rotate_triples(instance: BasketAssembly) -> BasketAssembly:
    """Give each triple the items of the next triple of the catalog."""
    recipes = instance.recipes()
    triples = [ticket for ticket, items in recipes.items() if len(items) == 3]
    held = {**recipes, **{ticket: recipes[after] for ticket, after in zip(triples, triples[1:] + triples[:1], strict=True)}}
    return instance.unchecked(covers=frozenset((ticket, item) for ticket, items in held.items() for item in items))


def _fit_to_triples(instance: BasketAssembly) -> BasketAssembly:
    """Predict single prices by a line fitted to the mean price of the triples that hold the item."""
    recipes, price = instance.recipes(), instance.price
    single = {items[0]: ticket for ticket, items in recipes.items() if len(items) == 1}
    held = group_pairs(instance.item, ((item, price[t]) for t, items in recipes.items() if len(items) == 3 for item in items))
    means = [sum(held[item]) // max(1, len(held[item])) for item in single]
    guesses = fit_line(means, [price[t] for t in single.values()])
    return instance.unchecked(price={**price, **dict(zip(single.values(), guesses, strict=True))})


_FEW_BASKETS = "baskets of three items a ticket are few, and one ticket put in with a refill reaches many of them"

HARDNESS: Hardness[BasketAssembly, tuple[str, ...]] = Hardness(
    blind={
        "prices": erase_tables(price=1),
        "single prices": lambda instance: _average_prices(1, instance),
        "triple prices": lambda instance: _average_prices(3, instance),
        "incidence": _rotate_triples,
    },
    fits={"single prices: fitted from triples": _fit_to_triples},
    search_space=BasketSearchSpace,
    concessions=(
        *(Concession("exact by hand", level, share, _FEW_BASKETS) for level, share in ((1, 100.0), (2, 40.0))),
        Concession("H50", 1, 170.0, _FEW_BASKETS),
        Concession("learned prior", 1, 30.0, _FEW_BASKETS),
    ),
    sample=sample,
    descend=descend,
)

"""How Basket Assembly is attacked: one channel erased, one column guessed, decisions by hand, at random and by descent."""

from algoworlds.core.relation import grouped
from algoworlds.families.basket_assembly.hand import BasketHand
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import descend, sample
from algoworlds.families.blind import erased
from algoworlds.families.fit import line
from algoworlds.families.hardness import Concession, Hardness


def _average(size: int, instance: BasketAssembly) -> BasketAssembly:
    """All tickets of that many items alike: prices replaced by their mean, rounded down."""
    alike = [ticket for ticket, items in instance.recipes().items() if len(items) == size]
    mean = sum(instance.price[ticket] for ticket in alike) // max(1, len(alike))
    return instance.unchecked(price={**instance.price, **dict.fromkeys(alike, mean)})


def _exchange(instance: BasketAssembly) -> BasketAssembly:
    """Every triple holds what the next triple of the catalog holds."""
    recipes = instance.recipes()
    triples = [ticket for ticket, items in recipes.items() if len(items) == 3]
    held = {**recipes, **{ticket: recipes[after] for ticket, after in zip(triples, triples[1:] + triples[:1], strict=True)}}
    return instance.unchecked(covers=frozenset((ticket, item) for ticket, items in held.items() for item in items))


def _from_triples(instance: BasketAssembly) -> BasketAssembly:
    """Single prices as a line says them from the mean price of the triples that hold the item."""
    recipes, price = instance.recipes(), instance.price
    single = {items[0]: ticket for ticket, items in recipes.items() if len(items) == 1}
    held = grouped(instance.item, ((item, price[t]) for t, items in recipes.items() if len(items) == 3 for item in items))
    means = [sum(held[item]) // max(1, len(held[item])) for item in single]
    guesses = line(means, [price[t] for t in single.values()])
    return instance.unchecked(price={**price, **dict(zip(single.values(), guesses, strict=True))})


_FEW_BASKETS = "baskets of three items a ticket are few, and one ticket put in with a refill reaches many of them"


HARDNESS: Hardness[BasketAssembly, tuple[str, ...]] = Hardness(
    blind={
        "prices": erased(price=1),
        "single prices": lambda instance: _average(1, instance),
        "triple prices": lambda instance: _average(3, instance),
        "incidence": _exchange,
    },
    fits={"single prices: fitted from triples": _from_triples},
    hand=BasketHand,
    concessions=(
        *(Concession("exact by hand", level, share, _FEW_BASKETS) for level, share in ((1, 100.0), (2, 40.0))),
        Concession("H50", 1, 170.0, _FEW_BASKETS),
        Concession("learned prior", 1, 30.0, _FEW_BASKETS),
    ),
    sample=sample,
    descend=descend,
)

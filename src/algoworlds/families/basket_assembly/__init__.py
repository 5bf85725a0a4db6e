"""The Basket Assembly family."""

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import grouped
from algoworlds.families.basket_assembly.check import SENSE, check
from algoworlds.families.basket_assembly.generate import LEVELS, generate, ranges
from algoworlds.families.basket_assembly.hand import BasketHand
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import descend, reference, sample
from algoworlds.families.basket_assembly.solve import solve
from algoworlds.families.basket_assembly.template import TEMPLATE
from algoworlds.families.basket_assembly.unknowns import UNKNOWNS
from algoworlds.families.basket_assembly.verify import verify
from algoworlds.families.blind import erased
from algoworlds.families.family import Concession, Family
from algoworlds.families.fit import line


def _average(size: int, instance: BasketAssembly) -> BasketAssembly:
    """All tickets of that many items alike: prices replaced by their mean, rounded down."""
    alike = [ticket for ticket, items in instance.recipes().items() if len(items) == size]
    mean = sum(instance.price[ticket] for ticket in alike) // max(1, len(alike))
    return instance.exchanged(price={**instance.price, **dict.fromkeys(alike, mean)})


def _exchange(instance: BasketAssembly) -> BasketAssembly:
    """Every triple holds what the next triple of the catalog holds."""
    recipes = instance.recipes()
    triples = [ticket for ticket, items in recipes.items() if len(items) == 3]
    held = {**recipes, **{ticket: recipes[after] for ticket, after in zip(triples, triples[1:] + triples[:1], strict=True)}}
    return instance.exchanged(covers=frozenset((ticket, item) for ticket, items in held.items() for item in items))


def _from_triples(instance: BasketAssembly) -> BasketAssembly:
    """Single prices as a line says them from the mean price of the triples that hold the item."""
    recipes, price = instance.recipes(), instance.price
    single = {items[0]: ticket for ticket, items in recipes.items() if len(items) == 1}
    held = grouped(instance.item, ((item, price[t]) for t, items in recipes.items() if len(items) == 3 for item in items))
    means = [sum(held[item]) // max(1, len(held[item])) for item in single]
    guesses = line(means, [price[t] for t in single.values()])
    return instance.exchanged(price={**price, **dict(zip(single.values(), guesses, strict=True))})


_FEW_BASKETS = "baskets of three items a ticket are few, and one ticket put in with a refill reaches many of them"

BASKET_ASSEMBLY: Family[BasketAssembly, tuple[str, ...]] = Family(
    title="Basket Assembly",
    summary="buy tickets that deliver every item exactly once, at the least total price",
    instance=BasketAssembly,
    decision=Listed("tickets", "ticket"),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    fits={"single prices: fitted from triples": _from_triples},
    hand=BasketHand,
    concessions=(
        *(Concession("exact by hand", level, share, _FEW_BASKETS) for level, share in ((1, 100.0), (2, 40.0))),
        Concession("H50", 1, 170.0, _FEW_BASKETS),
        Concession("learned prior", 1, 30.0, _FEW_BASKETS),
    ),
    unknowns=UNKNOWNS,
    options=(Options(("price", "covers"), dropping("ticket"), each="item"),),
    blind={
        "prices": erased(price=1),
        "single prices": lambda instance: _average(1, instance),
        "triple prices": lambda instance: _average(3, instance),
        "incidence": _exchange,
    },
    template=TEMPLATE,
)

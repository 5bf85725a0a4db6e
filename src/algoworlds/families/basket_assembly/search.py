"""Decisions of Basket Assembly that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Iterable, Iterator, Sequence

from algoworlds.core.canonical import LIMIT
from algoworlds.core.stream import Stream
from algoworlds.families.backtrack import first_leaf
from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.instance import RECIPES, BasketAssembly
from algoworlds.families.descent import steepest

Tickets = tuple[str, ...]


def reference(instance: BasketAssembly) -> Tickets:
    """Repeatedly the ticket that fits and saves most against buying its items singly."""
    return _cover(instance, by_saving(instance))


def sample(instance: BasketAssembly, stream: Stream) -> Tickets:
    """Triples in random order wherever they fit, then singles in random order."""
    size = {ticket: len(items) for ticket, items in instance.recipes().items()}
    return _cover(instance, sorted(stream.shuffled(instance.ticket), key=lambda ticket: -size[ticket]))


def descend(instance: BasketAssembly, start: Tickets) -> Tickets:
    """Steepest descent: insert one ticket, evict what overlaps it, buy what that leaves open singly."""
    mask, whole = masks(instance)
    singles = [ticket for ticket in by_saving(instance) if mask[ticket].bit_count() == 1]

    def neighbours(here: Tickets) -> Iterator[Tickets]:
        triples = [ticket for ticket in here if mask[ticket].bit_count() == 3]
        for inserted in instance.ticket:
            chosen, covered = filled(mask, [*triples, *singles], mask[inserted], [inserted])
            if covered == whole:
                yield tuple(sorted(chosen))

    return steepest(lambda y: check(instance, y), instance.sense, start, neighbours)


def by_saving(instance: BasketAssembly) -> list[str]:
    """All tickets by falling saving: the cheapest singles of a ticket's items (dear if there are none) less its price."""
    recipes, price = instance.recipes(), instance.price
    dearest_first = sorted(((price[t], items[0]) for t, items in recipes.items() if len(items) == 1), reverse=True)
    single = dict.fromkeys(instance.item, LIMIT) | {item: min(each, LIMIT) for each, item in dearest_first}
    saving = {t: sum(map(single.__getitem__, items)) - price[t] for t, items in recipes.items()}
    return sorted(instance.ticket, key=lambda ticket: -saving[ticket])


def masks(instance: BasketAssembly) -> tuple[dict[str, int], int]:
    """What every ticket delivers, and what is to be delivered in all, as sets of bits."""
    return instance.derived(_masks, reads=RECIPES)


def _masks(instance: BasketAssembly) -> tuple[dict[str, int], int]:
    bit = {item: 1 << at for at, item in enumerate(instance.item)}
    masks = {ticket: sum(map(bit.__getitem__, items)) for ticket, items in instance.recipes().items()}
    return masks, (1 << len(instance.item)) - 1


def filled(mask: dict[str, int], tickets: Iterable[str], covered: int, chosen: Sequence[str] = ()) -> tuple[list[str], int]:
    """The chosen tickets and, in turn, every further one that fits; with the items covered."""
    taken = list(chosen)
    for ticket in tickets:
        if not mask[ticket] & covered:
            taken.append(ticket)
            covered |= mask[ticket]
    return taken, covered


def _cover(instance: BasketAssembly, ranked: list[str]) -> Tickets:
    """Tickets taken in rank order wherever they fit; if that leaves a gap, the first cover of a depth-first search."""
    mask, whole = masks(instance)
    chosen, covered = filled(mask, ranked, 0)
    if covered < whole:
        failure = "no set of tickets delivers every item exactly once"
        chosen = first_leaf(0, lambda covered: covered == whole, lambda covered: _next(mask, ranked, covered), failure)
    return tuple(sorted(chosen))


def _next(mask: dict[str, int], ranked: list[str], covered: int) -> Iterator[tuple[str, int]]:
    """The tickets that fit and deliver the first open item, with the items covered then."""
    lowest = ~covered & (covered + 1)
    return ((ticket, covered | mask[ticket]) for ticket in ranked if mask[ticket] & lowest and not mask[ticket] & covered)

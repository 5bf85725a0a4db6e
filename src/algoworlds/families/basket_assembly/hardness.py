"""Basket Assembly without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations

import numpy as np

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.kernel import kernel
from algoworlds.families.basket_assembly.check import check
from algoworlds.families.basket_assembly.instance import RECIPES, BasketAssembly
from algoworlds.families.declare import (
    Concession,
    Hardness,
    PricedSearchSpace,
    SearchSpace,
    Stream,
    depth_first_search,
    fit_line,
    group_pairs,
    steepest_descent,
)

ASCENT_STEPS, FIRST_STEP = 200, 2_000
"""Number of subgradient steps, and the size of the first one."""

Tickets = tuple[str, ...]
Lot = tuple[Sequence[int], int]
"""The positions of the items that a lot holds, and its price."""


def dual_prices(count: int, lots: Sequence[Lot]) -> list[int]:
    """Item prices with a large sum such that no lot costs less than the prices of its items.

    Subgradient ascent on the relaxed set cover: an item's price rises while no lot sells it below the prices of its items and
    falls while several do, in ever smaller steps. At the end a lot that is still too cheap lowers the prices of its items.
    """
    item = np.array([at for items, _ in lots for at in items], np.int64)
    first = np.cumsum([0, *(len(items) for items, _ in lots)], dtype=np.int64)
    return _ascend(count, np.array([price for _, price in lots], np.int64), first, item).tolist()  # type: ignore[no-any-return]


@kernel
def _ascend(count, asked, first, item):  # type: ignore[no-untyped-def]
    """p(v) <- p(v) + FIRST_STEP (1 - b(v)) / turn, where b(v) lots hold v and cost less than their items.

    Initially p(v) is the least even share of a lot's price.
    """
    prices, offered = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for lot in range(len(asked)):
        for v in item[first[lot] : first[lot + 1]]:
            share = asked[lot] // (first[lot + 1] - first[lot])
            prices[v] = min(prices[v], share) if offered[v] else share
            offered[v] = True
    for turn in range(1, ASCENT_STEPS + 1):
        bids = np.zeros(count, np.int64)
        for lot in range(len(asked)):
            held = 0
            for at in range(first[lot], first[lot + 1]):
                held += prices[item[at]]
            for at in range(first[lot], first[lot + 1] if asked[lot] < held else first[lot]):
                bids[item[at]] += 1
        for v in range(count):
            prices[v] += FIRST_STEP * (1 - bids[v]) // turn
    for lot in range(len(asked)):
        items = item[first[lot] : first[lot + 1]]
        excess = prices[items].sum() - asked[lot]
        if excess > 0:
            prices[items] += -excess // len(items)
    return prices


def reference(instance: BasketAssembly) -> Tickets:
    """Greedy: repeatedly the fitting ticket that saves most against buying its items singly."""
    return _cover(instance, tickets_by_saving(instance))


def sample(instance: BasketAssembly, stream: Stream) -> Tickets:
    """Triples in random order where they fit, then singles in random order."""
    size = {ticket: len(items) for ticket, items in instance.recipes().items()}
    return _cover(instance, sorted(stream.shuffled(instance.ticket), key=lambda ticket: -size[ticket]))


def descend(instance: BasketAssembly, start: Tickets) -> Tickets:
    """Steepest descent: insert one ticket, evict what overlaps it, buy the uncovered items singly."""
    mask, whole = item_masks(instance)
    singles = [ticket for ticket in tickets_by_saving(instance) if mask[ticket].bit_count() == 1]

    def neighbours(here: Tickets) -> Iterator[Tickets]:
        triples = [ticket for ticket in here if mask[ticket].bit_count() == 3]
        for inserted in instance.ticket:
            chosen, covered = add_fitting_tickets(mask, [*triples, *singles], mask[inserted], [inserted])
            if covered == whole:
                yield tuple(sorted(chosen))

    return steepest_descent(lambda y: check(instance, y), instance.sense, start, neighbours)


def tickets_by_saving(instance: BasketAssembly) -> list[str]:
    """All tickets by falling saving: the cheapest singles of the ticket's items (a large price if missing) minus its price."""
    recipes, price = instance.recipes(), instance.price
    dearest_first = sorted(((price[t], items[0]) for t, items in recipes.items() if len(items) == 1), reverse=True)
    single = dict.fromkeys(instance.item, JSON_INTEGER_LIMIT) | {item: min(p, JSON_INTEGER_LIMIT) for p, item in dearest_first}
    saving = {t: sum(map(single.__getitem__, items)) - price[t] for t, items in recipes.items()}
    return sorted(instance.ticket, key=lambda ticket: -saving[ticket])


def item_masks(instance: BasketAssembly) -> tuple[dict[str, int], int]:
    """The items of each ticket, and all items, as bits."""
    return instance.derived(_compute_masks, reads=RECIPES)


def _compute_masks(instance: BasketAssembly) -> tuple[dict[str, int], int]:
    bit = {item: 1 << at for at, item in enumerate(instance.item)}
    masks = {ticket: sum(map(bit.__getitem__, items)) for ticket, items in instance.recipes().items()}
    return masks, (1 << len(instance.item)) - 1


def add_fitting_tickets(
    mask: dict[str, int], tickets: Iterable[str], covered: int, chosen: Sequence[str] = ()
) -> tuple[list[str], int]:
    """`chosen` and, in turn, every one of `tickets` that fits; with the items covered."""
    taken = list(chosen)
    for ticket in tickets:
        if not mask[ticket] & covered:
            taken.append(ticket)
            covered |= mask[ticket]
    return taken, covered


def _cover(instance: BasketAssembly, ranked: list[str]) -> Tickets:
    """Tickets in rank order where they fit; if that leaves a gap, the first cover of a depth-first search."""
    mask, whole = item_masks(instance)
    chosen, covered = add_fitting_tickets(mask, ranked, 0)
    if covered < whole:
        failure = "no set of tickets delivers every item exactly once"
        chosen = depth_first_search(0, whole.__eq__, lambda covered: _branches(mask, ranked, covered), failure)
    return tuple(sorted(chosen))


def _branches(mask: dict[str, int], ranked: list[str], covered: int) -> Iterator[tuple[str, int]]:
    """The tickets that fit and deliver the first uncovered item, each with the items covered then."""
    lowest = ~covered & (covered + 1)
    return ((ticket, covered | mask[ticket]) for ticket in ranked if mask[ticket] & lowest and not mask[ticket] & covered)


PAIRED_TICKETS = 40
"""Best tickets that visible units also fix in pairs."""


USUAL_SINGLES = 3
"""Tickets of one item in most optima: what an attacker learns from other worlds."""


class BasketSearchSpace(PricedSearchSpace[Tickets]):
    """Cover items in roster order; a partial decision lists tickets that do not overlap."""

    position_free = True

    def __init__(self, instance: BasketAssembly, singles: int | None = None) -> None:
        """Compute dual prices, and rank the tickets by reduced cost (price minus the dual prices of their items).

        If `singles` is given, partial decisions lead to exactly so many tickets of one item.
        """
        self._singles = singles
        self._shop, (self._mask, self._whole) = instance, item_masks(instance)
        self._by_saving = cache(lambda: tickets_by_saving(instance))
        position = {item: at for at, item in enumerate(instance.item)}
        held = {ticket: [position[item] for item in items] for ticket, items in instance.recipes().items()}
        self._dual = dual_prices(len(position), [(items, instance.price[ticket]) for ticket, items in held.items()])
        reduced = {t: instance.price[t] - sum(map(self._dual.__getitem__, items)) for t, items in held.items()}
        self._ranked = sorted(reduced, key=reduced.__getitem__)

    def neighbours(self, y: Tickets) -> Iterator[Tickets]:
        """Insert one ticket, evict what overlaps it, and refill with the tickets that save most."""
        for ticket in self._shop.ticket:
            if ticket not in y:
                yield from self._insert((ticket,), y)

    def random_neighbour(self, y: Tickets, stream: Stream) -> Tickets:
        """Insert one or two random tickets."""
        inserted = tuple(stream.sample(self._shop.ticket, min(stream.integer(1, 2), len(self._shop.ticket))))
        return next(self._insert(inserted, y), y)

    def _insert(self, inserted: Tickets, y: Tickets) -> Iterator[Tickets]:
        chosen, covered = add_fitting_tickets(self._mask, inserted, 0)
        triples = [ticket for ticket in y if self._mask[ticket].bit_count() > 1]
        chosen, covered = add_fitting_tickets(self._mask, [*triples, *self._by_saving()], covered, chosen)
        if covered == self._whole:
            yield tuple(sorted(chosen))

    def extensions(self, partial: tuple[str, ...]) -> list[tuple[str, int]]:
        """The fitting tickets that deliver the first uncovered item, in roster order, because savings are not public."""
        covered = sum(self._mask[ticket] for ticket in partial)
        if covered == self._whole:
            return []
        lowest = ~covered & (covered + 1)
        fitting = [t for t in self._shop.ticket if self._mask[t] & lowest and not self._mask[t] & covered]
        if self._singles is not None:
            left, owed = (self._whole & ~covered).bit_count(), self._singles - self._count_singles(partial)
            fitting = [t for t in fitting if owed > 0 or self._mask[t].bit_count() > 1]
            fitting = fitting if left >= owed and (left - owed) % 3 == 0 else []
        return [(t, self._shop.price[t]) for t in fitting]

    def _count_singles(self, tickets: tuple[str, ...]) -> int:
        return sum(self._mask[ticket].bit_count() == 1 for ticket in tickets)

    def state(self, partial: tuple[str, ...]) -> Hashable:
        """The items delivered so far, and by how many singles if their number is given."""
        return sum(self._mask[ticket] for ticket in partial), self._singles and self._count_singles(partial)

    def parts(self) -> Iterator[SearchSpace[Tickets]]:
        """One search space for every number of singles, from the usual one on."""
        items = len(self._shop.item)
        counts = sorted(range(items % 3, items + 1, 3), key=lambda count: abs(count - USUAL_SINGLES))
        return (BasketSearchSpace(self._shop, count) for count in counts)

    @property
    def bound_steps(self) -> int:
        """One for each step of the ascent of dual prices; all parts share them, so they count once."""
        return ASCENT_STEPS if self._singles in (None, USUAL_SINGLES) else 0

    def to_decision(self, partial: tuple[str, ...]) -> Tickets | None:
        """The tickets, once every item is delivered."""
        return tuple(sorted(partial)) if sum(self._mask[ticket] for ticket in partial) == self._whole else None

    def to_choices(self, y: Tickets) -> tuple[str, ...]:
        """The tickets, ordered by the first item that they deliver."""
        return tuple(sorted(y, key=lambda ticket: self._mask[ticket] & -self._mask[ticket]))

    def loss(self, y: Tickets) -> int:
        """The total price; every decision of this space covers each item once."""
        return sum(self._shop.price[ticket] for ticket in y)

    def visible_units(self) -> Iterator[Tickets]:
        """Fix one ticket, or two of the best, and complete the cover by reduced cost."""
        for fixed in self._fixed_tickets(self._shop.ticket):
            chosen, covered = add_fitting_tickets(self._mask, [*fixed, *self._ranked], 0)
            if covered == self._whole:
                yield tuple(sorted(chosen))

    def is_visible_unit(self, y: Tickets) -> bool:
        """Whether `y` is one of `visible_units`: some fixed tickets of it overlap all other tickets that would come before."""
        covered, others = 0, list[int]()
        for ticket in self._ranked:
            if ticket in y:
                covered |= self._mask[ticket]
            elif not self._mask[ticket] & covered:
                others.append(self._mask[ticket])
        fixed_masks = (sum(self._mask[ticket] for ticket in fixed) for fixed in self._fixed_tickets(y))
        return any(all(mask & fixed for mask in others) for fixed in fixed_masks)

    def _fixed_tickets(self, among: Tickets) -> Iterator[Tickets]:
        parts = self._ranked[:PAIRED_TICKETS], self._ranked[PAIRED_TICKETS:]
        best, other = ([ticket for ticket in part if ticket in among] for part in parts)
        return chain(((ticket,) for ticket in (*best, *other)), combinations(best, 2))

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The dual prices of the uncovered items."""
        covered = sum(self._mask[ticket] for ticket in partial)
        return sum(price for at, price in enumerate(self._dual) if not covered >> at & 1)


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
        "prices": {"price": 1},
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

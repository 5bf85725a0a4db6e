"""Basket Assembly by hand: tickets inserted and evicted, or taken one after the other for the first open item."""

from collections.abc import Iterator
from itertools import chain, combinations

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import Tickets, by_saving, filled, masks
from algoworlds.families.hand import Extension, QuickHand
from algoworlds.families.residues import Choices
from algoworlds.families.worth import worth

_PAIRED = 40
"""Tickets of which two are held together."""


class BasketHand(QuickHand[Tickets]):
    """Items in roster order; a partial decision names tickets that overlap nowhere."""

    anywhere = True

    def __init__(self, instance: BasketAssembly) -> None:
        """Masks of tickets, tickets by item, and what an item is worth."""
        self._shop = instance
        (self._mask, self._whole), self._ranked = masks(instance), by_saving(instance)
        place = {item: at for at, item in enumerate(instance.item)}
        self._rows = [([place[i] for i in items], instance.price[ticket]) for ticket, items in instance.recipes().items()]
        self._dual = worth(len(place), self._rows)

    def neighbours(self, y: Tickets) -> Iterator[Tickets]:
        """One ticket inserted, what overlaps it evicted, the gap filled by the tickets that save most."""
        for ticket in self._shop.ticket:
            if ticket not in y:
                yield from self._with((ticket,), y)

    def neighbour(self, y: Tickets, stream: Stream) -> Tickets:
        """One or two random tickets inserted."""
        drawn = tuple(stream.sample(self._shop.ticket, stream.integer(1, 2)))
        return next(self._with(drawn, y), y)

    def _with(self, inserted: Tickets, y: Tickets) -> Iterator[Tickets]:
        chosen, covered = filled(self._mask, inserted, 0)
        kept = [ticket for ticket in y if self._mask[ticket].bit_count() > 1]
        chosen, covered = filled(self._mask, [*kept, *self._ranked], covered, chosen)
        if covered == self._whole:
            yield tuple(sorted(chosen))

    def extensions(self, partial: Choices) -> list[Extension]:
        """The tickets that deliver the first open item and fit, in roster order: what they save is not public."""
        covered = sum(self._mask[ticket] for ticket in partial)
        if covered == self._whole:
            return []
        lowest = ~covered & (covered + 1)
        fitting = (t for t in self._shop.ticket if self._mask[t] & lowest and not self._mask[t] & covered)
        return [Extension(t, self._shop.price[t]) for t in fitting]

    def decision(self, partial: Choices) -> Tickets | None:
        """The tickets, once every item is delivered."""
        return tuple(sorted(partial)) if sum(self._mask[ticket] for ticket in partial) == self._whole else None

    def choices(self, y: Tickets) -> Choices:
        """The tickets in the order of the first items that they deliver."""
        return tuple(sorted(y, key=lambda ticket: self._mask[ticket] & -self._mask[ticket]))

    def loss(self, y: Tickets) -> int:
        """What the tickets cost; whoever makes a decision covers every item once."""
        return sum(self._shop.price[ticket] for ticket in y)

    def units(self) -> Iterator[Tickets]:
        """One ticket, or two of the best, held, and the cover completed by what costs least beyond its items' worth."""
        return self._units(set(self._shop.ticket))

    def shows(self, y: Tickets) -> bool:
        """Whether it is one of these, which holds only tickets of its own."""
        return any(unit == y for unit in self._units(set(y)))

    def _units(self, holding: set[str]) -> Iterator[Tickets]:
        beyond = {t: price - sum(self._dual[at] for at in at_) for t, (at_, price) in zip(self._mask, self._rows, strict=True)}
        ranked = sorted(beyond, key=beyond.__getitem__)
        best, other = ([ticket for ticket in part if ticket in holding] for part in (ranked[:_PAIRED], ranked[_PAIRED:]))
        for held in chain(((ticket,) for ticket in (*best, *other)), combinations(best, 2)):
            chosen, covered = filled(self._mask, [*held, *ranked], 0)
            if covered == self._whole:
                yield tuple(sorted(chosen))

    def rest(self, partial: Choices) -> int:
        """What the open items are worth, whether or not tickets fit together."""
        covered = sum(self._mask[ticket] for ticket in partial)
        return sum(each for at, each in enumerate(self._dual) if not covered >> at & 1)

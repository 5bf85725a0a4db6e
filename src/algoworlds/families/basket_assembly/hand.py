"""Basket Assembly by hand: tickets inserted and evicted, or taken one after the other for the first open item."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import Tickets, by_saving, filled, masks
from algoworlds.families.basket_assembly.worth import worth
from algoworlds.families.hand import Extension, QuickHand
from algoworlds.families.residues import Choices

_PAIRED = 40
"""Tickets of which two are held together."""


class BasketHand(QuickHand[Tickets]):
    """Items in roster order; a partial decision names tickets that overlap nowhere."""

    anywhere = True

    def __init__(self, instance: BasketAssembly) -> None:
        """Masks of tickets, what an item is worth, and tickets by what they cost beyond that."""
        self._shop, (self._mask, self._whole), self._by_saving = instance, masks(instance), cache(lambda: by_saving(instance))
        place = {item: at for at, item in enumerate(instance.item)}
        held = {ticket: [place[item] for item in items] for ticket, items in instance.recipes().items()}
        self._dual = worth(len(place), [(items, instance.price[ticket]) for ticket, items in held.items()])
        beyond = {t: instance.price[t] - sum(map(self._dual.__getitem__, items)) for t, items in held.items()}
        self._ranked = sorted(beyond, key=beyond.__getitem__)

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
        chosen, covered = filled(self._mask, [*kept, *self._by_saving()], covered, chosen)
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
        for held in self._held(self._shop.ticket):
            chosen, covered = filled(self._mask, [*held, *self._ranked], 0)
            if covered == self._whole:
                yield tuple(sorted(chosen))

    def shows(self, y: Tickets) -> bool:
        """Whether it is one of these: what is held is its own, and overlaps every other ticket that would come before."""
        covered, others = 0, list[int]()
        for ticket in self._ranked:
            if ticket in y:
                covered |= self._mask[ticket]
            elif not self._mask[ticket] & covered:
                others.append(self._mask[ticket])
        held = (sum(self._mask[ticket] for ticket in each) for each in self._held(y))
        return any(all(mask & one for mask in others) for one in held)

    def _held(self, among: Tickets) -> Iterator[Tickets]:
        best, other = ([t for t in part if t in among] for part in (self._ranked[:_PAIRED], self._ranked[_PAIRED:]))
        return chain(((ticket,) for ticket in (*best, *other)), combinations(best, 2))

    def rest(self, partial: Choices) -> int:
        """What the open items are worth, whether or not tickets fit together."""
        covered = sum(self._mask[ticket] for ticket in partial)
        return sum(each for at, each in enumerate(self._dual) if not covered >> at & 1)

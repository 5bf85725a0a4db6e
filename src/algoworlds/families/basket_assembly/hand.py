"""Basket Assembly by hand: tickets inserted and evicted, or taken one after the other for the first open item."""

from collections.abc import Iterator

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.search import Tickets, by_saving, filled, masks
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices


class BasketHand(Hand[Tickets]):
    """Items in roster order; a partial decision names tickets that overlap nowhere."""

    anywhere = True

    def __init__(self, instance: BasketAssembly) -> None:
        """Masks of tickets, tickets by item, and what an item costs at the least in any ticket."""
        self._shop = instance
        self._mask, self._whole = masks(instance)
        self._ranked = by_saving(instance)
        each = [(mask, instance.price[ticket] // mask.bit_count()) for ticket, mask in self._mask.items() if mask]
        self._share = [min((share for mask, share in each if mask >> at & 1), default=0) for at in range(len(instance.item))]

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
        """The tickets that deliver the first open item and fit."""
        covered = sum(self._mask[ticket] for ticket in partial)
        if covered == self._whole:
            return []
        lowest = ~covered & (covered + 1)
        fitting = (t for t in self._ranked if self._mask[t] & lowest and not self._mask[t] & covered)
        return [Extension(t, self._shop.price[t]) for t in fitting]

    def decision(self, partial: Choices) -> Tickets | None:
        """The tickets, once every item is delivered."""
        return tuple(sorted(partial)) if sum(self._mask[ticket] for ticket in partial) == self._whole else None

    def rest(self, partial: Choices) -> int:
        """The least share of a ticket's price for every open item, whether or not the tickets fit together."""
        covered = sum(self._mask[ticket] for ticket in partial)
        return sum(share for at, share in enumerate(self._share) if not covered >> at & 1)

"""Series Portfolio by hand: lots exchanged, or chosen title by title along the catalogue."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from operator import neg

import numpy as np

from algoworlds.core.places import Array, lengths, numbers, places
from algoworlds.families.residues import Choices
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.search import Portfolio, lot_pairs
from algoworlds.families.switch_hand import Switches, SwitchHand


class SeriesHand(SwitchHand[Portfolio]):
    """Titles in catalogue order, switched on where lot 1 is taken; the objective is gained, so losses are negative."""

    singly = 100

    def __init__(self, instance: SeriesPortfolio) -> None:
        """A switch is worth its lot, and series are tables."""
        pairs = lot_pairs(instance)
        self._instance, self._lots = instance, list(pairs.values())
        worth = [(instance.lot_value[t, zero], instance.lot_value[t, one]) for t, (zero, one) in pairs.items()]
        place = {title: at for at, title in enumerate(instance.title)}
        tables = (([place[t] for t in scope], tuple(map(neg, table))) for scope, table in instance.factor.values())
        super().__init__([(-zero, -one) for zero, one in worth], tables)
        self.constant = sum(map(min, worth))
        self._rest: list[int] = [-total for total in accumulate(map(max, reversed(worth)), initial=0)][::-1]

    def wide(self) -> Iterator[tuple[Array, Array]]:
        """Pairs and triples of titles, as the columns of the instance stand."""
        size, title = lengths(self._instance, "factor", "scope"), places(self._instance, "factor", "scope")
        first, base = size.cumsum() - size, (1 << size).cumsum() - (1 << size)
        for width in set(size.tolist()):
            own, table = size == width, numbers(self._instance, "factor", "table")
            yield title[first[own][:, None] + np.arange(width)], -table[base[own][:, None] + np.arange(1 << width)]

    def made(self, x: Switches) -> Portfolio:
        """The lots that have the given numbers."""
        return tuple(sorted(pair[each] for pair, each in zip(self._lots, x, strict=True)))

    def switches(self, y: Portfolio) -> Switches:
        """The numbers of the lots."""
        named = set(y)
        return tuple(int(one in named) for _, one in self._lots)

    def pairs(self, x: Switches) -> Iterator[tuple[int, int]]:
        """Titles that follow each other."""
        return pairwise(range(len(x)))

    def rest(self, partial: Choices) -> int:
        """The dearer lot of every title that is still open, series apart."""
        return self._rest[len(partial)]

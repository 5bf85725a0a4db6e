"""Series Portfolio by hand: lots exchanged, or chosen title by title along the catalogue."""

from collections.abc import Iterator
from itertools import accumulate, pairwise

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.search import Portfolio, lot_pairs, portfolio


class SeriesHand(Hand[Portfolio]):
    """Titles in catalogue order; a partial decision names their lots."""

    def __init__(self, instance: SeriesPortfolio) -> None:
        """File series by the last of their titles."""
        self._shop, self._lots = instance, lot_pairs(instance)
        self._choice = {lot: z for (_, lot), z in instance.choice.items()}
        place = {title: at for at, title in enumerate(instance.title)}
        self._ending: list[list[tuple[list[int], tuple[int, ...]]]] = [[] for _ in instance.title]
        for scope, table in instance.factor.values():
            places = [place[title] for title in scope]
            self._ending[max(places)].append((places, table))
        dearest = [max(instance.lot_value[t, lot] for lot in self._lots[t]) for t in reversed(instance.title)]
        self._rest: list[int] = [-total for total in accumulate(dearest, initial=0)][::-1]

    def neighbours(self, y: Portfolio) -> Iterator[Portfolio]:
        """The other lot of one title, or of two titles that follow each other."""
        x = self._numbers(y)
        for title in self._shop.title:
            yield portfolio(self._lots, {**x, title: 1 - x[title]})
        for one, other in pairwise(self._shop.title):
            yield portfolio(self._lots, {**x, one: 1 - x[one], other: 1 - x[other]})

    def neighbour(self, y: Portfolio, stream: Stream) -> Portfolio:
        """The other lot of a random title."""
        x, title = self._numbers(y), stream.choice(self._shop.title)
        return portfolio(self._lots, {**x, title: 1 - x[title]})

    def _numbers(self, y: Portfolio) -> dict[str, int]:
        named = set(y)
        return {title: int(one in named) for title, (_, one) in self._lots.items()}

    def extensions(self, partial: Choices) -> list[Extension]:
        """The two lots of the next title, with the series that they complete."""
        if len(partial) == len(self._shop.title):
            return []
        title, x = self._shop.title[len(partial)], [self._choice[lot] for lot in partial]
        return [Extension(lot, -self._gain(title, lot, [*x, self._choice[lot]])) for lot in self._lots[title]]

    def _gain(self, title: str, lot: str, x: list[int]) -> int:
        gain: int = self._shop.lot_value[title, lot]
        for places, table in self._ending[len(x) - 1]:
            cell = 0
            for at in places:
                cell = 2 * cell + x[at]
            gain += table[cell]
        return gain

    def decision(self, partial: Choices) -> Portfolio | None:
        """The lots of all titles."""
        return tuple(sorted(partial)) if len(partial) == len(self._shop.title) else None

    def rest(self, partial: Choices) -> int:
        """The dearer lot of every title that is still open, series apart."""
        return self._rest[len(partial)]

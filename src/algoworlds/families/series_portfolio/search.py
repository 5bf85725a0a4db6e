"""Decisions of Series Portfolio that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Mapping

from algoworlds.core.stream import Stream
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

Portfolio = tuple[str, ...]


def reference(instance: SeriesPortfolio) -> Portfolio:
    """The dearer lot of every title, lot 0 where both are worth the same."""
    lots = lot_pairs(instance)
    dearer = {t: int(instance.lot_value[t, one] > instance.lot_value[t, zero]) for t, (zero, one) in lots.items()}
    return portfolio(lots, dearer)


def sample(instance: SeriesPortfolio, stream: Stream) -> Portfolio:
    """A random lot of every title."""
    return portfolio(lot_pairs(instance), {title: stream.below(2) for title in instance.title})


def descend(instance: SeriesPortfolio, start: Portfolio) -> Portfolio:
    """Steepest ascent: exchange the lot of the title that gains most, the first of equals, until none gains."""
    lots, named = lot_pairs(instance), set(start)
    x = {title: int(one in named) for title, (_, one) in lots.items()}
    touching: dict[str, list[str]] = {title: [] for title in instance.title}
    for series, (scope, _) in instance.factor.items():
        for title in scope:
            touching[title].append(series)
    while True:
        gains = {title: _gain(instance, lots[title], touching[title], x, title) for title in instance.title}
        best = max(gains, key=gains.__getitem__, default=None)
        if best is None or gains[best] <= 0:
            return portfolio(lots, x)
        x[best] = 1 - x[best]


def _gain(instance: SeriesPortfolio, pair: tuple[str, str], touching: list[str], x: Mapping[str, int], title: str) -> int:
    """What exchanging the lot of one title adds to the value."""
    z = x[title]
    gain: int = instance.lot_value[title, pair[1 - z]] - instance.lot_value[title, pair[z]]
    for series in touching:
        scope, table = instance.factor[series]
        cell = weight = 0
        for member in scope:
            cell = 2 * cell + x[member]
            weight = 2 * weight + (member == title)
        gain += table[cell ^ weight] - table[cell]
    return gain


def lot_pairs(instance: SeriesPortfolio) -> dict[str, tuple[str, str]]:
    """Every title's lot 0 and lot 1."""
    named = {(title, z): lot for (title, lot), z in instance.choice.items()}
    return {title: (named[title, 0], named[title, 1]) for title in instance.title}


def portfolio(lots: Mapping[str, tuple[str, str]], x: Mapping[str, int]) -> Portfolio:
    """The lots that have the given numbers."""
    return tuple(sorted(pair[x[title]] for title, pair in lots.items()))

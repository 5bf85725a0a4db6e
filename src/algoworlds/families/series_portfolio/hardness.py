"""How Series Portfolio is attacked: one channel erased, decisions by hand, at random and by descent."""

from collections.abc import Callable
from itertools import count
from typing import Any

from algoworlds.families.blind import erased
from algoworlds.families.hardness import Hardness
from algoworlds.families.series_portfolio.hand import SeriesHand
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.search import descend, sample


def _numbered_by_id(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Every title's lots numbered in the order of their ids."""
    counts = {title: count() for title in instance.title}
    number = {(title, lot): next(counts[title]) for title, lot in sorted(instance.choice)}
    return instance.unchecked(choice={pair: number[pair] for pair in instance.choice})


def _without(idle: Callable[[Any], Any]) -> Callable[[SeriesPortfolio], SeriesPortfolio]:
    """Empty tables for the series that have some number of cells."""

    def cell(table: tuple[int, ...]) -> tuple[int, ...]:
        return (0,) * len(table) if idle(len(table)) else table

    def erase(instance: SeriesPortfolio) -> SeriesPortfolio:
        return instance.unchecked(factor={s: (scope, cell(table)) for s, (scope, table) in instance.factor.items()})

    return erase


def _scopes_in_catalogue_order(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Every table read as if its scope were listed in the order of the catalogue."""
    place = {title: i for i, title in enumerate(instance.title)}
    return instance.unchecked(
        factor={s: (tuple(sorted(scope, key=place.__getitem__)), table) for s, (scope, table) in instance.factor.items()}
    )


HARDNESS: Hardness[SeriesPortfolio, tuple[str, ...]] = Hardness(
    blind={
        "values": erased(lot_value=0),
        "numbers": _numbered_by_id,
        "tables": _without(lambda cells: cells > 0),
        "pairs": _without(lambda cells: cells == 4),
        "triples": _without(lambda cells: cells > 4),
        "scope order": _scopes_in_catalogue_order,
    },
    hand=SeriesHand,
    sample=sample,
    descend=descend,
)

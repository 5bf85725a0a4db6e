"""The Series Portfolio family."""

from collections.abc import Callable
from itertools import count
from typing import Any

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, pricing
from algoworlds.families.blind import erased
from algoworlds.families.family import Family
from algoworlds.families.series_portfolio.check import SENSE, check
from algoworlds.families.series_portfolio.generate import LEVELS, generate, ranges
from algoworlds.families.series_portfolio.hand import SeriesHand
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.search import descend, reference, sample
from algoworlds.families.series_portfolio.solve import solve
from algoworlds.families.series_portfolio.template import TEMPLATE
from algoworlds.families.series_portfolio.unknowns import UNKNOWNS
from algoworlds.families.series_portfolio.verify import verify


def _numbered_by_id(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Every title's lots numbered in the order of their ids."""
    counts = {title: count() for title in instance.title}
    number = {(title, lot): next(counts[title]) for title, lot in sorted(instance.choice)}
    return instance.exchanged(choice={pair: number[pair] for pair in instance.choice})


def _without(idle: Callable[[Any], Any]) -> Callable[[SeriesPortfolio], SeriesPortfolio]:
    """Empty tables for the series that have some number of cells."""

    def cell(table: tuple[int, ...]) -> tuple[int, ...]:
        return (0,) * len(table) if idle(len(table)) else table

    def erase(instance: SeriesPortfolio) -> SeriesPortfolio:
        return instance.exchanged(factor={s: (scope, cell(table)) for s, (scope, table) in instance.factor.items()})

    return erase


def _scopes_in_catalogue_order(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Every table read as if its scope were listed in the order of the catalogue."""
    place = {title: i for i, title in enumerate(instance.title)}
    return instance.exchanged(
        factor={s: (tuple(sorted(scope, key=place.__getitem__)), table) for s, (scope, table) in instance.factor.items()}
    )


SERIES_PORTFOLIO: Family[SeriesPortfolio, tuple[str, ...]] = Family(
    title="Series Portfolio",
    summary="take one of two lots of every title, at the largest value with all series adjustments",
    instance=SeriesPortfolio,
    decision=Listed("lots", "lot", per="title"),
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
    hand=SeriesHand,
    unknowns=UNKNOWNS,
    options=(Options(("lot_value", "choice"), pricing("lot_value", -1), each="title"),),
    blind={
        "values": erased(lot_value=0),
        "numbers": _numbered_by_id,
        "tables": _without(lambda cells: cells > 0),
        "pairs": _without(lambda cells: cells == 4),
        "triples": _without(lambda cells: cells > 4),
        "scope order": _scopes_in_catalogue_order,
    },
    template=TEMPLATE,
)

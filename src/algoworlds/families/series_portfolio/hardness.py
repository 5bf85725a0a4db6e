"""Attacks on Series Portfolio: blind instances and its search space."""

from collections.abc import Callable
from functools import partial
from itertools import count

from algoworlds.families.hardness import Hardness, erase_tables
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.search import SeriesSearchSpace, descend, sample


def _number_by_id(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Number the lots of each title in the order of their ids."""
    counts = {title: count() for title in instance.title}
    number = {(title, lot): next(counts[title]) for title, lot in sorted(instance.choice)}
    return instance.unchecked(choice={pair: number[pair] for pair in instance.choice})


def _erase_tables_of(erased: Callable[[int], bool], instance: SeriesPortfolio) -> SeriesPortfolio:
    """Set the tables to zero whose number of cells satisfies `erased`."""
    tables = {s: (0,) * len(table) if erased(len(table)) else table for s, (_, table) in instance.factor.items()}
    return instance.unchecked(factor={s: (scope, tables[s]) for s, (scope, _) in instance.factor.items()})


def _sort_scopes(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Read each table as if its scope were in catalogue order."""
    position = {title: i for i, title in enumerate(instance.title)}
    return instance.unchecked(
        factor={s: (tuple(sorted(scope, key=position.__getitem__)), table) for s, (scope, table) in instance.factor.items()}
    )


HARDNESS: Hardness[SeriesPortfolio, tuple[str, ...]] = Hardness(
    blind={
        "values": erase_tables(lot_value=0),
        "numbers": _number_by_id,
        "tables": partial(_erase_tables_of, lambda cells: cells > 0),
        "pairs": partial(_erase_tables_of, lambda cells: cells == 4),
        "triples": partial(_erase_tables_of, lambda cells: cells > 4),
        "scope order": _sort_scopes,
    },
    search_space=SeriesSearchSpace,
    sample=sample,
    descend=descend,
)

"""The checker of Series Portfolio, from the definition alone."""

from collections.abc import Sequence
from operator import getitem

from algoworlds.core.decision import Verdict
from algoworlds.core.relation import grouped
from algoworlds.core.remembered import remembered
from algoworlds.core.work import Sense
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

SENSE = Sense.MAX

Pair = tuple[str, str]


def check(instance: SeriesPortfolio, decision: Sequence[str]) -> Verdict:
    """Feasible if it names one lot of every title and nothing else; then lots + series - the smaller lot values."""
    said = remembered(instance, _read, tuple(decision), "choice")
    if isinstance(said, str):
        return Verdict.infeasible(said)
    taken, cells = said
    return Verdict.of(
        lots=sum(map(instance.lot_value.__getitem__, taken)),
        series=sum(map(getitem, instance.frame(_tables, "factor"), cells)),
        smaller_lots=-instance.frame(_smaller, "lot_value"),
    )


def _read(instance: SeriesPortfolio, decision: tuple[str, ...]) -> str | tuple[list[Pair], list[int]]:
    """Why a decision is infeasible; or the lots that it takes and the cells that they select."""
    home = instance.frame(_homes)
    if len(set(decision)) < len(decision):
        return "a lot is named twice"
    if not home.keys() >= set(decision):
        return "an unknown lot"
    taken = [home[lot] for lot in decision]
    number = {pair[0]: instance.choice[pair] for pair in taken}
    if not len(number) == len(taken) == len(instance.title):
        return "not exactly one lot per title"
    return taken, [_cell(scope, number) for scope, _ in instance.factor.values()]


def _homes(instance: SeriesPortfolio) -> dict[str, Pair]:
    """Every lot beside its title."""
    return {pair[1]: pair for pair in instance.choice}


def _cell(scope: tuple[str, ...], number: dict[str, int]) -> int:
    """The choice numbers of a scope read as one binary number."""
    cell = 0
    for title in scope:
        cell = 2 * cell + number[title]
    return cell


def _tables(instance: SeriesPortfolio) -> list[tuple[int, ...]]:
    """The tables of all series."""
    return [table for _, table in instance.factor.values()]


def _offers(instance: SeriesPortfolio) -> list[list[Pair]]:
    """The lots of every title, each beside it."""
    return list(grouped(instance.title, ((pair[0], pair) for pair in instance.choice)).values())


def _smaller(instance: SeriesPortfolio) -> int:
    """The smaller lot value of every title, summed."""
    return sum([min(map(instance.lot_value.__getitem__, lots)) for lots in instance.frame(_offers)])

"""The checker of Series Portfolio, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.core.relation import grouped
from algoworlds.core.work import Sense
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

SENSE = Sense.MAX


def check(instance: SeriesPortfolio, decision: Sequence[str]) -> Verdict:
    """Feasible if it names one lot of every title and nothing else; then lots + series - the smaller lot values."""
    named = set(decision)
    if len(named) < len(decision):
        return Verdict.infeasible("a lot is named twice")
    home = instance.frame(_homes)
    if not home.keys() >= named:
        return Verdict.infeasible("an unknown lot")
    taken = [(home[lot], lot) for lot in decision]
    number = {pair[0]: instance.choice[pair] for pair in taken}
    if not len(number) == len(named) == len(instance.title):
        return Verdict.infeasible("not exactly one lot per title")
    return Verdict.of(
        lots=sum(map(instance.lot_value.__getitem__, taken)),
        series=_series(instance, number),
        smaller_lots=-instance.frame(_smaller, "lot_value"),
    )


def _homes(instance: SeriesPortfolio) -> dict[str, str]:
    """The title of every lot."""
    return {lot: title for title, lot in instance.choice}


def _offers(instance: SeriesPortfolio) -> list[list[tuple[str, str]]]:
    """The lots of every title, each beside it."""
    return list(grouped(instance.title, ((pair[0], pair) for pair in instance.choice)).values())


def _smaller(instance: SeriesPortfolio) -> int:
    """The smaller lot value of every title, summed."""
    return sum([min(map(instance.lot_value.__getitem__, lots)) for lots in instance.frame(_offers)])


def _series(instance: SeriesPortfolio, number: dict[str, int]) -> int:
    """The table cells that the lots taken select: the choice numbers of a scope read as one binary number."""
    total = 0
    for scope, table in instance.factor.values():
        cell = 0
        for title in scope:
            cell = 2 * cell + number[title]
        total += table[cell]
    return total

"""The checker of Series Portfolio, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

SENSE = Sense.MAX


def check(instance: SeriesPortfolio, decision: Sequence[str]) -> Verdict:
    """Feasible if it names one lot of every title and nothing else; then lots + series - the smaller lot values."""
    named = set(decision)
    if len(named) < len(decision):
        return Verdict.infeasible("a lot is named twice")
    if not named <= set(instance.lot):
        return Verdict.infeasible("an unknown lot")
    taken = {title: lot for title, lot in instance.choice if lot in named}
    if not len(taken) == len(named) == len(instance.title):
        return Verdict.infeasible("not exactly one lot per title")
    smaller: dict[str, int] = {}
    for (title, _), value in instance.lot_value.items():
        smaller[title] = min(smaller.get(title, value), value)
    number = {title: instance.choice[title, lot] for title, lot in taken.items()}
    return Verdict.of(
        lots=sum(instance.lot_value[pair] for pair in taken.items()),
        series=_series(instance, number),
        smaller_lots=-sum(smaller.values()),
    )


def _series(instance: SeriesPortfolio, number: dict[str, int]) -> int:
    """The table cells that the lots taken select: the choice numbers of a scope read as one binary number."""
    total = 0
    for scope, table in instance.factor.values():
        cell = 0
        for title in scope:
            cell = 2 * cell + number[title]
        total += table[cell]
    return total

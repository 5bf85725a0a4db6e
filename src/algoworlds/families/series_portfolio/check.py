"""The checker of Series Portfolio, from the definition alone."""

from collections.abc import Sequence

import numpy as np

from algoworlds.core.decision import Verdict
from algoworlds.core.places import Array, lengths, numbers, places
from algoworlds.families.series_portfolio.instance import SeriesPortfolio


def check(instance: SeriesPortfolio, decision: Sequence[str]) -> Verdict:
    """Feasible if it names one lot of every title and nothing else; then lots + series - the smaller lot values."""
    said = instance.derived(_read, tuple(decision), reads=("title", "choice", "factor.scope"))
    if isinstance(said, str):
        return Verdict.infeasible(said)
    rows, cells = said
    return Verdict.of(
        lots=sum(numbers(instance, "lot_value")[rows].tolist()),
        series=sum(numbers(instance, "factor", "table")[cells].tolist()),
        smaller_lots=-instance.derived(_smaller, reads=("title", "lot_value")),
    )


def _read(instance: SeriesPortfolio, decision: tuple[str, ...]) -> str | tuple[Array, Array]:
    """Why a decision is infeasible; or where the lots stand that it takes, and the cells that they select."""
    home, x = instance.derived(_homes, reads=("choice.lot",)), np.full(len(instance.title), -1)
    if len(set(decision)) < len(decision):
        return "a lot is named twice"
    if not home.keys() >= set(decision):
        return "an unknown lot"
    rows = np.array([home[lot] for lot in decision], np.int64)
    x[places(instance, "choice", "title")[rows]] = numbers(instance, "choice")[rows]
    if len(rows) != len(x) or -1 in x:
        return "not exactly one lot per title"
    weight, first, base = instance.derived(_weights, reads=("factor.scope",))
    return rows, base + np.add.reduceat(x[places(instance, "factor", "scope")] * weight, first)


def _homes(instance: SeriesPortfolio) -> dict[str, int]:
    """Where every lot stands, beside its title."""
    return {lot: row for row, (_, lot) in enumerate(instance.choice)}


def _weights(instance: SeriesPortfolio) -> tuple[Array, Array, Array]:
    """What members of scopes count in the binary number that names a cell, where scopes begin, and where tables do."""
    size = lengths(instance, "factor", "scope")
    after = size.cumsum()
    return 1 << (after.repeat(size) - 1 - np.arange(size.sum())), after - size, (1 << size).cumsum() - (1 << size)


def _smaller(instance: SeriesPortfolio) -> int:
    """The smaller lot value of every title, summed; the lots of a title stand side by side."""
    title = places(instance, "lot_value", "title")
    first = np.searchsorted(title, np.arange(len(instance.title)))
    return sum(np.minimum.reduceat(numbers(instance, "lot_value"), first).tolist())

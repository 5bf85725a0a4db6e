"""Checker of Series Portfolio, written from the definition alone."""

from collections.abc import Sequence

import numpy as np

from algoworlds.core.arrays import IntArray, column_values, id_positions, list_lengths
from algoworlds.core.decision import Verdict
from algoworlds.families.series_portfolio.instance import SeriesPortfolio


def check(instance: SeriesPortfolio, decision: Sequence[str]) -> Verdict:
    """Feasible if it names one lot of every title and nothing else; then lots + series - the smaller lot values."""
    selection = instance.derived(_select, tuple(decision), reads=("title", "choice", "factor.scope"))
    if isinstance(selection, str):
        return Verdict.infeasible(selection)
    rows, cells = selection
    return Verdict.from_parts(
        lots=sum(column_values(instance, "lot_value")[rows].tolist()),
        series=sum(column_values(instance, "factor", "table")[cells].tolist()),
        smaller_lots=-instance.derived(_smaller_values, reads=("title", "lot_value")),
    )


def _select(instance: SeriesPortfolio, decision: tuple[str, ...]) -> str | tuple[IntArray, IntArray]:
    """The rows of the chosen lots and the table cells that they select; or why the decision is infeasible."""
    home, x = instance.derived(_lot_rows, reads=("choice.lot",)), np.full(len(instance.title), -1)
    if len(set(decision)) < len(decision):
        return "a lot is named twice"
    if not home.keys() >= set(decision):
        return "an unknown lot"
    rows = np.array([home[lot] for lot in decision], np.int64)
    x[id_positions(instance, "choice", "title")[rows]] = column_values(instance, "choice")[rows]
    if len(rows) != len(x) or -1 in x:
        return "not exactly one lot per title"
    weight, first, base = instance.derived(_scope_weights, reads=("factor.scope",))
    return rows, base + np.add.reduceat(x[id_positions(instance, "factor", "scope")] * weight, first)


def _lot_rows(instance: SeriesPortfolio) -> dict[str, int]:
    """The row of each lot in `choice`."""
    return {lot: row for row, (_, lot) in enumerate(instance.choice)}


def _scope_weights(instance: SeriesPortfolio) -> tuple[IntArray, IntArray, IntArray]:
    """Per scope member its place value in the cell's binary index; the start of each scope; the start of each table."""
    size = list_lengths(instance, "factor", "scope")
    after = size.cumsum()
    return 1 << (after.repeat(size) - 1 - np.arange(size.sum())), after - size, (1 << size).cumsum() - (1 << size)


def _smaller_values(instance: SeriesPortfolio) -> int:
    """The sum of the smaller lot values; the lots of a title are adjacent rows."""
    title = id_positions(instance, "lot_value", "title")
    first = np.searchsorted(title, np.arange(len(instance.title)))
    return sum(np.minimum.reduceat(column_values(instance, "lot_value"), first).tolist())

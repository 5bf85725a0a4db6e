"""Definition of Series Portfolio: its tables and their validity rules."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from algoworlds.core.arrays import column_values, id_positions, list_lengths
from algoworlds.families.declare import Ids, Instance, Ints, Table, relation, roster


class SeriesPortfolio(Instance, family="series_portfolio", sense="max"):
    """Titles in catalogue order, two lots per title with choice number and value, and series with a scope and a table.

    A series with the scope (t_1, ..., t_k) has 2^k table cells; the one at the binary number x_1 x_2 ... x_k counts,
    where x_j is the choice number of the lot taken of t_j: the first member is the most significant bit.
    """

    title = roster()  # 1, ..., n
    series = roster()  # F
    lot = roster(public=False)
    choice: Table = relation("title", "lot", value="choice", low=0, channel="title")  # z
    lot_value: Table = relation("title", "lot", value="lot_value", channel="title")  # v_iz
    factor: Table = relation(
        "series", value=(Ids("scope", "title", ordered=True), Ints("table")), channel="series", complete=True
    )  # P_s, A_s

    def id_problems(self) -> Iterator[str]:
        """Every title has two lots, every lot belongs to one title and has a value, and no scope is empty."""
        held = Counter(title for title, _ in self.choice)
        for title in self.title:
            if held[title] != 2:
                yield f"choice[{title!r}]: expected two lots, numbered 0 and 1"
        if sorted(lot for _, lot in self.choice) != sorted(self.lot):
            yield "choice: expected every lot under exactly one title"
        if self.lot_value.keys() != self.choice.keys():
            yield "lot_value: expected one value for every title and lot that choice names"
        for series, (scope, _) in self.factor.items():
            if not scope:
                yield f"factor[{series!r}]: the scope names no title"

    def problems(self) -> Iterator[str]:
        """Every title has the lots 0 and 1, every scope a complete table."""
        yield from self.derived(_number_problems, reads=("title", "choice"))
        yield from self.derived(_table_problems, reads=("factor",))


def _number_problems(instance: SeriesPortfolio) -> list[str]:
    """Two non-negative numbers are 0 and 1 if they add up to 1."""
    sums = np.bincount(id_positions(instance, "choice", "title"), column_values(instance, "choice"), len(instance.title))
    return [f"choice[{instance.title[at]!r}]: expected two lots, numbered 0 and 1" for at in np.flatnonzero(sums != 1)]


def _table_problems(instance: SeriesPortfolio) -> list[str]:
    factors = zip(list_lengths(instance, "factor", "scope").tolist(), instance.factor.items(), strict=True)
    wrong = [(series, arity, len(table)) for arity, (series, (_, table)) in factors if len(table) != 1 << arity]
    return [f"factor[{series!r}]: expected 2^{arity} table cells, got {size}" for series, arity, size in wrong]

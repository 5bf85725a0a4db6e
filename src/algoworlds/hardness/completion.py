"""Completed instances: a part of a table of pairs replaced by what the rest says about it.

An agent that reads half of the rows of a table can fit effects of rows and columns and two factors to them and guess the
rest. If an exact solver finds the optimum so, an agent need not read everything. Tables whose rows name pairs in their values
are completed by their family (`Hardness.completions`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.column import Int
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Relation
from algoworlds.families.family import AnyFamily
from algoworlds.families.low_rank import RANKS, UNREAD_PART, complete

MIN_SIDE = 4
"""A table with fewer rows or columns says too little about the others."""


def completed_instances(family: AnyFamily, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The instance with a part of every table of pairs completed from the rest, in every way, by name."""
    yield from ((name, complete_tables(instance)) for name, complete_tables in family.hardness.completions.items())
    for relation in instance.relations.values():
        if not relation.fact or len(relation.keys) != 2 or relation.default is not None:
            continue
        for at, column in enumerate(relation.columns):
            if isinstance(column, Int) and at >= len(relation.keys):
                yield from _complete_column(instance, relation, at, column.low)


def _complete_column(instance: Instance, relation: Relation, at: int, low: int) -> Iterator[tuple[str, Any]]:
    """Every completion of one number column of a table with an entry for every pair; nothing if entries are missing."""
    column, rosters = relation.columns[at], [str(key.roster_name) for key in relation.keys]
    first, second = (getattr(instance, roster) for roster in rosters)
    cells, alike = instance.column_cells(relation.name, at), rosters[0] == rosters[1]
    size, others = len(first) * len(second), len(first) * (len(first) - 1)
    symmetric = alike and 2 * len(cells) == others
    if min(len(first), len(second)) < MIN_SIDE or not (symmetric or len(cells) == size or (alike and len(cells) == others)):
        return
    index = [{entity: at for at, entity in enumerate(roster)} for roster in (first, second)]
    i, j = np.array([[index[0][a], index[1][b]] for a, b in instance.tables[relation.name]]).T
    whole, present = np.zeros((len(first), len(second)), np.int64), np.zeros((len(first), len(second)), np.bool_)
    whole[i, j], present[i, j] = cells, True
    if symmetric:
        whole[j, i], present[j, i] = cells, True
    known = present & read_cells(len(first), len(second), symmetric)
    for rank in RANKS:
        fitted = complete(whole, known, rank, effects=True)[i, j].tolist()
        guess = [cell if read else new for cell, read, new in zip(cells, known[i, j].tolist(), fitted, strict=True)]
        if min(guess) >= low:
            table = relation.replace_column(instance.tables[relation.name], at, guess)
            name = f"{column.name}: half completed by effects and {rank} factors"
            yield name, instance.unchecked(**{relation.name: table}).assume_rows_valid()


def read_cells(rows: int, columns: int, symmetric: bool) -> NDArray[np.bool_]:
    """The cells that are known if every second row is not read; a cell of a `symmetric` table is in two rows."""
    row, column = (np.arange(count) % UNREAD_PART != UNREAD_PART - 1 for count in (rows, columns))
    known: NDArray[np.bool_] = row[:, None] | (column[None, :] & symmetric)
    return known

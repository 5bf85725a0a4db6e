"""Columns as arrays hold the same values as the tables, also where instances share tables."""

from itertools import accumulate, pairwise

import numpy as np
import pytest

from algoworlds.core.arrays import column_values, id_positions, list_lengths, pad_rows
from algoworlds.core.column import Id, Ids, Int, Ints
from algoworlds.families import FAMILIES
from tests.certified import certified_instance


def to_cells(instance, relation, column, array):
    """The cells of a column from its array, cut where lists end."""
    if not isinstance(column, Ids | Ints):
        return array
    ends = list(accumulate(list_lengths(instance, relation.name, column.name), initial=0))
    return [tuple(array[at:to]) for at, to in pairwise(ends)]


@pytest.mark.parametrize("name", FAMILIES)
def test_arrays_hold_the_cells_of_the_rows(name):
    instance = certified_instance(name).instance
    for relation in instance.relations.values():
        for at, column in enumerate(relation.columns if relation.keys and relation.values else ()):
            cells = [row[at] for row in instance.rows(relation.name)]
            if isinstance(column, Id | Ids):
                roster = getattr(instance, column.roster_name)
                ids = [roster[position] for position in id_positions(instance, relation.name, column.name)]
                assert to_cells(instance, relation, column, ids) == cells
            elif isinstance(column, Int | Ints):
                values = column_values(instance, relation.name, column.name)
                assert to_cells(instance, relation, column, values.tolist()) == cells
                assert len(relation.values) > 1 or column_values(instance, relation.name) is values


def test_unchanged_columns_share_their_array():
    instance = certified_instance("authorization_planning").instance
    prices, stages = column_values(instance, "base_price"), id_positions(instance, "handoff", "stage")
    clearances = column_values(instance, "clearance")
    other = instance.unchecked(base_price={key: price + 1 for key, price in instance.base_price.items()})
    assert np.array_equal(column_values(other, "base_price"), prices + 1)
    assert column_values(other, "clearance") is clearances
    assert id_positions(other, "handoff", "stage") is stages
    fewer = instance.with_rows(handoff=dict.fromkeys(instance.rows("handoff")[:1]))
    assert np.array_equal(id_positions(fewer, "handoff", "stage"), stages[1:])


def test_pad_rows_adds_one_column_to_the_longest_row():
    assert pad_rows(np.array([2, 0, 1]), np.array([5, 6, 7]), -1).tolist() == [[5, 6, -1], [-1, -1, -1], [7, -1, -1]]
    assert pad_rows(np.zeros(0, np.int64), np.zeros(0, np.int64), 0).shape == (0, 1)


def test_numbers_beyond_64_bits_stay_exact():
    """No valid instance has such numbers, but checkers evaluate decisions on changed ones."""
    instance = certified_instance("authorization_planning").instance
    vast = instance.unchecked(base_price={key: price + 2**70 for key, price in instance.base_price.items()})
    assert column_values(vast, "base_price").tolist() == [price + 2**70 for price in instance.base_price.values()]

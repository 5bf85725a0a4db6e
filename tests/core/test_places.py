"""Columns as arrays say what the tables say, also of instances that share some of them."""

from itertools import accumulate, pairwise

import numpy as np
import pytest

from algoworlds.core.column import Id, Ids, Int, Ints
from algoworlds.core.places import lengths, numbers, padded, places
from algoworlds.families import FAMILIES
from tests.certified import certified


def listed(instance, relation, column, array):
    """An array as the cells of a column, cut where the lists in it end."""
    if not isinstance(column, Ids | Ints):
        return array
    ends = list(accumulate(lengths(instance, relation.name, column.name), initial=0))
    return [tuple(array[at:to]) for at, to in pairwise(ends)]


@pytest.mark.parametrize("name", FAMILIES)
def test_columns_are_as_the_rows_say(name):
    instance = certified(name).instance
    for relation in instance.relations.values():
        for at, column in enumerate(relation.columns if relation.keys and relation.values else ()):
            cells = [row[at] for row in instance.rows(relation.name)]
            if isinstance(column, Id | Ids):
                found = map(getattr(instance, column.of).__getitem__, places(instance, relation.name, column.name))
                assert listed(instance, relation, column, list(found)) == cells
            elif isinstance(column, Int | Ints):
                found = numbers(instance, relation.name, column.name)
                assert listed(instance, relation, column, found.tolist()) == cells
                assert len(relation.values) > 1 or numbers(instance, relation.name) is found


def test_only_what_changes_is_made_anew():
    instance = certified("authorization_planning").instance
    prices, stages = numbers(instance, "base_price"), places(instance, "handoff", "stage")
    clearances = numbers(instance, "clearance")
    other = instance.unchecked(base_price={key: price + 1 for key, price in instance.base_price.items()})
    assert np.array_equal(numbers(other, "base_price"), prices + 1)
    assert numbers(other, "clearance") is clearances
    assert places(other, "handoff", "stage") is stages
    fewer = instance.with_rows(handoff=dict.fromkeys(instance.rows("handoff")[:1]))
    assert np.array_equal(places(fewer, "handoff", "stage"), stages[1:])


def test_rows_are_padded_to_one_more_than_the_longest():
    assert padded(np.array([2, 0, 1]), np.array([5, 6, 7]), -1).tolist() == [[5, 6, -1], [-1, -1, -1], [7, -1, -1]]
    assert padded(np.zeros(0, np.int64), np.zeros(0, np.int64), 0).shape == (0, 1)


def test_numbers_that_fit_no_array_of_64_bits_stay_exact():
    """No instance has any, but checkers are asked what decisions would cost if it had."""
    instance = certified("authorization_planning").instance
    vast = instance.unchecked(base_price={key: price + 2**70 for key, price in instance.base_price.items()})
    assert numbers(vast, "base_price").tolist() == [price + 2**70 for price in instance.base_price.values()]

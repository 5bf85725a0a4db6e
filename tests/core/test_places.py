"""Columns as arrays say what the tables say, also of instances that share some of them."""

import numpy as np
import pytest

from algoworlds.core.column import Id, Int
from algoworlds.core.places import numbers, places
from algoworlds.families import FAMILIES
from tests.certified import certified


@pytest.mark.parametrize("name", FAMILIES)
def test_columns_are_as_the_rows_say(name):
    instance = certified(name).instance
    for relation in instance.relations.values():
        for at, column in enumerate(relation.columns if relation.keys and relation.values else ()):
            cells = [row[at] for row in instance.rows(relation.name)]
            if isinstance(column, Id):
                roster = getattr(instance, column.of)
                assert [roster[place] for place in places(instance, relation.name, column.name)] == cells
            elif isinstance(column, Int):
                assert numbers(instance, relation.name, column.name).tolist() == cells
                if len(relation.values) == 1:
                    assert numbers(instance, relation.name) is numbers(instance, relation.name, column.name)


def test_only_what_changes_is_made_anew():
    instance = certified("authorization_planning").instance
    prices, clearances, stages = (
        numbers(instance, "base_price"),
        numbers(instance, "clearance"),
        places(instance, "handoff", "stage"),
    )
    other = instance.exchanged(base_price={key: price + 1 for key, price in instance.base_price.items()})
    assert np.array_equal(numbers(other, "base_price"), prices + 1)
    assert numbers(other, "clearance") is clearances
    assert places(other, "handoff", "stage") is stages
    fewer = instance.struck("handoff", instance.rows("handoff")[:1])
    assert np.array_equal(places(fewer, "handoff", "stage"), stages[1:])

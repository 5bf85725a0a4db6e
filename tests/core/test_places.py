"""Columns as arrays say what the tables say, also of instances that share some of them."""

from itertools import accumulate, pairwise

import numpy as np
import pytest

from algoworlds.core.column import Id, Ids, Int, Ints
from algoworlds.core.places import keys_at, lengths, numbers, padded, places, widened
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, instance_at
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


def assert_placed(instance):
    """What is said of places is what the tables say."""
    anew = type(instance)(**instance.tables)
    assert not anew.placed
    for name, found in instance.placed.items():
        for key, at in zip(instance.relations[name].keys, found, strict=True):
            assert np.array_equal(at, places(anew, name, key.name))
            assert places(instance, name, key.name) is at


@pytest.mark.parametrize("name", FAMILIES)
def test_places_that_are_known_are_those_of_the_tables(name):
    family = FAMILIES[name]
    assert_placed(family.generate(family.config(0), Stream("places", name)))
    instance = instance_at(Coordinate(name, 0, 1, "places"), 0)
    assert set(instance.placed) == {each.name for each in instance.relations.values() if each.keys and each.values}
    assert_placed(instance)
    for erase in family.blind.values():
        assert_placed(erase(instance))
    assert not instance.unframed().placed


def test_a_table_is_widened_by_places():
    instance = certified("authorization_planning").instance
    stage, package = (places(instance, "base_price", column) for column in ("stage", "package"))
    ends = np.append(stage[::-1], stage[0]), np.append(package[::-1], package[-1])  # and the last package at the first stage
    keys = list(keys_at((instance.stage, instance.package), ends))
    wide = widened(instance, "base_price", ends, 7)
    assert list(wide) == keys
    assert dict(wide) == {key: instance.base_price.get(key, 7) for key in keys}
    assert list(dict(wide).values()) == wide.values() == [*list(instance.base_price.values())[::-1], 7]
    for strange in ((instance.stage[-1], keys[-2][1]), ("no stage", keys[0][1])):
        assert strange not in wide
        with pytest.raises(KeyError):
            wide[strange]


def test_only_what_changes_is_made_anew():
    instance = certified("authorization_planning").instance
    prices, stages = numbers(instance, "base_price"), places(instance, "handoff", "stage")
    clearances = numbers(instance, "clearance")
    other = instance.exchanged(base_price={key: price + 1 for key, price in instance.base_price.items()})
    assert np.array_equal(numbers(other, "base_price"), prices + 1)
    assert numbers(other, "clearance") is clearances
    assert places(other, "handoff", "stage") is stages
    fewer = instance.struck("handoff", instance.rows("handoff")[:1])
    assert np.array_equal(places(fewer, "handoff", "stage"), stages[1:])


def test_rows_are_padded_to_one_more_than_the_longest():
    assert padded(np.array([2, 0, 1]), np.array([5, 6, 7]), -1).tolist() == [[5, 6, -1], [-1, -1, -1], [7, -1, -1]]
    assert padded(np.zeros(0, np.int64), np.zeros(0, np.int64), 0).shape == (0, 1)


def test_numbers_that_fit_no_array_of_64_bits_stay_exact():
    """No instance has any, but checkers are asked what decisions would cost if it had."""
    instance = certified("authorization_planning").instance
    vast = instance.exchanged(base_price={key: price + 2**70 for key, price in instance.base_price.items()})
    assert numbers(vast, "base_price").tolist() == [price + 2**70 for price in instance.base_price.values()]

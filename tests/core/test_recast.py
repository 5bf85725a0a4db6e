"""Tables that are put together as far as they are read."""

import pytest

from algoworlds.core.column import Int
from algoworlds.core.instance import Instance
from algoworlds.core.recast import Recast
from algoworlds.core.relation import Roster, Table, relation, roster


@pytest.fixture
def asked():
    return []


@pytest.fixture
def doubled(asked):
    """A table with every value doubled, and what was asked for on the way."""
    table = {"n": 2, "m": 4}

    def double(value):
        asked.append(value)
        return 2 * value

    def all_doubled():
        asked.append("all")
        return [2 * value for value in table.values()]

    return Recast(table, double, all_doubled)


def test_a_value_is_made_when_it_is_asked_for(doubled, asked):
    assert ("m" in doubled, "x" in doubled, len(doubled), list(doubled)) == (True, False, 2, ["n", "m"])
    assert asked == []
    assert doubled["m"] == 8
    assert asked == [4]
    with pytest.raises(KeyError):
        doubled["x"]


def test_all_values_are_made_at_once_and_once(doubled, asked):
    assert list(doubled.values()) == [4, 8]
    assert dict(doubled.items()) == dict(doubled) == {"n": 4, "m": 8} == doubled
    assert doubled | {"m": 9} == {"n": 4, "m": 9}
    assert asked.count("all") == 1


class Weighed(Instance, family="weighed"):
    """Nodes with a weight and a size each, and a price."""

    node: Roster = roster()
    weight: Table = relation("node", value=(Int("weight"), Int("size")), channel="a", complete=True)
    price: Table = relation("node", value="price", channel="a", complete=True)


@pytest.mark.parametrize(("name", "at"), [("weight", 1), ("weight", 2), ("price", 1)])
def test_an_instance_is_the_same_whether_a_column_is_made_at_once_or_as_it_is_read(name, at):
    weighed = Weighed(node=["n", "m"], weight={"n": (2, 5), "m": (4, 7)}, price={"n": 1, "m": 3})
    cells = [cell + 1 for cell in weighed.cells(name, at)]
    read, made = weighed.recast(name, at, lambda cell: cell + 1, lambda: cells), weighed.with_column(name, at, cells)
    assert {node: getattr(read, name)[node] for node in read.node} == getattr(made, name)
    assert (read, read.rows(name), read.cells(name, at)) == (made, made.rows(name), cells)
    assert (read.digest, read.magnitude()) == (made.digest, made.magnitude())
    other = {"weight": ("n", 0, 0), "price": ("n", 0)}[name]
    assert read.amended({name: {read.rows(name)[0]: other}}) == made.amended({name: {made.rows(name)[0]: other}})

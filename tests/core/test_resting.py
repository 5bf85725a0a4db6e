"""Tables at rest: packed when enough others have been opened, at hand again when somebody looks, and never different."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from algoworlds.core import resting
from algoworlds.core.column import Column, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.core.relation import relation, roster
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, instance_at
from algoworlds.worlds.world import World


def drawn(name, index=1, interface=Interface.DIRECT):
    """A world with an instance of its own."""
    place = Coordinate(name, 1, index)
    instance = instance_at(place, 0)
    instance.opened()
    return World(place, instance, interface)


@pytest.fixture
def few(monkeypatch):
    """A machine on which nobody else has opened anything, and where three instances may be at hand."""
    monkeypatch.setattr(resting, "_opened", resting.deque())
    monkeypatch.setattr(resting, "AT_HAND", 3)


def hidden(instance):
    return {name for name, each in instance.relations.items() if not each.public}


def at_hand(instance):
    """The hidden tables that nobody has to unpack."""
    return hidden(instance) & set(vars(instance))


@pytest.mark.parametrize("name", FAMILIES)
def test_what_has_been_at_rest_is_the_same(name):
    world, untouched = drawn(name), drawn(name)
    instance = world.instance
    digest, public = instance.digest, instance.public_tables
    told = [world.records(call) for call in world.catalog]
    instance.rest()
    assert not at_hand(instance)
    assert all(public[each] is vars(instance)[each] for each in public)  # what the question states is still there
    assert world.question == untouched.question
    assert not at_hand(instance)  # which needs no more than that
    assert instance == untouched.instance
    assert at_hand(instance) == hidden(instance)
    assert (instance.digest, instance.facts, instance.json) == (digest, untouched.instance.facts, untouched.instance.json)
    assert [type(table) for table in instance.tables.values()] == [type(each) for each in untouched.instance.tables.values()]
    instance.rest()
    again = World(world.coordinate, instance, world.interface)
    assert [again.records(call) for call in again.catalog] == told
    solved = world.family.solve(instance), world.family.solve(untouched.instance)
    assert solved[0] == solved[1]


class Word(Column):
    """A kind of column that knows nothing of rest: kept as letters, written as a text."""

    def read(self, value, rosters):
        return tuple(value)

    def write(self, value):
        return "".join(value)


class Shelves(Instance, family="shelves"):
    shelf = roster()
    book = roster(public=False, fact=True)
    title = relation("book", value=Word("title"))
    stands = relation("shelf", "book")
    height = relation("shelf", value=Ints("height"))
    room = relation(value="room")


def test_any_kind_of_column_and_table_comes_back_as_it_was():
    tables = {"shelf": ["s", "t"], "book": ["b", "a"], "title": {"a": "Odd", "b": ""}, "height": {"s": [1, -2], "t": []}}
    for stands in ([["s", "a"], ["t", "b"]], []):
        mine, untouched = (Shelves(stands=stands, room=2**52, **tables) for _ in range(2))
        mine.rest()
        assert set(vars(mine)) >= {"shelf"}
        assert not at_hand(mine)
        assert mine == untouched
        assert {type(cell) for cell in mine.title.values()} == {tuple}
    nothing = Shelves(shelf=[], book=[], title={}, stands=[], height={}, room=0)
    nothing.rest()
    assert nothing == Shelves(shelf=[], book=[], title={}, stands=[], height={}, room=0)


@pytest.mark.parametrize("interface", Interface)
def test_answers_are_the_same_with_a_rest_between_any_two(interface):
    plain, rested = (drawn("evidence_joined_routing", interface=interface) for _ in range(2))
    for call in plain.catalog:
        rested.instance.rest()
        assert rested.records(call) == plain.records(call)


@pytest.mark.usefixtures("few")
def test_the_first_opened_is_the_first_at_rest_and_looking_at_it_opens_it_again():
    worlds = [drawn("fleet_dispatch", index=index) for index in range(1, 6)]
    assert [bool(at_hand(world.instance)) for world in worlds] == [False, False, True, True, True]
    assert worlds[0].instance.route_cost
    assert [bool(at_hand(world.instance)) for world in worlds] == [True, False, False, True, True]


@pytest.mark.usefixtures("few")
def test_an_instance_is_opened_once_however_many_worlds_present_it():
    world = drawn("fleet_dispatch")
    world.instance.opened()
    assert len(resting._opened) == 1


@pytest.mark.usefixtures("few")
def test_nobody_is_kept_alive_by_being_opened():
    world = drawn("fleet_dispatch")
    gone = weakref.ref(world.instance)
    gc.disable()
    try:
        world.records(world.catalog[0])
        del world
        assert gone() is None  # at once, without a collector
    finally:
        gc.enable()


def test_what_is_no_table_is_missing_at_rest_and_at_hand():
    instance = drawn("fleet_dispatch").instance
    for _ in range(2):
        with pytest.raises(AttributeError, match="'FleetDispatch' object has no attribute 'wheels'"):
            instance.wheels  # noqa: B018 - the looking is what raises
        instance.rest()


def test_threads_that_look_while_others_pack_miss_nothing():
    world, untouched = drawn("series_portfolio"), drawn("series_portfolio")
    told = [untouched.records(call) for call in untouched.catalog]

    def look(_):
        fresh = World(world.coordinate, world.instance, world.interface)
        world.instance.rest()
        return [fresh.records(call) for call in fresh.catalog] == told and world.instance.tables == untouched.instance.tables

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look, range(60)))

import pytest

from algoworlds.core.column import Flag, Id
from algoworlds.core.instance import Instance
from algoworlds.core.options import Options, dropping, pricing, refusing, restricted, striking
from algoworlds.core.relation import Fact, grouped, misplaced, relation, roster


class Shop(Instance, family="shop"):
    store = roster(fact=True)
    item = roster(public=False)
    paint = roster(public=False)
    price = relation("store", "item", value="price")
    colour = relation("item", value=Id("colour", "paint"))
    tint = relation("paint", value="tint")
    rival = relation(Id("one", "item"), Id("other", "item"), value=Flag("rival"))
    rate = relation(value="rate")


# Apple and cup are sold in s and are red; the bowl is the only thing in t.
SHOP = Shop(
    store=["s", "t"],
    item=["apple", "bowl", "cup"],
    paint=["red", "blue"],
    price={("s", "apple"): 3, ("s", "cup"): 4, ("t", "bowl"): -5},
    colour={"apple": "red", "bowl": "blue", "cup": "red"},
    tint={"red": 1, "blue": 2},
    rival={("apple", "bowl"): True},
    rate=7,
)
KIND = Options(("price", "colour", "tint", "rival"), dropping("item"), each="store")


def without(*facts):
    return SHOP.facts - {Fact(*fact) for fact in facts}


def test_an_option_is_a_row_joined_with_all_that_tells_about_it():
    apple, cup, bowl = KIND.of(SHOP)
    assert apple.facts == {
        Fact("price", ("s", "apple", 3)),
        Fact("colour", ("apple", "red")),
        Fact("tint", ("red", 1)),  # through the colour
        Fact("rival", ("apple", "bowl", True)),  # which names the apple among others
    }
    assert apple.entities == {"store": {"s"}, "item": {"apple"}, "paint": {"red"}}
    assert cup.facts == {Fact("price", ("s", "cup", 4)), Fact("colour", ("cup", "red")), Fact("tint", ("red", 1))}
    assert Fact("rival", ("apple", "bowl", True)) in bowl.facts


def test_dropping_takes_the_entity_and_every_row_that_mentions_it():
    left = restricted(SHOP, without(("colour", ("apple", "red"))), [KIND])
    assert left.item == ("bowl", "cup")
    assert left.price == {("s", "cup"): 4, ("t", "bowl"): -5}
    assert left.colour == {"bowl": "blue", "cup": "red"}
    assert left.rival == {}
    assert (left.store, left.tint, left.rate) == (SHOP.store, SHOP.tint, SHOP.rate)


def test_none_where_an_entity_has_no_option_left():
    assert restricted(SHOP, without(("tint", ("red", 1))), [KIND]) is None  # nothing left in s
    assert restricted(SHOP, without(("rival", ("apple", "bowl", True))), [KIND]) is None  # nothing left in t
    unbound = Options(KIND.relations, KIND.exclude)
    assert restricted(SHOP, without(("tint", ("red", 1))), [unbound]).item == ("bowl",)


def test_none_where_a_fact_is_missing_that_tells_about_no_option():
    assert restricted(SHOP, without(("rate", (7,))), [KIND]) is None


def test_the_instance_itself_where_nothing_hidden_is_missing():
    assert restricted(SHOP, SHOP.facts, [KIND]) is SHOP
    assert restricted(SHOP, without(("store", ("s",)), ("store", ("t",))), [KIND]) is SHOP  # a public roster


@pytest.mark.parametrize(
    ("exclude", "name", "expected"),
    [
        (striking("price"), "price", {("s", "cup"): 4, ("t", "bowl"): -5}),
        (refusing("rival"), "rival", {("apple", "bowl"): False}),
        (pricing("price", 1), "price", {("s", "apple"): 45, ("s", "cup"): 4, ("t", "bowl"): -5}),  # 1 + 2 (12 + 3 + 7)
        (pricing("price", -1), "price", {("s", "apple"): -45, ("s", "cup"): 4, ("t", "bowl"): -5}),
    ],
)
def test_other_ways_to_exclude(exclude, name, expected):
    left = restricted(SHOP, without(("colour", ("apple", "red"))), [Options(KIND.relations, exclude)])
    assert left.tables == SHOP.tables | {name: expected}


def test_kinds_are_excluded_in_turn():
    kinds = [Options(("price", "colour", "tint"), dropping("item")), Options(("rival",), striking("rival"))]
    left = restricted(SHOP, without(("colour", ("cup", "red")), ("rival", ("apple", "bowl", True))), kinds)
    assert (left.item, left.rival) == (("apple", "bowl"), {})


def test_grouped_keeps_order_and_empty_groups():
    assert grouped(["b", "a", "c"], [("a", "2"), ("b", "9"), ("a", "1")]) == {"b": ["9"], "a": ["2", "1"], "c": []}


def test_misplaced_tells_of_none_and_of_two_owners():
    problems = list(misplaced(["x", "y", "z"], [("a", "x"), ("b", "x"), ("a", "y")], "site", "zones"))
    assert problems == ["the site x belongs to 2 zones instead of one", "the site z belongs to 0 zones instead of one"]


def test_the_options_of_one_instance_are_found_once():
    made = []

    class Counted(Options):
        def of(self, instance):
            made.append(instance)
            return super().of(instance)

    shop, kind = type(SHOP)(**SHOP.tables), Counted(KIND.relations, KIND.exclude)
    first, second = (("tint", ("red", 1)), ("colour", ("apple", "red")))
    assert restricted(shop, without(first), [kind]) == restricted(SHOP, without(first), [Options(KIND.relations, KIND.exclude)])
    assert restricted(shop, without(second), [kind]) != shop
    assert len(made) == 1
    assert made[0] is shop

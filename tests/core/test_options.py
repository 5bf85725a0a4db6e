"""Options: joined rows, and instances without the options whose facts are missing."""

import pytest

from algoworlds.core.column import Flag, Id
from algoworlds.core.instance import Instance
from algoworlds.core.options import OptionKind, restrict_to_seen
from algoworlds.core.relation import Fact, group_pairs, ownership_problems, relation, roster
from algoworlds.errors import DeclarationError


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
KIND = OptionKind(("price", "colour", "tint", "rival"), drop="item", required_roster="store")


def without(*facts):
    return SHOP.facts - {Fact(*fact) for fact in facts}


def test_option_joins_all_matching_rows():
    apple, cup, bowl = KIND.find_options(SHOP)
    assert apple.facts == {
        Fact("price", ("s", "apple", 3)),
        Fact("colour", ("apple", "red")),
        Fact("tint", ("red", 1)),  # through the colour
        Fact("rival", ("apple", "bowl", True)),  # mentions the apple and another item
    }
    assert apple.entities == {"store": {"s"}, "item": {"apple"}, "paint": {"red"}}
    assert cup.facts == {Fact("price", ("s", "cup", 4)), Fact("colour", ("cup", "red")), Fact("tint", ("red", 1))}
    assert Fact("rival", ("apple", "bowl", True)) in bowl.facts


def test_dropping_entities_drops_every_row_that_mentions_them():
    left = restrict_to_seen(SHOP, without(("colour", ("apple", "red"))), [KIND])
    assert left.item == ("bowl", "cup")
    assert left.price == {("s", "cup"): 4, ("t", "bowl"): -5}
    assert left.colour == {"bowl": "blue", "cup": "red"}
    assert left.rival == {}
    assert (left.store, left.tint, left.rate) == (SHOP.store, SHOP.tint, SHOP.rate)


def test_none_if_an_entity_has_no_option_left():
    assert restrict_to_seen(SHOP, without(("tint", ("red", 1))), [KIND]) is None  # nothing left in s
    assert restrict_to_seen(SHOP, without(("rival", ("apple", "bowl", True))), [KIND]) is None  # nothing left in t
    unbound = OptionKind(KIND.relations, drop="item")
    assert restrict_to_seen(SHOP, without(("tint", ("red", 1))), [unbound]).item == ("bowl",)


def test_none_if_a_missing_fact_belongs_to_no_option():
    assert restrict_to_seen(SHOP, without(("rate", (7,))), [KIND]) is None


def test_returns_the_instance_itself_if_nothing_hidden_is_missing():
    assert restrict_to_seen(SHOP, SHOP.facts, [KIND]) is SHOP
    assert restrict_to_seen(SHOP, without(("store", ("s",)), ("store", ("t",))), [KIND]) is SHOP  # a public roster


@pytest.mark.parametrize(
    ("exclude", "name", "expected"),
    [
        ({"drop": "price"}, "price", {("s", "cup"): 4, ("t", "bowl"): -5}),
        ({"clear": "rival"}, "rival", {("apple", "bowl"): False}),
        # 45 = 1 + 2 (12 + 3 + 7)
        ({"price": ("price", 1)}, "price", {("s", "apple"): 45, ("s", "cup"): 4, ("t", "bowl"): -5}),
        ({"price": ("price", -1)}, "price", {("s", "apple"): -45, ("s", "cup"): 4, ("t", "bowl"): -5}),
    ],
)
def test_other_ways_to_exclude(exclude, name, expected):
    left = restrict_to_seen(SHOP, without(("colour", ("apple", "red"))), [OptionKind(KIND.relations, **exclude)])
    assert left.tables == SHOP.tables | {name: expected}


@pytest.mark.parametrize("ways", [{}, {"drop": "item", "clear": "rival"}])
def test_an_option_kind_has_exactly_one_way_to_exclude(ways):
    with pytest.raises(DeclarationError, match="one of drop, clear and price"):
        OptionKind(KIND.relations, **ways)


def test_option_kinds_are_excluded_in_turn():
    kinds = [OptionKind(("price", "colour", "tint"), drop="item"), OptionKind(("rival",), drop="rival")]
    left = restrict_to_seen(SHOP, without(("colour", ("cup", "red")), ("rival", ("apple", "bowl", True))), kinds)
    assert (left.item, left.rival) == (("apple", "bowl"), {})


def test_group_pairs_keeps_order_and_empty_groups():
    assert group_pairs(["b", "a", "c"], [("a", "2"), ("b", "9"), ("a", "1")]) == {"b": ["9"], "a": ["2", "1"], "c": []}


def test_ownership_problems_names_entities_with_zero_or_two_owners():
    problems = list(ownership_problems(["x", "y", "z"], [("a", "x"), ("b", "x"), ("a", "y")], "site", "zones"))
    assert problems == ["the site x belongs to 2 zones instead of one", "the site z belongs to 0 zones instead of one"]


def test_options_of_one_instance_are_computed_once():
    searched = []

    class Counted(OptionKind):
        def find_options(self, instance):
            searched.append(instance)
            return super().find_options(instance)

    shop, kind = type(SHOP)(**SHOP.tables), Counted(KIND.relations, drop="item")
    first, second = (("tint", ("red", 1)), ("colour", ("apple", "red")))
    assert restrict_to_seen(shop, without(first), [kind]) == restrict_to_seen(
        SHOP, without(first), [OptionKind(KIND.relations, drop="item")]
    )
    assert restrict_to_seen(shop, without(second), [kind]) != shop
    assert len(searched) == 1
    assert searched[0] is shop

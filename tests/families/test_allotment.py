"""Allotments are held against all ways to give every holder one of its options."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from algoworlds.families.basket_assembly import knowledge
from algoworlds.families.basket_assembly.knowledge import essential_holders, exact_partitions, find_assignment

OPTIONS = st.sampled_from("abcde").map(lambda letter: (letter,))
OFFERS = st.lists(st.frozensets(OPTIONS, min_size=1), max_size=5).map(lambda each: dict(zip("vwxyz", each, strict=False)))


def ways(offers, needed, distinct):
    for chosen in product(*offers.values()):
        if needed.issubset(chosen) and not (distinct and len(set(chosen)) < len(chosen)):
            yield dict(zip(offers, chosen, strict=True))


@given(OFFERS, st.lists(OPTIONS, min_size=5, max_size=5), st.frozensets(OPTIONS), st.booleans())
def test_an_allotment_is_found_if_there_is_one(offers, wishes, needed, distinct):
    wished = dict(zip("vwxyz", wishes, strict=True))
    found, all_ways = find_assignment(offers, wished, needed, distinct), list(ways(offers, needed, distinct))
    assert found in all_ways if all_ways else found is None


@given(OFFERS, OPTIONS.map(lambda option: {"v": option}))
def test_a_wish_that_can_be_kept_is_kept(offers, wished):
    alone = {"v": offers.get("v", frozenset())} if offers else {}
    if alone and wished["v"] in alone["v"]:
        assert find_assignment(alone, wished, frozenset(), True) == wished


@given(OFFERS, st.frozensets(OPTIONS))
def test_without_an_indispensable_holder_something_needed_is_held_by_none(offers, needed):
    def placeable(holders):
        return any(needed.issubset(chosen) for chosen in product(*(offers[holder] for holder in holders)))

    if placeable(offers):
        truly = {offer for offer in offers if not placeable(set(offers) - {offer})}
        assert set(essential_holders(offers, needed)) == truly


PARTS = st.frozensets(st.sampled_from("abcde").map(str), min_size=1).map(lambda parts: tuple(sorted(parts)))


@given(
    st.lists(st.frozensets(PARTS, min_size=1, max_size=4), max_size=3).map(lambda each: dict(zip("xyz", each, strict=False)))
)
def test_all_ways_are_found_to_make_up_a_whole(offers):
    whole = frozenset("abcde")
    found, all_ = exact_partitions(offers, whole, lambda holders, rest: holders > 0 or not rest)
    combined = [dict(zip(offers, chosen, strict=True)) for chosen in product(*offers.values())]
    fitting = [each for each in combined if sorted(part for option in each.values() for part in option) == sorted(whole)]
    assert all_
    assert sorted(found, key=repr) == sorted(fitting, key=repr)


def test_a_search_for_ways_to_make_up_a_whole_ends_after_so_many_steps():
    holders, whole = [str(at) for at in range(30)], frozenset(f"{at:02}" for at in range(30))
    options = frozenset((part,) for part in whole if part != "29")  # which nobody has: 29 factorial steps would tell
    assert exact_partitions(dict.fromkeys(holders, options), whole, lambda holders, rest: len(rest) == holders) == ([], False)


def test_more_ways_than_are_looked_at_are_not_all():
    found, all_ = exact_partitions({str(at): frozenset({("a",), ("b",)}) for at in range(2)}, frozenset("ab"), lambda *_: True)
    assert (len(found), all_) == (2, True)
    parts = "abcdefgh"
    found, all_ = exact_partitions(
        {each: frozenset((part,) for part in parts) for each in parts}, frozenset(parts), lambda *_: True
    )
    assert (len(found), all_) == (knowledge.MAX_PARTITIONS + 1, False)

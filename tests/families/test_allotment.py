"""Allotments are held against all ways to give every holder one of its options."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from algoworlds.families.allotment import allotted, indispensable

OPTIONS = st.sampled_from("abcde").map(lambda letter: (letter,))
OFFERS = st.lists(st.frozensets(OPTIONS, min_size=1), max_size=5).map(lambda each: dict(zip("vwxyz", each, strict=False)))


def ways(offers, needed, distinct):
    for chosen in product(*offers.values()):
        if needed.issubset(chosen) and not (distinct and len(set(chosen)) < len(chosen)):
            yield dict(zip(offers, chosen, strict=True))


@given(OFFERS, st.lists(OPTIONS, min_size=5, max_size=5), st.frozensets(OPTIONS), st.booleans())
def test_an_allotment_is_found_if_there_is_one(offers, wishes, needed, distinct):
    wished = dict(zip("vwxyz", wishes, strict=True))
    found, all_ways = allotted(offers, wished, needed, distinct), list(ways(offers, needed, distinct))
    assert found in all_ways if all_ways else found is None


@given(OFFERS, OPTIONS.map(lambda option: {"v": option}))
def test_a_wish_that_can_be_kept_is_kept(offers, wished):
    alone = {"v": offers.get("v", frozenset())} if offers else {}
    if alone and wished["v"] in alone["v"]:
        assert allotted(alone, wished, frozenset(), True) == wished


@given(OFFERS, st.frozensets(OPTIONS))
def test_without_an_indispensable_holder_something_needed_is_held_by_none(offers, needed):
    def placeable(holders):
        return any(needed.issubset(chosen) for chosen in product(*(offers[each] for each in holders)))

    if placeable(offers):
        truly = {each for each in offers if not placeable(set(offers) - {each})}
        assert set(indispensable(offers, needed)) == truly

"""Assignments of recipes to tickets, compared with all ways to give every ticket one of its recipes."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from algoworlds.families.basket_assembly import knowledge
from algoworlds.families.basket_assembly.knowledge import essential_holders, exact_partitions, find_assignment

OPTIONS = st.sampled_from("abcde").map(lambda letter: (letter,))
OFFERS = st.lists(st.frozensets(OPTIONS, min_size=1), max_size=5).map(lambda options: dict(zip("vwxyz", options, strict=False)))


def all_assignments(offers, needed, distinct):
    for chosen in product(*offers.values()):
        if needed.issubset(chosen) and not (distinct and len(set(chosen)) < len(chosen)):
            yield dict(zip(offers, chosen, strict=True))


@given(OFFERS, st.lists(OPTIONS, min_size=5, max_size=5), st.frozensets(OPTIONS), st.booleans())
def test_an_assignment_is_found_if_one_exists(offers, recipes, needed, distinct):
    preferred = dict(zip("vwxyz", recipes, strict=True))
    found, possible = find_assignment(offers, preferred, needed, distinct), list(all_assignments(offers, needed, distinct))
    assert found in possible if possible else found is None


@given(OFFERS, OPTIONS.map(lambda option: {"v": option}))
def test_a_possible_preference_is_kept(offers, preferred):
    alone = {"v": offers.get("v", frozenset())} if offers else {}
    if alone and preferred["v"] in alone["v"]:
        assert find_assignment(alone, preferred, frozenset(), True) == preferred


@given(OFFERS, st.frozensets(OPTIONS))
def test_without_an_essential_holder_a_needed_recipe_has_no_ticket(offers, needed):
    def can_hold_all(holders):
        return any(needed.issubset(chosen) for chosen in product(*(offers[holder] for holder in holders)))

    if can_hold_all(offers):
        essential = {offer for offer in offers if not can_hold_all(set(offers) - {offer})}
        assert set(essential_holders(offers, needed)) == essential


PARTS = st.frozensets(st.sampled_from("abcde").map(str), min_size=1).map(lambda parts: tuple(sorted(parts)))


@given(
    st.lists(st.frozensets(PARTS, min_size=1, max_size=4), max_size=3).map(
        lambda options: dict(zip("xyz", options, strict=False))
    )
)
def test_all_exact_partitions_are_found(offers):
    whole = frozenset("abcde")
    found, complete = exact_partitions(offers, whole, lambda holders, rest: holders > 0 or not rest)
    combined = [dict(zip(offers, chosen, strict=True)) for chosen in product(*offers.values())]
    fitting = [way for way in combined if sorted(part for option in way.values() for part in option) == sorted(whole)]
    assert complete
    assert sorted(found, key=repr) == sorted(fitting, key=repr)


def test_the_search_for_partitions_ends_after_its_limit_of_steps():
    holders, whole = [str(at) for at in range(30)], frozenset(f"{at:02}" for at in range(30))
    options = frozenset((part,) for part in whole if part != "29")  # no holder has "29": deciding it takes 29! steps
    assert exact_partitions(dict.fromkeys(holders, options), whole, lambda holders, rest: len(rest) == holders) == ([], False)


def test_more_partitions_than_the_limit_are_reported_as_incomplete():
    found, complete = exact_partitions(
        {str(at): frozenset({("a",), ("b",)}) for at in range(2)}, frozenset("ab"), lambda *_: True
    )
    assert (len(found), complete) == (2, True)
    parts = "abcdefgh"
    found, complete = exact_partitions(
        {name: frozenset((part,) for part in parts) for name in parts}, frozenset(parts), lambda *_: True
    )
    assert (len(found), complete) == (knowledge.MAX_PARTITIONS + 1, False)

"""Contract of hands: what an attacker adds up and what the checker says are the same, in every family."""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families import FAMILIES
from algoworlds.families.basket_assembly.worth import worth
from algoworlds.families.hand import QuickHand
from algoworlds.worlds.admit import Coordinate, instance_at

SLOW = {"fleet_dispatch", "sequential_matching"}
"""Families whose checker is quick enough to be attacked through."""


@pytest.fixture(scope="module", params=FAMILIES)
def case(request):
    family = FAMILIES[request.param]
    instance = instance_at(Coordinate(family.name, 1, 1, "hands"), 0)
    return family, instance, family.hardness.hand(instance)


def checked_loss(family, instance, y):
    value = family.check(instance, y).value
    return value if value is None or family.sense is Sense.MIN else -value


def some_decisions(family, instance, hand):
    stream = Stream("hands", family.name)
    for _ in range(4):
        y = family.hardness.sample(instance, stream)
        yield y
        near = list(hand.neighbours(y))
        yield from stream.sample(near, min(5, len(near)))
        yield from (hand.neighbour(y, stream) for _ in range(5))
    yield from [y for y, _ in zip(hand.units(), range(20), strict=False)]


def completed(hand, stream):
    """Random choices as far as they go, and what they add up to."""
    partial, total = (), 0
    while ways := hand.extensions(partial):
        choice, loss = stream.choice(ways)
        partial, total = (*partial, choice), total + loss
    return partial, total


def test_a_fast_loss_is_what_the_checker_says(case):
    family, instance, hand = case
    if not isinstance(hand, QuickHand):
        assert family.name in SLOW
        return
    found = [(hand.loss(y), checked_loss(family, instance, y)) for y in some_decisions(family, instance, hand)]
    assert len(found) > 20
    assert all(fast == slow for fast, slow in found)


def test_choices_add_up_to_the_value_of_the_decision(case):
    family, instance, hand = case
    stream, made = Stream("choices", family.name), 0
    for _ in range(40):
        partial, total = completed(hand, stream)
        y = hand.decision(partial)
        if y is not None:
            made += 1
            assert total + hand.constant == checked_loss(family, instance, y)
            assert hand.rest(partial) == 0
    assert made


def test_choices_and_decisions_are_inverse(case):
    family, instance, hand = case
    for y in (family.reference(instance), family.solve(instance).decision):
        assert checked_loss(family, instance, hand.decision(hand.choices(y))) == checked_loss(family, instance, y)
    stream = Stream("inverse", family.name)
    for _ in range(20):
        partial, _ = completed(hand, stream)
        y = hand.decision(partial)
        assert y is None or hand.choices(y) == partial


def test_the_optimum_is_made_of_extensions(case):
    family, instance, hand = case
    solution = family.solve(instance)
    partial, total = (), 0
    for choice in hand.choices(solution.decision):
        total += dict(hand.extensions(partial))[choice]
        partial = (*partial, choice)
    assert total + hand.constant == checked_loss(family, instance, solution.decision)


def test_a_hand_shows_its_units_and_nothing_else(case):
    family, instance, hand = case
    units = list(hand.units())
    assert all(hand.shows(y) == (y in units) for y in [*units[:50], *some_decisions(family, instance, hand)])
    assert not hand.shows(family.solve(instance).decision) or family.solve(instance).decision in units


def test_parts_make_decisions_of_the_whole(case):
    family, instance, hand = case
    for part in hand.parts():
        y = part.decision(completed(part, Stream("part", family.name))[0])
        assert y is None or family.check(instance, y).feasible


def test_no_lot_costs_less_than_its_items_are_worth():
    lots = [((0,), 5), ((1,), 7), ((2,), 9), ((0, 1), 8), ((1, 2), 10), ((0, 1, 2), 16)]
    prices = worth(3, lots)
    assert all(sum(prices[at] for at in items) <= price for items, price in lots)
    assert sum(prices) >= 11  # of at most 15: (0,) and (1, 2), which is the cheapest cover

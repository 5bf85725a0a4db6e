"""Contract of search spaces: the losses that an attacker sums equal those of the checker, in every family."""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families import FAMILIES
from algoworlds.families.basket_assembly.hardness import dual_prices
from algoworlds.families.search_space import PricedSearchSpace
from algoworlds.worlds.admission import Coordinate, draw_instance

WITHOUT_FAST_LOSS = {"fleet_dispatch", "sequential_matching"}
"""Families without a fast loss; attackers use their checker."""


@pytest.fixture(scope="module", params=FAMILIES)
def case(request):
    family = FAMILIES[request.param]
    instance = draw_instance(Coordinate(family.name, 1, 1, "hands"), 0)
    return family, instance, family.hardness.search_space(instance)


def checked_loss(family, instance, y):
    value = family.check(instance, y).value
    return value if value is None or family.sense is Sense.MIN else -value


def some_decisions(family, instance, space):
    stream = Stream("hands", family.name)
    for _ in range(4):
        y = family.hardness.sample(instance, stream)
        yield y
        near = list(space.neighbours(y))
        yield from stream.sample(near, min(5, len(near)))
        yield from (space.random_neighbour(y, stream) for _ in range(5))
    yield from [y for y, _ in zip(space.visible_units(), range(20), strict=False)]


def complete_randomly(space, stream):
    """Random choices until none is left, and the sum of their losses."""
    partial, total = (), 0
    while extensions := space.extensions(partial):
        choice, loss = stream.choice(extensions)
        partial, total = (*partial, choice), total + loss
    return partial, total


def test_fast_loss_equals_the_checkers(case):
    family, instance, space = case
    if not isinstance(space, PricedSearchSpace):
        assert family.name in WITHOUT_FAST_LOSS
        return
    losses = [(space.loss(y), checked_loss(family, instance, y)) for y in some_decisions(family, instance, space)]
    assert len(losses) > 20
    assert all(fast == slow for fast, slow in losses)


def test_losses_of_choices_sum_to_the_decisions_value(case):
    family, instance, space = case
    stream, decisions = Stream("choices", family.name), 0
    for _ in range(40):
        partial, total = complete_randomly(space, stream)
        y = space.to_decision(partial)
        if y is not None:
            decisions += 1
            assert total + space.constant_loss == checked_loss(family, instance, y)
            assert space.remaining_lower_bound(partial) == 0
    assert decisions


def test_choices_and_decisions_are_inverse(case):
    family, instance, space = case
    for y in (family.reference(instance), family.solve(instance).decision):
        assert checked_loss(family, instance, space.to_decision(space.to_choices(y))) == checked_loss(family, instance, y)
    stream = Stream("inverse", family.name)
    for _ in range(20):
        partial, _ = complete_randomly(space, stream)
        y = space.to_decision(partial)
        assert y is None or space.to_choices(y) == partial


def test_optimum_can_be_reached_by_extensions(case):
    family, instance, space = case
    solution = family.solve(instance)
    partial, total = (), 0
    for choice in space.to_choices(solution.decision):
        total += dict(space.extensions(partial))[choice]
        partial = (*partial, choice)
    assert total + space.constant_loss == checked_loss(family, instance, solution.decision)


def test_only_visible_units_are_visible(case):
    family, instance, space = case
    units = list(space.visible_units())
    assert all(space.is_visible_unit(y) == (y in units) for y in [*units[:50], *some_decisions(family, instance, space)])
    assert not space.is_visible_unit(family.solve(instance).decision) or family.solve(instance).decision in units


def test_subspaces_give_feasible_decisions(case):
    family, instance, space = case
    for part in space.subspaces():
        y = part.to_decision(complete_randomly(part, Stream("part", family.name))[0])
        assert y is None or family.check(instance, y).feasible


def test_dual_prices_never_exceed_the_price_of_a_lot():
    lots = [((0,), 5), ((1,), 7), ((2,), 9), ((0, 1), 8), ((1, 2), 10), ((0, 1, 2), 16)]
    prices = dual_prices(3, lots)
    assert all(sum(prices[at] for at in items) <= price for items, price in lots)
    assert sum(prices) >= 11  # the cheapest cover, (0,) and (1, 2), costs 15

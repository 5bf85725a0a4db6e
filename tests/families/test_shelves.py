"""Shelves are drawn as one by one from the stream, and what they favour is as brute force finds it."""

from itertools import combinations, product

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families.migration_portfolio.generate import (
    COST_WITHOUT_NEEDS,
    MAX_PACKAGES_WITH_NEEDS,
    MAX_REQUIRED_DOMAINS,
    MIN_COST,
    draw_packages,
    package_preferences,
)

SIZES = [(3, 7, 4), (40, 108, 6), (80, 217, 10), (5, 15, 19)]


def drawn(groups, packages, domains, stream):
    """Per group the packages as (cost, needs), drawn one by one."""
    places = [group for group in range(groups) for _ in range(MAX_PACKAGES_WITH_NEEDS - 1)]
    dealt, shelves = stream.sample(places, packages - 2 * groups), []
    for group in range(groups):
        needing, needless = 1 + dealt.count(group), stream.integer(*COST_WITHOUT_NEEDS)
        costs, needs = {needless: None}, {frozenset(): None}
        while len(costs) <= needing:
            costs[stream.integer(MIN_COST, needless - 1)] = None
        while len(needs) <= needing:
            count = stream.integer(1, MAX_REQUIRED_DOMAINS)
            needs[frozenset(stream.sample(range(domains), count))] = None
        shelves.append(stream.shuffled(list(zip(costs, needs, strict=True))))
    return shelves


def listed(shelves):
    """Per group the packages as (cost, needs), from arrays."""
    needs = [frozenset(at for at in range(60) if bits >> at & 1) for bits in shelves.need.tolist()]
    packages = iter(zip(shelves.cost.tolist(), needs, strict=True))
    return [[next(packages) for _ in range(size)] for size in shelves.size]


def effect(shelf, domains):
    """What switching on all of some domains adds to the least cost beyond what fewer do, by all statuses; rounded down."""
    scope = sorted({j for _, needs in shelf for j in needs})
    if not set(domains) <= set(scope):
        return 0
    total = 0
    for statuses in product((0, 1), repeat=len(scope)):
        on = {j for j, status in zip(scope, statuses, strict=True) if status}
        sign = (-1) ** len(set(domains) - on)
        total += sign * min(cost for cost, needs in shelf if needs <= on)
    return total * 2 ** len(domains) // 2 ** len(scope)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_shelves_are_drawn_as_one_by_one(sizes):
    one, other = Stream("shelves", *sizes), Stream("shelves", *sizes)
    assert listed(draw_packages(*sizes, other)) == drawn(*sizes, one)
    assert other.word() == one.word()


@pytest.mark.parametrize("sizes", SIZES[:2], ids=str)
def test_what_shelves_favour_is_what_brute_force_finds(sizes):
    shelves = draw_packages(*sizes, Stream("favoured", *sizes))
    together, alone = package_preferences(shelves, sizes[2])
    for at in range(sizes[2]):
        assert alone[at] == sum(effect(shelf, (at,)) for shelf in listed(shelves))
    for pair in combinations(range(sizes[2]), 2):
        assert together[pair] == sum(effect(shelf, pair) for shelf in listed(shelves))

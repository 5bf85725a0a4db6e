"""The packages of Migration Portfolio: drawn like one by one from the stream, and their preferences like brute force."""

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


def draw_one_by_one(groups, packages, domains, stream):
    """Per group the packages as (cost, needs), drawn one by one."""
    slots = [group for group in range(groups) for _ in range(MAX_PACKAGES_WITH_NEEDS - 1)]
    extra, groups_drawn = stream.sample(slots, packages - 2 * groups), []
    for group in range(groups):
        needing, needless = 1 + extra.count(group), stream.integer(*COST_WITHOUT_NEEDS)
        costs, needs = {needless: None}, {frozenset(): None}
        while len(costs) <= needing:
            costs[stream.integer(MIN_COST, needless - 1)] = None
        while len(needs) <= needing:
            count = stream.integer(1, MAX_REQUIRED_DOMAINS)
            needs[frozenset(stream.sample(range(domains), count))] = None
        groups_drawn.append(stream.shuffled(list(zip(costs, needs, strict=True))))
    return groups_drawn


def list_packages(packages_drawn):
    """Per group the packages as (cost, needs), from arrays."""
    needs = [frozenset(at for at in range(60) if bits >> at & 1) for bits in packages_drawn.need.tolist()]
    packages = iter(zip(packages_drawn.cost.tolist(), needs, strict=True))
    return [[next(packages) for _ in range(size)] for size in packages_drawn.size]


def effect(group, domains):
    """The joint effect of some domains on the least cost of a group, over all statuses of its domains; rounded down."""
    scope = sorted({j for _, needs in group for j in needs})
    if not set(domains) <= set(scope):
        return 0
    total = 0
    for statuses in product((0, 1), repeat=len(scope)):
        on = {j for j, status in zip(scope, statuses, strict=True) if status}
        sign = (-1) ** len(set(domains) - on)
        total += sign * min(cost for cost, needs in group if needs <= on)
    return total * 2 ** len(domains) // 2 ** len(scope)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_packages_equal_those_drawn_one_by_one(sizes):
    one, other = Stream("shelves", *sizes), Stream("shelves", *sizes)
    assert list_packages(draw_packages(*sizes, other)) == draw_one_by_one(*sizes, one)
    assert other.word() == one.word()


@pytest.mark.parametrize("sizes", SIZES[:2], ids=str)
def test_package_preferences_agree_with_brute_force(sizes):
    packages = draw_packages(*sizes, Stream("favoured", *sizes))
    together, alone = package_preferences(packages, sizes[2])
    for at in range(sizes[2]):
        assert alone[at] == sum(effect(group, (at,)) for group in list_packages(packages))
    for pair in combinations(range(sizes[2]), 2):
        assert together[pair] == sum(effect(group, pair) for group in list_packages(packages))

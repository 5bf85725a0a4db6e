"""Decisions of Migration Portfolio that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Collection, Iterable

from algoworlds.core.relation import grouped
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families.descent import steepest
from algoworlds.families.migration_portfolio.check import Portfolio, check
from algoworlds.families.migration_portfolio.hand import MigrationHand
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio


def reference(instance: MigrationPortfolio) -> Portfolio:
    """The cheapest package of every group, and exactly the domains that these packages require."""
    chosen = _chosen(instance, instance.domain)
    return _packages(chosen), tuple(sorted({j for pair in chosen for j in instance.requirement[pair]}))


def sample(instance: MigrationPortfolio, stream: Stream) -> Portfolio:
    """Every domain on or off at random, more switched on for groups without a choice, then the cheapest packages."""
    active = {j for j in instance.domain if stream.below(2)}
    for group, packages in grouped(instance.group, instance.cost).items():
        shelf = [(group, p) for p in packages]
        if shelf and not any(active.issuperset(instance.requirement[pair]) for pair in shelf):
            active.update(instance.requirement[stream.choice(shelf)])
    return cheapest(instance, active)


def descend(instance: MigrationPortfolio, start: Portfolio) -> Portfolio:
    """Steepest descent: one domain on or off, or one exchanged for another; packages are re-chosen for the domains."""
    first = cheapest(instance, start[1])
    return steepest(lambda y: check(instance, y), instance.sense, first, MigrationHand(instance).neighbours)


def cheapest(instance: MigrationPortfolio, active: Iterable[str]) -> Portfolio:
    """The cheapest packages that some domains support, and these domains."""
    domains = frozenset(active)
    return _packages(_chosen(instance, domains)), tuple(sorted(domains))


def _chosen(instance: MigrationPortfolio, active: Iterable[str]) -> Collection[tuple[str, str]]:
    """Every group with its cheapest package that some domains support, the first one listed of several."""
    supported, rising = frozenset(active).issuperset, sorted(instance.cost, key=instance.cost.__getitem__)
    chosen = {pair[0]: pair for pair in reversed(rising) if supported(instance.requirement[pair])}
    for group in (each for each in instance.group if each not in chosen):
        raise InstanceError(f"the group {group} has no package that the domains support")
    return chosen.values()


def _packages(chosen: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted(package for _, package in chosen))

"""Decisions of Migration Portfolio that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Iterable

from algoworlds.core.relation import grouped
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families.descent import steepest
from algoworlds.families.migration_portfolio.check import SENSE, check
from algoworlds.families.migration_portfolio.hand import MigrationHand, Portfolio
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio


def reference(instance: MigrationPortfolio) -> Portfolio:
    """The cheapest package of every group, and exactly the domains that these packages require."""
    packages, _ = cheapest(instance, instance.domain)
    home = {package: group for group, package in instance.member}
    return packages, tuple(sorted({j for p in packages for j in instance.requirement[home[p], p]}))


def sample(instance: MigrationPortfolio, stream: Stream) -> Portfolio:
    """Every domain on or off at random, more switched on for groups without a choice, then the cheapest packages."""
    active = {j for j in instance.domain if stream.below(2)}
    for shelf in _shelves(instance).values():
        if shelf and not any(active.issuperset(instance.requirement[pair]) for pair in shelf):
            active.update(instance.requirement[stream.choice(shelf)])
    return cheapest(instance, active)


def descend(instance: MigrationPortfolio, start: Portfolio) -> Portfolio:
    """Steepest descent: one domain on or off, or one exchanged for another; packages are re-chosen for the domains."""
    first = cheapest(instance, start[1])
    return steepest(lambda y: check(instance, y), SENSE, first, MigrationHand(instance).neighbours)


def cheapest(instance: MigrationPortfolio, active: Iterable[str]) -> Portfolio:
    """The cheapest packages that some domains support, and these domains."""
    domains, packages = set(active), []
    for group, shelf in _shelves(instance).items():
        able = [pair for pair in shelf if domains.issuperset(instance.requirement[pair])]
        if not able:
            raise InstanceError(f"the group {group} has no package that the domains support")
        packages.append(min(able, key=instance.cost.__getitem__)[1])
    return tuple(sorted(packages)), tuple(sorted(domains))


def _shelves(instance: MigrationPortfolio) -> dict[str, list[tuple[str, str]]]:
    """The (group, package) pairs by group."""
    return {group: [(group, p) for p in packages] for group, packages in grouped(instance.group, instance.cost).items()}

"""Decisions of Migration Portfolio that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from algoworlds.errors import InstanceError
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.model.stream import Stream

Portfolio = tuple[tuple[str, ...], tuple[str, ...]]
Masks = NDArray[np.bool_]


def reference(instance: MigrationPortfolio) -> Portfolio:
    """The cheapest package of every group, and exactly the domains that these packages require."""
    packages, _ = _cheapest(instance, instance.domain)
    home = {package: group for group, package in instance.member}
    return packages, tuple(sorted({j for p in packages for j in instance.requirement[home[p], p]}))


def sample(instance: MigrationPortfolio, stream: Stream) -> Portfolio:
    """Every domain on or off at random, more switched on for groups without a choice, then the cheapest packages."""
    active = {j for j in instance.domain if stream.below(2)}
    for shelf in _shelves(instance).values():
        if shelf and not any(active.issuperset(instance.requirement[pair]) for pair in shelf):
            active.update(instance.requirement[stream.choice(shelf)])
    return _cheapest(instance, active)


def descend(instance: MigrationPortfolio, start: Portfolio) -> Portfolio:
    """Steepest descent: one domain on or off, or one exchanged for another; packages are re-chosen for the domains."""
    S: Masks = np.array([j in start[1] for j in instance.domain], np.bool_)
    value = min(_values(instance, S[None, :]))[0]
    while True:
        near = _neighbours(S)
        found, at = min(_values(instance, near), default=(value, 0))
        if found >= value:
            return _cheapest(instance, [j for j, on in zip(instance.domain, S, strict=True) if on])
        S, value = near[at], found


def _neighbours(S: Masks) -> Masks:
    n = len(S)
    flips = [(j,) for j in range(n)]
    exchanges = [(j, k) for j in range(n) for k in range(j + 1, n) if S[j] != S[k]]
    near = np.repeat(S[None, :], len(flips) + len(exchanges), axis=0)
    for row, changed in zip(near, [*flips, *exchanges], strict=True):
        row[list(changed)] ^= True
    return near


def _values(instance: MigrationPortfolio, masks: Masks) -> list[tuple[int, int]]:
    """Value (offset left out, cheapest packages) and place of every mask that supports a package in each group."""
    place = {j: at for at, j in enumerate(instance.domain)}
    totals: NDArray[np.int64] = masks.astype(np.int64) @ np.array([instance.charge[j] for j in instance.domain], np.int64)
    for scope, table in instance.interaction.values():
        weights = 1 << np.arange(len(scope))[::-1]
        totals += np.array(table, np.int64)[masks[:, [place[j] for j in scope]] @ weights]
    complete = np.ones(len(masks), np.bool_)
    for shelf in _shelves(instance).values():
        found = np.zeros(len(masks), np.bool_)
        for pair in sorted(shelf, key=instance.cost.__getitem__):
            able = masks[:, [place[j] for j in instance.requirement[pair]]].all(axis=1) & ~found
            totals[able] += instance.cost[pair]
            found |= able
        complete &= found
    return [(int(totals[at]), int(at)) for at in np.flatnonzero(complete)]


def _cheapest(instance: MigrationPortfolio, active: Iterable[str]) -> Portfolio:
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
    shelves: dict[str, list[tuple[str, str]]] = {group: [] for group in instance.group}
    for pair in instance.cost:
        shelves[pair[0]].append(pair)
    return shelves

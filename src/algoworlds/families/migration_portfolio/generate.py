"""Generator of Migration Portfolio: hidden loads that active and inactive domains must balance.

Every domain has a hidden load, a vector of one to three numbers. The pair factors add up to the squared length of the sum of
all loads, where inactive domains count with the opposite sign: number partitioning in several dimensions. Loads have similar
lengths and random directions, so a partial sum says little about the best completion, and the neighbours of a well balanced
set are not balanced. No coupling is strong or weak by itself; all are needed exactly. Among the few dozen well balanced sets,
packages and charges decide. Charges and factors cancel what packages favour in single domains and in pairs on average, up to
a tilt of every domain and of every pair, so neither predicts which set wins, nor do they tell what unread packages
favour. Groups, packages and factors come in random order; every group has a package without requirements, so every set is
feasible.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel, random_below, shuffle_in_place
from algoworlds.families.declare import Range, Stream
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Array = NDArray[np.int64]

MIN_COST, COST_WITHOUT_NEEDS = 20, (200, 999)
"""Least cost of a package, and the range for packages without requirements, the dearest of their groups."""
MAX_PACKAGES_WITH_NEEDS, MAX_REQUIRED_DOMAINS = 3, 2
"""Packages with requirements per group, and domains that one of them requires, at most."""


class PackageArrays(NamedTuple):
    """The packages of all groups, one group after the other."""

    size: Array
    """The number of packages of each group."""
    cost: Array
    need: Array
    """The domains that each package requires, as bits."""


def draw_packages(groups: int, packages: int, domains: int, stream: Stream) -> PackageArrays:
    """Draw `packages` packages, at least two per group, in random order.

    Costs and requirements in a group are distinct; one package requires nothing and is the dearest.
    """
    count = (packages - groups) * (domains + 3) + 5 * groups  # usually enough words
    return PackageArrays(*stream.run_with_words(count, lambda words: _draw_packages(words, groups, packages, domains)))


@kernel
def _draw_packages(words, groups, packages, n):  # type: ignore[no-untyped-def]
    """Draw the costs c and requirements R of each group, distinct, c[0] the largest and R[0] empty; then shuffle them."""
    used = np.zeros(1, np.int64)
    size, cost, need = np.full(groups, 2), np.zeros(packages, np.int64), np.zeros(packages, np.int64)
    slots = np.arange(groups * (MAX_PACKAGES_WITH_NEEDS - 1))
    shuffle_in_place(words, used, slots)
    for slot in slots[: packages - 2 * groups]:  # packages beyond one with and one without requirements per group
        size[slot // (MAX_PACKAGES_WITH_NEEDS - 1)] += 1
    first = 0
    for last in np.cumsum(size):
        c, R = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
        c[0] = COST_WITHOUT_NEEDS[0] + random_below(words, used, COST_WITHOUT_NEEDS[1] - COST_WITHOUT_NEEDS[0] + 1)
        p = 1
        while p < len(c):
            c[p] = MIN_COST + random_below(words, used, c[0] - MIN_COST)
            p += not (c[:p] == c[p]).any()
        p = 1
        while p < len(R):
            count, domains = 1 + random_below(words, used, MAX_REQUIRED_DOMAINS), np.arange(n)
            shuffle_in_place(words, used, domains)
            R[p] = (1 << domains[:count]).sum()
            p += not (R[:p] == R[p]).any()
        order = np.arange(len(c))
        shuffle_in_place(words, used, order)
        cost[first:last], need[first:last] = c[order], R[order]
        first = last
    return (size, cost, need), used[0]


@kernel
def package_preferences(packages, n):  # type: ignore[no-untyped-def]
    """The mean joint effect of two domains, and the mean effect of one, on the least package costs f of all groups.

    4 * mean of f(S) s_i s_j for two, 2 * mean of f(S) s_i for one, over all sets S of the domains that a group's packages
    require, where s_i = 1 if i is in S, else -1; rounded down in each group.
    """
    size, cost, need = packages
    pairs, singles, first = np.zeros((n, n), np.int64), np.zeros(n, np.int64), 0
    for last in np.cumsum(size):
        required = 0
        for p in range(first, last):
            required |= need[p]
        scope = np.array([j for j in range(n) if required >> j & 1])
        width = len(scope)
        pair, single = np.zeros((width, width), np.int64), np.zeros(width, np.int64)
        for cell in range(1 << width):
            S = 0
            for at in range(width):
                S |= (cell >> at & 1) << scope[at]
            least = COST_WITHOUT_NEEDS[1]
            for p in range(first, last):
                if need[p] & ~S == 0:
                    least = min(least, cost[p])
            for i in range(width):
                on = least if cell >> i & 1 else -least
                single[i] += on
                for j in range(i):
                    pair[i, j] += on if cell >> j & 1 else -on
        for i in range(width):
            singles[scope[i]] += 2 * single[i] >> width
            for j in range(i):
                pairs[scope[j], scope[i]] += 4 * pair[i, j] >> width
        first = last
    return pairs, singles


NOISE, MAX_TILT = 300, 300
"""Bounds on what a domain adds alone in one table, and in total with packages and charge."""
CHARGE, OFFSET, MARGIN = (-2_999, 9_999), (1_000, 9_999), 2_000
"""Ranges of activation charges and of the offset, and how far table entries may exceed what loads reach."""


@dataclass(frozen=True)
class Config:
    """Numbers of groups, packages and domains; the dimensions of a load, and its least and greatest length."""

    groups: int
    packages: int
    domains: int
    dimensions: int
    length: tuple[int, int]
    noise: int = 0
    """The largest tilt of a pair: the part of its joint effect that neither loads nor packages explain, of either sign."""


LEVELS = {
    0: Config(40, 108, 6, 1, (20, 48)),
    1: Config(80, 217, 10, 2, (20, 48), noise=300),
    2: Config(128, 327, 14, 2, (52, 122), noise=200),
    3: Config(176, 436, 17, 3, (40, 92), noise=400),
    4: Config(224, 546, 19, 3, (56, 130), noise=500),
}


class Draft(NamedTuple):
    """An instance as arrays: the packages, and a factor per pair of domains."""

    packages: PackageArrays
    scope: Array
    table: Array
    charge: Array
    offset: int


def ranges(config: Config) -> dict[tuple[str, str], Range]:
    """Costs, charges, table entries up to twice the squared longest load plus MARGIN, and the offset."""
    most = 2 * config.length[1] ** 2 + MARGIN
    return {
        ("cost", "cost"): Range(MIN_COST, COST_WITHOUT_NEEDS[1], label="package costs"),
        ("charge", "activation_charge"): Range(*CHARGE),
        ("interaction", "table"): Range(-most, most, label="entries of interaction tables"),
        ("offset", "offset"): Range(*OFFSET),
    }


def generate(config: Config, stream: Stream) -> MigrationPortfolio:
    """Draw drafts until one keeps the ranges; every set of domains is feasible."""
    declared = ranges(config)
    charges, entries = declared["charge", "activation_charge"], declared["interaction", "table"]
    while True:
        draft = _draw(config, stream)
        if _is_within(draft.charge, charges) and _is_within(draft.table, entries):
            return _to_instance(config, draft)


def _is_within(numbers: Array, declared: Range) -> bool:
    return bool((numbers >= declared.low).all() and (numbers <= declared.high).all())


def _draw(config: Config, stream: Stream) -> Draft:
    packages, n = draw_packages(config.groups, config.packages, config.domains, stream), config.domains
    joint, single = package_preferences(packages, n)
    scope, table = _draw_factors(config, joint, stream)
    for place, signs in enumerate(([-1, -1, 1, 1], [-1, 1, -1, 1])):
        np.add.at(single, scope[:, place], 2 * (table @ signs) // 4)
    order = stream.shuffled(range(len(table)))
    charge = np.array(stream.integers(n, -MAX_TILT, MAX_TILT)) - single
    return Draft(packages, scope[order], table[order], charge, stream.integer(*OFFSET))


def _draw_factors(config: Config, package_effect: Array, stream: Stream) -> tuple[Array, Array]:
    """The scopes and tables of one factor per pair of domains.

    Its joint effect is eight times the product of their loads minus what packages favour in the pair, a quarter of it in
    each entry; noise is what either domain adds alone.
    """
    loads = np.array([_draw_load(config, stream) for _ in range(config.domains)])
    i, j = np.triu_indices(config.domains, 1)
    joint = 8 * (loads[i] * loads[j]).sum(axis=1) - package_effect[i, j]
    if config.noise:
        joint += np.array(stream.integers(len(joint), -config.noise, config.noise))
    in_order, *noise = stream.bounded_rows(len(joint), (2, 2 * NOISE + 1, 2 * NOISE + 1)).T
    alike, first, second = joint // 4, noise[0] - NOISE, noise[1] - NOISE
    table = [alike, second - alike, first - alike, first + second + joint - 3 * alike]
    return np.where(in_order, (i, j), (j, i)).T, np.array(table).T


def _draw_load(config: Config, stream: Stream) -> list[int]:
    """A random integer vector whose length is within `config.length`."""
    short, long = config.length
    while True:
        load = stream.integers(config.dimensions, -long, long)
        if short**2 <= sum(x**2 for x in load) <= long**2:
            return load


def _to_instance(config: Config, draft: Draft) -> MigrationPortfolio:
    groups, domains = [f"g{i}" for i in range(config.groups)], [f"d{j}" for j in range(config.domains)]
    packages = [f"p{at}" for at in range(config.packages)]
    pairs = list(zip(np.repeat(groups, draft.packages.size).tolist(), packages, strict=True))
    bits = draft.packages.need.tolist()
    needs = {S: tuple(sorted(j for at, j in enumerate(domains) if S >> at & 1)) for S in set(bits)}
    scopes = [tuple(map(domains.__getitem__, scope)) for scope in draft.scope.tolist()]
    interaction = {f"a{at}": row for at, row in enumerate(zip(scopes, map(tuple, draft.table.tolist()), strict=True))}
    return MigrationPortfolio.from_trusted(
        group=tuple(groups),
        domain=tuple(domains),
        package=tuple(packages),
        factor=tuple(interaction),
        member=frozenset(pairs),
        cost=dict(zip(pairs, draft.packages.cost.tolist(), strict=True)),
        requirement=dict(zip(pairs, map(needs.__getitem__, bits), strict=True)),
        charge=dict(zip(domains, draft.charge.tolist(), strict=True)),
        interaction=interaction,
        offset=draft.offset,
    )

"""Generator of Migration Portfolio: hidden loads that the active domains and the others must carry alike.

Every domain has a hidden load, a vector of two or three numbers. The pair factors add up to the squared length of the sum of
all loads, those of active domains counted as they are and those of the others reversed: vectors are to be balanced, a
partition of numbers in more than one dimension. Loads are of one size and point anywhere, so the sum over a part of the
domains tells next to nothing about the best completion, and of the neighbours of a well balanced set none is balanced. No
coupling is strong or weak by itself; all are graded and needed exactly. Among the few dozen sets that balance well,
packages and charges decide. Charges and factors take back what packages favour in single domains and in pairs of them on
average, up to a tilt, so that neither foretells which of these sets wins. Groups, packages and factors stand in random order;
every group has a package that needs nothing, so every set is feasible.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.shelves import LEAST_COST, NEEDLESS, Shelves, favoured, stocked

Array = NDArray[np.int64]

NOISE, TILT = 300, 300
"""Most that a domain adds alone in one table, and most that it is left to add alone in all, packages and charge included."""
CHARGE, OFFSET, MARGIN = (-2_999, 9_999), (1_000, 9_999), 2_000
"""The ranges of activation charges and of the offset, and how far entries may go beyond what loads reach."""


@dataclass(frozen=True)
class Config:
    """Groups, packages in all of them, domains; the dimensions of a load, and the least and greatest length of one."""

    groups: int
    packages: int
    domains: int
    dimensions: int
    length: tuple[int, int]


LEVELS = {
    0: Config(40, 108, 6, 1, (20, 48)),
    1: Config(80, 217, 10, 2, (20, 48)),
    2: Config(128, 327, 14, 2, (52, 122)),
    3: Config(176, 436, 17, 3, (40, 92)),
    4: Config(224, 546, 19, 3, (56, 130)),
}


class Draft(NamedTuple):
    """An instance by position: the packages, and a factor per pair of domains."""

    shelves: Shelves
    scope: Array
    table: Array
    charge: Array
    offset: int


def ranges(config: Config) -> Ranges:
    """Costs, charges, entries that reach a little further than twice the square of the longest load, and the offset."""
    most = 2 * config.length[1] ** 2 + MARGIN
    return Ranges(
        {
            ("cost", "cost"): Range(LEAST_COST, NEEDLESS[1], words="package costs"),
            ("charge", "activation_charge"): Range(*CHARGE),
            ("interaction", "table"): Range(-most, most, words="entries of interaction tables"),
            ("offset", "offset"): Range(*OFFSET),
        }
    )


def generate(config: Config, stream: Stream) -> MigrationPortfolio:
    """Draw an instance until it keeps the ranges; every set of domains is feasible."""
    draws, declared = iter(lambda: _drawn(config, stream), None), ranges(config).columns
    charges, entries = declared["charge", "activation_charge"], declared["interaction", "table"]
    return _instance(config, next(each for each in draws if _within(each.charge, charges) and _within(each.table, entries)))


def _within(numbers: Array, declared: Range) -> bool:
    return bool((numbers >= declared.low).all() and (numbers <= declared.high).all())


def _drawn(config: Config, stream: Stream) -> Draft:
    shelves, n = stocked(config.groups, config.packages, config.domains, stream), config.domains
    together, alone = favoured(shelves, n)
    scope, table = _factors(config, together, stream)
    for place, signs in enumerate(([-1, -1, 1, 1], [-1, 1, -1, 1])):
        np.add.at(alone, scope[:, place], 2 * (table @ signs) // 4)
    shown = stream.shuffled(range(len(table)))
    charge = np.array(stream.integers(n, -TILT, TILT)) - alone
    return Draft(shelves, scope[shown], table[shown], charge, stream.integer(*OFFSET))


def _factors(config: Config, together: Array, stream: Stream) -> tuple[Array, Array]:
    """The scope and the table of a factor per pair of domains, which has a joint effect, and either adds something alone.

    The joint effect is twice the product of their loads if alike, less what packages favour in the pair; every entry has a
    quarter of it.
    """
    loads = np.array([_load(config, stream) for _ in range(config.domains)])
    i, j = np.triu_indices(config.domains, 1)
    joint = 8 * (loads[i] * loads[j]).sum(axis=1) - together[i, j]
    kept, *noise = stream.rows(len(joint), (2, 2 * NOISE + 1, 2 * NOISE + 1)).T
    alike, first, second = joint // 4, noise[0] - NOISE, noise[1] - NOISE
    table = [alike, second - alike, first - alike, first + second + joint - 3 * alike]
    return np.where(kept, (i, j), (j, i)).T, np.array(table).T


def _load(config: Config, stream: Stream) -> list[int]:
    """A vector of whole numbers in any direction, neither too short nor too long."""
    short, long = config.length
    draws = iter(lambda: stream.integers(config.dimensions, -long, long), None)
    return next(load for load in draws if short**2 <= sum(each**2 for each in load) <= long**2)


def _instance(config: Config, draft: Draft) -> MigrationPortfolio:
    groups, domains = [f"g{i}" for i in range(config.groups)], [f"d{j}" for j in range(config.domains)]
    packages = [f"p{at}" for at in range(config.packages)]
    listed = list(zip(np.repeat(groups, draft.shelves.size).tolist(), packages, strict=True))
    bits, every = draft.shelves.need.tolist(), list(enumerate(domains))
    needs = {S: tuple(sorted(j for at, j in every if S >> at & 1)) for S in set(bits)}
    scopes = [tuple(map(domains.__getitem__, scope)) for scope in draft.scope.tolist()]
    interaction = {f"a{at}": each for at, each in enumerate(zip(scopes, map(tuple, draft.table.tolist()), strict=True))}
    return MigrationPortfolio.from_trusted(
        group=tuple(groups),
        domain=tuple(domains),
        package=tuple(packages),
        factor=tuple(interaction),
        member=frozenset(listed),
        cost=dict(zip(listed, draft.shelves.cost.tolist(), strict=True)),
        requirement=dict(zip(listed, map(needs.__getitem__, bits), strict=True)),
        charge=dict(zip(domains, draft.charge.tolist(), strict=True)),
        interaction=interaction,
        offset=draft.offset,
    )

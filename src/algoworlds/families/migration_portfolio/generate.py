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

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from operator import mul

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Offer = tuple[int, tuple[str, ...]]
"""A package's cost and the domains that it requires."""
Factor = tuple[list[str], list[int]]
"""A scope and its table."""

LEAST_COST, NEEDLESS = 20, (200, 999)
"""The least cost of a package, and the costs of those without requirements, which are the dearest of their groups."""
MOST_NEEDING, MOST_DOMAINS = 3, 2
"""Most packages with requirements in a group, and most domains that one of them requires."""
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
    draws, declared = iter(lambda: _drawn(config, stream), None), ranges(config)
    return next(drawn for drawn in draws if not any(declared.broken(drawn)))


def _drawn(config: Config, stream: Stream) -> MigrationPortfolio:
    groups, domains = [f"g{i}" for i in range(config.groups)], [f"d{j}" for j in range(config.domains)]
    # what a group gets beyond one package of either kind
    dealt = stream.sample([group for group in groups for _ in range(MOST_NEEDING - 1)], config.packages - 2 * config.groups)
    shelves = {group: _shelf(1 + dealt.count(group), domains, stream) for group in groups}
    placed = enumerate((group, offer) for group, shelf in shelves.items() for offer in shelf)
    offers = {(group, f"p{at}"): offer for at, (group, offer) in placed}
    savings = [_cheapest(shelf) for shelf in shelves.values()]
    factors = _factors(config, domains, savings, stream)
    alone = _effects([*savings, *factors], 1)
    interaction = {f"a{at}": (tuple(scope), tuple(table)) for at, (scope, table) in enumerate(stream.shuffled(factors))}
    return MigrationPortfolio.drawn(
        group=tuple(groups),
        domain=tuple(domains),
        package=tuple(package for _, package in offers),
        factor=tuple(interaction),
        member=frozenset(offers),
        cost={pair: price for pair, (price, _) in offers.items()},
        requirement={pair: needs for pair, (_, needs) in offers.items()},
        charge={j: stream.integer(-TILT, TILT) - alone[frozenset((j,))] for j in domains},
        interaction=interaction,
        offset=stream.integer(*OFFSET),
    )


def _shelf(needing: int, domains: list[str], stream: Stream) -> list[Offer]:
    """The packages of one group, with different costs and different requirements: one needs nothing and is the dearest."""
    needless = stream.integer(*NEEDLESS)
    costs, needs = {needless: None}, dict[tuple[str, ...], None]({(): None})
    while len(costs) <= needing:
        costs[stream.integer(LEAST_COST, needless - 1)] = None
    while len(needs) <= needing:
        needs[tuple(sorted(stream.sample(domains, stream.integer(1, MOST_DOMAINS))))] = None
    return stream.shuffled(list(zip(costs, needs, strict=True)))


def _cheapest(shelf: list[Offer]) -> Factor:
    """What a group costs by the statuses of the domains that its packages name, as a factor over them."""
    scope = sorted({j for _, needs in shelf for j in needs})
    priced = [(cost, sum(1 << scope[::-1].index(j) for j in needs)) for cost, needs in shelf]
    return scope, [min([cost for cost, needs in priced if needs & ~on == 0]) for on in range(1 << len(scope))]


def _effects(factors: list[Factor], count: int) -> Counter[frozenset[str]]:
    """What switching on so many domains adds beyond what fewer of them do, on average over all statuses of the others."""
    effects = Counter[frozenset[str]]()
    for scope, table in factors:
        for domains, signs in zip(combinations(scope, count), _alternating(len(scope), count), strict=True):
            effects[frozenset(domains)] += (sum(map(mul, signs, table)) << count) // len(table)
    return effects


@cache
def _alternating(width: int, count: int) -> list[list[int]]:
    """For so many places of a scope, in every way, a sign per cell: negative if an odd number of them are off in it."""
    chosen = (sum(1 << (width - 1 - at) for at in places) for places in combinations(range(width), count))
    return [[-1 if (bits & ~cell).bit_count() % 2 else 1 for cell in range(1 << width)] for bits in chosen]


def _factors(config: Config, domains: list[str], savings: list[Factor], stream: Stream) -> list[Factor]:
    """One factor per pair of domains: twice the product of their loads if alike, less what packages favour in the pair."""
    loads, favoured = {j: _load(config, stream) for j in domains}, _effects(savings, 2)
    joint = {(i, j): 8 * sum(map(mul, loads[i], loads[j])) - favoured[frozenset((i, j))] for i, j in combinations(domains, 2)}
    return [(stream.shuffled(pair), _table(each, stream)) for pair, each in joint.items()]


def _load(config: Config, stream: Stream) -> list[int]:
    """A vector of whole numbers in any direction, neither too short nor too long."""
    short, long = config.length
    draws = iter(lambda: stream.integers(config.dimensions, -long, long), None)
    return next(load for load in draws if short**2 <= sum(each**2 for each in load) <= long**2)


def _table(joint: int, stream: Stream) -> list[int]:
    """A table over two domains: a quarter of their joint effect in every entry, and what either adds alone."""
    alike, (first, second) = joint // 4, stream.integers(2, -NOISE, NOISE)
    return [alike, second - alike, first - alike, first + second + joint - 3 * alike]

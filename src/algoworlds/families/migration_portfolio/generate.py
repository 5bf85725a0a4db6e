"""Generator of Migration Portfolio: domains in crews that pay to run together or not at all.

Inside a crew, unlike statuses are dear; between crews, like statuses are. One domain switched alone breaks a crew and
pays, only a joint move gains, so neither charges nor packages nor interactions alone tell which crews to run. Crews,
groups and packages stand in random order; every group has a package that needs nothing, so every set is feasible.
"""

from dataclasses import dataclass
from itertools import combinations

from algoworlds.core.stream import Stream
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Offer = tuple[int, tuple[str, ...]]
"""A package's cost and the domains that it requires."""

NEEDLESS, NEEDING = (500, 999), (100, 499)
"""Costs of packages without and with requirements."""
MOST_NEEDING = MOST_DOMAINS = 3
"""Most packages with requirements in a group, and most domains that one of them requires."""
CREW, RIVAL, NOISE = (2_500, 4_999), (200, 399), 99
"""Strengths of interactions inside a crew and between crews, and most noise in a cell."""
OFFSET = (1_000, 9_999)


@dataclass(frozen=True)
class Config:
    """Groups, packages in all of them, sizes of the crews of domains, and the range of activation charges."""

    groups: int
    packages: int
    crews: tuple[int, ...]
    charges: tuple[int, int]


LEVELS = {
    0: Config(40, 108, (2,) * 3, (100, 5_000)),
    1: Config(80, 217, (2,) * 5, (100, 9_000)),
    2: Config(128, 327, (2,) * 7, (100, 10_000)),
    3: Config(176, 436, (3, 3, 3, 3, 3, 2), (500, 11_000)),
    4: Config(224, 546, (3, 3, 3, 3, 3, 2, 2), (1_000, 12_000)),
}


def generate(config: Config, stream: Stream) -> MigrationPortfolio:
    """Draw an instance; every set of domains is feasible."""
    groups = [f"g{i}" for i in range(config.groups)]
    domains = [f"d{j}" for j in range(sum(config.crews))]
    seats = [group for group in groups for _ in range(MOST_NEEDING - 1)]
    dealt = stream.sample(seats, config.packages - 2 * config.groups)  # what a group gets beyond one package of either kind
    offers: dict[tuple[str, str], Offer] = {}
    for group in groups:
        needless = stream.integer(*NEEDLESS), ()
        for offer in stream.shuffled([needless, *_offers(1 + dealt.count(group), domains, stream)]):
            offers[group, f"p{len(offers)}"] = offer
    interaction = _interactions(config.crews, domains, stream)
    return MigrationPortfolio(
        group=groups,
        domain=domains,
        package=[package for _, package in offers],
        factor=list(interaction),
        cost={pair: price for pair, (price, _) in offers.items()},
        requirement={pair: needs for pair, (_, needs) in offers.items()},
        charge={j: stream.integer(*config.charges) for j in domains},
        interaction=interaction,
        offset=stream.integer(*OFFSET),
    )


def _offers(count: int, domains: list[str], stream: Stream) -> list[Offer]:
    """Packages of one group with different costs and different requirements."""
    costs: dict[int, None] = {}
    while len(costs) < count:
        costs[stream.integer(*NEEDING)] = None
    needs: dict[tuple[str, ...], None] = {}
    while len(needs) < count:
        needs[tuple(sorted(stream.sample(domains, stream.integer(1, MOST_DOMAINS))))] = None
    return list(zip(costs, needs, strict=True))


def _interactions(crews: tuple[int, ...], domains: list[str], stream: Stream) -> dict[str, tuple[list[str], list[int]]]:
    """One factor per pair of domains: J if their statuses are alike, -J if not, and a little noise in every cell."""
    seats = stream.shuffled([crew for crew, size in enumerate(crews) for _ in range(size)])
    found = {}
    for at, ((i, one), (j, other)) in enumerate(combinations(zip(domains, seats, strict=True), 2)):
        J = -stream.integer(*CREW) if one == other else stream.integer(*RIVAL)
        table = [alike * J + stream.integer(-NOISE, NOISE) for alike in (1, -1, -1, 1)]
        found[f"a{at}"] = stream.shuffled([i, j]), table
    return found

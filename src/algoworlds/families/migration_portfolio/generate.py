"""Generator of Migration Portfolio: domains in crews that pay to run together or not at all.

Inside a crew, unlike statuses are dear; between crews, like statuses are. One domain switched alone breaks a crew and
pays, only a joint move gains, so neither charges nor packages nor interactions alone tell which crews to run. Crews,
groups and packages stand in random order; every group has a package that needs nothing, so every set is feasible.
"""

from dataclasses import dataclass
from itertools import combinations

from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.model.stream import Stream

Range = tuple[int, int]

NEEDLESS: Range = (500, 999)
NEEDING: Range = (100, 499)
MOST_NEEDING = 3
MOST_DOMAINS = 3
CREW: Range = (2_500, 4_999)
RIVAL: Range = (200, 399)
NOISE = 99
OFFSET: Range = (1_000, 9_999)


@dataclass(frozen=True)
class Config:
    """Groups, packages in all of them, sizes of the crews of domains, and the range of activation charges."""

    groups: int
    packages: int
    crews: tuple[int, ...]
    charges: Range


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
    cost: dict[tuple[str, str], int] = {}
    requirement: dict[tuple[str, str], list[str]] = {}
    for group, needing in zip(groups, _needing(config, stream), strict=True):
        offers = [(stream.integer(*NEEDLESS), []), *_offers(needing, domains, stream)]
        for price, needs in stream.shuffled(offers):
            pair = group, f"p{len(cost)}"
            cost[pair], requirement[pair] = price, needs
    interaction = _interactions(config.crews, domains, stream)
    return MigrationPortfolio(
        group=groups,
        domain=domains,
        package=[package for _, package in cost],
        factor=list(interaction),
        cost=cost,
        requirement=requirement,
        charge={j: stream.integer(*config.charges) for j in domains},
        interaction=interaction,
        offset=stream.integer(*OFFSET),
    )


def _needing(config: Config, stream: Stream) -> list[int]:
    """How many packages with requirements each group has: one, and the rest dealt at random."""
    seats = [i for i in range(config.groups) for _ in range(MOST_NEEDING - 1)]
    dealt = stream.sample(seats, config.packages - 2 * config.groups)
    return [1 + dealt.count(i) for i in range(config.groups)]


def _offers(count: int, domains: list[str], stream: Stream) -> list[tuple[int, list[str]]]:
    """Packages of one group with different costs and different requirements."""
    costs: dict[int, None] = {}
    while len(costs) < count:
        costs[stream.integer(*NEEDING)] = None
    needs: dict[tuple[str, ...], None] = {}
    while len(needs) < count:
        needs[tuple(sorted(stream.sample(domains, stream.integer(1, MOST_DOMAINS))))] = None
    return [(price, list(required)) for price, required in zip(costs, needs, strict=True)]


def _interactions(crews: tuple[int, ...], domains: list[str], stream: Stream) -> dict[str, tuple[list[str], list[int]]]:
    """One factor per pair of domains: J if their statuses are alike, -J if not, and a little noise in every cell."""
    seats = stream.shuffled([crew for crew, size in enumerate(crews) for _ in range(size)])
    crew = dict(zip(domains, seats, strict=True))
    found = {}
    for at, pair in enumerate(combinations(domains, 2)):
        J = -stream.integer(*CREW) if crew[pair[0]] == crew[pair[1]] else stream.integer(*RIVAL)
        table = [alike * J + stream.integer(-NOISE, NOISE) for alike in (1, -1, -1, 1)]
        found[f"a{at}"] = stream.shuffled(pair), table
    return found

"""Migration Portfolio without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Collection, Iterable
from functools import cached_property

from algoworlds.errors import InstanceError
from algoworlds.families.declare import BooleanSearchSpace, Concession, Hardness, Stream, group_pairs, steepest_descent
from algoworlds.families.migration_portfolio.check import Portfolio, check
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.search_space import Bits

Offer = tuple[int, int, str]
"""The cost of a package, the domains that it requires as bits, and its id."""


class MigrationSearchSpace(BooleanSearchSpace[Portfolio]):
    """Switch domains in roster order; the packages are the cheapest that the domains support."""

    def __init__(self, instance: MigrationPortfolio) -> None:
        """Each switch costs its charge; interactions are the tables."""
        self._instance, self._domains, self.constant_loss = instance, instance.domain, 1 - instance.offset
        tables = (([self._position[j] for j in scope], table) for scope, table in instance.interaction.values())
        super().__init__([(0, instance.charge[j]) for j in instance.domain], tables)
        self._cheapest: dict[int, list[Offer] | None] = {}

    @cached_property
    def _position(self) -> dict[str, int]:
        return {j: at for at, j in enumerate(self._domains)}

    @cached_property
    def _offers(self) -> list[list[Offer]]:
        """The packages of each group, cheapest first."""
        instance, requirement = self._instance, self._instance.requirement
        need = {pair: sum(1 << self._position[j] for j in domains) for pair, domains in requirement.items()}
        pairs = ((group, (cost, need[group, p], p)) for (group, p), cost in instance.cost.items())
        return [sorted(offers, key=lambda offer: offer[0]) for offers in group_pairs(instance.group, pairs).values()]

    def _packages(self, x: Bits) -> list[Offer] | None:
        """The cheapest package of each group that needs no domain switched off; None if a group has none. Memoised."""
        off = sum(1 << at for at, on in enumerate(x) if not on)
        if off not in self._cheapest:
            first = [next((offer for offer in offers if not offer[1] & off), None) for offers in self._offers]
            packages = [offer for offer in first if offer is not None]
            self._cheapest[off] = packages if len(packages) == len(first) else None
        return self._cheapest[off]

    def decision_from_bits(self, x: Bits) -> Portfolio | None:
        """The cheapest packages for the domains switched on, and these domains."""
        packages = self._packages(x)
        domains = tuple(sorted(j for j, on in zip(self._domains, x, strict=True) if on))
        return None if packages is None else (tuple(sorted(p for _, _, p in packages)), domains)

    def to_bits(self, y: Portfolio) -> Bits:
        """1 for each active domain, else 0."""
        active = set(y[1])
        return tuple(int(j in active) for j in self._domains)

    def extra_loss(self, x: Bits) -> int | None:
        """The cost of the packages."""
        packages = self._packages(x)
        return None if packages is None else sum(cost for cost, _, _ in packages)

    def coupling_state(self, x: Bits) -> Bits:
        """All domains, since packages depend on them."""
        return x

    def extra_bound(self, partial: tuple[str, ...]) -> int:
        """The cost of the packages that the domains switched off so far permit."""
        return self.remaining_lower_bound(partial)

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The cost of the packages that the domains switched off so far permit; 0 at the end, where it is already added."""
        complete = len(partial) == len(self._domains)
        return 0 if complete else self.extra_loss(tuple(map(int, partial))) or 0


def reference(instance: MigrationPortfolio) -> Portfolio:
    """Greedy: the cheapest package of each group, and exactly the domains that these packages require."""
    chosen = _cheapest_packages(instance, instance.domain)
    return tuple(sorted(p for _, p in chosen)), tuple(sorted({j for pair in chosen for j in instance.requirement[pair]}))


def sample(instance: MigrationPortfolio, stream: Stream) -> Portfolio:
    """Switch each domain at random, switch on more for groups without a possible package, then take the cheapest packages."""
    active = {j for j in instance.domain if stream.below(2)}
    for group, packages in group_pairs(instance.group, instance.cost).items():
        pairs = [(group, p) for p in packages]
        if pairs and not any(active.issuperset(instance.requirement[pair]) for pair in pairs):
            active.update(instance.requirement[stream.choice(pairs)])
    return cheapest_portfolio(instance, active)


def descend(instance: MigrationPortfolio, start: Portfolio) -> Portfolio:
    """Steepest descent: switch one domain, or exchange two; packages follow the domains."""
    first = cheapest_portfolio(instance, start[1])
    return steepest_descent(lambda y: check(instance, y), instance.sense, first, MigrationSearchSpace(instance).neighbours)


def cheapest_portfolio(instance: MigrationPortfolio, active: Iterable[str]) -> Portfolio:
    """The cheapest packages that the `active` domains support, and these domains."""
    domains = frozenset(active)
    return tuple(sorted(p for _, p in _cheapest_packages(instance, domains))), tuple(sorted(domains))


def _cheapest_packages(instance: MigrationPortfolio, active: Iterable[str]) -> Collection[tuple[str, str]]:
    """(group, package) with the cheapest package of each group that the `active` domains support, the first of equals."""
    supported, rising = frozenset(active).issuperset, sorted(instance.cost, key=instance.cost.__getitem__)
    chosen = {pair[0]: pair for pair in reversed(rising) if supported(instance.requirement[pair])}
    missing = [group for group in instance.group if group not in chosen]
    if missing:
        raise InstanceError(f"the group {missing[0]} has no package that the domains support")
    return chosen.values()


def _average_charges(instance: MigrationPortfolio) -> MigrationPortfolio:
    """Replace all activation charges by their mean, rounded down."""
    mean = sum(instance.charge.values()) // max(len(instance.domain), 1)
    return instance.unchecked(charge=dict.fromkeys(instance.domain, mean))


def _ranked_prices(instance: MigrationPortfolio) -> MigrationPortfolio:
    """Replace each cost by its rank in its group."""
    costs = group_pairs(instance.group, ((group, cost) for (group, _), cost in instance.cost.items()))
    return instance.unchecked(cost={pair: sum(less < cost for less in costs[pair[0]]) for pair, cost in instance.cost.items()})


def _without_interactions(instance: MigrationPortfolio) -> MigrationPortfolio:
    """Set all interaction tables to zero."""
    return instance.unchecked(interaction={a: (scope, (0,) * len(table)) for a, (scope, table) in instance.interaction.items()})


def _limit_requirements(instance: MigrationPortfolio, most: int) -> MigrationPortfolio:
    """Keep only the first `most` required domains of each package."""
    return instance.unchecked(requirement={pair: needs[:most] for pair, needs in instance.requirement.items()})


_FEW_SETS = "ten domains have 1,024 sets, fewer than the hand budget: whoever tries all of them is exact, whatever the values"

HARDNESS: Hardness[MigrationPortfolio, Portfolio] = Hardness(
    blind={
        "prices": _ranked_prices,
        "requirements": lambda instance: _limit_requirements(instance, 0),
        "joint requirements": lambda instance: _limit_requirements(instance, 1),
        "charges": _average_charges,
        "interactions": _without_interactions,
    },
    search_space=MigrationSearchSpace,
    concessions=(Concession("exact by hand", 1, 100.0, _FEW_SETS), Concession("H50", 1, 250.0, _FEW_SETS)),
    sample=sample,
    descend=descend,
)

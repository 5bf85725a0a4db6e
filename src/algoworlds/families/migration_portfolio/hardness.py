"""Attacks on Migration Portfolio: blind instances and its search space."""

from algoworlds.core.relation import group_pairs
from algoworlds.families.hardness import Concession, Hardness
from algoworlds.families.migration_portfolio.check import Portfolio
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.search import MigrationSearchSpace, descend, sample


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

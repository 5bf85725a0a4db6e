"""The Migration Portfolio family."""

from algoworlds.core.decision import Both, Listed
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import grouped
from algoworlds.families.family import Concession, Family
from algoworlds.families.migration_portfolio.check import SENSE, Portfolio, check
from algoworlds.families.migration_portfolio.generate import LEVELS, generate, ranges
from algoworlds.families.migration_portfolio.hand import MigrationHand
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.search import descend, reference, sample
from algoworlds.families.migration_portfolio.solve import solve
from algoworlds.families.migration_portfolio.template import TEMPLATE
from algoworlds.families.migration_portfolio.verify import verify
from algoworlds.families.unknowns import Unknowns


def _average_charges(instance: MigrationPortfolio) -> MigrationPortfolio:
    """All domains alike: activation charges replaced by their mean, rounded down."""
    mean = sum(instance.charge.values()) // max(len(instance.domain), 1)
    return instance.exchanged(charge=dict.fromkeys(instance.domain, mean))


def _ranked_prices(instance: MigrationPortfolio) -> MigrationPortfolio:
    """Only the order of costs inside a group is known: domains are chosen by policy, then packages by true order."""
    costs = grouped(instance.group, ((group, cost) for (group, _), cost in instance.cost.items()))
    return instance.exchanged(cost={pair: sum(less < cost for less in costs[pair[0]]) for pair, cost in instance.cost.items()})


def _without_interactions(instance: MigrationPortfolio) -> MigrationPortfolio:
    """Domains do not interact."""
    return instance.with_column("interaction", 2, [(0,) * len(table) for _, table in instance.interaction.values()])


def _requiring(instance: MigrationPortfolio, most: int) -> MigrationPortfolio:
    """At most so many of a package's required domains are known."""
    return instance.exchanged(requirement={pair: needs[:most] for pair, needs in instance.requirement.items()})


_FEW_SETS = "ten domains have 1,024 sets, fewer than the hand budget: whoever tries all of them is exact, whatever the values"

MIGRATION_PORTFOLIO: Family[MigrationPortfolio, Portfolio] = Family(
    title="Migration Portfolio",
    summary="choose one package per group and activate what it needs, at the least total of packages, domains and interactions",
    instance=MigrationPortfolio,
    decision=Both(Listed("packages", "package", per="group"), Listed("domains", "domain")),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    hand=MigrationHand,
    unknowns=Unknowns(binding={("requirement", "required_domains"): -1}, structure=frozenset({"member"})),
    concessions=(Concession("exact by hand", 1, 100.0, _FEW_SETS), Concession("H50", 1, 250.0, _FEW_SETS)),
    options=(Options(("cost", "member", "requirement"), dropping("package"), each="group"),),
    blind={
        "prices": _ranked_prices,
        "requirements": lambda instance: _requiring(instance, 0),
        "joint requirements": lambda instance: _requiring(instance, 1),
        "charges": _average_charges,
        "interactions": _without_interactions,
    },
    template=TEMPLATE,
)

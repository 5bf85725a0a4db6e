"""The Migration Portfolio family."""

from algoworlds.families.declare import Family, Knowledge, OptionKind, Unknowns
from algoworlds.families.migration_portfolio.check import Portfolio, check
from algoworlds.families.migration_portfolio.generate import LEVELS, generate, ranges
from algoworlds.families.migration_portfolio.hardness import HARDNESS, reference
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.solve import solve
from algoworlds.families.migration_portfolio.template import TEMPLATE
from algoworlds.families.migration_portfolio.verify import verify

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(binding={("requirement", "required_domains"): -1}, structure=frozenset({"member"})),
    options=(OptionKind(("cost", "member", "requirement"), drop="package", required_roster="group"),),
)

MIGRATION_PORTFOLIO: Family[MigrationPortfolio, Portfolio] = Family(
    instance=MigrationPortfolio,
    levels=LEVELS,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
)

"""The Migration Portfolio family."""

from algoworlds.families.family import Family
from algoworlds.families.migration_portfolio.check import Portfolio, check
from algoworlds.families.migration_portfolio.generate import LEVELS, generate
from algoworlds.families.migration_portfolio.hardness import HARDNESS
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.knowledge import KNOWLEDGE
from algoworlds.families.migration_portfolio.search import reference
from algoworlds.families.migration_portfolio.solve import solve
from algoworlds.families.migration_portfolio.template import TEMPLATE
from algoworlds.families.migration_portfolio.verify import verify

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

"""The Series Portfolio family."""

from algoworlds.families.declare import Family
from algoworlds.families.series_portfolio.check import check
from algoworlds.families.series_portfolio.generate import LEVELS, generate
from algoworlds.families.series_portfolio.hardness import HARDNESS, reference
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.knowledge import KNOWLEDGE
from algoworlds.families.series_portfolio.solve import solve
from algoworlds.families.series_portfolio.template import TEMPLATE
from algoworlds.families.series_portfolio.verify import verify

SERIES_PORTFOLIO: Family[SeriesPortfolio, tuple[str, ...]] = Family(
    instance=SeriesPortfolio,
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

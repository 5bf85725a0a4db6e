"""The Series Portfolio family."""

from algoworlds.families.declare import Conditions, Family
from algoworlds.families.series_portfolio.check import check
from algoworlds.families.series_portfolio.generate import LEVELS, generate
from algoworlds.families.series_portfolio.hardness import HARDNESS, reference
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.series_portfolio.knowledge import KNOWLEDGE
from algoworlds.families.series_portfolio.scale import SCALE
from algoworlds.families.series_portfolio.solve import solve
from algoworlds.families.series_portfolio.template import TEMPLATE
from algoworlds.families.series_portfolio.verify import verify

CONDITIONS = Conditions(
    measured=(("factor", "table"),),
    counted=(("factor", "table"), ("lot_value", "lot_value")),
    spreads={1: 128},
)

SERIES_PORTFOLIO: Family[SeriesPortfolio, tuple[str, ...]] = Family(
    instance=SeriesPortfolio,
    levels=LEVELS,
    scale=SCALE,
    generate=generate,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    template=TEMPLATE,
    hardness=HARDNESS,
    knowledge=KNOWLEDGE,
    conditions=CONDITIONS,
)

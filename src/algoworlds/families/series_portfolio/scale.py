"""The continuous scale of Series Portfolio: titles and span for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.series_portfolio.generate import Config

SCALE = load_scale(__package__, Config)

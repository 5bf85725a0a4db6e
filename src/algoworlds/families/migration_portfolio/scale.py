"""The continuous scale of Migration Portfolio: groups and domains for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.migration_portfolio.generate import LEVELS, Config


def config(groups: int, domains: int) -> Config:
    """The configuration of these sizes: five packages for two groups, loads as at the lowest level with as many domains."""
    levels = LEVELS.values()
    like = next((level for level in levels if level.domains >= domains), LEVELS[max(LEVELS)])
    return Config(groups, 5 * groups // 2, domains, like.dimensions, like.length)


SCALE = load_scale(__package__, config)

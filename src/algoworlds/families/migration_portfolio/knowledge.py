"""Public ranges of Migration Portfolio, the columns that decide feasibility, and what decisions consist of."""

from algoworlds.core.options import OptionKind, drop_entities
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.migration_portfolio.generate import ranges
from algoworlds.families.unknowns import Unknowns

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(binding={("requirement", "required_domains"): -1}, structure=frozenset({"member"})),
    options=(OptionKind(("cost", "member", "requirement"), drop_entities("package"), required_roster="group"),),
)

"""What may be relied on in Migration Portfolio before everything is read, and what decisions are made of."""

from algoworlds.core.options import Options, dropping
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.migration_portfolio.generate import ranges
from algoworlds.families.unknowns import Unknowns

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(binding={("requirement", "required_domains"): -1}, structure=frozenset({"member"})),
    options=(Options(("cost", "member", "requirement"), dropping("package"), each="group"),),
)

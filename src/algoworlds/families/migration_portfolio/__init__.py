"""The Migration Portfolio family."""

from collections.abc import Iterator

from algoworlds.core.completions import Completions
from algoworlds.families.declare import Conditions, Family, Knowledge, OptionKind, Unknowns
from algoworlds.families.migration_portfolio.check import Portfolio, check
from algoworlds.families.migration_portfolio.generate import LEVELS, generate, ranges
from algoworlds.families.migration_portfolio.hardness import HARDNESS, reference
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.scale import SCALE
from algoworlds.families.migration_portfolio.solve import solve
from algoworlds.families.migration_portfolio.template import TEMPLATE
from algoworlds.families.migration_portfolio.verify import verify

_PER_GROUP = ("member", "cost", "requirement")
"""Relations that list all packages of a group."""


def cases(completions: Completions, decision: Portfolio) -> Iterator[MigrationPortfolio | None]:
    """The instance, whose unread packages stand for all that may exist; None as well if a group has none of these."""
    instance: MigrationPortfolio = completions.instance
    yield instance
    represented = {group for group, package in instance.member if package not in decision[0]}
    for group in instance.group:
        if group not in represented and not any(completions.is_fully_read(name, "group", group) for name in _PER_GROUP):
            yield None
            return


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("requirement", "required_domains"): -1},
        structure=frozenset({"member"}),
        keys_of={"cost": "", "requirement": ""},
        cases=cases,
    ),
    options=(OptionKind(("cost", "member", "requirement"), drop="package", required_roster="group"),),
)

CONDITIONS = Conditions(
    measured=(("cost", "cost"),),
    counted=(("cost", "cost"), ("charge", "activation_charge"), ("interaction", "table")),
    spreads={1: 16},
)

MIGRATION_PORTFOLIO: Family[MigrationPortfolio, Portfolio] = Family(
    instance=MigrationPortfolio,
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

"""The checker of Migration Portfolio, from the definition alone."""

from itertools import chain

from algoworlds.core.decision import Verdict
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Portfolio = tuple[tuple[str, ...], tuple[str, ...]]
"""Packages and domains."""

_READS = ("group", "domain", "member", "requirement", "interaction.scope")
"""What says whether a decision is feasible, and which entry of every table counts."""


def check(instance: MigrationPortfolio, decision: Portfolio) -> Verdict:
    """Feasible if every group has one package and all that the packages require is activated; then the sum of charges."""
    packages, domains = map(tuple, decision)
    said = instance.derived(_read, (packages, domains), reads=_READS)
    if isinstance(said, str):
        return Verdict.infeasible(said)
    chosen, cells = said
    return Verdict.of(
        packages=sum(map(instance.cost.__getitem__, chosen)),
        activations=sum(map(instance.charge.__getitem__, domains)),
        interactions=sum([table[x] for (_, table), x in zip(instance.interaction.values(), cells, strict=True)]),
        offset=1 - instance.offset,
    )


def _read(instance: MigrationPortfolio, decision: Portfolio) -> str | tuple[list[tuple[str, str]], list[int]]:
    """Why a decision is infeasible; or its packages with their groups, and which entry of every table counts."""
    (packages, domains), (home, groups) = decision, instance.derived(_homes, reads=("group", "member"))
    if not home.keys() >= set(packages):
        return "an unknown package"
    chosen, activated = [(home[p], p) for p in packages], set(domains)
    if len(chosen) != len(groups) or {group for group, _ in chosen} != groups:
        return "not exactly one package per group"
    if not activated <= set(instance.domain):
        return "an unknown domain"
    if len(activated) < len(domains):
        return "a domain is listed twice"
    if not activated.issuperset(chain.from_iterable(map(instance.requirement.__getitem__, chosen))):
        return "a required domain is not activated"
    return chosen, [_cell(scope, activated) for scope, _ in instance.interaction.values()]


def _homes(instance: MigrationPortfolio) -> tuple[dict[str, str], set[str]]:
    """The group of every package, and all groups."""
    return {package: group for group, package in instance.member}, set(instance.group)


def _cell(scope: tuple[str, ...], activated: set[str]) -> int:
    """Where the entry for the statuses of a scope stands: they are read as a binary number, first domain first."""
    return sum(1 << place for place, j in enumerate(reversed(scope)) if j in activated)

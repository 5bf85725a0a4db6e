"""Checker of Migration Portfolio, written from the definition alone."""

from itertools import chain

from algoworlds.core.decision import Verdict
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Portfolio = tuple[tuple[str, ...], tuple[str, ...]]
"""Packages and domains."""

_READS = ("group", "domain", "member", "requirement", "interaction.scope")
"""The tables that decide feasibility and which entry of each interaction table counts."""


def check(instance: MigrationPortfolio, decision: Portfolio) -> Verdict:
    """Feasible if every group has one package and all that the packages require is activated; then the sum of charges."""
    packages, domains = map(tuple, decision)
    selection = instance.derived(_select, (packages, domains), reads=_READS)
    if isinstance(selection, str):
        return Verdict.infeasible(selection)
    chosen, cells = selection
    return Verdict.from_parts(
        packages=sum(map(instance.cost.__getitem__, chosen)),
        activations=sum(map(instance.charge.__getitem__, domains)),
        interactions=sum([table[x] for (_, table), x in zip(instance.interaction.values(), cells, strict=True)]),
        offset=1 - instance.offset,
    )


def _select(instance: MigrationPortfolio, decision: Portfolio) -> str | tuple[list[tuple[str, str]], list[int]]:
    """The packages with their groups and the index of the entry that counts in each table; or why it is infeasible."""
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
    scopes = (scope for scope, _ in instance.interaction.values())  # statuses are a binary number, first domain first
    return chosen, [sum(1 << place for place, j in enumerate(reversed(scope)) if j in activated) for scope in scopes]


def _homes(instance: MigrationPortfolio) -> tuple[dict[str, str], set[str]]:
    """The group of each package, and all groups."""
    return {package: group for group, package in instance.member}, set(instance.group)

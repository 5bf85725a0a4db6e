"""The checker of Migration Portfolio, from the definition alone."""

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

SENSE = Sense.MIN


def check(instance: MigrationPortfolio, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> Verdict:
    """Feasible if every group has one package and all that the packages require is activated; then the sum of charges."""
    (packages, domains), (home, groups) = decision, instance.frame(_homes)
    if not home.keys() >= set(packages):
        return Verdict.infeasible("an unknown package")
    if len(packages) != len(groups) or {home[p] for p in packages} != groups:
        return Verdict.infeasible("not exactly one package per group")
    activated, chosen = set(domains), [(home[p], p) for p in packages]
    if not activated <= set(instance.domain):
        return Verdict.infeasible("an unknown domain")
    if len(activated) < len(domains):
        return Verdict.infeasible("a domain is listed twice")
    if not set().union(*map(instance.requirement.__getitem__, chosen)) <= activated:
        return Verdict.infeasible("a required domain is not activated")
    return Verdict.of(
        packages=sum(map(instance.cost.__getitem__, chosen)),
        activations=sum([instance.charge[j] for j in activated]),
        interactions=sum([table[_cell(scope, activated)] for scope, table in instance.interaction.values()]),
        offset=1 - instance.offset,
    )


def _homes(instance: MigrationPortfolio) -> tuple[dict[str, str], set[str]]:
    """The group of every package, and all groups."""
    return {package: group for group, package in instance.member}, set(instance.group)


def _cell(scope: tuple[str, ...], activated: set[str]) -> int:
    """Where the entry for the statuses of a scope stands: they are read as a binary number, first domain first."""
    cell = 0
    for j in scope:
        cell = 2 * cell + (j in activated)
    return cell

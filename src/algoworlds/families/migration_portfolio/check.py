"""The checker of Migration Portfolio, from the definition alone."""

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

SENSE = Sense.MIN


def check(instance: MigrationPortfolio, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> Verdict:
    """Feasible if every group has one package and all that the packages require is activated; then the sum of charges."""
    packages, domains = decision
    home = {package: group for group, package in instance.member}
    if not set(packages) <= set(home):
        return Verdict.infeasible("an unknown package")
    if sorted(home[p] for p in packages) != sorted(instance.group):
        return Verdict.infeasible("not exactly one package per group")
    activated = set(domains)
    if not activated <= set(instance.domain):
        return Verdict.infeasible("an unknown domain")
    if len(activated) < len(domains):
        return Verdict.infeasible("a domain is listed twice")
    chosen = [(home[p], p) for p in packages]
    if not all(activated.issuperset(instance.requirement[pair]) for pair in chosen):
        return Verdict.infeasible("a required domain is not activated")
    return Verdict.of(
        packages=sum(instance.cost[pair] for pair in chosen),
        activations=sum(instance.charge[j] for j in activated),
        interactions=sum([table[_cell(scope, activated)] for scope, table in instance.interaction.values()]),
        offset=1 - instance.offset,
    )


def _cell(scope: tuple[str, ...], activated: set[str]) -> int:
    """Where the entry for the statuses of a scope stands: they are read as a binary number, first domain first."""
    cell = 0
    for j in scope:
        cell = 2 * cell + (j in activated)
    return cell

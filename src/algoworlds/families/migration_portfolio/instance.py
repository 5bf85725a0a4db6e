"""Definition of Migration Portfolio: its tables and their validity rules."""

from collections.abc import Iterator

from algoworlds.families.declare import Ids, Instance, Ints, Pairs, Table, ownership_problems, relation, roster


class MigrationPortfolio(Instance, family="migration_portfolio", sense="min"):
    """Groups with priced packages, the domains that packages require, and charges and signed interactions of domains."""

    group = roster()  # 1..G
    domain = roster(max_size=60)  # D
    package = roster(public=False)
    factor = roster(public=False)  # H
    # P_i; by default a package belongs to the group that prices it
    member: Pairs = relation("group", "package", channel="catalog", default=lambda tables: frozenset(tables["cost"]))
    cost: Table = relation("group", "package", value="cost", channel="catalog")  # c_p
    requirement: Table = relation("group", "package", value=Ids("required_domains", "domain"), channel="classification")  # R(p)
    charge: Table = relation("domain", value="activation_charge", channel="policy", complete=True)  # F_j
    interaction: Table = relation(
        "factor", value=(Ids("scope", "domain", ordered=True), Ints("table")), channel="policy", complete=True
    )  # P_a, phi_a
    offset: int = relation(value="offset", channel="policy", constant=True)  # L

    def id_problems(self) -> Iterator[str]:
        """Each package belongs to one group, which prices and classifies it."""
        for name, table in (("cost", self.cost), ("requirement", self.requirement)):
            for pair in sorted(self.member.symmetric_difference(table)):
                yield f"{name} and the catalog differ on {' '.join(pair)}"
        yield from ownership_problems(self.package, self.member, "package", "groups")

    def problems(self) -> Iterator[str]:
        """Each table has one cell per combination of statuses of its scope."""
        for factor, (scope, table) in self.interaction.items():
            if not scope:
                yield f"the scope of {factor} is empty"
            if len(table) != 2 ** len(scope):
                yield f"the table of {factor} has {len(table)} cells, not 2^{len(scope)}"

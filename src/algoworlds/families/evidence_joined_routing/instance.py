"""The formal problem of Evidence-Joined Routing: its tables and their validity."""

from collections.abc import Iterator
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from algoworlds.families.declare import Id, Instance, Int, Table, relation, roster


class EvidenceJoinedRouting(Instance, family="evidence_joined_routing", sense="min"):
    """A layered graph filed by stage: the manifest's arcs, quantities and residues, exception classes, and tariffs."""

    stage = roster()
    component = roster()
    tariff_class = roster(public=False)
    node = roster(public=False)  # V
    arc = roster(public=False)  # E
    ends: Table = relation("stage", "arc", value=(Id("tail", "node"), Id("head", "node")), channel="manifest")
    freight: Table = relation(
        "stage", "arc", value=(Int("quantity", low=0), Int("residue", low=0)), channel="manifest"
    )  # Q_e and rho_e
    exception: Table = relation("stage", "arc", value=Id("tariff_class"), channel="exceptions")  # chi_e
    tariff: Table = relation("component", "tariff_class", value="rate", low=0, channel="tariff")  # T
    required: Table = relation("component", value="required_residue", low=0, channel="tariff", complete=True)  # R
    source: str = relation(value=Id("source", "node"), public=True)  # s
    target: str = relation(value=Id("target", "node"), public=True)  # t
    modulus: int = relation(value="modulus", low=1, independent_of_ids=True, public=True)  # M

    @property
    def required_residue(self) -> int:
        """The residue R that a path must accumulate."""
        return next(iter(self.required.values()))  # type: ignore[no-any-return]

    @property
    def arc_costs(self) -> dict[str, int]:
        """kappa_e: the quantity of every arc times the tariff of its exception class."""
        return self.derived(_arc_costs, reads=("freight", "exception", "tariff"))

    @property
    def topological_order(self) -> tuple[str, ...]:
        """The nodes in a topological order."""
        return self.derived(_topological_order, reads=("node", "ends"))

    def magnitude(self) -> int:
        """Every coefficient, and every arc's cost, which is a product."""
        return super().magnitude() + sum(self.arc_costs.values())

    def id_problems(self) -> Iterator[str]:
        """Every arc is filed once in each of the three tables, one component prices all classes, and the graph is acyclic."""
        if len({arc for _, arc in self.ends}) < max(len(self.ends), len(self.arc)):
            yield "ends must list every arc exactly once, under its one stage"
        for name in ("freight", "exception"):
            if set(self.tables[name]) != set(self.ends):
                yield f"{name} must have exactly the entries of ends"
        if len(self.component) != 1:
            yield "component must list exactly one component"
        if len(self.tariff) < len(self.tariff_class):
            yield "tariff must have a rate for every tariff class"
        if len(self.topological_order) < len(self.node):
            yield "ends: the arcs form a cycle"

    def problems(self) -> Iterator[str]:
        """Residues lie below the modulus."""
        if max((self.required_residue, *(rho for _, rho in self.freight.values()))) >= self.modulus:
            yield f"residues must be below the modulus {self.modulus}"


def _arc_costs(instance: EvidenceJoinedRouting) -> dict[str, int]:
    rate = {name: rate for (_, name), rate in instance.tariff.items()}
    arcs = zip(instance.exception.items(), instance.freight.values(), strict=True)
    return {arc: quantity * rate[name] for ((_, arc), name), (quantity, _) in arcs}


def _topological_order(instance: EvidenceJoinedRouting) -> tuple[str, ...]:
    """All nodes in topological order; empty if there is a cycle."""
    before: dict[str, list[str]] = {node: [] for node in instance.node}
    for tail, head in instance.ends.values():
        before[head].append(tail)
    with suppress(CycleError):
        return tuple(TopologicalSorter(before).static_order())
    return ()

"""The formal problem of Evidence-Joined Routing: its tables, and what makes them an instance."""

from collections.abc import Iterator
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from algoworlds.core.column import Id, Int
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, public, relation, roster
from algoworlds.core.work import Sense


class EvidenceJoinedRouting(Instance, family="evidence_joined_routing", sense=Sense.MIN):
    """A layered graph filed by stage: the manifest's arcs, quantities and residues, exception classes, and tariffs."""

    stage: Roster = roster()
    component: Roster = roster()
    tariff_class: Roster = roster(public=False)
    node: Roster = roster(public=False)  # V
    arc: Roster = roster(public=False)  # E
    ends: Table = relation("stage", "arc", value=(Id("tail", "node"), Id("head", "node")), channel="manifest")
    freight: Table = relation(
        "stage", "arc", value=(Int("quantity", low=0), Int("residue", low=0)), channel="manifest"
    )  # Q_e and rho_e
    exception: Table = relation("stage", "arc", value=Id("tariff_class"), channel="exceptions")  # chi_e
    tariff: Table = relation("component", "tariff_class", value=Int("rate", low=0), channel="tariff")  # T
    required: Table = relation("component", value=Int("required_residue", low=0), channel="tariff", complete=True)  # R
    source: str = public(value=Id("source", "node"))  # s
    target: str = public(value=Id("target", "node"))  # t
    modulus: int = public(value=Int("modulus", low=1), beside=True)  # M

    @property
    def residue(self) -> int:
        """The residue R that a path must accumulate."""
        return next(iter(self.required.values()))  # type: ignore[no-any-return]

    @property
    def cost(self) -> dict[str, int]:
        """kappa_e: the quantity of every arc times the tariff of its exception class."""
        return self.derived(_cost, reads=("freight", "exception", "tariff"))

    @property
    def order(self) -> tuple[str, ...]:
        """The nodes in a topological order."""
        return self.derived(_order, reads=("node", "ends"))

    def magnitude(self) -> int:
        """Every coefficient, and every arc's cost, which is a product."""
        rate = {name: each for (_, name), each in self.tariff.items()}
        charged = zip(self.freight.values(), self.exception.values(), strict=True)
        return super().magnitude() + int(sum([quantity * rate[name] for (quantity, _), name in charged]))

    def misfiled(self) -> Iterator[str]:
        """Every arc is filed once in all three places, one component prices all classes, and the graph has no cycle."""
        if len({arc for _, arc in self.ends}) < max(len(self.ends), len(self.arc)):
            yield "ends must list every arc exactly once, under its one stage"
        for name in ("freight", "exception"):
            if set(self.tables[name]) != set(self.ends):
                yield f"{name} must have exactly the entries of ends"
        if len(self.component) != 1:
            yield "component must list exactly one component"
        if len(self.tariff) < len(self.tariff_class):
            yield "tariff must have a rate for every tariff class"
        if len(self.order) < len(self.node):
            yield "ends: the arcs form a cycle"

    def problems(self) -> Iterator[str]:
        """Residues lie below the modulus."""
        if max((self.residue, *(rho for _, rho in self.freight.values()))) >= self.modulus:
            yield f"residues must be below the modulus {self.modulus}"


def _cost(instance: EvidenceJoinedRouting) -> dict[str, int]:
    rate = {name: each for (_, name), each in instance.tariff.items()}
    charged = zip(instance.exception.items(), instance.freight.values(), strict=True)
    return {arc: quantity * rate[name] for ((_, arc), name), (quantity, _) in charged}


def _order(instance: EvidenceJoinedRouting) -> tuple[str, ...]:
    before: dict[str, list[str]] = {node: [] for node in instance.node}
    for tail, head in instance.ends.values():
        before[head].append(tail)
    with suppress(CycleError):
        return tuple(TopologicalSorter(before).static_order())
    return ()

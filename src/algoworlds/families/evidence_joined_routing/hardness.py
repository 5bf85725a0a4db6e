"""How Evidence-Joined Routing is attacked: one channel erased, and decisions by hand, at random and by descent."""

from algoworlds.families.declare import Hardness, Table, erase_tables
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import build_chain, sample, search_space


def _unit_quantities(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every arc carries one unit, so that only classes price it."""
    return instance.unchecked(freight={key: (1, rho) for key, (_, rho) in instance.freight.items()})


def _no_residues(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every path meets the residue: modulus one, where all residues are zero."""
    freight = {key: (quantity, 0) for key, (quantity, _) in instance.freight.items()}
    return instance.unchecked(modulus=1, freight=freight, required=dict.fromkeys(instance.required, 0))


def _shift_values(table: Table) -> Table:
    """The values are read against the wrong keys: every key has the value of the next, the last that of the first."""
    values = list(table.values())
    return dict(zip(table, values[1:] + values[:1], strict=True))


HARDNESS: Hardness[EvidenceJoinedRouting, tuple[str, ...]] = Hardness(
    blind={
        "quantities": _unit_quantities,
        "residues": _no_residues,
        "equal rates": erase_tables(tariff=1),
        "mixed rates": lambda instance: instance.unchecked(tariff=_shift_values(instance.tariff)),
        "mixed classes": lambda instance: instance.unchecked(exception=_shift_values(instance.exception)),
    },
    search_space=search_space,
    sample=sample,
    neighbourhood=lambda instance: build_chain(instance).neighbours,  # reroute around one or two inner nodes
)

"""How Evidence-Joined Routing is attacked: one channel erased, decisions by hand, at random and by descent."""

from algoworlds.core.relation import Table
from algoworlds.families.blind import erased
from algoworlds.families.evidence_joined_routing.hand import hand
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import descend, sample
from algoworlds.families.hardness import Hardness


def _no_quantities(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every arc carries one unit, so that only classes price it."""
    return instance.unchecked(freight={key: (1, rho) for key, (_, rho) in instance.freight.items()})


def _no_residues(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every path meets the residue: modulus one, where all residues are zero."""
    freight = {key: (quantity, 0) for key, (quantity, _) in instance.freight.items()}
    return instance.unchecked(modulus=1, freight=freight, required=dict.fromkeys(instance.required, 0))


def _shifted(table: Table) -> Table:
    """The values read against the wrong keys: every key has the value of the next, the last that of the first."""
    values = list(table.values())
    return dict(zip(table, values[1:] + values[:1], strict=True))


HARDNESS: Hardness[EvidenceJoinedRouting, tuple[str, ...]] = Hardness(
    blind={
        "quantities": _no_quantities,
        "residues": _no_residues,
        "equal rates": erased(tariff=1),
        "mixed rates": lambda instance: instance.unchecked(tariff=_shifted(instance.tariff)),
        "mixed classes": lambda instance: instance.unchecked(exception=_shifted(instance.exception)),
    },
    hand=hand,
    sample=sample,
    descend=descend,
)

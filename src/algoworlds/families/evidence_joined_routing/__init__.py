"""The Evidence-Joined Routing family."""

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import Table
from algoworlds.families.blind import erased
from algoworlds.families.evidence_joined_routing.check import SENSE, check
from algoworlds.families.evidence_joined_routing.generate import LEVELS, generate, ranges
from algoworlds.families.evidence_joined_routing.hand import hand
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import descend, reference, sample
from algoworlds.families.evidence_joined_routing.solve import solve
from algoworlds.families.evidence_joined_routing.template import TEMPLATE
from algoworlds.families.evidence_joined_routing.unknowns import UNKNOWNS
from algoworlds.families.evidence_joined_routing.verify import verify
from algoworlds.families.family import Family


def _no_quantities(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every arc carries one unit, so that only classes price it."""
    return instance.exchanged(freight={key: (1, rho) for key, (_, rho) in instance.freight.items()})


def _no_residues(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every path meets the residue: modulus one, where all residues are zero."""
    freight = {key: (quantity, 0) for key, (quantity, _) in instance.freight.items()}
    return instance.exchanged(modulus=1, freight=freight, required=dict.fromkeys(instance.required, 0))


def _shifted(table: Table) -> Table:
    """The values read against the wrong keys: every key has the value of the next, the last that of the first."""
    values = list(table.values())
    return dict(zip(table, values[1:] + values[:1], strict=True))


EVIDENCE_JOINED_ROUTING: Family[EvidenceJoinedRouting, tuple[str, ...]] = Family(
    title="Evidence-Joined Routing",
    summary="find the cheapest path whose charges join manifest, exceptions and tariffs, residues meeting a target",
    instance=EvidenceJoinedRouting,
    decision=Listed("edges", "arc", ordered=True, per="stage"),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    hand=hand,
    unknowns=UNKNOWNS,
    options=(Options(("exception", "ends", "freight", "tariff"), dropping("arc")),),
    blind={
        "quantities": _no_quantities,
        "residues": _no_residues,
        "equal rates": erased(tariff=1),
        "mixed rates": lambda instance: instance.exchanged(tariff=_shifted(instance.tariff)),
        "mixed classes": lambda instance: instance.exchanged(exception=_shifted(instance.exception)),
    },
    template=TEMPLATE,
)

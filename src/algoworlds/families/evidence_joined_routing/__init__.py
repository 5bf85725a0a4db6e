"""The Evidence-Joined Routing family."""

from algoworlds.families.evidence_joined_routing.check import check
from algoworlds.families.evidence_joined_routing.generate import LEVELS, generate
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import descend, reference, sample
from algoworlds.families.evidence_joined_routing.template import TEMPLATE
from algoworlds.families.family import Family, deferred
from algoworlds.model.decision import Listed
from algoworlds.model.work import Sense


def _no_quantities(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every arc carries one unit, so that only classes price it."""
    return instance.replaced(freight={key: (1, rho) for key, (_, rho) in instance.freight.items()})


def _no_residues(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every path meets the residue: modulus one, where all residues are zero."""
    freight = {key: (quantity, 0) for key, (quantity, _) in instance.freight.items()}
    return instance.replaced(modulus=1, freight=freight, required=dict.fromkeys(instance.required, 0))


def _mixed_rates(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """The rates read against the wrong classes: the card shifted by one."""
    rates = list(instance.tariff.values())
    return instance.replaced(tariff=dict(zip(instance.tariff, rates[1:] + rates[:1], strict=True)))


def _mixed_classes(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """The exceptions read against the wrong arcs: the list shifted by one."""
    classes = list(instance.exception.values())
    return instance.replaced(exception=dict(zip(instance.exception, classes[1:] + classes[:1], strict=True)))


EVIDENCE_JOINED_ROUTING = Family(
    name="evidence_joined_routing",
    title="Evidence-Joined Routing",
    summary="find the cheapest path whose charges join manifest, exceptions and tariffs, residues meeting a target",
    instance=EvidenceJoinedRouting,
    decision=Listed("edges", "arc", ordered=True),
    sense=Sense.MIN,
    levels=LEVELS,
    generate=generate,
    solve=deferred(__name__, "solve:solve"),
    verify=deferred(__name__, "verify:verify"),
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    blind={
        "quantities": _no_quantities,
        "residues": _no_residues,
        "equal rates": lambda instance: instance.replaced(tariff=dict.fromkeys(instance.tariff, 1)),
        "mixed rates": _mixed_rates,
        "mixed classes": _mixed_classes,
    },
    template=TEMPLATE,
)

"""Decisions of Evidence-Joined Routing that need no exact algorithm: myopic, locally improved, random."""

from algoworlds.core.stream import Stream
from algoworlds.families.descent import steepest
from algoworlds.families.evidence_joined_routing.check import check
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.residues import Chain, Choices, Move

NO_PATH = "no path satisfies the constraints"


def reference(instance: EvidenceJoinedRouting) -> Choices:
    """From node to node the cheapest arc from which the required residue can still be met."""
    return chain(instance).walk(lambda path, arcs: min(arcs, key=instance.cost.__getitem__), NO_PATH)


def sample(instance: EvidenceJoinedRouting, stream: Stream) -> Choices:
    """From node to node a random arc from which the required residue can still be met."""
    return chain(instance).walk(lambda path, arcs: stream.choice(arcs), NO_PATH)


def descend(instance: EvidenceJoinedRouting, start: Choices) -> Choices:
    """Steepest descent: reroute around any one or two inner nodes, the residue kept."""
    return steepest(lambda y: check(instance, y), instance.sense, start, chain(instance).neighbours)


def chain(instance: EvidenceJoinedRouting) -> Chain[str]:
    """Paths as a chain whose places are the nodes."""
    moves: dict[str, list[Move[str]]] = {node: [] for node in instance.order}
    for ((_, arc), (tail, head)), (_, rho) in zip(instance.ends.items(), instance.freight.values(), strict=True):
        moves[tail].append(Move(arc, rho, head))
    return Chain(moves, instance.source, {instance.target}, instance.residue, instance.modulus)

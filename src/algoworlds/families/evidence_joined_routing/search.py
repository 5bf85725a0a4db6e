"""Decisions of Evidence-Joined Routing that need no exact algorithm: myopic, by hand, random."""

from algoworlds.families.declare import Stream
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.residues import Move, ResidueChain
from algoworlds.families.search_space import ChainSearchSpace

Path = tuple[str, ...]
NO_PATH = "no path satisfies the constraints"


def reference(instance: EvidenceJoinedRouting) -> Path:
    """From node to node, the cheapest arc among those that can still meet the required residue."""
    return build_chain(instance).walk(lambda path, arcs: min(arcs, key=instance.arc_costs.__getitem__), NO_PATH)


def sample(instance: EvidenceJoinedRouting, stream: Stream) -> Path:
    """From node to node, a random arc among those that can still meet the required residue."""
    return build_chain(instance).walk(lambda path, arcs: stream.choice(arcs), NO_PATH)


def build_chain(instance: EvidenceJoinedRouting) -> ResidueChain[str]:
    """The chain of paths through the nodes of the graph."""
    moves: dict[str, list[Move[str]]] = {node: [] for node in instance.topological_order}
    for ((_, arc), (tail, head)), (_, rho) in zip(instance.ends.items(), instance.freight.values(), strict=True):
        moves[tail].append(Move(arc, rho, head))
    return ResidueChain(moves, instance.source, {instance.target}, instance.required_residue, instance.modulus)


def search_space(instance: EvidenceJoinedRouting) -> ChainSearchSpace:
    """A path is a chain of arcs; each adds its charge."""
    return ChainSearchSpace(lambda: (build_chain(instance), lambda _, arc: instance.arc_costs[arc]))

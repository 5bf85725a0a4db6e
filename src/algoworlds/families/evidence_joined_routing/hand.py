"""Evidence-Joined Routing by hand: detours with the residue kept, or arcs chosen from node to node."""

from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import chain
from algoworlds.families.hand import ChainHand


def hand(instance: EvidenceJoinedRouting) -> ChainHand:
    """A path is a chain of arcs; each adds its charge."""
    return ChainHand(lambda: (chain(instance), lambda _, arc: instance.cost[arc]))

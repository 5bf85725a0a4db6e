"""Evidence-Joined Routing by hand: detours with the residue kept, or arcs chosen from node to node."""

from algoworlds.families.chain_hand import ChainHand
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.evidence_joined_routing.search import chain


def hand(instance: EvidenceJoinedRouting) -> ChainHand:
    """A path is a chain of arcs; each adds its charge."""
    return ChainHand(lambda: (chain(instance), lambda _, arc: instance.cost[arc]))

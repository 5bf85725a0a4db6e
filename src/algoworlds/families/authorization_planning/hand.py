"""Authorization Planning by hand: packages exchanged with the residue kept, or chosen stage by stage."""

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.authorization_planning.search import chain
from algoworlds.families.chain_hand import ChainHand, ChainLoss
from algoworlds.families.residues import Chain


def hand(instance: AuthorizationPlanning) -> ChainHand:
    """A plan is a chain of packages; each adds its price, its adjustment and the handoff from the one before."""
    return ChainHand(lambda: _laid(instance))


def _laid(instance: AuthorizationPlanning) -> tuple[Chain[str], ChainLoss]:
    eta = instance.adjustment
    price = {v: amount + eta[instance.policy_code[stage, v]] for (stage, v), amount in instance.base_price.items()}
    handoff = {(u, v): cost for (_, u, v), cost in instance.handoff.items()}
    return chain(instance), lambda u, v: price[v] + (handoff[u, v] if u else 0)

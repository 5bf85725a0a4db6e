"""How Authorization Planning is attacked: one channel erased, decisions by hand, at random and by descent."""

from itertools import pairwise

from algoworlds.core.relation import grouped
from algoworlds.families.authorization_planning.hand import hand
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.authorization_planning.search import descend, sample
from algoworlds.families.blind import erased
from algoworlds.families.hardness import Hardness


def _no_residue(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """Every plan is cleared: modulus one, where all residues are zero."""
    return instance.unchecked(modulus=1, clearance=dict.fromkeys(instance.clearance, 0), policy=(0, instance.policy[1]))


def _mixed_codes(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """The adjustments read against the wrong codes: the list shifted by one."""
    required, adjustments = instance.policy
    return instance.unchecked(policy=(required, adjustments[1:] + adjustments[:1]))


def _all_authorized(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """Every pair of neighbouring packages allowed, unlisted ones at the mean handoff cost."""
    mean = sum(instance.handoff.values()) // max(len(instance.handoff), 1)
    groups = grouped(instance.stage, instance.base_price)
    pairs = ((stage, u, v) for before, stage in pairwise(instance.stage) for u in groups[before] for v in groups[stage])
    opening = frozenset(each for each in instance.base_price if each[0] == instance.stage[0])
    return instance.unchecked(opening=opening, handoff={key: instance.handoff.get(key, mean) for key in pairs})


HARDNESS: Hardness[AuthorizationPlanning, tuple[str, ...]] = Hardness(
    blind={
        "base prices": erased(base_price=0),
        "clearances": _no_residue,
        "adjustments": lambda instance: instance.unchecked(policy=(instance.policy[0], (0,) * len(instance.code))),
        "codes": _mixed_codes,
        "handoffs": erased(handoff=0),
        "authorizations": _all_authorized,
    },
    hand=hand,
    sample=sample,
    descend=descend,
)

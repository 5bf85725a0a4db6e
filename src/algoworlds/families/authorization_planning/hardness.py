"""How Authorization Planning is attacked: one channel erased, and decisions by hand, at random and by descent."""

from itertools import pairwise

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.authorization_planning.search import build_chain, sample, search_space
from algoworlds.families.declare import Hardness, erase_tables, group_pairs


def _clear_all(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """Every plan is cleared: modulus one, where all residues are zero."""
    return instance.unchecked(modulus=1, clearance=dict.fromkeys(instance.clearance, 0), policy=(0, instance.policy[1]))


def _shift_adjustments(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """The adjustments are read against the wrong codes: the list is shifted by one."""
    required, adjustments = instance.policy
    return instance.unchecked(policy=(required, adjustments[1:] + adjustments[:1]))


def _authorize_all(instance: AuthorizationPlanning) -> AuthorizationPlanning:
    """Every pair of neighbouring packages is allowed, unlisted ones at the mean handoff cost."""
    mean = sum(instance.handoff.values()) // max(len(instance.handoff), 1)
    groups = group_pairs(instance.stage, instance.base_price)
    pairs = ((stage, u, v) for before, stage in pairwise(instance.stage) for u in groups[before] for v in groups[stage])
    opening = frozenset((stage, package) for stage, package in instance.base_price if stage == instance.stage[0])
    return instance.unchecked(opening=opening, handoff={pair: instance.handoff.get(pair, mean) for pair in pairs})


HARDNESS: Hardness[AuthorizationPlanning, tuple[str, ...]] = Hardness(
    blind={
        "base prices": erase_tables(base_price=0),
        "clearances": _clear_all,
        "adjustments": lambda instance: instance.unchecked(policy=(instance.policy[0], (0,) * len(instance.code))),
        "codes": _shift_adjustments,
        "handoffs": erase_tables(handoff=0),
        "authorizations": _authorize_all,
    },
    search_space=search_space,
    sample=sample,
    neighbourhood=lambda instance: build_chain(instance).neighbours,  # change the packages of one or two stages
)

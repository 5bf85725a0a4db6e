"""Authorization Planning without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable
from itertools import pairwise

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.declare import ChainSearchSpace, Hardness, Move, ResidueChain, Stream, group_pairs

Plan = tuple[str, ...]
NO_PLAN = "no plan satisfies the constraints"


def reference(instance: AuthorizationPlanning) -> Plan:
    """Stage by stage, the package of least price, adjustment and handoff among those that can still meet the residue."""
    cost = _step_costs(instance)
    return build_chain(instance).walk(
        lambda plan, packages: min(packages, key=lambda v: cost(plan[-1] if plan else None, v)), NO_PLAN
    )


def sample(instance: AuthorizationPlanning, stream: Stream) -> Plan:
    """Stage by stage, a random authorized package among those that can still meet the residue."""
    return build_chain(instance).walk(lambda plan, packages: stream.choice(packages), NO_PLAN)


def search_space(instance: AuthorizationPlanning) -> ChainSearchSpace:
    """A plan is a chain of packages."""
    return ChainSearchSpace(lambda: (build_chain(instance), _step_costs(instance)))


def build_chain(instance: AuthorizationPlanning) -> ResidueChain[str]:
    """The chain of plans, whose nodes are packages, and the empty id before the first."""
    into = {v: Move(v, z, v) for (_, v), z in instance.clearance.items()}
    moves = {"": [into[v] for _, v in sorted(instance.opening)]} | {u: [] for u in into}
    for _, u, v in instance.handoff:
        moves[u].append(into[v])
    last = instance.stage[-1:]
    goals = {v for stage, v in instance.clearance if stage in last} if last else {""}
    return ResidueChain(moves, "", goals, instance.required_clearance, instance.modulus)


def _step_costs(instance: AuthorizationPlanning) -> Callable[[str | None, str], int]:
    """What a package costs after another one (None: as the first): price, adjustment and handoff."""
    eta = instance.adjustments_by_code
    price = {v: amount + eta[instance.policy_code[stage, v]] for (stage, v), amount in instance.base_price.items()}
    handoff = {(u, v): cost for (_, u, v), cost in instance.handoff.items()}
    return lambda u, v: price[v] + (handoff[u, v] if u else 0)


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
        "base prices": {"base_price": 0},
        "clearances": _clear_all,
        "adjustments": lambda instance: instance.unchecked(policy=(instance.policy[0], (0,) * len(instance.code))),
        "codes": _shift_adjustments,
        "handoffs": {"handoff": 0},
        "authorizations": _authorize_all,
    },
    search_space=search_space,
    sample=sample,
    neighbourhood=lambda instance: build_chain(instance).neighbours,  # change the packages of one or two stages
)

"""Decisions of Authorization Planning that need no exact algorithm: myopic, by hand, random."""

from collections.abc import Callable

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.declare import Stream
from algoworlds.families.residues import Move, ResidueChain
from algoworlds.families.search_space import ChainSearchSpace

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

"""Decisions of Authorization Planning that need no exact algorithm: myopic, locally improved, random."""

from algoworlds.core.stream import Stream
from algoworlds.families.authorization_planning.check import check
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.descent import steepest
from algoworlds.families.residues import Chain, Choices, Move

NO_PLAN = "no plan satisfies the constraints"


def reference(instance: AuthorizationPlanning) -> Choices:
    """Stage by stage the package whose own price, adjustment and handoff are least, if the residue can still be met."""
    eta = instance.adjustment

    def cost(plan: Choices, v: str) -> int:
        stage = instance.stage[len(plan)]
        handoff = instance.handoff[stage, plan[-1], v] if plan else 0
        return int(instance.base_price[stage, v] + eta[instance.policy_code[stage, v]] + handoff)

    return chain(instance).walk(lambda plan, options: min(options, key=lambda v: cost(plan, v)), NO_PLAN)


def sample(instance: AuthorizationPlanning, stream: Stream) -> Choices:
    """Stage by stage a random authorized package from which the residue can still be met."""
    return chain(instance).walk(lambda plan, options: stream.choice(options), NO_PLAN)


def descend(instance: AuthorizationPlanning, start: Choices) -> Choices:
    """Steepest descent: change the packages of any one or two stages, the residue kept."""
    return steepest(lambda y: check(instance, y), instance.sense, start, chain(instance).neighbours)


def chain(instance: AuthorizationPlanning) -> Chain[str]:
    """Plans as a chain whose places are packages, and the empty id before the first."""
    into = {v: Move(v, z, v) for (_, v), z in instance.clearance.items()}
    moves = {"": [into[v] for _, v in sorted(instance.opening)]} | {u: [] for u in into}
    for _, u, v in instance.handoff:
        moves[u].append(into[v])
    last = instance.stage[-1:]
    goals = {v for stage, v in instance.clearance if stage in last} if last else {""}
    return Chain(moves, "", goals, instance.required_clearance, instance.modulus)

"""Decisions of Authorization Planning that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable, Iterator
from itertools import combinations

from algoworlds.families.authorization_planning.check import check
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.descent import steepest
from algoworlds.families.residues import Chain, Step
from algoworlds.model.stream import Stream
from algoworlds.model.work import Sense

Plan = tuple[str, ...]
Change = dict[int, str]
"""Some positions of a plan and the packages that replace what stands there."""


def reference(instance: AuthorizationPlanning) -> Plan:
    """Stage by stage the package whose own price, adjustment and handoff are least, if the residue can still be met."""
    eta = instance.adjustment

    def cost(plan: Plan, v: str) -> int:
        stage = instance.stage[len(plan)]
        handoff = instance.handoff[stage, plan[-1], v] if plan else 0
        return int(instance.base_price[stage, v] + eta[instance.policy_code[stage, v]] + handoff)

    return _walk(instance, lambda plan, options: min(options, key=lambda v: cost(plan, v)))


def sample(instance: AuthorizationPlanning, stream: Stream) -> Plan:
    """Stage by stage a random authorized package from which the residue can still be met."""
    return _walk(instance, lambda plan, options: stream.choice(options))


def descend(instance: AuthorizationPlanning, start: Plan) -> Plan:
    """Steepest descent: change the packages of any one or two stages, the residue kept."""
    successors, predecessors = _neighbours(instance)
    z = {v: clearance for (_, v), clearance in instance.clearance.items()}

    def near(plan: Plan) -> Iterator[Plan]:
        for change in _changes(instance, successors, predecessors, plan):
            if sum(z[v] - z[plan[i]] for i, v in change.items()) % instance.modulus == 0:
                yield tuple(change.get(i, v) for i, v in enumerate(plan))

    return steepest(lambda y: check(instance, y), Sense.MIN, start, near)


def _neighbours(instance: AuthorizationPlanning) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The authorized successors and predecessors of every package."""
    successors: dict[str, list[str]] = {v: [] for v in instance.package}
    predecessors: dict[str, list[str]] = {v: [] for v in instance.package}
    for _, u, v in instance.handoff:
        successors[u].append(v)
        predecessors[v].append(u)
    return successors, predecessors


def _changes(
    instance: AuthorizationPlanning, successors: dict[str, list[str]], predecessors: dict[str, list[str]], plan: Plan
) -> Iterator[Change]:
    """Every authorized way to change one stage, two apart, or two in a row; clearances are not looked at."""
    d, openings = len(plan), [v for _, v in sorted(instance.opening)]
    last = [v for stage, v in instance.base_price if stage == instance.stage[-1]] if d else []
    after = [openings if i == 0 else successors[plan[i - 1]] for i in range(d)]
    ahead = [last if i == d - 1 else predecessors[plan[i + 1]] for i in range(d)]
    single = [{i: v} for i in range(d) for v in after[i] if v in ahead[i] and v != plan[i]]
    yield from single
    for one, two in combinations(single, 2):
        if min(two) - min(one) > 1:
            yield one | two
    for i in range(d - 1):
        for u in after[i]:
            for v in successors[u]:
                if v in ahead[i + 1] and u != plan[i] and v != plan[i + 1]:
                    yield {i: u, i + 1: v}


def _walk(instance: AuthorizationPlanning, choose: Callable[[Plan, list[str]], str]) -> Plan:
    """A plan made stage by stage; the places of its chain are packages, and the empty id before the first."""
    into = {v: Step(v, z, v) for (_, v), z in instance.clearance.items()}
    successors, _ = _neighbours(instance)
    steps = {"": [into[v] for _, v in sorted(instance.opening)]} | {u: [into[v] for v in successors[u]] for u in into}
    goals = {v for stage, v in instance.clearance if stage == instance.stage[-1]} if instance.stage else {""}
    chain = Chain(steps, "", goals, instance.required_clearance, instance.modulus)
    return chain.walk(choose, "no plan satisfies the constraints")

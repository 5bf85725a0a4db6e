"""Every channel matters, and no response tells of what it does not show: counterfactuals, proven anew."""

from collections.abc import Iterator

from algoworlds.core.canonical import canonical_text
from algoworlds.suites.bundle import Isolated, Moved, response, with_instance
from algoworlds.suites.claims.claim import Case, Claim, Unit
from algoworlds.suites.claims.counterfactual import refutes
from algoworlds.worlds.world import World


def channel_counterfactual(case: Case) -> Iterator[Unit]:
    """Other channels' observations stay as they are while the verified optimal decision changes."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        for channel in case.family.channels:
            moved = each.channels.get(channel)
            yield f"{world.id} {channel}", "no counterfactual" if moved is None else _moved_problem(case, channel, moved)


def _moved_problem(case: Case, channel: str, moved: Moved) -> str | None:
    """Why a counterfactual proves nothing, if so; found once for all units that rest on the same one."""
    key = (channel, moved.counterfactual.change, canonical_text([moved.counterfactual.witness, moved.optimum, moved.decision]))
    if key not in case.problems:
        case.problems[key] = _refuted(case, channel, moved)
    return case.problems[key]


def _refuted(case: Case, channel: str, moved: Moved) -> str | None:
    instance, relations = case.first.instance, case.first.instance.relations
    after = case.changed(moved)
    if after is None:
        return "the change does not fit the instance"
    changed, solution = after
    if any(relations[fact.relation].channel != channel for fact, _ in moved.counterfactual.change):
        return "the change reaches another channel"
    others = [name for name, each in relations.items() if each.channel != channel]
    if any(getattr(instance, name) != getattr(changed, name) for name in others):
        return "facts of another channel changed"
    if not refutes(case.family, changed, case.solution.decision, moved.counterfactual.witness):
        return "the witness does not refute the old optimum"
    if (solution.value, solution.decision) != (moved.optimum, moved.decision) or solution.decision == case.solution.decision:
        return "the optimal decision does not change as recorded"
    return None


def response_isolation(case: Case) -> Iterator[Unit]:
    """A response stays as it is while an unrevealed fact and the verified optimal decision change."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        for tool in world.prices:
            isolated = each.responses.get(tool)
            if isolated is None:
                yield f"{world.id} {tool}", "no counterfactual"
                continue
            yield f"{world.id} {tool}", _isolation_problem(case, world, isolated)


def _isolation_problem(case: Case, world: World, isolated: Isolated) -> str | None:
    problem = _moved_problem(case, isolated.moved.counterfactual.channel, isolated.moved)
    after = case.changed(isolated.moved)
    if after is None or problem is not None:
        return problem
    fixed = response(world, isolated.call) == response(with_instance(world, after[0]), isolated.call)
    return None if fixed else "the response changes"


CHANNEL_COUNTERFACTUAL = Claim("Channel counterfactual", "World-channel pair", channel_counterfactual)


RESPONSE_ISOLATION = Claim("Response isolation", "Selected response", response_isolation)

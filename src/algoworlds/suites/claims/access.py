"""The plans learn enough within the budget, which does not buy everything."""

from collections.abc import Iterator

from algoworlds.core.tool import Call
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.claims.claim import Case, Claim, Unit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import CALL_CAP, World


def acquisition(case: Case) -> Iterator[Unit]:
    """A plan's responses rebuild the instance, span several channels, and fit within budget and cap with the reserve."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        for name, plan in each.plans.items():
            yield f"{world.id} {name}", _plan_problem(case, each, world, name, plan)


def _plan_problem(case: Case, bundle: Bundle, world: World, name: str, plan: tuple[Call, ...]) -> str | None:
    evaluate = world.prices[world.family.template.closing.evaluate]
    episode = Episode(world, plan)
    if any(observation.status is not Status.EXECUTED for observation in episode.observations):
        return "a call of the plan is not executed"
    if world.cost(plan) + evaluate > bundle.budget or bundle.budget != world.budget:
        return "the plan and the evaluation do not fit within the budget"
    if len(plan) + 1 > CALL_CAP:
        return "the plan does not fit within the call cap"
    facts = episode.facts
    if facts != bundle.sets.get(name) or facts != bundle.instance.facts or case.rebuilt(world, facts) != bundle.instance:
        return "the responses do not rebuild the instance"
    channels = {bundle.instance.relations[name].channel for name in {fact.relation for fact in facts}} - {None}
    return None if len(channels) > 1 else "the facts come from a single channel"


def catalog(case: Case) -> Iterator[Unit]:
    """Issuing every request of the finite fact-revealing catalog exceeds the budget."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        yield world.id, None if world.cost(world.catalog) > each.budget else "the budget buys the whole catalog"


ACQUISITION = Claim("Sufficient information acquisition", "Acquisition plan", acquisition)


CATALOG = Claim("Full-catalog budget", "Algorithmic world", catalog)

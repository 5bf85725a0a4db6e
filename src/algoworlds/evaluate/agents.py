"""Scripted agents. They play through the same episode as a model: only calls go in, only texts come out.

An informed agent follows the cheaper acquisition plan, rebuilds the instance from the responses by NF, decides, and
submits; what it decides with is all that tells one from another.
"""

from collections.abc import Callable
from typing import Any

from algoworlds.families.family import Family
from algoworlds.model.decision import Decision
from algoworlds.worlds.episode import Episode

Agent = Callable[[Episode], None]


def informed(decide: Callable[[Family[Any, Any], Any], Decision]) -> Agent:
    """An agent that gathers all information at least cost and then decides as told."""

    def play(episode: Episode) -> None:
        world = episode.world
        for call in min(world.plans.values(), key=world.cost):
            episode.call(*call)
        decision = decide(world.family, world.rebuild(episode.facts))
        episode.call(world.family.template.closing.submit, world.family.decision.arguments(decision))

    return play


oracle = informed(lambda family, instance: family.solve(instance).decision)
"""Solves the rebuilt instance exactly: the ceiling."""

greedy = informed(lambda family, instance: family.reference(instance))
"""Makes the family's myopic decision: utility zero by definition."""

AGENTS: dict[str, Agent] = {"oracle": oracle, "greedy": greedy}

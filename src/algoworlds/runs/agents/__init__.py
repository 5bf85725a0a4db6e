"""Scripted agents: no key, no network. They play through the same episode as a model: only calls go in, only texts come out.

An informed agent follows the cheaper acquisition plan, rebuilds the instance from the responses by NF, decides, and
submits; what it decides with is all that tells one from another. They are the floor and the ceiling of every report.
Two more choose their calls and decide what they can prove: they are the ceiling of acquisition.
"""

from collections.abc import Callable
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.stream import Stream
from algoworlds.families.family import Family
from algoworlds.runs.agents.seeking import certifier, thrifty
from algoworlds.worlds.episode import Episode

Agent = Callable[[Episode, Stream], None]
"""Plays an episode; the stream is its only source of chance, one for each world and trial."""

Decide = Callable[[Family[Any, Any], Any, Stream], Decision]


def informed(decide: Decide) -> Agent:
    """An agent that gathers all information at least cost and then decides as told."""

    def play(episode: Episode, stream: Stream) -> None:
        world = episode.world
        for call in min(world.plans.values(), key=world.cost):
            episode.call(*call)
        decision = decide(world.family, world.rebuild(episode.facts), stream)
        episode.call(world.family.template.closing.submit, world.family.decision.arguments(decision))

    return play


def null(episode: Episode, stream: Stream) -> None:
    """Says nothing and does nothing."""


oracle = informed(lambda family, instance, stream: family.solve(instance).decision)
"""Solves the rebuilt instance exactly: the ceiling."""

greedy = informed(lambda family, instance, stream: family.reference(instance))
"""Makes the family's myopic decision: utility zero by definition."""

local_search = informed(lambda family, instance, stream: family.descend(instance, family.reference(instance)))
"""Improves the myopic decision step by step until no single move helps."""

random = informed(lambda family, instance, stream: family.sample(instance, stream))
"""Submits some feasible decision."""

AGENTS: dict[str, Agent] = {
    "null": null,
    "random": random,
    "greedy": greedy,
    "local_search": local_search,
    "oracle": oracle,
    "thrifty": thrifty,
    "certifier": certifier,
}

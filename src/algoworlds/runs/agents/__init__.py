"""Scripted agents: no key, no network. They play through the same episode as a model: only calls go in, only texts come out.

An informed agent follows the cheaper acquisition plan, rebuilds the instance from the responses by NF, decides, and
submits; what it decides with is all that tells one from another. They are the floor and the ceiling of every report.
Two more choose their calls and decide what they can prove: they are the ceiling of acquisition.
"""

from collections.abc import Callable
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import Family
from algoworlds.runs.agents.seeking import certifier, thrifty
from algoworlds.worlds.episode import Episode

Agent = Callable[[Episode, Stream], None]
"""Plays an episode; the stream is its only source of chance, one for each world and trial."""

Decide = Callable[[Family[Any, Any], Any, Stream], Decision]


NEEDS = {"local_search": "descend", "random": "sample"}
"""By agent, the field of a family's hardness block that it needs."""


def unplayable(name: str, family: Family[Any, Any]) -> str:
    """What `family` leaves undeclared that the agent `name` needs; empty if it can play."""
    return family.lacking("hardness", NEEDS[name], purpose=f"let {name} play it") if name in NEEDS else ""


def informed(decide: Decide, name: str = "") -> Agent:
    """An agent that gathers all information at least cost and then decides by `decide`; `name` is its key in `NEEDS`."""

    def play(episode: Episode, stream: Stream) -> None:
        world = episode.world
        if problem := unplayable(name, world.family):
            raise InputError(problem)
        for call in min(world.plans.values(), key=world.cost):
            episode.call(*call)
        decision = decide(world.family, world.rebuild(episode.facts), stream)
        episode.call(world.family.template.closing.submit, world.family.decision.arguments(decision))

    return play


def null(episode: Episode, stream: Stream) -> None:
    """Says nothing and does nothing."""


def _improved(family: Family[Any, Any], instance: Any, stream: Stream) -> Decision:
    assert family.hardness.descend is not None  # `NEEDS`
    return family.hardness.descend(instance, family.reference(instance))


def _arbitrary(family: Family[Any, Any], instance: Any, stream: Stream) -> Decision:
    assert family.hardness.sample is not None  # `NEEDS`
    return family.hardness.sample(instance, stream)


oracle = informed(lambda family, instance, stream: family.solve(instance).decision)
"""Solves the rebuilt instance exactly: the ceiling."""

greedy = informed(lambda family, instance, stream: family.reference(instance))
"""Makes the family's myopic decision: utility zero by definition."""

local_search = informed(_improved, "local_search")
"""Improves the myopic decision step by step until no single move helps."""

random = informed(_arbitrary, "random")
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

"""Scripted agents: no key, no network. They play the same episodes as a model: only calls go in, only texts come out.

A full-information agent follows the cheaper acquisition plan, rebuilds the instance from the responses by NF, decides and
submits; agents differ only in how they decide. They are the floor and the ceiling of every report. Two more choose their calls
and decide what they can prove (`proving`): they are the ceiling of acquisition.
"""

from collections.abc import Callable
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import AnyFamily
from algoworlds.runs.agents.programming import TRACK_OF_AGENT, missing_texts, programming_agent
from algoworlds.runs.agents.proving import certifier_agent, thrifty_agent
from algoworlds.worlds.episode import Episode

Agent = Callable[[Episode, Stream], None]
"""Plays an episode; the stream is its only source of randomness, one for each world and trial."""
Decide = Callable[[AnyFamily, Any, Stream], Decision]
"""Decides from a family, an instance and a random stream."""

NEEDS = {"local_search": "descend", "random": "sample"}
"""By agent, the field of a family's hardness block that it needs."""


def unplayable(name: str, family: AnyFamily) -> str:
    """What `family` leaves undeclared that the agent `name` needs; empty if it can play."""
    if name in NEEDS:
        return family.lacking("hardness", NEEDS[name], purpose=f"let {name} play it")
    return missing_texts(name, family)


def full_information_agent(decide: Decide, name: str = "") -> Agent:
    """An agent that gathers all information at least cost and then decides by `decide`; `name` is its key in `NEEDS`."""

    def play(episode: Episode, stream: Stream) -> None:
        world = episode.world
        if problem := unplayable(name, world.family):
            raise InputError(problem)
        for call in min(world.plans.values(), key=world.cost):
            episode.call(*call)
        decision = decide(world.family, world.instance_from_facts(episode.facts), stream)
        episode.call(world.family.template.decision_tools.submit, world.family.decision.arguments(decision))

    return play


def null_agent(episode: Episode, stream: Stream) -> None:
    """Makes no call."""


def _descend(family: AnyFamily, instance: Any, stream: Stream) -> Decision:
    assert family.hardness.descend is not None  # `NEEDS`
    return family.hardness.descend(instance, family.reference(instance))


def _sample(family: AnyFamily, instance: Any, stream: Stream) -> Decision:
    assert family.hardness.sample is not None  # `NEEDS`
    return family.hardness.sample(instance, stream)


oracle_agent = full_information_agent(lambda family, instance, stream: family.solve(instance).decision)
"""Solves the rebuilt instance exactly: the ceiling."""
greedy_agent = full_information_agent(lambda family, instance, stream: family.reference(instance))
"""Submits the family's reference decision, which is myopic: utility zero by definition."""
local_search_agent = full_information_agent(_descend, "local_search")
"""Improves the reference decision step by step until no single move helps."""
random_agent = full_information_agent(_sample, "random")
"""Submits a random feasible decision."""

AGENTS: dict[str, Agent] = {
    "null": null_agent,
    "random": random_agent,
    "greedy": greedy_agent,
    "local_search": local_search_agent,
    "oracle": oracle_agent,
    "thrifty": thrifty_agent,
    "certifier": certifier_agent,
}
TRACK_AGENTS: dict[str, Agent] = {name: programming_agent(name) for name in TRACK_OF_AGENT}
"""Agents that run programs; each needs its track."""

"""Scripted agents: no key, no network. They play the same episodes as a model: only calls go in, only texts come out.

A full-information agent follows the cheaper acquisition plan, rebuilds the instance from the responses by NF, decides and
submits; agents differ only in how they decide. They are the floor and the ceiling of every report. Two more choose their calls
and decide what they can prove (`proving`): they are the ceiling of acquisition. Three more differ under a condition only: they
show what it is worth to read again, and to combine what was read.

No agent looks at `Episode.facts` or at the hidden instance: where numbers are shown with errors, these hold the true ones.
"""

from collections.abc import Callable
from typing import Any

from algoworlds.core.condition import Boxes, Spot, estimate_facts, midpoint_instance
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Range
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import AnyFamily
from algoworlds.runs.agents.programming import TRACK_OF_AGENT, missing_texts, programming_agent
from algoworlds.runs.agents.proving import certifier_agent, thrifty_agent
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

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
        _submit(episode, decide(world.family, world.instance_from_facts(episode.estimated_facts), stream))

    return play


def _submit(episode: Episode, decision: Decision) -> None:
    family = episode.world.family
    episode.call(family.template.decision_tools.submit, family.decision.arguments(decision))


def patient_agent(episode: Episode, stream: Stream) -> None:
    """Reads everything until it is exact, then solves."""
    for call in episode.world.safe_plan:
        episode.call(*call)
    _submit(episode, episode.world.family.solve(episode.world.instance_from_facts(episode.estimated_facts)).decision)


def once_agent(episode: Episode, stream: Stream) -> None:
    """Reads everything once, and takes the decision that is best in expectation."""
    world, declared = episode.world, episode.world.family.conditions
    for call in min(world.plans.values(), key=world.cost):
        episode.call(*call)
    instance = world.instance_from_facts(episode.estimated_facts)
    if world.law is not None:
        instance = midpoint_instance(instance, declared.measured, declared.counted, episode.boxes)
    _submit(episode, world.family.solve(instance).decision)


def averager_agent(episode: Episode, stream: Stream) -> None:
    """Reads everything twice, and takes the average of all answers for the truth, however exact each of them was."""
    world = episode.world
    plan = min(world.plans.values(), key=world.cost)
    for call in (*plan, *(call for call in plan if world.law is not None and call.tool in world.family.measuring_tools)):
        episode.call(*call)
    middles: dict[Spot, list[int]] = {}
    for _, reading in episode.readings:
        for spot, box in reading.items():  # the middle of a reading's interval is the reading
            middles.setdefault(spot, []).append((box.low + box.high) // 2)
    means = {spot: sum(numbers) // len(numbers) for spot, numbers in middles.items()}
    boxes = {spot: Range(mean, mean) for spot, mean in means.items()}
    facts = estimate_facts(episode.estimated_facts, world.family.instance.relations, _within(boxes, world))
    _submit(episode, world.family.solve(world.instance_from_facts(facts)).decision)


def _within(boxes: Boxes, world: World) -> Boxes:
    """The boxes, moved into the declared ranges."""
    if world.ranges is None:
        return boxes
    spans = {spot: world.ranges.columns[spot[:2]] for spot in boxes}
    moved = {spot: min(max(box.low, spans[spot].low), spans[spot].high) for spot, box in boxes.items()}
    return {spot: Range(number, number) for spot, number in moved.items()}


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
CONDITION_AGENTS: dict[str, Agent] = {"patient": patient_agent, "once": once_agent, "averager": averager_agent}
"""Agents that differ from `oracle` only where numbers are shown with errors."""
TRACK_AGENTS: dict[str, Agent] = {name: programming_agent(name) for name in TRACK_OF_AGENT}
"""Agents that run programs; each needs its track."""

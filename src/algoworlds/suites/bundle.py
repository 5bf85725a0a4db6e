"""Bundles: everything a released world says about itself, in memory. Builds make them, files carry them, claims prove them."""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.errors import AlgoWorldsError
from algoworlds.knowledge.certificate import Certificate, certificate
from algoworlds.suites.claims.counterfactual import QUICK, THOROUGH, Counterfactual, Search
from algoworlds.worlds.admit import Admitted, Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build


@dataclass(frozen=True)
class Moved:
    """A counterfactual and the optimum that a re-solve of the changed instance found."""

    counterfactual: Counterfactual
    optimum: int
    decision: Any


@dataclass(frozen=True)
class Isolated:
    """One response of a tool, and a counterfactual that leaves it as it is while the optimum changes."""

    call: Call
    moved: Moved


@dataclass(frozen=True)
class Bundle:
    """What is asserted of one world."""

    coordinate: Coordinate
    attempt: int
    interface: Interface
    question: str
    tools: list[dict[str, Any]]
    prices: dict[str, int]
    budget: int
    instance: Any
    optimum: int
    decision: Any
    reference: Any
    reference_value: int
    work: Work
    plans: dict[str, tuple[Call, ...]]
    sets: dict[str, frozenset[Fact]]
    channels: dict[str, Moved]
    responses: dict[str, Isolated]
    certificate: Certificate | None = None
    """What knowing the optimum costs at least, if the suite has certificates and the family lets it be said."""

    @property
    def world(self) -> World:
        """The world that the bundle is about, built anew from the claimed instance."""
        return World(self.coordinate, self.instance, self.interface)


def bundles(admitted: Admitted, interfaces: list[Interface], certificates: bool = False) -> list[Bundle]:
    """All that is to be claimed about the worlds of an admitted instance; counterfactuals are searched once for all."""
    search = Search(admitted.family, admitted.instance, admitted.solution.decision)
    channels = {name: _moved(search, search.find(name)) for name in admitted.family.channels}
    found = [_bundle(admitted, build(admitted, interface), channels, search) for interface in interfaces]
    return _certified(found) if certificates else found


def _certified(found: list[Bundle]) -> list[Bundle]:
    """The bundles with certificates: one for all interfaces in which a call tells whole rows, one where halves come apart."""
    known: dict[bool, Certificate | None] = {}
    for each in found:
        split = each.interface is Interface.SPLIT
        if split not in known:
            known[split] = certificate(each.world, each.decision)
    return [replace(each, certificate=known[each.interface is Interface.SPLIT]) for each in found]


def _bundle(admitted: Admitted, world: World, channels: dict[str, Moved], search: Search) -> Bundle:
    return Bundle(
        coordinate=admitted.coordinate,
        attempt=admitted.attempt,
        interface=world.interface,
        question=world.question,
        tools=world.tools,
        prices=dict(world.prices),
        budget=world.budget,
        instance=admitted.instance,
        optimum=admitted.optimum,
        decision=admitted.solution.decision,
        reference=admitted.reference,
        reference_value=admitted.reference_value,
        work=admitted.solution.work,
        plans=dict(world.plans),
        sets={name: world.facts(map(world.revealed, plan)) for name, plan in world.plans.items()},
        channels=channels,
        responses={call.tool: _isolated(world, call, channels, search) for call in selected_calls(admitted, world)},
    )


def selected_calls(admitted: Admitted, world: World) -> list[Call]:
    """One call of every information tool: a random admissible one, and the reference decision for the evaluating tool."""
    stream, closing = world.stream.child("isolation"), world.family.template.closing
    looks = [Call.make(tool.name, stream.choice(tool.argument.domain(world.public))) for tool in world.family.template.tools]
    return [*looks, Call.make(closing.evaluate, world.family.decision.arguments(admitted.reference))]


def response(world: World, call: Call) -> str:
    """What a call returns as the first of an episode."""
    return Episode(world, [call]).observations[0].text


def _isolated(world: World, call: Call, channels: dict[str, Moved], search: Search) -> Isolated:
    """A counterfactual that the response does not show: a channel's own if one will do, otherwise one searched for it."""
    text = response(world, call)

    def unseen(changed: Any) -> bool:
        return response(with_instance(world, changed), call) == text

    for moved in channels.values():
        if unseen(search.after(moved.counterfactual)[0]):
            return Isolated(call, moved)
    for tries, channel in product((QUICK, THOROUGH), world.family.channels):
        with suppress(AlgoWorldsError):
            return Isolated(call, _moved(search, search.find(channel, unseen, tries)))
    raise AlgoWorldsError(f"{world.id}: every change of the optimum shows in the response of {call.tool}")


def with_instance(world: World, instance: Any) -> World:
    """The same world around another instance; plans and budget go with what the question states, if that is the same."""
    other = World(world.coordinate, instance, world.interface)
    if instance.public_tables == world.public:
        vars(other).update(plans=world.plans, budget=world.budget)
    return other


def _moved(search: Search, found: Counterfactual) -> Moved:
    _, solution = search.after(found)
    assert solution.value is not None
    return Moved(found, solution.value, solution.decision)

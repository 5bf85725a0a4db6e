"""Bundles: everything a released world asserts about itself, in memory. Builds create bundles, claims prove them."""

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.errors import AlgoWorldsError
from algoworlds.knowledge.certificate import Certificate, find_certificate
from algoworlds.suites.counterfactual import QUICK_TRIES, THOROUGH_TRIES, Counterfactual, CounterfactualSearch
from algoworlds.worlds.admission import AdmittedInstance, Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world


@dataclass(frozen=True)
class SolvedCounterfactual:
    """A counterfactual, with the optimum of the changed instance."""

    counterfactual: Counterfactual
    optimum: int
    decision: Any


@dataclass(frozen=True)
class IsolatedResponse:
    """A call, and a counterfactual that changes the optimum but not the response to this call."""

    call: Call
    solved: SolvedCounterfactual


@dataclass(frozen=True)
class Bundle:
    """What is asserted about one world."""

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
    sufficient_sets: dict[str, frozenset[Fact]]
    channels: dict[str, SolvedCounterfactual]
    responses: dict[str, IsolatedResponse]
    certificate: Certificate | None = None
    """The minimum cost of knowing the optimum, if the suite has certificates and the family supports them."""

    @property
    def world(self) -> World:
        """A new world around the asserted instance."""
        return World(self.coordinate, self.instance, self.interface)


def build_bundles(admitted: AdmittedInstance, interfaces: list[Interface], certificates: bool = False) -> list[Bundle]:
    """The bundles of an admitted instance, one per interface; they share one search for counterfactuals."""
    search = CounterfactualSearch(admitted.family, admitted.instance, admitted.solution.decision)
    channels = {name: _with_solution(search, search.find(name)) for name in admitted.family.channels}
    bundles = [_build_bundle(admitted, build_world(admitted, interface), channels, search) for interface in interfaces]
    if not certificates:
        return bundles
    # A call reveals the same facts in every interface but split, so the others share one certificate.
    by_split: dict[bool, Certificate | None] = {}
    for bundle in bundles:
        is_split = bundle.interface is Interface.SPLIT
        if is_split not in by_split:
            by_split[is_split] = find_certificate(bundle.world, bundle.decision)
    return [replace(bundle, certificate=by_split[bundle.interface is Interface.SPLIT]) for bundle in bundles]


def _with_solution(search: CounterfactualSearch, counterfactual: Counterfactual) -> SolvedCounterfactual:
    _, solution = search.changed_solution(counterfactual)
    assert solution.value is not None
    return SolvedCounterfactual(counterfactual, solution.value, solution.decision)


def _build_bundle(
    admitted: AdmittedInstance, world: World, channels: dict[str, SolvedCounterfactual], search: CounterfactualSearch
) -> Bundle:
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
        sufficient_sets={name: world.facts(map(world.revealed_rows, plan)) for name, plan in world.plans.items()},
        channels=channels,
        responses={call.tool: _isolate(world, call, channels, search) for call in _select_calls(admitted, world)},
    )


def _select_calls(admitted: AdmittedInstance, world: World) -> list[Call]:
    """One call of every information tool: a random admissible one, and the reference decision for the evaluating tool."""
    stream, template = world.stream.child("isolation"), world.family.template
    calls = [Call.from_arguments(tool.name, stream.choice(tool.argument.domain(world.public))) for tool in template.tools]
    arguments = world.family.decision.arguments(admitted.reference)
    return [*calls, Call.from_arguments(template.decision_tools.evaluate, arguments)]


def first_response(world: World, call: Call) -> str:
    """The response to `call` as the first call of an episode."""
    return Episode(world, [call]).observations[0].text


def _isolate(
    world: World, call: Call, channels: dict[str, SolvedCounterfactual], search: CounterfactualSearch
) -> IsolatedResponse:
    """A counterfactual that the response to `call` does not show: one of `channels` if possible, otherwise a new one."""
    text = first_response(world, call)

    def is_unseen(changed: Any) -> bool:
        return first_response(with_instance(world, changed), call) == text

    for solved in channels.values():
        if is_unseen(search.changed_solution(solved.counterfactual)[0]):
            return IsolatedResponse(call, solved)
    for tries, channel in product((QUICK_TRIES, THOROUGH_TRIES), world.family.channels):
        with suppress(AlgoWorldsError):
            return IsolatedResponse(call, _with_solution(search, search.find(channel, is_unseen, tries)))
    raise AlgoWorldsError(f"{world.id}: every change of the optimum shows in the response of {call.tool}")


def with_instance(world: World, instance: Any) -> World:
    """The same world around another instance; plans and budget depend on the public tables only and are reused if equal."""
    other = World(world.coordinate, instance, world.interface)
    if instance.public_tables == world.public:
        vars(other).update(plans=world.plans, budget=world.budget)
    return other

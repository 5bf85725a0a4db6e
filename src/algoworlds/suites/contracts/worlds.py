"""Contracts of a family's worlds beyond the claims of a released suite: which facts calls reveal, and what stays hidden."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.column import Int
from algoworlds.core.interface import Interface
from algoworlds.core.options import restrict_to_seen
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.core.work import Sense
from algoworlds.errors import InstanceError
from algoworlds.suites.bundle import with_instance
from algoworlds.suites.claims.leaks import find_leaked_secret, refusal_texts, world_secrets
from algoworlds.suites.claims.registry import InstanceCase, UnitResult
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


def channels(case: InstanceCase) -> Iterator[UnitResult]:
    """Each plan reveals facts of every channel, and there are several channels."""
    relations = case.first_bundle.instance.relations
    for world in case.worlds.values():
        for name, plan in world.plans.items():
            seen = {relations[fact.relation].channel for fact in Episode(world, plan).facts} - {None}
            missing = sorted(set(case.family.channels) - seen)
            problem = f"the plan never meets the channel {missing[0]}" if missing else None
            yield f"{world.id} {name}", problem or (None if len(seen) > 1 else "there is only one channel of information")


def mediation(case: InstanceCase) -> Iterator[UnitResult]:
    """A mediated response gives the same facts as the direct one, and half of it gives no fact of the mediated relation."""
    direct, mediated = case.worlds[Interface.DIRECT], case.worlds[Interface.MEDIATED]
    differing = [call.tool for call in direct.catalog if _facts(direct, call) != _facts(mediated, call)]
    yield mediated.id, f"{differing[0]} reveals other facts than in direct" if differing else _half_response_problem(mediated)


def _half_response_problem(world: World) -> str | None:
    """Names a mediated relation whose facts follow from half a response, if there is one."""
    for relation, via in world.family.template.mediation.items():
        parts = {"_".join(columns) for columns in via.parts}
        for tool in (tool for tool in world.family.template.tools if relation in tool.reveals):
            whole = _response(world, Call.from_arguments(tool.name, tool.argument.domain(world.public)[0]))
            for missing in sorted(parts):
                rest = {name: table for name, table in whole.items() if name != missing}
                if any(fact.relation == relation for fact in world.facts([rest])):
                    return f"{tool.name} reveals facts of {relation} without its part {missing}"
    return None


def splitting(case: InstanceCase) -> Iterator[UnitResult]:
    """In the split interface no single response reveals a mediated fact, except of a tool that carries the links as well."""
    world = case.worlds[Interface.SPLIT]
    problem = None
    for relation, via in world.family.template.mediation.items():
        tools = [tool for tool in world.family.template.tools if relation in tool.reveals and tool.name not in via.split_tools]
        for tool in tools:
            call = Call.from_arguments(tool.name, tool.argument.domain(world.public)[0])
            if any(fact.relation == relation for fact in _facts(world, call)):
                problem = problem or f"{tool.name} alone reveals facts of {relation}"
    yield world.id, problem


def non_interference(case: InstanceCase) -> Iterator[UnitResult]:
    """A changed number shows in the responses that reveal it, and nowhere else."""
    for world in case.worlds.values():
        yield world.id, next(_interference(case, world), None)


def _interference(case: InstanceCase, world: World) -> Iterator[str]:
    before = {call: world.records(call) for call in world.catalog}
    for name, row, changed in perturbed_instances(case.first_bundle.instance):
        other = with_instance(world, changed)
        if (other.question, other.tools) != (world.question, world.tools):
            yield f"the question shows a change of {name}"
        differing = [call for call in world.catalog if other.records(call) != before[call]]
        if not differing:
            yield f"no response shows a change of {name}"
        if world.interface is not Interface.SPLIT:
            leaking = [call.tool for call in differing if Fact(name, row) not in _facts(world, call)]
            yield from (f"{tool} shows a change of {name} without telling it" for tool in leaking[:1])


def perturbed_instances(instance: Any) -> Iterator[tuple[str, Any, Any]]:
    """For every hidden relation that permits it: its name, a row, and the instance with one integer of the row changed by 1."""
    for name, relation in instance.relations.items():
        integers = [at for at, column in enumerate(relation.columns) if isinstance(column, Int)]
        rows = instance.rows(name)
        if not relation.fact or not integers or not rows:
            continue
        row, cell = rows[len(rows) // 2], integers[0]
        for step in (1, -1):
            try:
                changed = instance.with_rows(**{name: {row: (*row[:cell], row[cell] + step, *row[cell + 1 :])}})
            except InstanceError:
                continue
            yield name, row, changed
            break


@dataclass(frozen=True)
class PublicOnlyInstance:
    """An instance that has only its public tables."""

    public_tables: Mapping[str, Any]


def refusals(case: InstanceCase) -> Iterator[UnitResult]:
    """A world without its instance refuses in the same bytes, so no refusal depends on hidden data."""
    for world in case.worlds.values():
        public = with_instance(world, PublicOnlyInstance(world.public))
        same = list(refusal_texts(public)) == list(refusal_texts(world))
        yield world.id, None if same else "a refusal depends on hidden data"


def public_tables(case: InstanceCase) -> Iterator[UnitResult]:
    """No public number is the optimum, the reference value, their gap or the work."""
    bundle = case.first_bundle
    world = case.worlds[bundle.interface]
    secrets = world_secrets(bundle, world)
    numbers = str({name: table for name, table in world.public.items() if not isinstance(table, tuple)})
    leak = find_leaked_secret(numbers, secrets, set())
    yield world.id, f"a public table reveals {leak}" if leak in secrets.values.values() else None


def options(case: InstanceCase) -> Iterator[UnitResult]:
    """Without the options of a missing fact an instance is infeasible or not better; with all facts it stays the same."""
    bundle = case.first_bundle
    instance, family = bundle.instance, case.family
    if not family.knowledge.options:
        return
    same = restrict_to_seen(instance, instance.facts, family.knowledge.options) == instance
    problem = None if same else "the options of an instance are not all known when all its facts are"
    for name, relation in instance.relations.items():
        if relation.fact and not relation.public and instance.rows(name):
            problem = problem or _missing_fact_problem(case, Fact(name, instance.rows(name)[0]))
    yield bundle.coordinate.name, problem


def _missing_fact_problem(case: InstanceCase, missing: Fact) -> str | None:
    instance, family = case.first_bundle.instance, case.family
    restricted = restrict_to_seen(instance, instance.facts - {missing}, family.knowledge.options)
    if restricted is None or not (best := family.solve(restricted)).feasible:
        return None
    value = family.check(instance, best.decision).value
    if value is None or family.sense.is_better(value, than=case.solution.value):
        return f"without a fact of {missing.relation} the best known decision is infeasible or better than the optimum"
    return None


def search_space(case: InstanceCase) -> Iterator[UnitResult]:
    """A search space offers every choice of the optimum and of the reference, at losses that add up to their values."""
    bundle, family = case.first_bundle, case.family
    space = family.hardness.search_space(bundle.instance)
    for name, decision in (("the optimum", case.solution.decision), ("the reference", bundle.reference)):
        value = family.check(bundle.instance, decision).value
        expected = value if family.sense is Sense.MIN else -value
        choices, loss, problem = space.to_choices(decision), space.constant_loss, None
        for at, choice in enumerate(choices):
            offered = dict(space.extensions(choices[:at]))
            if choice not in offered:
                problem = f"the search space does not offer {choice}, a choice of {name}"
                break
            loss += offered[choice]
        rebuilt = space.to_decision(choices)
        if problem is None and (rebuilt is None or family.check(bundle.instance, rebuilt).value != value):
            problem = f"the search space does not give {name} back from its choices"
        elif problem is None and loss != expected:
            problem = f"the losses of the choices of {name} add up to {loss:,} instead of {expected:,}"
        yield f"{bundle.coordinate.name} {name}", problem


def _response(world: World, call: Call) -> JsonObject:
    return json.loads(str(world.records(call)))  # type: ignore[no-any-return]


def _facts(world: World, call: Call) -> frozenset[Fact]:
    return world.facts([_response(world, call)])


WORLD_CONTRACTS = {
    "Channels": channels,
    "Mediation": mediation,
    "Splitting": splitting,
    "Non-interference": non_interference,
    "Refusals": refusals,
    "Public tables": public_tables,
    "Options": options,
}
"""The contracts of worlds beside the claims of a released suite, by name."""

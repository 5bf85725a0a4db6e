"""Contracts of a family's worlds, beyond what a released suite claims: what calls tell, what they do not, and who may know."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.core.column import Int
from algoworlds.core.interface import Interface
from algoworlds.core.options import restricted
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.suites.bundle import with_instance
from algoworlds.suites.claims.claim import Case, Unit
from algoworlds.suites.claims.leaks import rejections, secrets, told
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


def channels(case: Case) -> Iterator[Unit]:
    """Either plan meets every channel of information, and there are several."""
    relations = case.first.instance.relations
    for world in case.worlds.values():
        for name, plan in world.plans.items():
            met = {relations[fact.relation].channel for fact in Episode(world, plan).facts} - {None}
            missing = sorted(set(case.family.channels) - met)
            problem = f"the plan never meets the channel {missing[0]}" if missing else None
            yield f"{world.id} {name}", problem or (None if len(met) > 1 else "there is only one channel of information")


def mediation(case: Case) -> Iterator[Unit]:
    """A mediated response amounts to the facts of the direct one, and half of it to none of the mediated relation's."""
    direct, mediated = case.worlds[Interface.DIRECT], case.worlds[Interface.MEDIATED]
    differing = [call.tool for call in direct.catalog if _facts(direct, call) != _facts(mediated, call)]
    yield mediated.id, f"{differing[0]} tells other facts than in direct" if differing else _half_told(mediated)


def _half_told(world: World) -> str | None:
    """A relation of which half a response tells facts already."""
    for relation, via in world.family.template.mediation.items():
        parts = {"_".join(columns) for columns in via.parts}
        for tool in (each for each in world.family.template.tools if relation in each.reveals):
            whole = _response(world, Call.make(tool.name, tool.argument.domain(world.public)[0]))
            for missing in sorted(parts):
                rest = {name: table for name, table in whole.items() if name != missing}
                if any(fact.relation == relation for fact in world.facts([rest])):
                    return f"{tool.name} tells facts of {relation} without its part {missing}"
    return None


def splitting(case: Case) -> Iterator[Unit]:
    """In the split interface no single response tells a mediated fact, but those of a tool that carries the links as well."""
    world = case.worlds[Interface.SPLIT]
    problem = None
    for relation, via in world.family.template.mediation.items():
        tools = [tool for tool in world.family.template.tools if relation in tool.reveals and tool.name not in via.carriers]
        for tool in tools:
            call = Call.make(tool.name, tool.argument.domain(world.public)[0])
            if any(fact.relation == relation for fact in _facts(world, call)):
                problem = problem or f"{tool.name} alone tells facts of {relation}"
    yield world.id, problem


def non_interference(case: Case) -> Iterator[Unit]:
    """A number that changes shows in the responses that tell it, and nowhere else."""
    for world in case.worlds.values():
        yield world.id, next(_interference(case, world), None)


def _interference(case: Case, world: World) -> Iterator[str]:
    before = {call: world.records(call) for call in world.catalog}
    for name, row, changed in perturbed(case.first.instance):
        other = with_instance(world, changed)
        if (other.question, other.tools) != (world.question, world.tools):
            yield f"the question shows a change of {name}"
        differing = [call for call in world.catalog if other.records(call) != before[call]]
        if not differing:
            yield f"no response shows a change of {name}"
        if world.interface is not Interface.SPLIT:
            blurting = [call.tool for call in differing if Fact(name, row) not in _facts(world, call)]
            yield from (f"{tool} shows a change of {name} without telling it" for tool in blurting[:1])


def perturbed(instance: Any) -> Iterator[tuple[str, Any, Any]]:
    """The instance with one integer changed by one, once for every hidden relation that permits it, and the row it was in."""
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
class Hollow:
    """An instance of which nothing but the public tables can be asked."""

    public_tables: Mapping[str, Any]


def refusals(case: Case) -> Iterator[Unit]:
    """A world without its instance refuses in the same bytes, so that no refusal can tell anything of one."""
    for world in case.worlds.values():
        hollow = with_instance(world, Hollow(world.public))
        same = list(rejections(hollow)) == list(rejections(world))
        yield world.id, None if same else "a refusal depends on hidden data"


def public_tables(case: Case) -> Iterator[Unit]:
    """No public number is the optimum, the reference value, their gap or the work."""
    bundle = case.first
    world = case.worlds[bundle.interface]
    secret = secrets(bundle, world)
    numbers = str({name: table for name, table in world.public.items() if not isinstance(table, tuple)})
    found = told(numbers, secret, set())
    yield world.id, f"a public table tells {found}" if found in secret.values.values() else None


def options(case: Case) -> Iterator[Unit]:
    """An instance without what one missing fact tells about is none, or no better; with nothing missing it is itself."""
    bundle = case.first
    instance, family = bundle.instance, case.family
    if not family.knowledge.options:
        return
    same = restricted(instance, instance.facts, family.knowledge.options) == instance
    problem = None if same else "the options of an instance are not all known when all its facts are"
    for name, relation in instance.relations.items():
        if relation.fact and not relation.public and instance.rows(name):
            problem = problem or _worth_of_less(case, Fact(name, instance.rows(name)[0]))
    yield bundle.coordinate.name, problem


def _worth_of_less(case: Case, missing: Fact) -> str | None:
    instance, family = case.first.instance, case.family
    left = restricted(instance, instance.facts - {missing}, family.knowledge.options)
    if left is None:
        return None
    best = family.solve(left)
    if not best.feasible:
        return None
    value = family.check(instance, best.decision).value
    if value is None or family.sense.better(value, than=case.solution.value):
        return f"without a fact of {missing.relation} the best known decision is infeasible or better than the optimum"
    return None


def _response(world: World, call: Call) -> dict[str, Any]:
    return json.loads(str(world.records(call)))  # type: ignore[no-any-return]


def _facts(world: World, call: Call) -> frozenset[Fact]:
    return world.facts([_response(world, call)])


PLAYING = {
    "Channels": channels,
    "Mediation": mediation,
    "Splitting": splitting,
    "Non-interference": non_interference,
    "Refusals": refusals,
    "Public tables": public_tables,
    "Options": options,
}
"""The contracts that worlds are held to beside the claims of a released suite, by name."""

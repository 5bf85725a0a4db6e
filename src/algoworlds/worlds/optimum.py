"""The function `optimum` of programs: the exact solver on tables that an agent hands over, or on all that it was told.

Both forms are functions of what was handed over or told. They read nothing hidden and reveal no fact.
"""

from collections.abc import Mapping
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Fact, Relation
from algoworlds.errors import InputError, InstanceError, TooLarge, format_value, quote_value
from algoworlds.tracks.sandbox import HostReply
from algoworlds.tracks.track import OPTIMUM_UNITS
from algoworlds.worlds.world import World


def answer_optimum(world: World, instance: Instance) -> HostReply:
    """Solve an instance exactly: its value and decision, both None if nothing is feasible."""
    solution = world.family.solve(instance)
    decision = world.family.decision.arguments(solution.decision) if solution.feasible else None
    return HostReply({"answer": {"value": solution.value if solution.feasible else None, "decision": decision}}, OPTIMUM_UNITS)


def refusal(problem: InputError) -> HostReply:
    """The refusal of a question, in the words of `problem`; free of charge."""
    kind = next((name for kind, name in _KINDS.items() if isinstance(problem, kind)), "ValueError")
    return HostReply({"error": str(problem), "kind": kind})


_KINDS: dict[type[InputError], str] = {InstanceError: "InstanceError", TooLarge: "TooLarge"}


def instance_from_tables(world: World, tables: Any) -> Instance:
    """The instance in tables that a program hands over; rosters and numbers of the question are filled in.

    InstanceError, in words that depend on `tables` and the question alone, if it is not one of the world's level.
    """
    kind: type[Instance] = world.family.instance
    if not isinstance(tables, Mapping):
        raise InstanceError(f"tables must be a dict by name, not {format_value(tables)}")
    for name in tables:
        if name not in kind.relations:
            hidden = ", ".join(name for name, relation in kind.relations.items() if not relation.public)
            raise InstanceError(f"there is no table {quote_value(name)}; there are {hidden}")
        if kind.relations[name].public:
            raise InstanceError(f"{name} is filled in from the question: leave it out")
    parsed = {name: kind.relations[name].from_json(table) for name, table in tables.items()}
    for name, relation in kind.relations.items():
        if relation.is_roster and not relation.public and name not in parsed:
            parsed[name] = _mentioned_ids(kind.relations, parsed, name)
    instance = kind(**(parsed | dict(world.public)))
    if world.ranges is not None:
        for problem in world.ranges.violations(instance):
            raise InstanceError(problem)
    return instance


def _mentioned_ids(relations: Mapping[str, Relation], tables: Mapping[str, Any], roster: str) -> tuple[str, ...]:
    """The ids of a hidden roster, as the tables mention them."""
    ids: set[str] = set()
    for name, table in tables.items():
        relation = relations[name]
        columns = [at for at, _, of in relation.id_columns if of == roster]
        if columns and not relation.is_roster:
            for row in relation.parse_rows(table):
                for at in columns:
                    cells = row[at] if isinstance(row[at], list | tuple) else [row[at]]
                    ids.update(cell for cell in cells if isinstance(cell, str))
    return tuple(sorted(ids))


def instance_from_facts(world: World, facts: frozenset[Fact]) -> Instance:
    """The instance that the answers so far tell; InstanceError names what they do not tell yet."""
    counts = dict.fromkeys((name for name, relation in world.family.instance.relations.items() if relation.fact), 0)
    for fact in facts:
        counts[fact.relation] += 1
    absent = [name for name, count in counts.items() if not count and name not in world.public]
    try:
        return world.instance_from_facts(facts)
    except TooLarge:
        raise
    except (InstanceError, ValueError, KeyError) as problem:
        missing = ", ".join(absent) or (str(problem) if isinstance(problem, InstanceError) else "some tables")
        raise InstanceError(f"the answers do not tell everything yet: {missing}") from None


def count_misread_cells(world: World, instance: Instance) -> int:
    """Cells of the hidden tables that differ from the world's instance: wrong, missing or extra.

    Numbers that the world shows with errors are left out: another number is no misreading.
    """
    total, measured = 0, () if world.law is None else world.family.conditions.measured
    for name, relation in world.family.instance.relations.items():
        if relation.public or relation.is_roster:
            continue
        width = len(relation.keys)
        ours, theirs = ({row[:width]: row[width:] for row in one.rows(name)} for one in (world.instance, instance))
        cells = max(1, len(relation.values))
        for key in ours.keys() | theirs.keys():
            if key in ours and key in theirs:
                cells_of_key = zip(relation.values, ours[key], theirs[key], strict=True)
                total += sum(a != b for column, a, b in cells_of_key if (name, column.name) not in measured)
            else:
                total += cells
    return total


def program_values(world: World, answers: list[JsonObject]) -> JsonObject:
    """The names that are set in a program: `task` holds what the question states, `answers` what was executed."""
    relations = world.family.instance.relations
    return {"task": {name: relations[name].to_json(table) for name, table in world.public.items()}, "answers": answers}

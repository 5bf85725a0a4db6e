"""Contracts of the formal problem, on tiny instances: brute force, other spellings of the same instance, searches."""

from collections.abc import Callable, Mapping
from typing import Any

from algoworlds.core.decision import Decision, Shape
from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.errors import InstanceError
from algoworlds.families.family import Family
from algoworlds.suites.contracts.enumeration import MOST, best_of, decisions

Rename = Callable[[str], str]
Check = Callable[[Family[Any, Any], Any, Stream], str | None]


class NotPossible(Exception):
    """A contract that cannot be tried on an instance; nothing is known to be wrong."""


def brute_force(family: Family[Any, Any], instance: Any, stream: Stream) -> str | None:
    """Construction and verification find what looking at every decision finds: value, decision and uniqueness."""
    every = decisions(family.decision, instance)
    if every is None:
        raise NotPossible("the decision's shape does not name rosters")
    if every.count > MOST:
        raise NotPossible(f"there are more than {MOST:,} decisions: give the family tiny instances")
    return disagreement(family, instance, best_of(family, instance, every.each()))


def disagreement(family: Family[Any, Any], instance: Any, truth: Solution[Any]) -> str | None:
    """How an exact algorithm's word on an instance differs from the truth."""
    for name, algorithm in (("solve", family.solve), ("verify", family.verify)):
        found = algorithm(instance)
        if (found.value, found.optima) != (truth.value, truth.optima):
            return f"{name} finds {_told(found)}, brute force {_told(truth)}"
        if found.unique and found.decision != truth.decision:
            return f"{name} decides {found.decision}, brute force {truth.decision}"
        if found.feasible and family.check(instance, found.decision).value != truth.value:
            return f"the checker does not give {name}'s decision its value of {found.value}"
    return None


def _told(solution: Solution[Any]) -> str:
    return f"{solution.value} ({('none', 'unique', 'tied')[solution.optima]})"


def spelling(family: Family[Any, Any], instance: Any, stream: Stream) -> str | None:
    """An instance survives JSON, a rest and its own facts, in the same bytes."""
    read = family.instance.from_json(instance.json)
    if read != instance or read.text != instance.text:
        return "JSON does not give the instance back"
    rebuilt = family.instance.from_facts(instance.facts, instance.public_tables)
    return None if rebuilt == instance.renamed(str) else "its facts and public tables do not give the instance back"


def renaming(family: Family[Any, Any], instance: Any, stream: Stream) -> str | None:
    """Other ids, in another order, give the same optimum under those ids."""
    ids = ids_of(instance)
    names = dict(zip(ids, stream.shuffled([f"n{at:04}" for at in range(len(ids))]), strict=True))
    for name, algorithm in (("solve", family.solve), ("verify", family.verify)):
        before = moved(family, algorithm(instance), names.__getitem__)
        if not algorithm(instance.renamed(names.__getitem__)).agrees(before):
            return f"{name} answers otherwise when entities bear other ids"
    return None


def repetition(family: Family[Any, Any], instance: Any, stream: Stream) -> str | None:
    """The same question gets the same answer and the same count of work, and leaves the instance as it was."""
    text = instance.text
    first, again = family.solve(instance), family.solve(instance)
    if first != again:
        return "solve answers or counts otherwise the second time"
    return None if instance.text == text else "solve changes the instance"


def searches(family: Family[Any, Any], instance: Any, stream: Stream) -> str | None:
    """Reference and random decisions are feasible, descent improves them to where it stays, and none beats the optimum."""
    solution, sample, descend = family.solve(instance), family.hardness.sample, family.hardness.descend
    starts: dict[str, Callable[[Any], Any]] = {"reference": family.reference}
    if sample is not None:
        starts["sample"] = lambda one: sample(one, stream)
    for name, search in starts.items():
        if not solution.feasible:
            try:
                search(instance)
            except InstanceError:
                continue
            return f"{name} decides where no decision is feasible; raise InstanceError"
        start = search(instance)
        before = family.check(instance, start).value
        if before is None:
            return f"{name} decides what is infeasible"
        if descend is None:
            if solution.value is None or family.sense.better(before, than=solution.value):
                return f"{name} is worth {before}, the optimum {solution.value}"
            continue
        end = descend(instance, start)
        after = family.check(instance, end).value
        if after is None or solution.value is None:
            return f"the descent from {name} ends at what is infeasible"
        if family.sense.better(before, than=after) or family.sense.better(after, than=solution.value):
            return f"{name} is worth {before}, the descent from it {after}, the optimum {solution.value}"
        if descend(instance, end) != end:
            return "a second descent goes on where the first one stopped"
    return None


def ids_of(instance: Any) -> list[str]:
    """All entities of an instance."""
    return sorted(item for name, each in instance.relations.items() if each.is_roster for item in getattr(instance, name))


def moved(family: Family[Any, Any], solution: Solution[Any], rename: Rename) -> Solution[Any]:
    """A solution under other ids."""
    decision = renamed_decision(family.decision, solution.decision, rename) if solution.feasible else None
    return Solution(solution.value, decision, solution.optima, solution.work)


def renamed_decision(shape: Shape, decision: Decision, rename: Rename) -> Decision:
    """A decision under other ids, whatever its shape."""
    return shape.parse({name: _renamed(value, rename) for name, value in shape.arguments(decision).items()})


def _renamed(value: Any, rename: Rename) -> Any:
    if isinstance(value, Mapping):
        return {rename(key): rename(option) for key, option in value.items()}
    return list(map(rename, value))


FORMAL: dict[str, Check] = {
    "Brute force": brute_force,
    "Spelling": spelling,
    "Renaming": renaming,
    "Repetition": repetition,
    "Searches": searches,
}
"""The contracts that tiny instances are held to, by name."""


def tiny_instance(family: Family[Any, Any], stream: Stream) -> Any:
    """One of the family's tiny instances, or level 0 as the generator draws it."""
    return family.tiny(stream) if family.tiny is not None else family.generate(family.levels[0], stream)

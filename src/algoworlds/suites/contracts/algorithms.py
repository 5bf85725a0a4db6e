"""Contracts of the formal problem, checked on tiny instances: brute force, round trips, renaming, repetition, searches."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations, product
from math import perm
from typing import Any

from algoworlds.core.column import Int
from algoworlds.core.decision import AssignmentShape, Decision, DecisionShape, IdListShape, PairShape
from algoworlds.core.instance import Instance
from algoworlds.core.kernel import MAX_COUNTED
from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.errors import InstanceError
from algoworlds.families.family import AnyFamily

MAX_DECISIONS = 2**16
"""Decisions that brute force checks before it gives up."""

Rename = Callable[[str], str]
TinyContract = Callable[[AnyFamily, Any, Stream], str | None]
"""Checks a family on one instance, with a stream of random numbers; returns what is wrong, or None."""


class NotApplicable(Exception):
    """A contract cannot be checked on an instance; this is not a failure."""


@dataclass(frozen=True)
class DecisionSpace:
    """All decisions that name entities of the right rosters: their number, and a lazy iterator over them."""

    count: int
    iterate: Callable[[], Iterator[Decision]]


def decision_space(shape: DecisionShape, instance: Any) -> DecisionSpace | None:
    """Every decision of a shape, feasible or not; None if the shape does not name rosters."""

    def roster(name: str) -> list[str] | None:
        relation = instance.relations.get(name)
        return sorted(getattr(instance, name)) if relation is not None and relation.is_roster else None

    if isinstance(shape, AssignmentShape):
        keys, options = roster(shape.entity), roster(shape.option)
        if keys is None or options is None:
            return None
        choices = partial(product, options, repeat=len(keys))
        return DecisionSpace(len(options) ** len(keys), lambda: (dict(zip(keys, row, strict=True)) for row in choices()))
    if isinstance(shape, IdListShape):
        items = roster(shape.entity)
        if items is None:
            return None
        pick: Callable[[list[str], int], Iterable[tuple[str, ...]]] = permutations if shape.ordered else combinations
        sizes = range(len(items) + 1)
        count = sum(perm(len(items), size) for size in sizes) if shape.ordered else 2 ** len(items)
        return DecisionSpace(count, lambda: (chosen for size in sizes for chosen in pick(items, size)))
    if isinstance(shape, PairShape):
        one, other = decision_space(shape.first, instance), decision_space(shape.second, instance)
        if one is not None and other is not None:
            return DecisionSpace(one.count * other.count, lambda: product(one.iterate(), other.iterate()))
    return None


def best_solution(family: AnyFamily, instance: Any, decisions: Iterable[Decision]) -> Solution[Any]:
    """The best of `decisions`, as an exact algorithm would return it; optima are counted up to MAX_COUNTED."""
    best_value, best, optima = None, None, 0
    for decision in decisions:
        value = family.check(instance, decision).value
        if value is None:
            continue
        if best_value is None or family.sense.is_better(value, than=best_value):
            best_value, best, optima = value, decision, 1
        elif value == best_value:
            optima = min(optima + 1, MAX_COUNTED)
    return Solution(best_value, best, optima)


def brute_force(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """Construction and verification find what checking every decision finds: value, decision and uniqueness."""
    space = decision_space(family.decision, instance)
    if space is None:
        raise NotApplicable("the decision's shape does not name rosters")
    if space.count > MAX_DECISIONS:
        raise NotApplicable(f"there are more than {MAX_DECISIONS:,} decisions: give the family tiny instances")
    return find_disagreement(family, instance, best_solution(family, instance, space.iterate()))


def find_disagreement(family: AnyFamily, instance: Any, truth: Solution[Any]) -> str | None:
    """How the solution of an exact algorithm differs from the `truth`.

    Only verification must count optima beyond two, and only in a family with measured numbers, which can have tied worlds.
    """

    def text(solution: Solution[Any]) -> str:
        return f"{solution.value} ({('none', 'unique', 'tied')[min(solution.optima, 2)]})"

    for name, algorithm in (("solve", family.solve), ("verify", family.verify)):
        solution = algorithm(instance)
        if not solution.agrees_with(replace(truth, decision=solution.decision)):
            return f"{name} finds {text(solution)}, brute force {text(truth)}"
        if name == "verify" and family.conditions.measured and solution.optima != truth.optima:
            return f"{name} counts {solution.optima} optima, brute force {truth.optima}"
        if solution.unique and solution.decision != truth.decision:
            return f"{name} decides {solution.decision}, brute force {truth.decision}"
        if solution.feasible and family.check(instance, solution.decision).value != truth.value:
            return f"the checker does not give {name}'s decision its value of {solution.value}"
    return None


def check_roundtrips(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """JSON and facts both give the instance back, in the same bytes."""
    read = family.instance.from_json(instance.json)
    if read != instance or read.canonical_json != instance.canonical_json:
        return "JSON does not give the instance back"
    rebuilt = family.instance.from_facts(instance.facts, instance.public_tables)
    return None if rebuilt == instance.rename_ids(str) else "its facts and public tables do not give the instance back"


def check_renaming(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """Other ids, in another order, give the same optimum under those ids."""
    ids = entity_ids(instance)
    names = dict(zip(ids, stream.shuffled([f"n{at:04}" for at in range(len(ids))]), strict=True))
    for name, algorithm in (("solve", family.solve), ("verify", family.verify)):
        before = rename_solution(family, algorithm(instance), names.__getitem__)
        if not algorithm(instance.rename_ids(names.__getitem__)).agrees_with(before):
            return f"{name} answers otherwise when entities bear other ids"
    return None


def check_repetition(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """Solving twice gives the same solution and the same work, and leaves the instance unchanged."""
    before = instance.canonical_json
    first, again = family.solve(instance), family.solve(instance)
    if first != again:
        return "solve answers or counts otherwise the second time"
    return None if instance.canonical_json == before else "solve changes the instance"


def check_searches(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """Reference and random decisions are feasible, descent improves them to a fixed point, and none beats the optimum."""
    solution, sample, descend = family.solve(instance), family.hardness.sample, family.hardness.descend
    starts: dict[str, Callable[[Any], Any]] = {"reference": family.reference}
    if sample is not None:
        starts["sample"] = lambda instance: sample(instance, stream)
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
            if solution.value is None or family.sense.is_better(before, than=solution.value):
                return f"{name} is worth {before}, the optimum {solution.value}"
            continue
        end = descend(instance, start)
        after = family.check(instance, end).value
        if after is None or solution.value is None:
            return f"the descent from {name} ends at what is infeasible"
        if family.sense.is_better(before, than=after) or family.sense.is_better(after, than=solution.value):
            return f"{name} is worth {before}, the descent from it {after}, the optimum {solution.value}"
        if descend(instance, end) != end:
            return "a second descent goes on where the first one stopped"
    return None


def check_odd_decisions(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """The checker never raises; it refuses unknown ids, repeated ids, and assignments that lack or exceed their entities."""
    solution = family.solve(instance)
    if not solution.feasible:
        return None
    arguments = family.decision.arguments(solution.decision)
    empty = {name: type(value)() for name, value in arguments.items()}
    odd = [("an empty decision", empty, False)]
    for name, value in arguments.items():
        if isinstance(value, Mapping):
            extra = {**value, _UNKNOWN_ID: next(iter(value.values()), _UNKNOWN_ID)}
            odd.append(("an unknown id", {**arguments, name: extra}, True))
            for key in list(value)[:1]:
                fewer = {entity: option for entity, option in value.items() if entity != key}
                odd.append(("an unknown id", {**arguments, name: {**value, key: _UNKNOWN_ID}}, True))
                odd.append((f"an assignment without {key}", {**arguments, name: fewer}, True))
                odd.append((f"{key} assigned to itself", {**arguments, name: {**value, key: key}}, True))
        else:
            odd.append(("an unknown id", {**arguments, name: [*value, _UNKNOWN_ID]}, True))
            odd += [("an id named twice", {**arguments, name: [*value, item]}, True) for item in value[:1]]
            odd += [("a decision that lacks an id", {**arguments, name: value[1:]}, False)]
    for what, changed, must_refuse in odd:
        try:
            verdict = family.check(instance, family.decision.parse(changed))
        except Exception as problem:  # foreign code may raise anything
            return f"the checker raises {type(problem).__name__} for {what}: it must return Verdict.infeasible(...)"
        if verdict.feasible and must_refuse:
            return f"the checker accepts {what}"
        if verdict.feasible and (type(verdict.value) is not int or sum(verdict.parts.values()) != verdict.value):
            return f"the checker values {what} at {verdict.value}, which is not the integer sum of its parts"
    return None


_UNKNOWN_ID = "nothing-0000000000"


def entity_ids(instance: Any) -> list[str]:
    """All entities of an instance, sorted."""
    rosters = (name for name, relation in instance.relations.items() if relation.is_roster)
    return sorted(item for name in rosters for item in getattr(instance, name))


def rename_solution(family: AnyFamily, solution: Solution[Any], rename: Rename) -> Solution[Any]:
    """A solution under other ids."""
    decision = rename_decision(family.decision, solution.decision, rename) if solution.feasible else None
    return Solution(solution.value, decision, solution.optima, solution.work)


def rename_decision(shape: DecisionShape, decision: Decision, rename: Rename) -> Decision:
    """A decision of any shape under other ids."""

    def rename_value(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {rename(key): rename(option) for key, option in value.items()}
        return list(map(rename, value))

    return shape.parse({name: rename_value(value) for name, value in shape.arguments(decision).items()})


TINY_CONTRACTS: dict[str, TinyContract] = {
    "Brute force": brute_force,
    "Round trips": check_roundtrips,
    "Renaming": check_renaming,
    "Repetition": check_repetition,
    "Searches": check_searches,
    "Odd decisions": check_odd_decisions,
}
"""The contracts that are checked on tiny instances, by name."""


def draw_tiny_instance(family: AnyFamily, stream: Stream) -> Any:
    """One of the family's tiny instances; or one of its lowest level, often with equal numbers in a column if it is small."""
    if family.tiny is not None:
        return family.tiny(stream)
    instance: Instance = family.generate(family.levels[min(family.levels)], stream)
    columns = [
        (name, at)
        for name, relation in instance.relations.items()
        for at, column in enumerate(relation.columns)
        if relation.fact and not relation.public and isinstance(column, Int) and instance.rows(name)
    ]
    space = decision_space(family.decision, instance)
    if not columns or space is None or space.count > MAX_DECISIONS or not stream.below(3):
        return instance
    name, at = stream.choice(columns)  # equal numbers make ties likely
    rows = instance.rows(name)
    try:
        return instance.with_rows(**{name: {row: (*row[:at], rows[0][at], *row[at + 1 :]) for row in rows}})
    except InstanceError:
        return instance

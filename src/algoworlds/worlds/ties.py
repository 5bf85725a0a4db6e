"""Planted ties: a number that no optimum uses is moved exactly so far that the best decision through it ties with the optimum.

With the number at the good end of its range, one solve gives that decision and its lead over the optimum. Values are linear in
the number, so a move back by the lead leaves a tie. No decision becomes better than the optimum: every other one through the
number is at least as far behind. A second solve confirms it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_json
from algoworlds.core.completions import NumberRef, number_refs, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families.family import AnyFamily

MIN_OPTIMA, MAX_PLANTED = 2, 4
"""How many optima are planted: the first one and up to three that tie with it."""
MAX_OPTIMA = 8
"""An instance with more optima is not admitted, even if all are known."""

_MAX_TRIES = 30
"""Numbers that are tried for all ties of an instance, each with one or two solves."""


class TiedInstance(NamedTuple):
    """An instance and its known optima, by canonical text."""

    instance: Any
    optima: tuple[Decision, ...]
    wanted: int
    """How many optima were to be planted; `optima` has fewer if too few numbers fit."""


def missing_for_ties(family: AnyFamily) -> str:
    """What a family must declare before its instances can be tied; empty if nothing is missing."""
    purpose = "plant ties"
    missing = family.lacking("conditions", "measured", purpose=purpose)
    return missing or family.lacking("knowledge", "ranges", purpose=purpose)


def plant_ties(family: AnyFamily, instance: Any, ranges: Ranges, stream: Stream) -> TiedInstance:
    """Give `instance` a random number of optima by moving measured numbers inside their ranges."""
    wanted, solution = stream.child("count").integer(MIN_OPTIMA, MAX_PLANTED), family.solve(instance)
    optima = [solution.decision]
    if solution.value is None or not solution.unique:
        return TiedInstance(instance, (), wanted)
    for tries, (ref, good) in enumerate(_movable_numbers(family, instance, solution.decision, ranges, stream)):
        if len(optima) == wanted or tries == _MAX_TRIES:
            break
        tied = _plant_tie(family, instance, ranges, optima, ref, good)
        if tied is not None:
            instance = tied[0]
            optima.append(tied[1])
    ordered = sorted(optima, key=lambda decision: canonical_json(family.decision.arguments(decision)))
    return TiedInstance(instance.without_cache(), tuple(ordered), wanted)


def _movable_numbers(
    family: AnyFamily, instance: Any, optimum: Decision, ranges: Ranges, stream: Stream
) -> Iterator[tuple[NumberRef, int]]:
    """Every measured number that `optimum` does not use, in random order, with the end of its range that is good for values."""
    value, numbers = family.check(instance, optimum).value, list[tuple[NumberRef, int]]()
    for column in family.conditions.measured:
        refs, bounds = number_refs(instance, column, instance.rows(column[0])), ranges.columns[column]
        raised = family.check(with_numbers(instance, {ref: ref.value + 1 for ref in refs}), optimum).value
        assert value is not None
        assert raised is not None
        good = bounds.low if (raised > value) == (family.sense is Sense.MIN) else bounds.high
        numbers += [(ref, good) for ref in refs if ref.value != good] if raised != value else []
    for ref, good in stream.child("numbers").shuffled(numbers):
        if family.check(with_numbers(instance, {ref: good}), optimum).value == value:
            yield ref, good


def _plant_tie(
    family: AnyFamily, instance: Any, ranges: Ranges, optima: list[Decision], ref: NumberRef, good: int
) -> tuple[Any, Decision] | None:
    """The instance with the number `ref` moved towards `good`, and the decision that then ties; None if that cannot be."""
    moved, value = with_numbers(instance, {ref: good}), family.check(instance, optima[0]).value
    if not moved.valid or any(family.check(moved, decision).value != value for decision in optima):
        return None
    rival = family.solve(moved)
    before = family.check(instance, rival.decision).value
    if value is None or rival.value is None or before is None or not family.sense.is_better(rival.value, than=value):
        return None
    change = (rival.value - value) * (good - ref.value)
    back, rest = divmod(change, rival.value - before)
    if rest:
        return None
    tied = with_numbers(instance, {ref: good - back})
    if not tied.valid or any(ranges.violations(tied, within=instance)):
        return None
    again = family.solve(tied)
    if again.value != value or family.check(tied, rival.decision).value != value:
        return None
    return tied, rival.decision

"""Brute force: every decision of a shape over an instance's rosters, and the best of them by the checker alone."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations, product
from math import perm
from typing import Any

from algoworlds.core.decision import Both, Decision, Each, Listed, Shape
from algoworlds.core.work import Solution
from algoworlds.families.family import Family

MOST = 2**16
"""Decisions that brute force looks at before it gives up."""


@dataclass(frozen=True)
class Decisions:
    """All decisions that name entities of the right kinds: how many there are, and a way through them, one at a time."""

    count: int
    each: Callable[[], Iterator[Decision]]


def decisions(shape: Shape, instance: Any) -> Decisions | None:
    """Every decision of a shape, feasible or not; None if the shape does not tell which entities it is about."""
    if isinstance(shape, Each):
        keys, options = _roster(instance, shape.entity), _roster(instance, shape.option)
        if keys is None or options is None:
            return None
        dealt = partial(product, options, repeat=len(keys))
        return Decisions(len(options) ** len(keys), lambda: (dict(zip(sorted(keys), each, strict=True)) for each in dealt()))
    if isinstance(shape, Listed):
        items = _roster(instance, shape.entity)
        return None if items is None else _lists(sorted(items), shape.ordered)
    if isinstance(shape, Both):
        one, other = decisions(shape.first, instance), decisions(shape.second, instance)
        return (
            None
            if one is None or other is None
            else Decisions(one.count * other.count, lambda: product(one.each(), other.each()))
        )
    return None


def best_of(family: Family[Any, Any], instance: Any, every: Iterable[Decision]) -> Solution[Any]:
    """The best of some decisions, as an exact algorithm would answer; the number of optima saturates at two."""
    value, best, optima = None, None, 0
    for decision in every:
        found = family.check(instance, decision).value
        if found is None:
            continue
        if value is None or family.sense.better(found, than=value):
            value, best, optima = found, decision, 1
        elif found == value:
            optima = 2
    return Solution(value, best, optima)


def _roster(instance: Any, name: str) -> tuple[str, ...] | None:
    known = instance.relations.get(name)
    return getattr(instance, name) if known is not None and known.is_roster else None


def _lists(items: list[str], ordered: bool) -> Decisions:
    size = len(items)
    if ordered:
        return Decisions(sum(perm(size, k) for k in range(size + 1)), lambda: _of_every_size(items, permutations))
    return Decisions(2**size, lambda: _of_every_size(items, combinations))


def _of_every_size(items: list[str], pick: Callable[[list[str], int], Iterable[tuple[str, ...]]]) -> Iterator[tuple[str, ...]]:
    return (chosen for size in range(len(items) + 1) for chosen in pick(items, size))

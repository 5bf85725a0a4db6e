"""The contract of ranges: what the question lets an agent rely on holds for what the generator draws, and is no idle word."""

from collections.abc import Iterator
from typing import Any

from algoworlds.core.ranges import Place, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.family import Family
from algoworlds.suites.claims.claim import Unit

INSTANCES = 12
"""Instances that are drawn of a level."""
LEAST_USED = 0.25
"""Of a range's width, what the numbers of these instances must span together: a wider one says too little."""


def ranges_kept(family: Family[Any, Any], level: int, seed: str) -> Iterator[Unit]:
    """Instances of a level lie inside its ranges and keep its promises, and no range is much wider than they need."""
    declared = family.ranges_at(level)
    if declared is None:
        return
    drawn = [family.generate(family.levels[level], Stream(seed, family.name, "ranges", level, at)) for at in range(INSTANCES)]
    place = f"{family.name}-{level}"
    for at, instance in enumerate(drawn):
        yield f"{place} draw {at}", next(declared.broken(instance), None)
    yield f"{place} constancy", None if family.ranges_at(level) == declared else "the ranges change with what is drawn"
    for column, share in used(declared, drawn).items():
        name = ".".join(column)
        yield f"{place} {name}", f"the numbers span only {share:.0%} of the range of {name}" if share < LEAST_USED else None


def used(declared: Ranges, instances: list[Any]) -> dict[Place, float]:
    """Column by column, how much of a range's width the numbers of some instances span."""
    shares = {}
    for place, declared_range in declared.columns.items():
        found = [number for each in instances for number, range_ in declared.numbers(each, place) if range_ is declared_range]
        shares[place] = (max(found) - min(found)) / declared_range.width if declared_range.width else 1.0
    return shares

"""What lies between two configurations: every size between its own two, by the same share."""

from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from algoworlds.core.scale import between

C = TypeVar("C")


def interpolated(lower: C, upper: C, part: Fraction) -> C:
    """The configuration between two, size by size; flags and what else is no size are those of the nearer one."""
    ends = ((getattr(lower, each.name), getattr(upper, each.name)) for each in fields(lower))  # type: ignore[arg-type]
    return type(lower)(*(mixed(low, high, part) for low, high in ends))


def mixed(low: Any, high: Any, part: Fraction) -> Any:
    """What lies between two values: numbers are interpolated, tuples of one length entry by entry."""
    if isinstance(low, tuple) and isinstance(high, tuple) and len(low) == len(high):
        return tuple(mixed(one, other, part) for one, other in zip(low, high, strict=True))
    if type(low) is int and type(high) is int and min(low, high) > 0:
        return between(low, high, part)
    return low if part < Fraction(1, 2) else high

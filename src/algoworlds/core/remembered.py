"""What ids say of a decision, for checkers that are asked about it in many instances which differ in numbers alone."""

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, TypeVar

from algoworlds.core.instance import Instance

D = TypeVar("D", bound=Hashable)
T = TypeVar("T")

_MOST = 64
"""Readings that are kept before all are forgotten."""


def remembered(instance: Instance, read: Callable[[Any, D], T], decision: D, *numbers: str) -> T:
    """What a function makes of a decision, of the ids of an instance and of the numbers of some tables.

    It is read once for all instances that share them.
    """
    known = instance.frame(_readings(read), *numbers)
    if decision not in known:
        if len(known) >= _MOST:
            known.clear()
        known[decision] = read(instance, decision)
    return known[decision]  # type: ignore[no-any-return]


@cache
def _readings(read: Callable[[Any, Any], Any]) -> Callable[[Instance], dict[Any, Any]]:
    """What makes room for all that one function has read."""
    return lambda instance: {}

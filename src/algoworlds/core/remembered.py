"""What ids alone say of a decision, for checkers that are asked about it in many instances which differ in numbers."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from algoworlds.core.instance import Instance

D = TypeVar("D", bound=Hashable)
T = TypeVar("T")

_MOST = 64
"""Readings that are kept before all are forgotten."""


def remembered(instance: Instance, read: Callable[[Any, D], T], decision: D) -> T:
    """What a function makes of a decision and of the ids of an instance; read once for all instances that share them."""
    known = instance.frame(_readings)
    if (read, decision) not in known:
        if len(known) >= _MOST:
            known.clear()
        known[read, decision] = read(instance, decision)
    return known[read, decision]  # type: ignore[no-any-return]


def _readings(instance: Instance) -> dict[tuple[Any, Any], Any]:
    return {}

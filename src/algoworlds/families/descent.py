"""Steepest descent, written once: families only say which decisions are neighbours."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense

Y = TypeVar("Y")


def steepest(check: Callable[[Y], Verdict], sense: Sense, start: Y, neighbours: Callable[[Y], Iterable[Y]]) -> Y:
    """Move to the best feasible neighbour until none is better; ties go to the first."""
    best, value = start, check(start).value
    if value is None:
        raise ValueError("descent starts from a feasible decision")
    while True:
        here = best
        for near in neighbours(here):
            found = check(near).value
            if found is not None and sense.better(found, than=value):
                best, value = near, found
        if best is here:
            return here

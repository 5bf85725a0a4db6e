"""Searches shared by families: depth-first search with memoised dead ends, and steepest descent."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.errors import InstanceError

S = TypeVar("S", bound=Hashable)
C = TypeVar("C")
Y = TypeVar("Y")


def depth_first_search(
    root: S, complete: Callable[[S], bool], branches: Callable[[S], Iterator[tuple[C, S]]], failure: str
) -> list[C]:
    """The choices along the first path from `root` to a complete state; InstanceError(`failure`) if no path exists."""
    dead_ends: set[S] = set()
    choices: list[C] = []
    path = [(root, branches(root))]
    while not complete(path[-1][0]):
        state, untried = path[-1]
        step = next(((choice, after) for choice, after in untried if after not in dead_ends), None)
        if step is not None:
            choices.append(step[0])
            path.append((step[1], branches(step[1])))
            continue
        dead_ends.add(state)
        path.pop()
        if not path:
            raise InstanceError(failure)
        choices.pop()
    return choices


def steepest_descent(check: Callable[[Y], Verdict], sense: Sense, start: Y, neighbours: Callable[[Y], Iterable[Y]]) -> Y:
    """Move to the best feasible neighbour until none is better; ties go to the first."""
    best, best_value = start, check(start).value
    if best_value is None:
        raise ValueError("descent starts from a feasible decision")
    while True:
        here = best
        for neighbour in neighbours(here):
            value = check(neighbour).value
            if value is not None and sense.is_better(value, than=best_value):
                best, best_value = neighbour, value
        if best is here:
            return here

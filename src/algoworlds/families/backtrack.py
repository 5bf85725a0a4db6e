"""Depth-first search, written once: families only say how a partial decision may go on."""

from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from algoworlds.errors import InstanceError

S = TypeVar("S", bound=Hashable)
C = TypeVar("C")


def first_leaf(root: S, complete: Callable[[S], bool], branches: Callable[[S], Iterator[tuple[C, S]]], failure: str) -> list[C]:
    """The choices along the first path to a complete state; dead ends are remembered. InstanceError if there is none."""
    dead: set[S] = set()
    choices: list[C] = []
    path = [(root, branches(root))]
    while not complete(path[-1][0]):
        state, untried = path[-1]
        step = next(((choice, after) for choice, after in untried if after not in dead), None)
        if step is not None:
            choices.append(step[0])
            path.append((step[1], branches(step[1])))
            continue
        dead.add(state)
        path.pop()
        if not path:
            raise InstanceError(failure)
        choices.pop()
    return choices

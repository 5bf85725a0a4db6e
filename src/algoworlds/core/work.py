"""Executed work and solutions: what an exact algorithm returns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

from algoworlds.core.scale import between, share

Y = TypeVar("Y")

BANDS = {1: (2**15, 2**17), 2: (2**19, 2**21), 3: (2**22, 2**24), 4: (2**24, 2**26)}
"""Inclusive bands of executed work that define the four workload levels."""

WARM_UP = (1, 2**13)
"""The band of level 0, which is for trying things out."""


def band(level: float) -> tuple[int, int]:
    """The inclusive band of a level's work; between two levels both ends are interpolated.

    There it is wider by a factor of two at either end: sizes are whole numbers, and one more may mean four times the work.
    """
    below = int(level)
    low, high = BANDS.get(below, WARM_UP)
    if below == level:
        return low, high
    least, most = BANDS[below + 1]
    part = share(level, below, below + 1)
    return max(1, between(low, least, part) // 2), 2 * between(high, most, part)


class Sense(Enum):
    """Whether smaller or larger objective values are better."""

    MIN = "min"
    MAX = "max"

    def better(self, value: int, than: int) -> bool:
        """Whether `value` is strictly better."""
        return value < than if self is Sense.MIN else value > than


class Work(NamedTuple):
    """The five primitive-operation counters of the construction algorithm, with equal weight."""

    state: int = 0
    transition: int = 0
    check: int = 0
    update: int = 0
    reconstruct: int = 0

    @property
    def total(self) -> int:
        """Work(I), the sum of the five counters."""
        return sum(self)


COUNTERS = {
    "state": "a state of the recurrence that is reached: a mask, a frontier, a node with a residue, a load vector",
    "transition": "a way from one state to another, or one option of a state, that is looked at",
    "check": "a condition that is asked: room, residue, compatibility, a bound, a value against the stored one",
    "update": "a stored value that is set or improved",
    "reconstruct": "a part of the optimal decision that is read off at the end",
}
"""What each counter counts; a family's counting contract says in which order and exactly when."""


@dataclass(frozen=True)
class Solution(Generic[Y]):
    """An exact algorithm's answer: an optimal decision and its value, or proof that there is none."""

    value: int | None
    decision: Y | None
    optima: int
    """How many decisions attain the value: 0 (infeasible), 1, or 2 for several."""
    work: Work = field(default_factory=Work)

    @classmethod
    def of(cls, value: Any, decision: Y, optima: Any, counts: Iterable[Any] = ()) -> "Solution[Y]":
        """A kernel's answer in Python's integers; where it found no optimum there is neither value nor decision."""
        return cls(int(value), decision, int(optima), Work(*map(int, counts))) if optima else cls.infeasible(counts)

    @classmethod
    def infeasible(cls, counts: Iterable[Any] = ()) -> "Solution[Y]":
        """The answer that no decision satisfies the constraints."""
        return cls(None, None, 0, Work(*map(int, counts)))

    @property
    def feasible(self) -> bool:
        """Whether any decision satisfies the constraints."""
        return self.value is not None

    @property
    def unique(self) -> bool:
        """Whether exactly one decision attains the optimum."""
        return self.optima == 1

    def agrees(self, other: "Solution[Y]") -> bool:
        """Same value and the same number of optima, and the same decision where it is unique."""
        same = (self.value, self.optima) == (other.value, other.optima)
        return same and (not self.unique or self.decision == other.decision)

"""Executed work, the work bands of levels, and solutions: what an exact algorithm returns."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar

STEPS_PER_LEVEL = 100
"""Difficulty steps between two levels; sizes are whole numbers, so finer steps would hardly differ."""


def level_fraction(difficulty: float, lower: int, upper: int) -> Fraction:
    """The position of a difficulty between levels `lower` and `upper`, from 0 to 1."""
    return (Fraction(round(difficulty * STEPS_PER_LEVEL), STEPS_PER_LEVEL) - lower) / (upper - lower)


def interpolate_geometric(low: int, high: int, part: Fraction) -> int:
    """low^(1 - part) * high^part, rounded to the nearest integer; `low` and `high` are positive."""
    if low > high:
        return interpolate_geometric(high, low, 1 - part)
    p, q = part.as_integer_ratio()
    power = 2**q * low ** (q - p) * high**p  # exact: n is nearest between (n - 1/2)^q and (n + 1/2)^q
    return range(low, high + 1)[bisect_right(range(low, high), power, key=lambda n: (2 * n + 1) ** q)]


class Bits(float):
    """A difficulty that is stated by the work itself: log2 Work, in tenths of a bit."""

    @classmethod
    def from_tenths(cls, tenths: int) -> "Bits":
        """The difficulty of 2^(tenths / 10) operations."""
        return cls(tenths / 10)

    @property
    def tenths(self) -> int:
        """The difficulty in tenths of a bit."""
        return round(10 * self)

    def __str__(self) -> str:
        return f"b{self.tenths // 10}.{self.tenths % 10}"


Y = TypeVar("Y")

WORK_BANDS = {1: (2**15, 2**17), 2: (2**19, 2**21), 3: (2**22, 2**24), 4: (2**24, 2**26)}
"""Inclusive bands of executed work that define the four workload levels."""

WARM_UP_BAND = (1, 2**13)
"""The band of level 0, the warm-up."""


BAND_OF_BITS = Fraction(1, 4)
"""How many bits an instance may lie from the bits that its coordinate states."""


def power_of_two(exponent: Fraction) -> int:
    """2^exponent, rounded down."""
    p, q = exponent.as_integer_ratio()
    return bisect_right(range(2 << p // q), 1 << p, key=lambda n: n**q) - 1


def work_band(level: float) -> tuple[int, int]:
    """The inclusive band of a level's work; between two levels both ends are interpolated.

    There it is a factor of two wider at either end: sizes are whole numbers, and one more may mean four times the work.
    """
    if isinstance(level, Bits):
        bits = Fraction(level.tenths, 10)
        return power_of_two(bits - BAND_OF_BITS) + 1, power_of_two(bits + BAND_OF_BITS)
    below = int(level)
    low, high = WORK_BANDS.get(below, WARM_UP_BAND)
    if below == level:
        return low, high
    next_low, next_high = WORK_BANDS[below + 1]
    part = level_fraction(level, below, below + 1)
    return max(1, interpolate_geometric(low, next_low, part) // 2), 2 * interpolate_geometric(high, next_high, part)


class Sense(Enum):
    """Whether smaller or larger objective values are better."""

    MIN = "min"
    MAX = "max"

    def is_better(self, value: int, than: int) -> bool:
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


COUNTER_MEANINGS = {
    "state": "a state of the recurrence that is reached: a mask, a frontier, a node with a residue, a load vector",
    "transition": "a way from one state to another, or one option of a state, that is looked at",
    "check": "a condition that is asked: room, residue, compatibility, a bound, a value against the stored one",
    "update": "a stored value that is set or improved",
    "reconstruct": "a part of the optimal decision that is read off at the end",
}
"""What each counter counts; a family's counting contract says exactly when."""


@dataclass(frozen=True)
class Solution(Generic[Y]):
    """The result of an exact algorithm: an optimal decision and its value, or proof of infeasibility."""

    value: int | None
    decision: Y | None
    optima: int
    """How many decisions attain the value. Construction marks several as 2, verification counts them up to MAX_COUNTED."""
    work: Work = field(default_factory=Work)

    @classmethod
    def from_kernel(cls, value: Any, decision: Y, optima: Any, counts: Iterable[Any] = ()) -> "Solution[Y]":
        """The result of a kernel in Python integers; infeasible if `optima` is 0."""
        return cls(int(value), decision, int(optima), Work(*map(int, counts))) if optima else cls.infeasible(counts)

    @classmethod
    def infeasible(cls, counts: Iterable[Any] = ()) -> "Solution[Y]":
        """The result that no decision satisfies the constraints."""
        return cls(None, None, 0, Work(*map(int, counts)))

    @property
    def feasible(self) -> bool:
        """Whether any decision satisfies the constraints."""
        return self.value is not None

    @property
    def unique(self) -> bool:
        """Whether exactly one decision attains the optimum."""
        return self.optima == 1

    def agrees_with(self, other: "Solution[Y]") -> bool:
        """Whether values are equal, and both have one optimum, the same, or both several."""
        same = (self.value, min(self.optima, 2)) == (other.value, min(other.optima, 2))
        return same and (not self.unique or self.decision == other.decision)

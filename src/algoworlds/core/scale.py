"""Difficulty between levels: a real number in hundredths, and whole numbers that grow with it by equal factors.

Work grows by factors from level to level, and sizes grow so that it does; between two levels both are interpolated in
logarithms. The arithmetic is exact, for a power of floats may be another number on another machine.
"""

from bisect import bisect_right
from fractions import Fraction

STEPS = 100
"""How many difficulties a level is apart from the next: sizes are whole numbers and hardly tell any that are closer."""


def share(difficulty: float, lower: int, upper: int) -> Fraction:
    """How far a difficulty has come from one level to another, from 0 to 1."""
    return (Fraction(round(difficulty * STEPS), STEPS) - lower) / (upper - lower)


def between(low: int, high: int, part: Fraction) -> int:
    """low^(1 - part) * high^part to the nearest whole number: `low` at 0, `high` at 1; both are positive."""
    if low > high:
        return between(high, low, 1 - part)
    p, q = part.as_integer_ratio()
    power = 2**q * low ** (q - p) * high**p  # n is nearest from (n - 1/2)^q on to (n + 1/2)^q
    return range(low, high + 1)[bisect_right(range(low, high), power, key=lambda n: (2 * n + 1) ** q)]

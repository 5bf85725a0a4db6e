"""A straight line through some points: how one kind of number is guessed from another."""

from collections.abc import Sequence


def line(known: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The wanted numbers as the least-squares line says them from the known ones, rounded down."""
    n, mx, my = len(known), sum(known), sum(wanted)
    spread = sum((n * x - mx) ** 2 for x in known)
    slope = sum((n * x - mx) * (n * y - my) for x, y in zip(known, wanted, strict=True))
    return [(my + (slope * (n * x - mx) // spread if spread else 0)) // n for x in known]

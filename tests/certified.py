"""Admitted instances of the development split. They are immutable, so a test process admits each of them once."""

from functools import cache

from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit


@cache
def certified_instance(name: str, level: int = 0, index: int = 1) -> AdmittedInstance:
    """Return the admitted instance at a coordinate of family `name`."""
    return admit(Coordinate(name, level, index))

"""Admission: from a coordinate to its hidden instance, certified.

A coordinate's instance is its first attempt (0, 1, 2, ...; part of the random key) whose optimum both exact algorithms
confirm as unique, whose work lies in its level's band, whose reference decision is not optimal, and whose optimum no
solver finds that is blind to one kind of information. The rules are the same for every family.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algoworlds.core.canonical import LIMIT
from algoworlds.core.instance import Instance
from algoworlds.core.stream import Stream
from algoworlds.core.work import BANDS, Solution
from algoworlds.errors import AdmissionError, AlgoWorldsError, InputError
from algoworlds.families import family as family_named
from algoworlds.families.family import Family
from algoworlds.worlds.labels import label, relabelled

DEFAULT_SEED = "algoworlds-1"
"""The suite seed of the default suite."""

_ATTEMPTS = 200
_WARM_UP = (1, 2**13)


@dataclass(frozen=True)
class Coordinate:
    """Where an instance stands: suite seed, family, workload level and index (from 1)."""

    family: str
    level: int
    index: int
    seed: str = DEFAULT_SEED

    def __post_init__(self) -> None:
        levels = family_named(self.family).levels
        if self.level not in levels:
            raise InputError(f"there is no level {self.level}; choose one of {', '.join(map(str, levels))}")
        if self.index < 1:
            raise InputError(f"the index counts from 1, so {self.index} is none")

    @property
    def stream(self) -> Stream:
        """The root of all randomness of this coordinate."""
        return Stream(self.seed, self.family, self.level, self.index)

    @property
    def name(self) -> str:
        """The instance's name; a world's id adds the interface. Outside the default suite it bears the suite's tag."""
        tag = "" if self.seed == DEFAULT_SEED else label("", Stream(self.seed, "tag").word())
        return f"{self.family}-{self.level}-{self.index}{tag}"


@dataclass(frozen=True)
class Admitted:
    """A hidden instance with its certificate: verified optimum, work and reference decision."""

    coordinate: Coordinate
    attempt: int
    instance: Any
    solution: Solution[Any]
    reference: Any
    reference_value: int

    @property
    def family(self) -> Family[Any, Any]:
        """The family it belongs to."""
        return family_named(self.coordinate.family)

    @property
    def optimum(self) -> int:
        """The verified optimal value."""
        assert self.solution.value is not None
        return self.solution.value

    @property
    def reference_gap(self) -> int:
        """The reference decision's distance from the optimum: the scale of reference utility."""
        return abs(self.reference_value - self.optimum)


def instance_at(coordinate: Coordinate, attempt: int) -> Any:
    """The instance that one attempt at a coordinate draws, under its opaque ids."""
    family = family_named(coordinate.family)
    stream = coordinate.stream.child("attempt", attempt)
    return relabelled(family, family.generate(family.levels[coordinate.level], stream), stream.child("ids"))


def admit(coordinate: Coordinate) -> Admitted:
    """The first attempt at a coordinate that satisfies every rule."""
    family = family_named(coordinate.family)
    refusals = []
    for attempt in range(_ATTEMPTS):
        instance = instance_at(coordinate, attempt)
        solution = family.solve(instance)
        refusal = next(reasons(family, coordinate.level, instance, solution), None)
        if refusal is None:
            reference = family.reference(instance)
            value = family.check(instance, reference).value
            assert value is not None
            return Admitted(coordinate, attempt, instance, solution, reference, value)
        refusals.append(refusal)
    raise AdmissionError(f"{coordinate.name}: none of {_ATTEMPTS} attempts was admitted; the last: {refusals[-1]}")


def reasons(family: Family[Any, Any], level: int, instance: Instance, solution: Solution[Any]) -> Iterator[str]:
    """Every rule that an instance breaks, cheap ones first."""
    low, high = BANDS.get(level, _WARM_UP)
    if instance.magnitude() >= LIMIT:
        yield "the coefficients sum to 2^53 or more"
    if not solution.unique:
        yield "the optimum is not unique"
        return
    if not low <= solution.work.total <= high:
        yield f"the work of {solution.work.total:,} lies outside {low:,} .. {high:,}"
    if family.check(instance, family.reference(instance)).value == solution.value:
        yield "the reference decision is optimal"
    for name, erase in family.blind.items():
        if _blind_decision(family, erase(instance)) == solution.decision:
            yield f"a solver blind to {name} finds the optimum"
    if not solution.agrees(family.verify(instance)):
        raise AlgoWorldsError(f"{family.name}: the two exact algorithms disagree on {instance!r}")


def _blind_decision(family: Family[Any, Any], instance: Instance) -> Any:
    return family.solve(instance).decision

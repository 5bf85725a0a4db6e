"""What a measure is: one value from which recording, reading, printing and explaining it all follow."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from algoworlds.core.canonical import JSON_INTEGER_LIMIT, JsonObject
from algoworlds.core.decision import Verdict
from algoworlds.measures.key import AnswerKey, Discovery
from algoworlds.worlds.episode import Episode


class Domain(Protocol):
    """A set of JSON values; no domain of numbers contains booleans."""

    def fault(self, value: Any) -> str | None:
        """What is wrong with `value`, as in "is not an integer"; None if it is in the domain."""


@dataclass(frozen=True)
class Integer:
    """Integers within bounds."""

    minimum: int = 0
    maximum: int = JSON_INTEGER_LIMIT - 1

    def fault(self, value: Any) -> str | None:
        """Not an integer, or out of bounds."""
        if type(value) is not int:
            return "is not an integer"
        return None if self.minimum <= value <= self.maximum else f"is not in {self.minimum}..{self.maximum}"


SIGNED_INTEGER = Integer(1 - JSON_INTEGER_LIMIT)
"""Integers of either sign."""
YES_OR_NO = Integer(0, 1)
"""1 for yes, 0 for no."""


@dataclass(frozen=True)
class Number:
    """Finite numbers from `minimum` to `maximum`."""

    maximum: float = math.inf
    minimum: float = 0.0

    def fault(self, value: Any) -> str | None:
        """Not a finite number, or out of bounds."""
        is_finite = abs(value) < JSON_INTEGER_LIMIT if type(value) is int else type(value) is float and math.isfinite(value)
        if not is_finite:  # a larger integer may be beyond every float
            return "is not a finite number"
        return None if self.minimum <= value <= self.maximum else f"is not in {self.minimum:g}..{self.maximum:g}"


@dataclass(frozen=True)
class OneOf:
    """One of the words in `options`."""

    options: tuple[str, ...]

    def fault(self, value: Any) -> str | None:
        """Not one of the words."""
        if not isinstance(value, str):
            return "is not text"
        return None if value in self.options else f"is not one of {', '.join(self.options)}"


@dataclass(frozen=True)
class Text:
    """Any text, including the empty one."""

    def fault(self, value: Any) -> str | None:
        """Not text."""
        return None if isinstance(value, str) else "is not text"


@dataclass(frozen=True)
class Object:
    """Objects whose values have one of the types in `value_types`."""

    value_types: tuple[type, ...]

    def fault(self, value: Any) -> str | None:
        """Not an object, or one with values of other types."""
        fits = isinstance(value, dict) and all(type(item) in self.value_types for item in value.values())
        return None if fits else f"is not an object of {' or '.join(kind.__name__ for kind in self.value_types)}"


@dataclass(frozen=True)
class NamedIntegers:
    """Objects whose values are integers of either sign."""

    def fault(self, value: Any) -> str | None:
        """Not an object, or one with values that are not integers or out of bounds."""
        fits = isinstance(value, dict) and all(SIGNED_INTEGER.fault(item) is None for item in value.values())
        return None if fits else "is not an object of integers below 2^53"


@dataclass(frozen=True)
class Points:
    """Lists of pairs of an integer and a number."""

    def fault(self, value: Any) -> str | None:
        """Not a list of points."""
        lists = isinstance(value, list) and all(isinstance(point, list) for point in value)
        fits = lists and all([type(part) for part in point] in ([int, float], [int, int]) for point in value)
        return None if fits else "is not a list of points"


@dataclass(frozen=True)
class Evidence:
    """What an evaluation is measured by: its episode, the answer key of its world, and the calls that were not executed."""

    episode: Episode
    key: AnswerKey
    ignored: int = 0
    """Calls beyond the first of a turn: rejected, and never passed to the episode."""

    @cached_property
    def verdict(self) -> Verdict:
        """The checker's verdict on the submitted decision."""
        return self.episode.verdict

    @cached_property
    def discovery(self) -> Discovery:
        """How information accumulated along the trajectory."""
        return Discovery(self.episode, self.key.sufficient_sets)

    def decision_arguments(self, decision: Any) -> JsonObject | None:
        """`decision` as its arguments object; None for None."""
        return None if decision is None else self.episode.world.family.decision.arguments(decision)


E = TypeVar("E", bound=Evidence)


@dataclass(frozen=True)
class Measure(Generic[E]):
    """One measure or diagnostic of one evaluation, computed from evidence of type E."""

    name: str
    """The field of a record."""
    title: str
    unit: str
    meaning: str
    caution: str
    """What it does not mean."""
    domain: Domain
    compute: Callable[[E], Any]
    optional: bool = False
    """Whether it can be undefined; a record then holds null."""

    def __repr__(self) -> str:
        return f"<Measure {self.name}, {self.unit}>"

    def fault(self, value: Any) -> str | None:
        """What is wrong with a recorded `value`; None if it is valid."""
        return None if self.optional and value is None else self.domain.fault(value)

"""What a field of a record may hold. A domain says what is wrong with a value, so that whoever reads records need not."""

import math
from dataclasses import dataclass
from typing import Any, Protocol

from algoworlds.core.canonical import LIMIT


class Domain(Protocol):
    """A set of JSON values; booleans are no numbers in any."""

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, as in "it is no integer"; None if it belongs here."""


@dataclass(frozen=True)
class Whole:
    """Integers within bounds."""

    least: int = 0
    largest: int = LIMIT - 1

    def fault(self, value: Any) -> str | None:
        """No integer, or out of bounds."""
        if type(value) is not int:
            return "is no integer"
        return None if self.least <= value <= self.largest else f"is not in {self.least}..{self.largest}"


SIGNED = Whole(1 - LIMIT)
"""Integers of either sign."""
YES_OR_NO = Whole(0, 1)
"""1 for yes, 0 for no."""


@dataclass(frozen=True)
class Number:
    """Finite numbers from the least to the largest."""

    largest: float = math.inf
    least: float = 0.0

    def fault(self, value: Any) -> str | None:
        """No finite number, or out of bounds."""
        if type(value) not in (int, float) or not math.isfinite(value):
            return "is no finite number"
        return None if self.least <= value <= self.largest else f"is not in {self.least:g}..{self.largest:g}"


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    known: tuple[str, ...]

    def fault(self, value: Any) -> str | None:
        """None of the words."""
        if not isinstance(value, str):
            return "is no text"
        return None if value in self.known else f"is none of {', '.join(self.known)}"


@dataclass(frozen=True)
class Prose:
    """Any text, be it empty."""

    def fault(self, value: Any) -> str | None:
        """No text."""
        return None if isinstance(value, str) else "is no text"


@dataclass(frozen=True)
class Object:
    """Objects whose values are of some types."""

    kinds: tuple[type, ...]

    def fault(self, value: Any) -> str | None:
        """No object, or one with other values."""
        fits = isinstance(value, dict) and all(type(each) in self.kinds for each in value.values())
        return None if fits else f"is no object of {' or '.join(kind.__name__ for kind in self.kinds)}"


@dataclass(frozen=True)
class Points:
    """Lists of pairs of an integer and a number."""

    def fault(self, value: Any) -> str | None:
        """No list of points."""
        pairs = isinstance(value, list) and all(isinstance(each, list) for each in value)
        fits = pairs and all([type(part) for part in each] in ([int, float], [int, int]) for each in value)
        return None if fits else "is no list of points"

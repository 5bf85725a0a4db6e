"""A curriculum: difficulty that follows the learner, family by family, so that it succeeds as often as it should.

After every play the difficulty of its family moves by gain * (success - target): up after a success, down after a failure, and
nowhere on average where the learner succeeds as often as the target says (Robbins and Monro, 1951). The gain shrinks with the
plays of the family, but never to nothing, for a learner goes on learning. Whole numbers of millionths keep it exact: what it
says depends on its history alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.core.scale import STEPS
from algoworlds.errors import InputError, shown
from algoworlds.families import family as family_named

_UNIT = 10**6
FORMAT = 1
FIRST, LAST, SOON = Fraction(1, 2), Fraction(1, 20), 10
"""The gain of the first play, the least there is, and the plays after which half of the first is left."""


class Rung(NamedTuple):
    """Where a family stands: its difficulty in millionths, and how many plays have moved it."""

    at: int
    plays: int = 0


@dataclass(frozen=True)
class Curriculum:
    """Difficulties that hold a target success rate. `after` gives the next one; this one stays as it is."""

    target: Fraction
    rungs: Mapping[str, Rung]
    least: float = 0
    most: float = 4

    @classmethod
    def of(
        cls, families: Iterable[str], target: float = 0.5, difficulty: float = 0, least: float = 0, most: float = 4
    ) -> "Curriculum":
        """A curriculum that begins at one difficulty for all families and stays between two."""
        if not 0 < target < 1:
            raise InputError(f"a target is a success rate between 0 and 1, so {shown(target)} is none")
        if not least <= difficulty <= most:
            raise InputError(f"the first difficulty, {shown(difficulty)}, does not lie from {shown(least)} to {shown(most)}")
        names = [family_named(name).name for name in families]
        return cls(Fraction(str(target)), dict.fromkeys(names, Rung(round(difficulty * _UNIT))), least, most)

    @property
    def difficulty(self) -> dict[str, float]:
        """The difficulty of every family, as streams take it."""
        return {name: round(rung.at * STEPS / _UNIT) / STEPS for name, rung in self.rungs.items()}

    def after(self, family: str, success: float) -> "Curriculum":
        """The curriculum after a play: 1 for a success and 0 for a failure, or anything between."""
        if family not in self.rungs:
            raise InputError(f"the curriculum has no family {shown(family)}; it has {', '.join(self.rungs)}")
        if not 0 <= success <= 1:
            raise InputError(f"a success lies from 0 to 1, so {shown(success)} is none")
        at, plays = self.rungs[family]
        gain = max(LAST, FIRST * SOON / (SOON + plays))
        moved = at + round(_UNIT * gain * (Fraction(success) - self.target))
        kept = min(max(moved, round(self.least * _UNIT)), round(self.most * _UNIT))
        return replace(self, rungs={**self.rungs, family: Rung(kept, plays + 1)})

    @property
    def json(self) -> dict[str, Any]:
        """The curriculum as a document from which it goes on."""
        rungs = {name: list(rung) for name, rung in self.rungs.items()}
        return {"format": FORMAT, "target": str(self.target), "least": self.least, "most": self.most, "rungs": rungs}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Curriculum":
        """The curriculum that a document describes."""
        try:
            if document["format"] != FORMAT:
                raise ValueError
            rungs = {name: Rung(*map(int, rung)) for name, rung in document["rungs"].items()}
            return cls(Fraction(document["target"]), rungs, document["least"], document["most"])
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise InputError("this is no curriculum as `json` gives it: begin a new one, or restore the file") from None

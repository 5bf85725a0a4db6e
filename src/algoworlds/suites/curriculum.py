"""A curriculum: difficulty that follows the learner, per family, so that it holds a target success rate.

Stochastic approximation (Robbins and Monro, 1951): after every play the difficulty of its family moves by
gain * (success - target), which is zero on average where the success rate equals the target. The gain shrinks with the plays
of the family down to a positive minimum, because a learner keeps learning. Difficulties are integers in millionths, so the
state depends exactly on the history.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.core.work import STEPS_PER_LEVEL
from algoworlds.errors import InputError, format_value
from algoworlds.families import load_family

_UNIT = 10**6
CURRICULUM_FORMAT = 1
FIRST_GAIN, MIN_GAIN, HALVING_PLAYS = Fraction(1, 2), Fraction(1, 20), 10
"""The gain after n plays is FIRST_GAIN * HALVING_PLAYS / (HALVING_PLAYS + n), but at least MIN_GAIN."""


class Rung(NamedTuple):
    """The state of a family: its difficulty in millionths, and how many plays have moved it."""

    difficulty: int
    plays: int = 0


@dataclass(frozen=True)
class Curriculum:
    """Difficulties that hold a `target` success rate. Immutable: `after` returns the next curriculum."""

    target: Fraction
    rungs: Mapping[str, Rung]
    least: float = 0
    most: float = 4

    def __repr__(self) -> str:
        return f"<Curriculum for {len(self.rungs)} families, target {self.target}>"

    @classmethod
    def from_families(
        cls, families: Iterable[str], target: float = 0.5, difficulty: float = 0, least: float = 0, most: float = 4
    ) -> "Curriculum":
        """A curriculum that starts all families at `difficulty` and stays between `least` and `most`."""
        if not 0 < target < 1:
            raise InputError(f"a target success rate must lie between 0 and 1, not be {format_value(target)}")
        if not least <= difficulty <= most:
            bounds = f"from {format_value(least)} to {format_value(most)}"
            raise InputError(f"the first difficulty, {format_value(difficulty)}, does not lie {bounds}")
        names = [load_family(name).name for name in families]
        return cls(Fraction(str(target)), dict.fromkeys(names, Rung(round(difficulty * _UNIT))), least, most)

    @property
    def difficulty(self) -> dict[str, float]:
        """The difficulty of every family, as an argument for streams."""
        return {name: round(rung.difficulty * STEPS_PER_LEVEL / _UNIT) / STEPS_PER_LEVEL for name, rung in self.rungs.items()}

    def after(self, family: str, success: float) -> "Curriculum":
        """The curriculum after a play of `family`; `success` is 1, 0 or anything between."""
        if family not in self.rungs:
            raise InputError(f"the curriculum has no family {format_value(family)}; it has {', '.join(self.rungs)}")
        if not 0 <= success <= 1:
            raise InputError(f"a success must lie from 0 to 1, not be {format_value(success)}")
        difficulty, plays = self.rungs[family]
        gain = max(MIN_GAIN, FIRST_GAIN * HALVING_PLAYS / (HALVING_PLAYS + plays))
        moved = difficulty + round(_UNIT * gain * (Fraction(success) - self.target))
        clipped = min(max(moved, round(self.least * _UNIT)), round(self.most * _UNIT))
        return replace(self, rungs={**self.rungs, family: Rung(clipped, plays + 1)})

    @property
    def json(self) -> JsonObject:
        """The curriculum as a document, to continue from."""
        rungs = {name: list(rung) for name, rung in self.rungs.items()}
        return {"format": CURRICULUM_FORMAT, "target": str(self.target), "least": self.least, "most": self.most, "rungs": rungs}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Curriculum":
        """The curriculum that `document`, as given by `json`, describes."""
        try:
            if document["format"] != CURRICULUM_FORMAT:
                raise ValueError
            rungs = {name: Rung(*map(int, rung)) for name, rung in document["rungs"].items()}
            return cls(Fraction(document["target"]), rungs, document["least"], document["most"])
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise InputError("this is not a curriculum as `json` gives it: start a new one, or restore the file") from None

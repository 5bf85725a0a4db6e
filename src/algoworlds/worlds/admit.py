"""Admission: from a coordinate to its hidden instance, certified.

A coordinate's instance is its first attempt (0, 1, 2, ...; part of the random key) whose optimum is unique, whose work lies in
its level's band, whose reference decision is not optimal, and whose optimum no solver finds that is blind to one kind of
information. From level 1 on it is given away neither by units that the family's tables show nor to a solver that puts typical
values in place of a column; the warm-up is too small to ask that of it. The rules are the same for every family. Each attempt
is drawn, solved, held to the rules and, if it breaks none, certified: the verification algorithm must confirm what the
construction algorithm found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from algoworlds.collector import uncollected
from algoworlds.core.canonical import LIMIT
from algoworlds.core.scale import STEPS
from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution, band
from algoworlds.errors import AdmissionError, AlgoWorldsError, InputError, quoted, shown
from algoworlds.families import family as family_named
from algoworlds.families.family import Family
from algoworlds.hardness.giveaway import Giveaway
from algoworlds.hardness.impute import imputed
from algoworlds.worlds.labels import label, relabelled

DEFAULT_SEED = "algoworlds-1"
"""The suite seed of the default suite, the development split: public, as everything that follows from it is."""

SPLITS = ("train", "test")
"""What endless streams of worlds are for; their worlds are those of no suite."""

_ATTEMPTS = 200


@dataclass(frozen=True)
class Coordinate:
    """Where an instance stands: suite seed, family, workload level and index (from 1).

    A private suite has a second secret, the pepper. It enters at the root of all randomness and not at the ids alone: a public
    number of the question, an attempt in the manifest or a value in a response would otherwise confirm a guess at the seed.

    What is made for training, or for testing what was trained, bears the name of its split, which belongs to no suite; it may
    also stand between two levels, so many hundredths beyond the lower one.
    """

    family: str
    level: int
    index: int
    seed: str = DEFAULT_SEED
    pepper: str = ""
    split: str = ""
    beyond: int = 0

    @classmethod
    def at(cls, family: str, difficulty: float, index: int, seed: str, split: str) -> "Coordinate":
        """A place in a split, by the difficulty to the nearest hundredth."""
        if type(difficulty) not in (int, float) or not isfinite(difficulty):
            raise InputError(f"a difficulty is a number, as in 0.5 or 2, so {shown(difficulty)} is none")
        level, beyond = divmod(round(difficulty * STEPS), STEPS)
        return cls(family, level, index, seed, split=split, beyond=beyond)

    def __post_init__(self) -> None:
        levels = family_named(self.family).levels
        whole = self.level in levels and 0 <= self.beyond < STEPS
        if not whole or (self.beyond and self.level == max(levels)):
            raise InputError(f"there is no level {self.difficulty}; choose one of {', '.join(map(str, levels))}")
        if self.index < 1:
            raise InputError(f"the index counts from 1, so {self.index} is none")
        if not isinstance(self.seed, str):  # what tells suites from splits is that a seed is a text
            raise InputError(f"a seed is a text, so {shown(self.seed)} is none")
        if self.split not in ("", *SPLITS):
            raise InputError(f"there is no split {quoted(self.split)}; choose one of {', '.join(SPLITS)}")

    @property
    def _suite(self) -> Stream:
        """What all coordinates of a suite draw from: the seed, and the pepper if there is one.

        Those of a split draw from a domain of their own: no path of a suite begins with a number, for a seed is a text. So no
        split shares a key with another one, nor with any suite, whatever its seed.
        """
        if self.split:
            return Stream(SPLITS.index(self.split), self.split, self.seed, self.pepper)
        return Stream(self.seed, "pepper", self.pepper) if self.pepper else Stream(self.seed)

    @property
    def difficulty(self) -> float:
        """The level, and what is beyond it."""
        return (STEPS * self.level + self.beyond) / STEPS if self.beyond else self.level

    @property
    def stream(self) -> Stream:
        """The root of all randomness of this coordinate."""
        return self._suite.child(self.family, str(self.difficulty) if self.beyond else self.level, self.index)

    @property
    def name(self) -> str:
        """The instance's name; a world's id adds the interface. Outside the development split it bears the suite's tag."""
        public = self.seed == DEFAULT_SEED and not self.pepper and not self.split
        tag = "" if public else label(f"-{self.split}" if self.split else "", self._suite.child("tag").word())
        return f"{self.family}-{self.difficulty}-{self.index}{tag}"


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


@dataclass(frozen=True, eq=False)
class Candidate:
    """One attempt at a coordinate: an instance that the construction algorithm has solved and nobody has confirmed."""

    coordinate: Coordinate
    attempt: int

    @property
    def family(self) -> Family[Any, Any]:
        """The family it belongs to."""
        return family_named(self.coordinate.family)

    @property
    def judged(self) -> bool:
        """Whether it is held to what gives an optimum away: from level 1 on."""
        return self.coordinate.level >= 1

    @cached_property
    def instance(self) -> Any:
        """The instance that the attempt draws."""
        return instance_at(self.coordinate, self.attempt)

    @cached_property
    def solution(self) -> Solution[Any]:
        """The construction algorithm's word on it."""
        return self.family.solve(self.instance)

    @cached_property
    def giveaway(self) -> Giveaway:
        """What tells whether alterations of the instance give its optimum away."""
        self.family.check(self.instance, self.solution.decision)  # what its ids say is then read once for all of them
        return Giveaway(self.family, self.solution.decision)

    @cached_property
    def reference(self) -> Any:
        """The myopic decision."""
        return self.family.reference(self.instance)

    @cached_property
    def reference_value(self) -> int:
        """The value of the myopic decision, which is feasible by definition."""
        value = self.family.check(self.instance, self.reference).value
        assert value is not None
        return value


def instance_at(coordinate: Coordinate, attempt: int) -> Any:
    """The instance that one attempt at a coordinate draws, under its opaque ids."""
    family = family_named(coordinate.family)
    stream = coordinate.stream.child("attempt", attempt)
    return relabelled(family, family.generate(family.config(coordinate.difficulty), stream), stream.child("ids"))


@uncollected()
def admit(coordinate: Coordinate) -> Admitted:
    """The first attempt at a coordinate that breaks no rule, certified."""
    refused = None
    for attempt in range(_ATTEMPTS):
        candidate = Candidate(coordinate, attempt)
        refused = refusal(candidate)
        if refused is None:
            return certify(candidate)
    raise AdmissionError(f"{coordinate.name}: none of {_ATTEMPTS} attempts was admitted; the last: {refused}")


def certify(candidate: Candidate) -> Admitted:
    """The certificate of a candidate: both exact algorithms find the same optimum, and both find it unique."""
    solution = candidate.solution
    if not solution.unique or not solution.agrees(candidate.family.verify(candidate.instance)):
        raise AlgoWorldsError(f"{candidate.family.name}: the two exact algorithms disagree on {candidate.instance!r}")
    return Admitted(
        coordinate=candidate.coordinate,
        attempt=candidate.attempt,
        instance=candidate.instance.uncached(),
        solution=solution,
        reference=candidate.reference,
        reference_value=candidate.reference_value,
    )


def refusal(candidate: Candidate) -> str | None:
    """The first rule that a candidate breaks; None if it breaks none."""
    return next((broken for rule in _RULES if (broken := rule(candidate)) is not None), None)


def _too_large(candidate: Candidate) -> str | None:
    return "the coefficients sum to 2^53 or more" if candidate.instance.magnitude() >= LIMIT else None


def _ambiguous(candidate: Candidate) -> str | None:
    return None if candidate.solution.unique else "the optimum is not unique"


def _out_of_band(candidate: Candidate) -> str | None:
    low, high = band(candidate.coordinate.difficulty)
    work = candidate.solution.work.total
    return None if low <= work <= high else f"the work of {work:,} lies outside {low:,} .. {high:,}"


def _myopic(candidate: Candidate) -> str | None:
    return "the reference decision is optimal" if candidate.reference_value == candidate.solution.value else None


def _visible(candidate: Candidate) -> str | None:
    """A unit that the family's tables show, such as an open set filled greedily, each tried as it stands."""
    hand, optimum = candidate.family.hardness.hand, candidate.solution.decision
    found = hand is not None and candidate.judged and hand(candidate.instance).shows(optimum)
    return "a unit that its tables show is the optimum" if found else None


def _blind(candidate: Candidate) -> str | None:
    """What a solver that is blind to one channel finds; what a family erases leaves an instance."""
    altered = ((name, erase(candidate.instance)) for name, erase in candidate.family.hardness.blind.items())
    found = next((name for name, each in altered if candidate.giveaway.given_by(each, sound=True)), None)
    return None if found is None else f"a solver blind to {found} finds the optimum"


def _guessed(candidate: Candidate) -> str | None:
    """What a solver finds that puts typical values in place of a column."""
    difficulty = candidate.coordinate.difficulty
    altered = imputed(candidate.family, difficulty, candidate.instance) if candidate.judged else ()
    found = next((name for name, each in altered if candidate.giveaway.given_by(each)), None)
    return None if found is None else f"a solver that guesses a column ({found}) finds the optimum"


_RULES: tuple[Callable[[Candidate], str | None], ...] = (
    _too_large,
    _ambiguous,
    _out_of_band,
    _visible,
    _guessed,
    _blind,
    _myopic,
)
"""What a candidate must not be, cheap rules first; of those that solve, the one first that refuses most; last what is rare.

Verification is no rule: it follows, and a disagreement stops everything.
"""

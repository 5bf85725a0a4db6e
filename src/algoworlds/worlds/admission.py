"""Admission: from a coordinate to its hidden instance, certified.

A coordinate's instance is its first attempt (0, 1, 2, ...; part of the random key) that breaks no rule: its optimum is unique,
its work lies in the level's band, its reference decision is not optimal, and no solver that is blind to one channel finds the
optimum. From level 1 on, visible units of the tables may not be the optimum either, and of the attempts whose optimum a solver
finds that replaces a column by typical values, every second one is refused, by lot. The rules are the same for every family.
An admitted attempt is then certified: the verification algorithm must confirm what the construction algorithm found.

A coordinate of the continuous scale states its work in bits instead of a level. Its rules are those of the levels with as much
work: all of them from 2^15 on, those of level 0 from 2^11 on. Below that, worlds are so small that a solver that ignores a
channel often finds the optimum: there it must be unique, in its band, and not the reference decision.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

from algoworlds.batch import pause_gc
from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.condition import CLEAR, CLEAR_NAME, CONDITIONS, find_condition
from algoworlds.core.stream import Stream
from algoworlds.core.work import STEPS_PER_LEVEL, WORK_BANDS, Bits, Solution, work_band
from algoworlds.errors import AdmissionError, AlgoWorldsError, InputError, format_value, quote_value
from algoworlds.families import load_family
from algoworlds.families.family import AnyFamily
from algoworlds.hardness.giveaway import GiveawayCheck, imputed_instances
from algoworlds.worlds.opaque_ids import opaque_id, with_opaque_ids
from algoworlds.worlds.ties import MAX_OPTIMA, TiedInstance, missing_for_ties, plant_ties

DEFAULT_SEED = "algoworlds-1"
"""The public seed of the default suite, the development split."""

SPLITS = ("train", "test")
"""The splits of endless world streams; their worlds belong to no suite."""

_MAX_ATTEMPTS = 200
_SCALE_ROOT = 3
"""The number with which the random keys of the scale begin; streams use the smaller ones."""
_LEVEL_ONE, _LEVEL_ZERO = Bits.from_tenths(10 * (WORK_BANDS[1][0].bit_length() - 1)), Bits.from_tenths(110)
"""The bits of work from which on the rules of level 1, and those of level 0, hold."""


@dataclass(frozen=True)
class Coordinate:
    """The address of an instance: suite seed, family, workload level and index (from 1).

    A private suite has a second secret, the `pepper`. It enters at the root of all randomness and not only at the ids:
    otherwise public numbers of the question, attempts in the manifest or values in responses could confirm a guessed seed.

    Instances for training, or for testing what was trained, belong to a `split` instead of a suite. They may lie between
    two levels, `beyond` hundredths above the lower one.

    The `condition` says how tools show measured numbers. It is not part of the randomness, so the instances under all
    conditions are the same.

    Instances of the continuous scale have a work of 2^(tenths / 10) and no level; their random keys are those of no suite.

    A `tied` coordinate moves a few numbers of the instance that it draws, so that several decisions attain the optimum.
    """

    family: str
    level: int
    index: int
    seed: str = DEFAULT_SEED
    pepper: str = ""
    split: str = ""
    beyond: int = 0
    condition: str = CLEAR
    imported: bool = False
    """Whether the instance was not drawn here: then the family's ranges say nothing about it."""
    tenths: int = 0
    """Tenths of a bit of work on the continuous scale; 0 at a level."""
    tied: bool = False
    """Whether several decisions attain the optimum."""

    def __repr__(self) -> str:
        return f"<Coordinate {self.name}>"  # without the seed, which is secret in a private suite

    @classmethod
    def from_difficulty(cls, family: str, difficulty: float, index: int, seed: str, split: str) -> "Coordinate":
        """A coordinate of a split; `difficulty` is rounded to hundredths."""
        if type(difficulty) not in (int, float) or not isfinite(difficulty):
            raise InputError(f"a difficulty must be a number like 0.5 or 2, not {format_value(difficulty)}")
        level, beyond = divmod(round(difficulty * STEPS_PER_LEVEL), STEPS_PER_LEVEL)
        return cls(family, level, index, seed, split=split, beyond=beyond)

    @classmethod
    def from_bits(cls, family: str, bits: float, index: int, seed: str = DEFAULT_SEED, pepper: str = "") -> "Coordinate":
        """A coordinate of the continuous scale: the difficulty of `family` that is nearest to `bits` of work."""
        scale = load_family(family).scale
        if not scale:
            raise InputError(
                f"{format_value(family)} declares no scale: add Family(scale=...) to choose difficulties by bits of work"
            )
        low, high = min(scale), max(scale)
        if type(bits) not in (int, float, Bits) or not isfinite(bits) or not low - 5 <= 10 * bits <= high + 5:
            ends = f"{format_value(low / 10)} to {format_value(high / 10)}"
            raise InputError(f"bits of work in {format_value(family)} lie from {ends}, not at {format_value(bits)}")
        return cls(family, 0, index, seed, pepper, tenths=min(scale, key=lambda tenths: (abs(tenths - 10 * bits), tenths)))

    def __post_init__(self) -> None:
        if self.tenths and (self.tenths not in load_family(self.family).scale or self.level or self.beyond or self.split):
            raise InputError(
                f"{self.family} has no worlds of {format_value(self.tenths / 10)} bits: see algoworlds describe scale"
            )
        levels = load_family(self.family).levels
        in_range = self.level in levels and 0 <= self.beyond < STEPS_PER_LEVEL
        if not in_range or (self.beyond and self.level == max(levels)):
            raise InputError(f"there is no level {self.difficulty}; choose one of {', '.join(map(str, levels))}")
        if self.index < 1:
            raise InputError(f"the index must be at least 1, not {self.index}")
        if not isinstance(self.seed, str):  # a suite's stream begins with a string, a split's with a number
            raise InputError(f"a seed must be a string, not {format_value(self.seed)}")
        if self.split not in ("", *SPLITS):
            raise InputError(f"there is no split {quote_value(self.split)}; choose one of {', '.join(SPLITS)}")
        if self.condition != CLEAR:
            if find_condition(self.condition) is None:
                names = ", ".join([CLEAR_NAME, *(condition.name for condition in CONDITIONS)])
                raise InputError(f"there is no condition {quote_value(self.condition)}; choose from {names}")
            missing = load_family(self.family).lacking("conditions", "measured", "counted", "spreads", purpose="show errors")
            if missing:
                raise InputError(missing)
        if self.tied and self.condition != CLEAR:
            raise InputError("tied worlds have no condition: build one suite with ties and another one with conditions")
        if self.tied and (missing := missing_for_ties(load_family(self.family))):
            raise InputError(missing)

    @property
    def _suite_stream(self) -> Stream:
        """The common root of all coordinates of a suite or split.

        The path of a split begins with a number and the path of a suite with its seed, a string. So no split shares a key
        with another one or with any suite, whatever the seed.
        """
        if self.tenths:
            return Stream(_SCALE_ROOT, "scale", self.seed, self.pepper)
        if self.split:
            return Stream(SPLITS.index(self.split), self.split, self.seed, self.pepper)
        return Stream(self.seed, "pepper", self.pepper) if self.pepper else Stream(self.seed)

    @property
    def difficulty(self) -> float:
        """The level plus `beyond` hundredths, or bits of work."""
        if self.tenths:
            return Bits.from_tenths(self.tenths)
        return (STEPS_PER_LEVEL * self.level + self.beyond) / STEPS_PER_LEVEL if self.beyond else self.level

    @property
    def stream(self) -> Stream:
        """The root of all randomness of this coordinate."""
        at = self.level if self.difficulty == self.level else str(self.difficulty)
        return self._suite_stream.child(self.family, at, self.index)

    @property
    def has_rules_of_level_1(self) -> bool:
        """Whether its instances must not give their optimum away to guesses."""
        return self.difficulty >= (_LEVEL_ONE if self.tenths else 1)

    @property
    def has_rules_of_level_0(self) -> bool:
        """Whether its instances must need every channel."""
        return not self.tenths or self.difficulty >= _LEVEL_ZERO

    @property
    def name(self) -> str:
        """The instance's name; a world's id adds the interface. Outside the development split it has the suite's tag."""
        public = self.seed == DEFAULT_SEED and not self.pepper and not self.split
        tag = "" if public else opaque_id(f"-{self.split}" if self.split else "", self._suite_stream.child("tag").word())
        variant = f"{f'-{self.condition}' if self.condition else ''}{'-tied' if self.tied else ''}"
        return f"{self.family}-{self.difficulty}-{self.index}{tag}{variant}"


@dataclass(frozen=True)
class AdmittedInstance:
    """A hidden instance with its certificate: verified optimum, work and reference decision."""

    coordinate: Coordinate
    attempt: int
    instance: Any
    solution: Solution[Any]
    reference: Any
    reference_value: int
    others: tuple[Any, ...] = ()
    """In a tied instance, all optimal decisions but the first by canonical text, which is the solution's."""

    def __repr__(self) -> str:
        return f"<AdmittedInstance {self.coordinate.name}, optimum {self.optimum:,}>"

    @property
    def family(self) -> AnyFamily:
        """The instance's family."""
        return load_family(self.coordinate.family)

    @property
    def optimum(self) -> int:
        """The verified optimal value."""
        assert self.solution.value is not None
        return self.solution.value

    @property
    def reference_gap(self) -> int:
        """The distance of the reference decision from the optimum: the scale of reference utility."""
        return abs(self.reference_value - self.optimum)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One attempt at a coordinate: an instance solved by the construction algorithm, not yet certified."""

    coordinate: Coordinate
    attempt: int

    @property
    def family(self) -> AnyFamily:
        """The instance's family."""
        return load_family(self.coordinate.family)

    @cached_property
    def instance(self) -> Any:
        """The instance that the attempt draws."""
        return draw_instance(self.coordinate, self.attempt) if self.tied_instance is None else self.tied_instance.instance

    @cached_property
    def tied_instance(self) -> TiedInstance | None:
        """The instance with its planted ties; None if the coordinate is not tied."""
        return _draw_tied(self.coordinate, self.attempt) if self.coordinate.tied else None

    @property
    def optima(self) -> tuple[Any, ...]:
        """The known optimal decisions, by canonical text."""
        return (self.solution.decision,) if self.tied_instance is None else self.tied_instance.optima

    @cached_property
    def verification(self) -> Solution[Any]:
        """The result of the verification algorithm."""
        return self.family.verify(self.instance)

    @cached_property
    def solution(self) -> Solution[Any]:
        """The result of the construction algorithm."""
        return self.family.solve(self.instance)

    @cached_property
    def giveaway(self) -> GiveawayCheck:
        """The check whether altered instances give the optimum away."""
        self.family.check(self.instance, self.optima[0])  # fills the cache that altered instances share
        return GiveawayCheck(self.family, *self.optima)

    @cached_property
    def refuses_guessed(self) -> bool:
        """Whether this attempt is refused if a guessed column still gives its optimum: one fair coin, from a stream of its own.

        A rule of refusal tells something: if the best decision under a guess were never the optimum, the second best would be
        it most often. The second best is about half as often the optimum as the best. So a coin makes them equally likely,
        without an estimate, and one coin for all guesses refuses few attempts, which keeps all other ranks as they are.
        """
        return self.coordinate.stream.child("attempt", self.attempt, "refuses guessed").below(2) == 0

    @cached_property
    def reference(self) -> Any:
        """The myopic decision."""
        return self.family.reference(self.instance)

    @cached_property
    def reference_value(self) -> int:
        """The value of the myopic decision; it is always feasible."""
        value = self.family.check(self.instance, self.reference).value
        assert value is not None
        return value


def draw_instance(coordinate: Coordinate, attempt: int) -> Any:
    """Draw the instance of one attempt at a coordinate, with opaque ids and, if it is tied, with ties."""
    return _draw_tied(coordinate, attempt).instance if coordinate.tied else _draw(coordinate, attempt)


def _draw(coordinate: Coordinate, attempt: int) -> Any:
    family = load_family(coordinate.family)
    stream = coordinate.stream.child("attempt", attempt)
    return with_opaque_ids(family, family.generate(family.config(coordinate.difficulty), stream), stream.child("ids"))


def _draw_tied(coordinate: Coordinate, attempt: int) -> TiedInstance:
    family, stream = load_family(coordinate.family), coordinate.stream.child("attempt", attempt)
    ranges = family.ranges_at(coordinate.difficulty)
    assert ranges is not None  # a tied coordinate requires them
    return plant_ties(family, _draw(coordinate, attempt), ranges, stream.child("ties"))


@pause_gc()
def admit(coordinate: Coordinate) -> AdmittedInstance:
    """Return the first attempt at a coordinate that breaks no rule, certified."""
    reason = None
    for attempt in range(_MAX_ATTEMPTS):
        candidate = Candidate(coordinate, attempt)
        reason = find_broken_rule(candidate)
        if reason is None:
            return certify(candidate)
    raise AdmissionError(f"{coordinate.name}: none of {_MAX_ATTEMPTS} attempts was admitted; the last: {reason}")


def certify(candidate: Candidate) -> AdmittedInstance:
    """Certify a candidate: both exact algorithms must find the same, unique optimum, or all planted ones."""
    solution, (first, *others) = candidate.solution, candidate.optima
    if not solution.agrees_with(candidate.verification) or candidate.verification.optima != len(candidate.optima):
        raise AlgoWorldsError(f"{candidate.family.name}: the two exact algorithms disagree on {candidate.instance!r}")
    coordinate, attempt, instance = candidate.coordinate, candidate.attempt, candidate.instance.without_cache()
    solution = replace(solution, decision=first)
    return AdmittedInstance(
        coordinate, attempt, instance, solution, candidate.reference, candidate.reference_value, tuple(others)
    )


def find_broken_rule(candidate: Candidate) -> str | None:
    """Say which rule a candidate breaks first; None if it breaks none."""
    return next((reason for rule in _RULES if (reason := rule(candidate)) is not None), None)


def _exact(candidate: Candidate) -> str | None:
    return "the coefficients sum to 2^53 or more" if candidate.instance.magnitude() >= JSON_INTEGER_LIMIT else None


def _unique(candidate: Candidate) -> str | None:
    planted = candidate.tied_instance
    if planted is None:
        return None if candidate.solution.unique else "the optimum is not unique"
    return None if len(planted.optima) == planted.wanted else f"{len(planted.optima)} of {planted.wanted} optima were planted"


def _in_work_band(candidate: Candidate) -> str | None:
    low, high = work_band(candidate.coordinate.difficulty)
    work = candidate.solution.work.total
    return None if low <= work <= high else f"the work of {work:,} lies outside {low:,} .. {high:,}"


def _not_myopic(candidate: Candidate) -> str | None:
    return "the reference decision is optimal" if candidate.reference_value == candidate.solution.value else None


def _not_visible(candidate: Candidate) -> str | None:
    """From level 1 on, no visible unit, such as an open set filled greedily, is the optimum."""
    space = candidate.family.hardness.search_space
    if not candidate.coordinate.has_rules_of_level_1 or space is None:
        return None
    visible = map(space(candidate.instance).is_visible_unit, candidate.optima)
    return "a unit that its tables show is the optimum" if any(visible) else None


def _not_blind(candidate: Candidate) -> str | None:
    """No solver that is blind to one channel finds the optimum; an instance with an erased channel stays valid."""
    if not candidate.coordinate.has_rules_of_level_0:
        return None
    for channel, blind in candidate.family.hardness.blind_instances(candidate.instance):
        if candidate.giveaway.finds_optimum(blind, known_valid=True):
            return f"a solver blind to {channel} finds the optimum"
    return None


def _not_guessed(candidate: Candidate) -> str | None:
    """From level 1 on, a solver that replaces a column by typical values seldom finds the optimum: a coin decides."""
    if not candidate.coordinate.has_rules_of_level_1 or not candidate.refuses_guessed:
        return None
    for column, imputed in imputed_instances(candidate.family, candidate.coordinate.difficulty, candidate.instance):
        if candidate.giveaway.finds_optimum(imputed):
            return f"a solver that guesses a column ({column}) finds the optimum"
    return None


def _no_further_optimum(candidate: Candidate) -> str | None:
    """A tied instance has no optima but the planted ones."""
    count = len(candidate.optima)
    if candidate.tied_instance is None or candidate.verification.optima == count <= MAX_OPTIMA:
        return None
    return f"there are {candidate.verification.optima} optima, and {count} were planted"


_Rule = Callable[[Candidate], str | None]
_RULES: tuple[_Rule, ...] = (
    _exact,
    _unique,
    _in_work_band,
    _not_visible,
    _not_guessed,
    _not_blind,
    _not_myopic,
    _no_further_optimum,
)
"""Cheapest first; among rules that solve, the most selective first; the rarest one last.

Verification is not a rule, but for ties: it follows, and a disagreement raises an error.
"""

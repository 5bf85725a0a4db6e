"""The worlds that a trainer draws from, by number: those of a suite, or an endless stream of fresh ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from algoworlds.core.tool import Call
from algoworlds.errors import InputError
from algoworlds.runs.schedule import Wanted
from algoworlds.suites.endless import Difficulty, Endless, stream
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened, Play, open_suite

Several = Any
"""Some values: one, a list, a text with commas as command lines and environments give it, or None for all there are."""


class Syllabus(Protocol):
    """Worlds by number. The same number is the same world, wherever and whenever it is drawn."""

    @property
    def size(self) -> int | None:
        """How many there are; None if there is no end to them."""

    @property
    def families(self) -> tuple[str, ...]:
        """The families they are of."""

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """The world of a number, counted from 0, to be played; calls made before are made again first."""


@dataclass(frozen=True)
class SuiteSyllabus:
    """Worlds of a suite, in its order and over again."""

    suite: Opened
    entries: Sequence[Entry]

    @property
    def size(self) -> int:
        """How many worlds there are before they come again."""
        return len(self.entries)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families of the worlds, in the order of the suite."""
        return tuple(dict.fromkeys(entry.family for entry in self.entries))

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """A world to be played."""
        return self.suite.play(self.entries[number % self.size].id, calls)


@dataclass(frozen=True)
class StreamSyllabus:
    """Fresh worlds, one for every number."""

    worlds: Endless
    size: None = None

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families of the stream."""
        return tuple(dict.fromkeys(name for name, _ in self.worlds.kinds))

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """A world to be played, generated and certified when it is asked for."""
        return self.worlds[number].play(calls)


def syllabus(
    suite: Path | str | None = None,
    seed: str | int | None = None,
    worlds: str = "*",
    families: Several = None,
    levels: Several = None,
    interfaces: Several = None,
    split: str = "train",
    difficulty: Difficulty | None = None,
) -> Syllabus:
    """The worlds of a suite, or else those of a stream by its seed: InputError unless there is one of the two."""
    if (suite is None) == (seed is None):
        raise InputError("give a suite to take worlds from, or a seed for fresh ones: either of them, not both")
    if suite is not None:
        opened = open_suite(suite)
        wanted = Wanted(worlds, listed(families), tuple(map(int, listed(levels))), listed(interfaces))
        return SuiteSyllabus(opened, wanted.of(opened))
    chosen = {"families": listed(families), "levels": _numbers(levels), "interfaces": listed(interfaces)}
    given: dict[str, Any] = {name: each for name, each in chosen.items() if each}
    return StreamSyllabus(stream(str(seed), split=split, difficulty=difficulty, **given))


def listed(given: Several) -> tuple[str, ...]:
    """What is given as one value, a list, or a text with commas."""
    if given is None or isinstance(given, str):
        return tuple(filter(None, (given or "").split(",")))
    return tuple(map(str, given)) if isinstance(given, Iterable) else (str(given),)


def _numbers(levels: Several) -> tuple[float, ...]:
    return tuple(float(each) if "." in each else int(each) for each in listed(levels))

"""The worlds that a trainer draws from, by number: those of a suite, or an endless stream of fresh ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from algoworlds.core.canonical import JsonObject
from algoworlds.core.tool import Call
from algoworlds.errors import InputError
from algoworlds.runs.schedule import WorldFilter
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Play, Suite, open_suite
from algoworlds.suites.stream import Difficulty, WorldStream, stream
from algoworlds.suites.suite import parse_conditions
from algoworlds.tracks.track import BARE, Track, find_track

OneOrMany = str | int | float | Iterable[str | int | float] | None
"""One value, several, a text with commas (as command lines and environment variables give them), or None for all."""


class WorldSource(Protocol):
    """Worlds by number: the same number is always the same world."""

    @property
    def size(self) -> int | None:
        """How many worlds there are; None if endless."""

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the worlds."""

    @property
    def track(self) -> Track:
        """What agents may use beside the tools of the worlds."""

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """The world of `number`, from 0, ready to play; earlier `calls` are replayed first."""


@dataclass(frozen=True)
class SuiteSource:
    """Worlds of a suite, in its order and repeated without end."""

    suite: Suite
    entries: Sequence[WorldEntry]

    @property
    def size(self) -> int:
        """How many worlds there are before they repeat."""
        return len(self.entries)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families of the worlds, in the order of the suite."""
        return tuple(dict.fromkeys(entry.family for entry in self.entries))

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """The world of `number` modulo `size`, ready to play."""
        return self.suite.play(self.entries[number % self.size].id, calls)

    @property
    def track(self) -> Track:
        """The track of the suite."""
        return self.suite.track


@dataclass(frozen=True)
class StreamSource:
    """Fresh worlds, one for every number."""

    worlds: WorldStream
    size: None = None
    track: Track = BARE

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families of the stream."""
        return tuple(dict.fromkeys(name for name, _ in self.worlds.kinds))

    def play(self, number: int, calls: Iterable[Call] = ()) -> Play:
        """The world of `number`, generated and certified now."""
        return self.worlds[number].play(calls, self.track.name)


def world_source(
    suite: Path | str | None = None,
    seed: str | int | None = None,
    worlds: str = "*",
    families: OneOrMany = None,
    levels: OneOrMany = None,
    interfaces: OneOrMany = None,
    split: str = "train",
    difficulty: Difficulty | None = None,
    track: str = BARE.name,
    conditions: OneOrMany = None,
) -> WorldSource:
    """The worlds of `suite`, or those of a stream by its `seed`, on a track; InputError unless one of the two is given."""
    if (suite is None) == (seed is None):
        raise InputError("give a suite to take worlds from, or a seed for fresh ones: either of them, not both")
    family_names, level_values, interface_names = map(split_values, (families, levels, interfaces))
    condition_names = split_values(conditions)
    if suite is not None:
        opened = open_suite(suite, track)
        shown = parse_conditions(condition_names)
        selected = WorldFilter(worlds, family_names, tuple(map(int, level_values)), interface_names, shown).select(opened)
        return SuiteSource(opened, selected)
    numbers = tuple(float(value) if "." in value else int(value) for value in level_values)
    options = {"families": family_names, "levels": numbers, "interfaces": interface_names, "conditions": condition_names}
    chosen: JsonObject = {name: values for name, values in options.items() if values}
    return StreamSource(stream(str(seed), split=split, difficulty=difficulty, **chosen), track=find_track(track))


def split_values(values: OneOrMany) -> tuple[str, ...]:
    """`values` as a tuple of texts; a text is split at its commas."""
    if values is None or isinstance(values, str):
        return tuple(filter(None, (values or "").split(",")))
    return tuple(map(str, values)) if isinstance(values, Iterable) else (str(values),)

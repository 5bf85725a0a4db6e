"""Endless streams of fresh worlds, for training and for testing what was trained.

A stream is a pure function of its arguments: its n-th world is the same wherever and whenever it is asked for, and asking for
it takes nothing from the others. Worlds are certified as those of suites are, when somebody looks at one.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, overload

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, quoted, shown
from algoworlds.families import FAMILIES
from algoworlds.measures.key import Key
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Play
from algoworlds.worlds.admit import SPLITS, Admitted, Coordinate, admit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build

TRAIN, _ = SPLITS
BOTH = (Interface.DIRECT, Interface.MEDIATED)
_KEPT = 64
"""Certified instances that are kept: those of the last few worlds, which other interfaces present as well."""

_admitted = lru_cache(maxsize=_KEPT)(admit)

Difficulty = float | Mapping[str, float]
"""One for all families, or one for each."""


@dataclass(frozen=True)
class Fresh:
    """A world of a stream: where it stands, and all else when somebody asks for it. Small to send to another process."""

    coordinate: Coordinate
    interface: Interface

    def __reduce__(self) -> tuple[Any, ...]:
        return Fresh, (self.coordinate, self.interface)

    @property
    def id(self) -> str:
        """The world's id, which says its split."""
        return f"{self.coordinate.name}-{self.interface.value}"

    @cached_property
    def admitted(self) -> Admitted:
        """The hidden instance with its certificate."""
        return _admitted(self.coordinate)

    @cached_property
    def world(self) -> World:
        """The world itself."""
        return build(self.admitted, self.interface)

    @cached_property
    def key(self) -> Key:
        """The certified key that its plays are scored against."""
        return Key.of(self.admitted, self.world)

    @property
    def entry(self) -> Entry:
        """The world as a suite would list it; it has no files."""
        place = self.coordinate
        return Entry(self.id, place.family, place.level, place.index, self.interface.value, self.admitted.attempt, {})

    def play(self, calls: Iterable[Call] = ()) -> "StreamPlay":
        """The world to be played and scored; calls made before are made again first."""
        return StreamPlay(lambda entry: self.key, self.entry, Episode(self.world, calls))


@dataclass(frozen=True, eq=False)
class StreamPlay(Play):
    """One world of a stream in play, which can be parked while it is idle."""

    def park(self) -> "Parked":
        """The whole state of the play in a few kilobytes: drop the play, and `resume()` it later or elsewhere."""
        return Parked(self.episode.world.coordinate, self.episode.world.interface, self.calls)


@dataclass(frozen=True)
class Parked:
    """An idle play of a stream's world: where the world stands, and the calls made so far. It can be pickled."""

    coordinate: Coordinate
    interface: Interface
    calls: tuple[Call, ...]

    def resume(self) -> StreamPlay:
        """The play as it was: the world is admitted again, unless it is one of the last few, and the calls are made again."""
        return Fresh(self.coordinate, self.interface).play(self.calls)


@dataclass(frozen=True)
class Endless:
    """A stream: in every round each family and level comes once in each interface, in an order drawn anew.

    Of several that share the work, each takes every so manyth world: rank r of n has the worlds r, r + n, r + 2n, ...
    """

    seed: str
    kinds: tuple[tuple[str, float], ...]
    """Families, each with a difficulty."""
    interfaces: tuple[Interface, ...]
    split: str
    rank: int = 0
    world_size: int = 1

    def __post_init__(self) -> None:
        if not self.kinds or not self.interfaces:
            raise InputError("a stream needs at least one family, level and interface")
        if self.split not in SPLITS:
            raise InputError(f"there is no split {quoted(self.split)}; choose one of {', '.join(SPLITS)}")
        if not 0 <= self.rank < self.world_size:
            raise InputError(f"the rank counts from 0 to world_size - 1, so {self.rank} of {self.world_size} is none")

    @overload
    def __getitem__(self, position: int) -> Fresh: ...
    @overload
    def __getitem__(self, position: slice) -> "Stretch": ...
    def __getitem__(self, position: int | slice) -> "Fresh | Stretch":
        """The world at a position, counted from 0; of a slice the worlds as they are asked for."""
        if isinstance(position, slice):
            return Stretch(self, range(sys.maxsize)[position])
        if not 0 <= position < sys.maxsize:
            raise IndexError("a stream counts from 0 and has no end")
        every = tuple(product(self.kinds, self.interfaces))
        number, at = divmod(position * self.world_size + self.rank, len(every))
        kind, interface = every[_order(self.split, self.seed, number, len(every))[at]]
        return Fresh(Coordinate.at(*kind, number + 1, self.seed, self.split), interface)

    def __iter__(self) -> Iterator[Fresh]:
        return iter(self[:])

    def at(self, difficulty: Difficulty) -> "Endless":
        """The same stream at another difficulty: its worlds are new at every position."""
        return replace(self, kinds=_kinds(list(dict.fromkeys(name for name, _ in self.kinds)), (), difficulty))


@dataclass(frozen=True)
class Stretch(Sequence[Fresh]):
    """Some worlds of a stream, each made when it is asked for."""

    stream: Endless
    positions: range

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, position: int) -> Fresh: ...
    @overload
    def __getitem__(self, position: slice) -> "Stretch": ...
    def __getitem__(self, position: int | slice) -> "Fresh | Stretch":
        """As a list's."""
        if isinstance(position, slice):
            return Stretch(self.stream, self.positions[position])
        return self.stream[self.positions[position]]


@lru_cache(maxsize=_KEPT)
def _order(split: str, seed: str, number: int, count: int) -> list[int]:
    """The order in which the worlds of a round come."""
    return Stream(len(SPLITS), "order", split, seed, number).shuffled(range(count))


def stream(
    seed: str | int,
    families: Iterable[str] | str = tuple(FAMILIES),
    levels: Iterable[float] = (0,),
    interfaces: Iterable[Interface | str] = BOTH,
    split: str = TRAIN,
    rank: int = 0,
    world_size: int = 1,
    difficulty: Difficulty | None = None,
) -> Endless:
    """An endless, seekable, sharded stream of certified worlds: a pure function of its arguments.

    `difficulty` stands in the place of levels: one number for all families or one for each, between levels too. Worlds of the
    splits `train` and `test` are never those of the other split, nor of any suite, also of one with the same seed.
    """
    named = [families] if isinstance(families, str) else list(families)
    return Endless(str(seed), _kinds(named, tuple(levels), difficulty), _presented(interfaces), split, rank, world_size)


def _kinds(families: list[str], levels: tuple[float, ...], difficulty: Difficulty | None) -> tuple[tuple[str, float], ...]:
    """Each family with each of its difficulties, once."""
    given = dict.fromkeys(families, levels) if difficulty is None else _wanted(families, difficulty)
    placed = (Coordinate.at(name, each, 1, "", TRAIN) for name in families for each in given[name])
    return tuple(dict.fromkeys((place.family, place.difficulty) for place in placed))


def _wanted(families: list[str], difficulty: Difficulty) -> dict[str, tuple[float, ...]]:
    if not isinstance(difficulty, Mapping):
        return dict.fromkeys(families, (difficulty,))
    if missing := [name for name in families if name not in difficulty]:
        raise InputError(f"the difficulty of {shown(missing[0])} is missing: give one for each family, or one for all")
    return {name: (difficulty[name],) for name in families}


def _presented(interfaces: Iterable[Interface | str]) -> tuple[Interface, ...]:
    known = {each.value: each for each in Interface}
    given = [interfaces] if isinstance(interfaces, str) else list(interfaces)
    if odd := [each for each in given if not isinstance(each, Interface) and each not in known]:
        raise InputError(f"there is no interface {quoted(odd[0])}; choose from {', '.join(known)}")
    return tuple(dict.fromkeys(each if isinstance(each, Interface) else known[each] for each in given))

"""Endless streams of fresh worlds, for training and for testing what was trained.

A stream is a pure function of its arguments: its n-th world is always the same, and reading it does not affect the others.
Worlds are certified like those of suites, when they are first accessed.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, overload

from algoworlds.core.condition import CLEAR, CLEAR_NAME
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.families import FAMILIES
from algoworlds.measures.key import AnswerKey
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Play
from algoworlds.suites.suite import parse_conditions
from algoworlds.tracks.track import BARE, Computed, find_track
from algoworlds.worlds.admission import SPLITS, AdmittedInstance, Coordinate, admit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world

TRAIN, _ = SPLITS
DEFAULT_INTERFACES = (Interface.DIRECT, Interface.MEDIATED)
_CACHE_SIZE = 64

_cached_admit = lru_cache(maxsize=_CACHE_SIZE)(admit)
"""Certified instances of the most recent worlds, which often come in another interface soon."""

Difficulty = float | Mapping[str, float]
"""One number for all families, or one per family."""


@dataclass(frozen=True)
class StreamWorld:
    """A world of a stream: its coordinate and interface, and everything else on demand. Small when pickled."""

    coordinate: Coordinate
    interface: Interface

    def __repr__(self) -> str:
        return f"<StreamWorld {self.id}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return StreamWorld, (self.coordinate, self.interface)

    @property
    def id(self) -> str:
        """The world's id, which names its split."""
        return f"{self.coordinate.name}-{self.interface.value}"

    @cached_property
    def admitted(self) -> AdmittedInstance:
        """The hidden instance with its certificate."""
        clear = _cached_admit(replace(self.coordinate, condition=CLEAR))
        return replace(clear, coordinate=self.coordinate) if self.coordinate.condition else clear

    @cached_property
    def world(self) -> World:
        """The world itself."""
        return build_world(self.admitted, self.interface)

    @cached_property
    def key(self) -> AnswerKey:
        """The certified answer key."""
        return AnswerKey.from_admitted(self.admitted, self.world)

    @property
    def entry(self) -> WorldEntry:
        """The world as a manifest would list it; it has no files."""
        coordinate = self.coordinate
        return WorldEntry(
            self.id,
            coordinate.family,
            coordinate.level,
            coordinate.index,
            self.interface.value,
            self.admitted.attempt,
            {},
            condition=coordinate.condition,
        )

    def play(self, calls: Iterable[Call] = (), track: str = BARE.name, programs: Iterable[Computed] = ()) -> "StreamPlay":
        """The world to play and score; earlier `calls` are made again first, with the known results of their `programs`."""
        world = self.world if track == BARE.name else replace(self.world, track=find_track(track))
        return StreamPlay(lambda entry: self.key, self.entry, Episode(world, calls, programs))


@dataclass(frozen=True, eq=False, repr=False)
class StreamPlay(Play):
    """A world of a stream in play, which can be parked while it is idle."""

    def park(self) -> "Parked":
        """The whole state of the play in a few kilobytes, to `resume()` later or in another process."""
        world = self.episode.world
        return Parked(world.coordinate, world.interface, self.calls, world.track.name, self.programs)


@dataclass(frozen=True)
class Parked:
    """An idle play of a stream's world: its coordinate, interface, and calls so far. It can be pickled."""

    coordinate: Coordinate
    interface: Interface
    calls: tuple[Call, ...]
    track: str = BARE.name
    programs: tuple[Computed, ...] = ()
    """What its programs came to: they are not run again."""

    def resume(self) -> StreamPlay:
        """The play as it was: its world is admitted again unless it is cached, and its calls are made again."""
        return StreamWorld(self.coordinate, self.interface).play(self.calls, self.track, self.programs)


@dataclass(frozen=True)
class WorldStream:
    """A stream: every round has each family and difficulty once in each interface and condition, in a random order of its own.

    Sharding: rank r of `world_size` n takes the worlds r, r + n, r + 2n, ...
    """

    seed: str
    kinds: tuple[tuple[str, float], ...]
    """Pairs of family and difficulty."""
    interfaces: tuple[Interface, ...]
    split: str
    rank: int = 0
    world_size: int = 1
    conditions: tuple[str, ...] = (CLEAR,)
    tied: bool = False

    def __repr__(self) -> str:
        shard = f"shard {self.rank} of {self.world_size}"
        return f"<WorldStream {quote_value(self.seed)}, split {self.split}, {len(self.kinds)} kinds, {shard}>"

    def __post_init__(self) -> None:
        if not self.kinds or not self.interfaces or not self.conditions:
            raise InputError("a stream needs at least one family, level, interface and condition")
        for (name, level), condition in product(self.kinds, self.conditions if self.tied else filter(None, self.conditions)):
            coordinate = Coordinate.from_difficulty(name, level, 1, self.seed, TRAIN)
            _ = replace(
                coordinate, condition=condition, tied=self.tied
            )  # refuses unknown conditions, and ties under a condition
        if self.split not in SPLITS:
            raise InputError(f"there is no split {quote_value(self.split)}; choose one of {', '.join(SPLITS)}")
        if not 0 <= self.rank < self.world_size:
            raise InputError(f"rank must lie from 0 to world_size - 1, not be {self.rank} of {self.world_size}")

    @overload
    def __getitem__(self, position: int) -> StreamWorld: ...
    @overload
    def __getitem__(self, position: slice) -> "StreamSlice": ...
    def __getitem__(self, position: int | slice) -> "StreamWorld | StreamSlice":
        """The world at a position, counted from 0; a slice is lazy."""
        if isinstance(position, slice):
            return StreamSlice(self, range(sys.maxsize)[position])
        if not 0 <= position < sys.maxsize:
            raise IndexError("stream positions start at 0")
        pairs = tuple(product(self.kinds, self.conditions, self.interfaces))
        round_number, index = divmod(position * self.world_size + self.rank, len(pairs))
        kind, condition, interface = pairs[_round_order(self.split, self.seed, round_number, len(pairs))[index]]
        coordinate = Coordinate.from_difficulty(*kind, round_number + 1, self.seed, self.split)
        is_plain = condition == CLEAR and not self.tied
        return StreamWorld(coordinate if is_plain else replace(coordinate, condition=condition, tied=self.tied), interface)

    def __iter__(self) -> Iterator[StreamWorld]:
        return iter(self[:])

    def with_difficulty(self, difficulty: Difficulty) -> "WorldStream":
        """The same stream at another difficulty: the world at every position is another one."""
        return replace(self, kinds=_kinds(list(dict.fromkeys(name for name, _ in self.kinds)), (), difficulty))


@dataclass(frozen=True)
class StreamSlice(Sequence[StreamWorld]):
    """A lazy slice of a stream."""

    stream: WorldStream
    positions: range

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, position: int) -> StreamWorld: ...
    @overload
    def __getitem__(self, position: slice) -> "StreamSlice": ...
    def __getitem__(self, position: int | slice) -> "StreamWorld | StreamSlice":
        """The world at a position of the slice, or a part of the slice."""
        if isinstance(position, slice):
            return StreamSlice(self.stream, self.positions[position])
        return self.stream[self.positions[position]]


@lru_cache(maxsize=_CACHE_SIZE)
def _round_order(split: str, seed: str, round_number: int, count: int) -> list[int]:
    """The order of the worlds of a round."""
    return Stream(len(SPLITS), "order", split, seed, round_number).shuffled(range(count))


def stream(
    seed: str | int,
    families: Iterable[str] | str = tuple(FAMILIES),
    levels: Iterable[float] = (0,),
    interfaces: Iterable[Interface | str] = DEFAULT_INTERFACES,
    split: str = TRAIN,
    rank: int = 0,
    world_size: int = 1,
    difficulty: Difficulty | None = None,
    conditions: Iterable[str] | str = (CLEAR_NAME,),
    tied: bool = False,
) -> WorldStream:
    """An endless, seekable, sharded stream of certified worlds: a pure function of its arguments.

    Each family comes under each of `conditions`, named as in `algoworlds build`; of a `tied` world, which must be clear,
    several decisions attain the optimum. `difficulty` replaces `levels`: one number for all families or one per family,
    also between levels. The worlds of the splits `train` and `test` are disjoint from each other and from every suite,
    even from one with the same seed.
    """
    names = [families] if isinstance(families, str) else list(families)
    by_value = {interface.value: interface for interface in Interface}
    chosen = [interfaces] if isinstance(interfaces, str) else list(interfaces)
    if unknown := [name for name in chosen if not isinstance(name, Interface) and name not in by_value]:
        raise InputError(f"there is no interface {quote_value(unknown[0])}; choose from {', '.join(by_value)}")
    distinct = tuple(dict.fromkeys(name if isinstance(name, Interface) else by_value[name] for name in chosen))
    shown = parse_conditions([conditions] if isinstance(conditions, str) else conditions)
    return WorldStream(str(seed), _kinds(names, tuple(levels), difficulty), distinct, split, rank, world_size, shown, tied)


def _kinds(families: list[str], levels: tuple[float, ...], difficulty: Difficulty | None) -> tuple[tuple[str, float], ...]:
    """Each family with each of its difficulties, once."""
    if isinstance(difficulty, Mapping):
        if missing := [name for name in families if name not in difficulty]:
            raise InputError(f"the difficulty of {format_value(missing[0])} is missing: give one per family, or one for all")
        by_family: Mapping[str, tuple[float, ...]] = {name: (difficulty[name],) for name in families}
    else:
        by_family = dict.fromkeys(families, levels if difficulty is None else (difficulty,))
    coordinates = (Coordinate.from_difficulty(name, value, 1, "", TRAIN) for name in families for value in by_family[name])
    return tuple(dict.fromkeys((coordinate.family, coordinate.difficulty) for coordinate in coordinates))

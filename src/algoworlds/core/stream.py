"""Version-proof randomness: integers drawn from SHA-256 in counter mode.

`random` and NumPy promise their streams only for one build; a benchmark must give the same bytes on every Python,
platform and hash seed, for ever. Everything random in this package comes from here.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from algoworlds.core.canonical import canonical_text

T = TypeVar("T")

_WORD = 8  # bytes per draw
_RANGE = 1 << (8 * _WORD)


class Stream:
    """An endless sequence of integer draws, determined by its path alone."""

    __slots__ = ("_buffer", "_counter", "_key", "path")

    def __init__(self, *path: str | int) -> None:
        self.path = path
        self._key = hashlib.sha256(canonical_text(["algoworlds.stream", *path]).encode()).digest()
        self._counter = 0
        self._buffer = b""

    def child(self, *path: str | int) -> "Stream":
        """An independent stream below this one; drawing from either never moves the other."""
        return Stream(*self.path, *path)

    def word(self) -> int:
        """The next 64 uniform bits."""
        if not self._buffer:
            self._buffer = hashlib.sha256(self._key + self._counter.to_bytes(_WORD, "big")).digest()
            self._counter += 1
        draw, self._buffer = self._buffer[:_WORD], self._buffer[_WORD:]
        return int.from_bytes(draw, "big")

    def at(self, text: str) -> int:
        """64 uniform bits that belong to a text: the same whenever they are asked for, and no draw of the sequence."""
        return int.from_bytes(hashlib.sha256(self._key + b"at" + text.encode()).digest()[:_WORD], "big")

    def below(self, bound: int) -> int:
        """Uniform in 0 .. bound-1, without modulo bias."""
        if not 0 < bound <= _RANGE:
            raise ValueError(f"bound must lie in 1..2^64, not {bound}")
        fair = _RANGE - _RANGE % bound
        while (draw := self.word()) >= fair:
            pass
        return draw % bound

    def integer(self, low: int, high: int) -> int:
        """Uniform in low .. high, both ends included."""
        return low + self.below(high - low + 1)

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """`count` independent draws of `integer`."""
        return [self.integer(low, high) for _ in range(count)]

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, uniformly."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in uniformly random order (Fisher-Yates)."""
        deck = list(items)
        for last in range(len(deck) - 1, 0, -1):
            pick = self.below(last + 1)
            deck[last], deck[pick] = deck[pick], deck[last]
        return deck

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` distinct items in random order."""
        if count > len(items):
            raise ValueError(f"cannot draw {count} of {len(items)} items")
        return self.shuffled(items)[:count]

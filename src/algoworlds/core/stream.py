"""Version-proof randomness: integers drawn from SHA-256 in counter mode.

`random` and NumPy promise their streams only for one build; a benchmark must give the same bytes on every Python,
platform and hash seed, for ever. Everything random in this package comes from here.
"""

import hashlib
from collections.abc import Sequence
from struct import Struct
from typing import TypeVar

from algoworlds.core.canonical import canonical_text

T = TypeVar("T")

_WORD = 8  # bytes per draw
_RANGE = 1 << (8 * _WORD)
_WORDS = Struct(">4Q")
"""The four draws that a hash holds."""
_AHEAD = 16
"""Most hashes that are made at a time: none is made for somebody who draws a few words."""


def _fair(bound: int) -> int:
    """How many words fall evenly on 0 .. bound-1; those beyond are drawn again."""
    if not 0 < bound <= _RANGE:
        raise ValueError(f"bound must lie in 1..2^64, not {bound}")
    return _RANGE - _RANGE % bound


class Stream:
    """An endless sequence of integer draws, determined by its path alone."""

    __slots__ = ("_counter", "_root", "_words", "path")

    def __init__(self, *path: str | int) -> None:
        self.path = path
        self._root = hashlib.sha256(hashlib.sha256(canonical_text(["algoworlds.stream", *path]).encode()).digest())
        self._counter = 0
        self._words: list[int] = []

    def child(self, *path: str | int) -> "Stream":
        """An independent stream below this one; drawing from either never moves the other."""
        return Stream(*self.path, *path)

    def word(self) -> int:
        """The next 64 uniform bits."""
        if not self._words:
            self._hash()
        return self._words.pop()

    def _hash(self, least: int = 1) -> None:
        """Make at least so many words ready, the next one last: a few at first, more for whoever has drawn many."""
        ahead = list[int]()
        for count in range(self._counter, self._counter + max(-(-least // 4), min(self._counter, _AHEAD))):
            one = self._root.copy()  # sooner than a hash of the whole
            one.update(count.to_bytes(_WORD, "big"))
            ahead += _WORDS.unpack(one.digest())
        self._counter += len(ahead) // 4
        self._words[:0] = ahead[::-1]

    def at(self, text: str) -> int:
        """64 uniform bits that belong to a text: the same whenever they are asked for, and no draw of the sequence."""
        one = self._root.copy()
        one.update(b"at" + text.encode())
        return int.from_bytes(one.digest()[:_WORD], "big")

    def below(self, bound: int) -> int:
        """Uniform in 0 .. bound-1, without modulo bias."""
        fair, words = _fair(bound), self._words
        while True:
            if not words:
                self._hash()
            draw = words.pop()
            if draw < fair:
                return draw % bound

    def integer(self, low: int, high: int) -> int:
        """Uniform in low .. high, both ends included."""
        return low + self.below(high - low + 1)

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """`count` independent draws of `integer`."""
        bound, words, drawn = high - low + 1, self._words, list[int]()
        fair = _fair(bound) if count else 0
        while missing := count - len(drawn):
            if missing > len(words):
                self._hash(missing - len(words))
            drawn += [low + draw % bound for draw in words[: -missing - 1 : -1] if draw < fair]
            del words[-missing:]
        return drawn

    def rows(self, count: int, width: int, low: int, high: int) -> list[list[int]]:
        """`count` rows of so many draws of `integer`, drawn one after the other."""
        drawn = self.integers(count * width, low, high)
        return [drawn[at * width : (at + 1) * width] for at in range(count)]

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

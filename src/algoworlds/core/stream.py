"""Version-proof randomness: integers drawn from SHA-256 in counter mode.

`random` and NumPy promise their streams only for one build; a benchmark must give the same bytes on every Python,
platform and hash seed, for ever. Everything random in this package comes from here.
"""

import hashlib
from collections.abc import Callable, Sequence
from struct import unpack
from typing import TYPE_CHECKING, TypeVar

from algoworlds.core.canonical import string_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_WORD = 8  # bytes per draw
_RANGE = 1 << (8 * _WORD)
_SMALL = 1 << 32
_SURE = _RANGE - _SMALL
"""Words below it fall evenly on any bound up to the one above, so that hardly a draw needs to ask which do."""
_HELD = 4
"""Draws that a hash holds."""
_AHEAD = 16
"""Most hashes that are made at a time: none is made for somebody who draws a few words."""
_ROWS = 32
"""Rows of draws that are looked at together until one fits."""
_PLENTY = 1 << 22
"""Words that are enough for any task: one that asks for more has a mistake of its own."""


def _fair(bound: int) -> int:
    """How many words fall evenly on 0 .. bound-1; those beyond are drawn again."""
    if not 0 < bound <= _RANGE:
        raise ValueError(f"bound must lie in 1..2^64, not {bound}")
    return _RANGE - _RANGE % bound


def _spelled(step: str | int) -> str:
    """A step of a path as JSON."""
    return string_text(step) if isinstance(step, str) else str(step)


class Stream:
    """An endless sequence of integer draws, determined by its path alone."""

    __slots__ = ("_counter", "_key", "_root", "_words", "path")

    def __init__(self, *path: str | int) -> None:
        self.path = path
        self._key = hashlib.sha256(f'["algoworlds.stream",{",".join(map(_spelled, path))}]'.encode()).digest()
        self._root = hashlib.sha256(self._key)
        self._counter = 0
        self._words: list[int] = []

    def child(self, *path: str | int) -> "Stream":
        """An independent stream below this one; drawing from either never moves the other."""
        return Stream(*self.path, *path)

    def word(self) -> int:
        """The next 64 uniform bits."""
        if not self._words:
            self._prepare()
        return self._words.pop()

    def words(self, count: int) -> "NDArray[np.uint64]":
        """The next words, as an array."""
        import numpy as np

        ready, self._words = self._words[-count:][::-1] if count else [], self._words[: -count or None]
        missing = count - len(ready)
        drawn = self._many(-(-missing // _HELD))
        self._words += drawn[missing:][::-1].tolist()
        return np.concatenate([np.array(ready, np.uint64), drawn[:missing]]) if ready else drawn[:missing]

    def _many(self, count: int) -> "NDArray[np.uint64]":
        """The words of the next hashes."""
        import numpy as np

        return np.frombuffer(self._hashes(count), ">u8").astype(np.uint64)

    def _prepare(self, least: int = 1) -> None:
        """Make at least so many words ready, the next one last: a few at first, more for whoever has drawn many."""
        count = max(-(-least // _HELD), min(self._counter, _AHEAD))
        self._words[:0] = unpack(f">{_HELD * count}Q", self._hashes(count))[::-1]

    def _hashes(self, count: int) -> bytes:
        """The next hashes, one after the other."""
        first, self._counter = self._counter, self._counter + count
        made = list[bytes]()
        for number in range(first, first + count):
            one = self._root.copy()  # sooner than a hash of the whole
            one.update(number.to_bytes(_WORD, "big"))
            made.append(one.digest())
        return b"".join(made)

    def at(self, text: str) -> int:
        """64 uniform bits that belong to a text: the same whenever they are asked for, and no draw of the sequence."""
        one = self._root.copy()
        one.update(b"at" + text.encode())
        return int.from_bytes(one.digest()[:_WORD], "big")

    def below(self, bound: int) -> int:
        """Uniform in 0 .. bound-1, without modulo bias."""
        words = self._words
        if not words:
            self._prepare()
        draw = words.pop()
        return draw % bound if draw < _SURE and 0 < bound <= _SMALL else self._evenly(draw, bound)

    def _evenly(self, draw: int, bound: int) -> int:
        """What a word, or the next one that falls evenly on 0 .. bound-1, falls on."""
        fair = _fair(bound)
        while draw >= fair:
            draw = self.word()
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
                self._prepare(missing - len(words))
            drawn += [low + draw % bound for draw in words[: -missing - 1 : -1] if draw < fair]
            del words[-missing:]
        return drawn

    def table(self, rows: int, columns: int, low: int, high: int) -> "NDArray[np.int64]":
        """A whole table of draws of `integer`, made row by row; for many of them, which fit into 63 bits."""
        import numpy as np

        bound, drawn = high - low + 1, self.words(rows * columns)
        last = np.uint64(_fair(bound) - 1)
        while len(drawn := drawn[drawn <= last]) < rows * columns:
            drawn = np.concatenate([drawn, self.words(rows * columns - len(drawn))])
        return (drawn % np.uint64(bound)).astype(np.int64).reshape(rows, columns) + low

    def rows(self, count: int, bounds: "Sequence[int] | NDArray[np.uint64]") -> "NDArray[np.int64]":
        """`count` rows of draws, in each of them one below every bound; for many of them, below what fits into 63 bits."""
        import numpy as np

        each, words = np.asarray(bounds, np.uint64), self.words(count * len(bounds)).reshape(count, len(bounds))
        sure = words.max(initial=0) < _SURE and each.max(initial=1) <= _SMALL
        if not sure and (words > ~((~np.uint64(0) % each + np.uint64(1)) % each)).any():
            self.back(words.ravel())
            return np.array([[self.below(bound) for bound in each.tolist()] for _ in range(count)], np.int64)
        return (words % each).astype(np.int64)

    def until(self, bounds: Sequence[int], fits: "Callable[[NDArray[np.int64]], NDArray[np.bool_]]") -> list[int]:
        """The first row of draws below all bounds that fits, row after row; `fits` is asked of several rows at a time."""
        import numpy as np

        each = np.array(bounds, np.uint64)
        while True:
            words = self.words(_ROWS * len(bounds)).reshape(_ROWS, -1)
            if words.max() < _SURE and max(bounds) <= _SMALL:
                rows = (words % each).astype(np.int64)
            else:  # a word is drawn again, and all others move on
                self.back(words.ravel())
                rows, words = self.rows(1, bounds), words[:0]
            for first in fits(rows).nonzero()[0][:1]:
                self.back(words[first + 1 :].ravel())
                return rows[first].tolist()  # type: ignore[no-any-return]

    def spent_by(self, count: int, task: "Callable[[NDArray[np.uint64]], tuple[T, int]]") -> T:
        """What a task makes of the next words: it says how many it has used, and raises IndexError if `count` are too few."""
        words = self.words(count)
        try:
            made, used = task(words)
        except IndexError:
            if count > _PLENTY:
                raise
            self.back(words)
            return self.spent_by(2 * count, task)
        self.back(words[used:])
        return made

    def back(self, words: "NDArray[np.uint64]") -> None:
        """Put words back that were taken and not used: they are the next ones."""
        self._words += words[::-1].tolist()

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, uniformly."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in uniformly random order (Fisher-Yates); `draw.shuffle` is the same inside kernels."""
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

"""Reproducible randomness: integers drawn from SHA-256 in counter mode.

`random` and NumPy guarantee their streams for one version only; a benchmark must give the same bytes on every Python,
platform and hash seed. Everything random in this package comes from here.
"""

import hashlib
from collections.abc import Callable, Sequence
from struct import unpack
from typing import TYPE_CHECKING, TypeVar

from algoworlds.core.canonical import json_string

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_WORD_BYTES = 8
_WORD_COUNT = 1 << (8 * _WORD_BYTES)
_MAX_FAST_BOUND = 1 << 32
_FAST_WORDS = _WORD_COUNT - _MAX_FAST_BOUND
"""Words below this are unbiased for every bound up to 2^32, so no rejection test is needed."""
_WORDS_PER_HASH = 4
_MAX_HASHES_AHEAD = 16
"""Hashes computed ahead at most; fewer at first, so that a stream of a few draws stays cheap."""
_MAX_TASK_WORDS = 1 << 22
"""More words than any task needs; a task that asks for more has a bug."""


def _unbiased_words(bound: int) -> int:
    """The largest multiple of `bound` up to 2^64: words from there on are rejected."""
    if not 0 < bound <= _WORD_COUNT:
        raise ValueError(f"bound must lie in 1..2^64, not {bound}")
    return _WORD_COUNT - _WORD_COUNT % bound


class Stream:
    """An endless sequence of integer draws, determined by its path alone."""

    __slots__ = ("_counter", "_key", "_root", "_words", "path")

    def __repr__(self) -> str:
        return f"<Stream with a path of {len(self.path)} steps>"  # without the path, which holds the seed

    def __init__(self, *path: str | int) -> None:
        self.path = path
        steps = [json_string(step) if isinstance(step, str) else str(step) for step in path]
        self._key = hashlib.sha256(f'["algoworlds.stream",{",".join(steps)}]'.encode()).digest()
        self._root = hashlib.sha256(self._key)
        self._counter = 0
        self._words: list[int] = []  # computed ahead, the next one last

    def child(self, *path: str | int) -> "Stream":
        """An independent stream below this one; drawing from either never moves the other."""
        return Stream(*self.path, *path)

    def word(self) -> int:
        """The next 64 uniform bits."""
        if not self._words:
            self._prepare()
        return self._words.pop()

    def words(self, count: int) -> "NDArray[np.uint64]":
        """The next `count` words, as an array."""
        import numpy as np

        ready, self._words = self._words[-count:][::-1] if count else [], self._words[: -count or None]
        missing = count - len(ready)
        new = np.frombuffer(self._next_hashes(-(-missing // _WORDS_PER_HASH)), ">u8").astype(np.uint64)
        self._words += new[missing:][::-1].tolist()
        return np.concatenate([np.array(ready, np.uint64), new[:missing]]) if ready else new[:missing]

    def _prepare(self, least: int = 1) -> None:
        """Compute at least `least` words ahead; more for a stream that has already drawn many."""
        count = max(-(-least // _WORDS_PER_HASH), min(self._counter, _MAX_HASHES_AHEAD))
        self._words[:0] = unpack(f">{_WORDS_PER_HASH * count}Q", self._next_hashes(count))[::-1]

    def _next_hashes(self, count: int) -> bytes:
        """The next `count` hashes, concatenated."""
        first, self._counter = self._counter, self._counter + count
        hashes = list[bytes]()
        for number in range(first, first + count):
            hasher = self._root.copy()  # faster than hashing key and number
            hasher.update(number.to_bytes(_WORD_BYTES, "big"))
            hashes.append(hasher.digest())
        return b"".join(hashes)

    def keyed_word(self, text: str) -> int:
        """64 uniform bits determined by `text`; does not advance the sequence."""
        hasher = self._root.copy()
        hasher.update(b"at" + text.encode())
        return int.from_bytes(hasher.digest()[:_WORD_BYTES], "big")

    def keyed_integers(self, text: str, count: int, low: int, high: int) -> list[int]:
        """`count` independent draws of `integer` determined by `text`; does not advance the sequence."""
        hasher = self._root.copy()
        hasher.update(b"at" + text.encode())
        digest, numbers, bound, block = hasher.digest(), list[int](), high - low + 1, 0
        limit = _unbiased_words(bound)
        while True:
            numbers += [low + word % bound for word in unpack(f">{_WORDS_PER_HASH}Q", digest) if word < limit]
            if len(numbers) >= count:
                return numbers[:count]
            block += 1
            further = hasher.copy()
            further.update(block.to_bytes(_WORD_BYTES, "big"))
            digest = further.digest()

    def below(self, bound: int) -> int:
        """Uniform in 0 .. bound-1, without modulo bias."""
        words = self._words
        if not words:
            self._prepare()
        word = words.pop()
        if not (word < _FAST_WORDS and 0 < bound <= _MAX_FAST_BOUND):
            limit = _unbiased_words(bound)
            while word >= limit:
                word = self.word()
        return word % bound

    def integer(self, low: int, high: int) -> int:
        """Uniform in low .. high, both ends included."""
        return low + self.below(high - low + 1)

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """`count` independent draws of `integer`."""
        bound, words, numbers = high - low + 1, self._words, list[int]()
        limit = _unbiased_words(bound) if count else 0
        while missing := count - len(numbers):
            if missing > len(words):
                self._prepare(missing - len(words))
            numbers += [low + word % bound for word in words[: -missing - 1 : -1] if word < limit]
            del words[-missing:]
        return numbers

    def integer_table(self, rows: int, columns: int, low: int, high: int) -> "NDArray[np.int64]":
        """A table of draws of `integer`, row by row; fast for many draws of numbers below 2^63."""
        import numpy as np

        bound, words = high - low + 1, self.words(rows * columns)
        last = np.uint64(_unbiased_words(bound) - 1)
        while len(words := words[words <= last]) < rows * columns:
            words = np.concatenate([words, self.words(rows * columns - len(words))])
        return (words % np.uint64(bound)).astype(np.int64).reshape(rows, columns) + low

    def bounded_rows(self, count: int, bounds: "Sequence[int] | NDArray[np.uint64]") -> "NDArray[np.int64]":
        """`count` rows of draws, one below every bound; fast for many draws of numbers below 2^63."""
        import numpy as np

        limits, words = np.asarray(bounds, np.uint64), self.words(count * len(bounds)).reshape(count, len(bounds))
        is_fast = words.max(initial=0) < _FAST_WORDS and limits.max(initial=1) <= _MAX_FAST_BOUND
        if not is_fast and (words > ~((~np.uint64(0) % limits + np.uint64(1)) % limits)).any():
            self.push_back(words.ravel())
            return np.array([[self.below(bound) for bound in limits.tolist()] for _ in range(count)], np.int64)
        return (words % limits).astype(np.int64)

    def run_with_words(self, count: int, task: "Callable[[NDArray[np.uint64]], tuple[T, int]]") -> T:
        """Run `task(words)`, which returns a result and how many words it used; on IndexError retry with twice as many."""
        words = self.words(count)
        try:
            result, used = task(words)
        except IndexError:
            if count > _MAX_TASK_WORDS:
                raise
            self.push_back(words)
            return self.run_with_words(2 * count, task)
        self.push_back(words[used:])
        return result

    def push_back(self, words: "NDArray[np.uint64]") -> None:
        """Put unused words back: they are the next ones."""
        self._words += words[::-1].tolist()

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, uniformly."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in uniformly random order (Fisher-Yates); `kernel.shuffle_in_place` draws the same."""
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

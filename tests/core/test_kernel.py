"""A kernel is compiled by one process and loaded by the others; kernels draw the same numbers as a stream."""

from contextlib import contextmanager

import numpy as np
import pytest

from algoworlds.core import kernel
from algoworlds.core import stream as stream_module
from algoworlds.core.kernel import random_below, shuffle_in_place
from algoworlds.core.stream import Stream


def double(x):
    return 2 * x


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel, "_cache_directory", lambda folder, compiler: str(tmp_path / "kernels"))


def test_waiting_process_loads_what_the_other_compiled(empty_cache, monkeypatch):
    """When the lock is granted, another process has compiled the kernel."""
    other = kernel.kernel(double).compiled
    waits = []

    @contextmanager
    def lock(path):
        monkeypatch.undo()
        waits.append(path.name)
        other(4)
        yield

    own = kernel.kernel(double).compiled
    monkeypatch.setattr(kernel, "lock_file", lock)
    assert own(4) == other(4) == 8
    assert waits == ["tests.core.test_kernel.double.lock"]
    assert [sum(compiled.stats.cache_misses.values()) for compiled in (other, own)] == [1, 0]
    assert sum(own.stats.cache_hits.values()) == 1


BOUNDS = (1, 2, 7, 800, 2**62 + 1)


def equal_streams(rejected=()):
    """Two equal streams; the words at the positions `rejected` are replaced by ones that every draw rejects."""
    for stream in (pair := (Stream("draw"), Stream("draw"))):
        words = stream.words(80)
        words[list(rejected)] = 2**64 - 1
        stream.push_back(words)
    return pair


@pytest.mark.parametrize("rejected", [(), (0, 1, 5, 30)], ids=str)
def test_kernels_draw_what_the_stream_draws(rejected):
    stream, other = equal_streams(rejected)
    words, used = other.words(200), np.zeros(1, np.int64)
    assert [random_below(words, used, bound) for bound in BOUNDS * 9] == [stream.below(bound) for bound in BOUNDS * 9]
    deck = np.arange(11)
    shuffle_in_place(words, used, deck)
    assert deck.tolist() == stream.shuffled(range(11))
    assert words[used[0]] == stream.word()


def test_task_gets_more_words_and_leaves_the_rest():
    stream, other = equal_streams()

    def draw(words):
        counts.append(len(words))
        used = np.zeros(1, np.int64)
        return [int(random_below(words, used, 6)) for _ in range(37)], used[0]

    counts: list[int] = []
    assert other.run_with_words(10, draw) == [stream.below(6) for _ in range(37)]
    assert counts == [10, 20, 40]
    assert other.word() == stream.word()


def test_task_that_never_has_enough_words_raises(monkeypatch):
    monkeypatch.setattr(stream_module, "_MAX_TASK_WORDS", 40)
    counts = []

    def fail(words):
        counts.append(len(words))
        return [][0]

    with pytest.raises(IndexError):
        Stream("wrong").run_with_words(10, fail)
    assert counts == [10, 20, 40, 80]

"""What kernels draw from a stream's words is what the stream itself would have drawn."""

import numpy as np
import pytest

from algoworlds.core import stream as stream_module
from algoworlds.core.draw import below, shuffle
from algoworlds.core.stream import Stream

BOUNDS = (1, 2, 7, 800, 2**62 + 1)


def streams(unfair=()):
    """Two streams with the same words next, of which some fall on no draw: there is hardly one, so they are put in."""
    for stream in (pair := (Stream("draw"), Stream("draw"))):
        words = stream.words(80)
        words[list(unfair)] = 2**64 - 1
        stream.back(words)
    return pair


@pytest.mark.parametrize("unfair", [(), (0, 1, 5, 30)], ids=str)
def test_kernels_draw_what_the_stream_draws(unfair):
    stream, other = streams(unfair)
    words, used = other.words(200), np.zeros(1, np.int64)
    assert [below(words, used, bound) for bound in BOUNDS * 9] == [stream.below(bound) for bound in BOUNDS * 9]
    deck = np.arange(11)
    shuffle(words, used, deck)
    assert deck.tolist() == stream.shuffled(range(11))
    assert words[used[0]] == stream.word()


def test_whoever_needs_more_words_is_given_more_and_leaves_the_rest():
    stream, other = streams()

    def drawn(words):
        asked.append(len(words))
        used = np.zeros(1, np.int64)
        return [int(below(words, used, 6)) for _ in range(37)], used[0]

    asked: list[int] = []
    assert other.spent_by(10, drawn) == [stream.below(6) for _ in range(37)]
    assert asked == [10, 20, 40]
    assert other.word() == stream.word()


def test_a_task_that_never_has_enough_words_has_a_mistake_of_its_own(monkeypatch):
    monkeypatch.setattr(stream_module, "_PLENTY", 40)
    asked = []

    def wrong(words):
        asked.append(len(words))
        return [][0]

    with pytest.raises(IndexError):
        Stream("wrong").spent_by(10, wrong)
    assert asked == [10, 20, 40, 80]

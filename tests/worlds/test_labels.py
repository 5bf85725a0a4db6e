"""Opaque ids."""

import numpy as np

from algoworlds.core.stream import Stream
from algoworlds.worlds.labels import label, labels


def test_ids_follow_the_words_of_the_stream():
    stream = Stream("ids")
    assert labels("leg", 1_000, Stream("ids")) == [label("leg", stream.word()) for _ in range(1_000)]
    assert label("leg", 0b11111_00001) == "leg-1z00000000"


class Repeating:
    """A stream that comes to the same word twice."""

    def __init__(self):
        self.left = [7, 7, 8]

    def words(self, count):
        words, self.left = self.left[:count], self.left[count:]
        return np.array(words, np.uint64)


def test_an_id_that_comes_twice_is_drawn_anew():
    assert labels("leg", 2, Repeating()) == [label("leg", 7), label("leg", 8)]

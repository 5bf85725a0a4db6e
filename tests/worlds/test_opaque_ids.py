"""Opaque ids."""

import numpy as np

from algoworlds.core.stream import Stream
from algoworlds.worlds.opaque_ids import draw_opaque_ids, opaque_id


def test_ids_follow_the_words_of_the_stream():
    stream = Stream("ids")
    assert draw_opaque_ids("leg", 1_000, Stream("ids")) == [opaque_id("leg", stream.word()) for _ in range(1_000)]
    assert opaque_id("leg", 0b11111_00001) == "leg-1z00000000"


class Repeating:
    """A stream that returns the same word twice."""

    def __init__(self):
        self.remaining = [7, 7, 8]

    def words(self, count):
        words, self.remaining = self.remaining[:count], self.remaining[count:]
        return np.array(words, np.uint64)


def test_duplicate_id_is_drawn_again():
    assert draw_opaque_ids("leg", 2, Repeating()) == [opaque_id("leg", 7), opaque_id("leg", 8)]

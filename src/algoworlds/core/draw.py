"""Draws inside kernels: from words that a stream has made before, what its own methods would draw from them.

`used` holds one number: how many of the words are gone. Where they do not suffice, `Stream.spent_by` hands out more.
"""

import numpy as np

from algoworlds.core.kernel import inline

_LAST = np.uint64(2**64 - 1)


@inline
def below(words, used, bound):  # type: ignore[no-untyped-def]
    """Uniform in 0 .. bound-1, without modulo bias."""
    b = np.uint64(bound)
    while used[0] < len(words):
        word = words[used[0]]
        used[0] += 1
        if word <= _LAST - b or word <= _LAST - (_LAST % b + np.uint64(1)) % b:
            return np.int64(word % b)
    raise IndexError("all words are used")


@inline
def shuffle(words, used, deck):  # type: ignore[no-untyped-def]
    """The deck in uniformly random order, in its place."""
    for last in range(len(deck) - 1, 0, -1):
        pick = below(words, used, last + 1)
        deck[last], deck[pick] = deck[pick], deck[last]

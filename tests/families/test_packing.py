"""Triples that share no item, against all sets of them (F3)."""

from itertools import combinations, product

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.families.packing import largest, most, nearly, risen


def shared(triples):
    return len({item for triple in triples for item in triple}) < 3 * len(triples)


@pytest.mark.parametrize("number", range(40))
def test_most_is_the_best_of_all_sets(number):
    stream = Stream("packing", number)
    n = stream.integer(1, 4)
    offered = stream.shuffled(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))))[:9]
    saving = {triple: stream.integer(0, 20) for triple in offered}
    sets = [each for count in range(n + 1) for each in combinations(offered, count) if not shared(each)]
    rows, saved = np.array(offered), np.array(list(saving.values()))
    assert most(n, rows, saved) == max(sum(saving[triple] for triple in each) for each in sets)
    least = stream.integer(0, 40)
    enough = [set(each) for each in sets if sum(saving[triple] for triple in each) >= least]
    found = [set(each) for each in nearly(n, saving, least)]
    assert len(found) == len(enough)
    assert all(each in enough for each in found)
    beside = offered[0]
    fitting = (each for each in sets if not any(set(triple) & set(beside) for triple in each))
    around = saving[beside] + max(sum(saving[triple] for triple in each) for each in fitting)
    assert risen(n, rows, saved, around + 9, [(0, 4, 100)], 99)[0] == saving[beside] + 5
    assert risen(n, rows, saved, around + 9, [(0, 4, 50)], saving[beside] + 1)[0] == saving[beside] + 1
    assert (risen(n, rows, saved, around, [(0, 1, 100)], 99) == saved).all()


def packed(triples):
    """The triples in turn that share no item with those taken before."""
    taken = []
    for triple in triples:
        if not shared([*taken, triple]):
            taken.append(triple)
    return taken


class Unfair(Stream):
    """A stream of which every third word is too large to fall evenly on three places or on five."""

    def _hashes(self, count):
        first = 4 * self._counter
        made = super()._hashes(count)
        words = [made[at : at + 8] for at in range(0, len(made), 8)]
        return b"".join(b"\xff" * 8 if at % 3 == 0 else word for at, word in enumerate(words, first))


@pytest.mark.parametrize("kind", [Stream, Unfair])
@pytest.mark.parametrize("number", range(10))
def test_the_largest_basket_is_the_one_of_shuffles_made_one_by_one(number, kind):
    few = Stream("few", number)
    n = few.integer(1, 4)
    offered = few.shuffled(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))))[:7]
    together, single = kind("largest", number), kind("largest", number)
    assert largest(offered, 20, together) == max((packed(single.shuffled(offered)) for _ in range(20)), key=len)
    assert together.word() == single.word()

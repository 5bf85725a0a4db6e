"""Triples that share no item, against all sets of them (F3)."""

from itertools import combinations, compress, product

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.packing import largest_random_packing, max_saving, near_optimal_packings, raise_savings


def overlap(triples):
    """Whether two of the triples share an item."""
    return len({item for triple in triples for item in triple}) < 3 * len(triples)


@pytest.mark.parametrize("number", range(40))
def test_max_saving_and_near_optimal_packings_agree_with_enumeration(number):
    stream = Stream("packing", number)
    n = stream.integer(1, 4)
    offered = stream.shuffled(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))))[:9]
    saving = {triple: stream.integer(0, 20) for triple in offered}
    sets = [combination for count in range(n + 1) for combination in combinations(offered, count) if not overlap(combination)]
    rows, saved = np.array(offered), np.array(list(saving.values()))
    assert max_saving(n, rows, saved) == max(sum(saving[triple] for triple in packing) for packing in sets)
    least = stream.integer(0, 40)
    enough = [set(packing) for packing in sets if sum(saving[triple] for triple in packing) >= least]
    found = [set(compress(offered, flags)) for flags in near_optimal_packings(n, rows, saved, least)]
    assert len(found) == len(enough)
    assert all(packing in enough for packing in found)


def raise_one_by_one(n, saving, goal, shares, most, stream):
    """Raise the triples one by one, by a share of what the best of all sets around them lacks."""
    sets = [combination for count in range(n + 1) for combination in combinations(saving, count) if not overlap(combination)]
    saving = dict(saving)
    for share in shares:
        order = stream.shuffled(list(saving))
        for triple, margin in zip(order, stream.integers(len(order), 1, most[0]), strict=True):
            around = max(sum(map(saving.get, packing)) for packing in sets if triple in packing)
            saving[triple] = min(most[1], saving[triple] + share * max(0, goal - margin - around) // 100)
    return list(saving.values())


@pytest.mark.parametrize("number", range(20))
def test_raised_savings_agree_with_enumeration(number):
    stream = Stream("rise", number)
    n = stream.integer(2, 4)
    offered = stream.shuffled(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))))[:8]
    saved = stream.integers(len(offered), 0, 40)
    rows, goal, most_each = np.array(offered), stream.integer(60, 100), (9, stream.integer(40, 60))
    together, single = Stream("turns", number), Stream("turns", number)
    found = raise_savings(n, rows, np.array(saved), goal, (30, 50, 100), most_each, together).tolist()
    saving = dict(zip(offered, saved, strict=True))
    assert found == raise_one_by_one(n, saving, goal, (30, 50, 100), most_each, single)
    assert found != saved
    assert together.word() == single.word()


def pack_in_order(triples):
    """Take every triple, in order, that shares no item with those taken before."""
    taken = []
    for triple in triples:
        if not overlap([*taken, triple]):
            taken.append(triple)
    return taken


class RejectedWords(Stream):
    """A stream in which every third word is rejected for the bounds three and five."""

    def _next_hashes(self, count):
        first = 4 * self._counter
        hashes = super()._next_hashes(count)
        words = [hashes[at : at + 8] for at in range(0, len(hashes), 8)]
        return b"".join(b"\xff" * 8 if at % 3 == 0 else word for at, word in enumerate(words, first))


@pytest.mark.parametrize("kind", [Stream, RejectedWords])
@pytest.mark.parametrize("number", range(10))
def test_largest_random_packing_agrees_with_shuffling_one_by_one(number, kind):
    few = Stream("few", number)
    n = few.integer(1, 4)
    offered = few.shuffled(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))))[:7]
    together, single = kind("largest", number), kind("largest", number)
    found = [offered[at] for at in largest_random_packing(np.array(offered), 20, together)]
    assert found == max((pack_in_order(single.shuffled(offered)) for _ in range(20)), key=len)
    assert together.word() == single.word()

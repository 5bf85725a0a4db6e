"""How often searches reach a basket: cases with a known answer, and the same searches without caches (F3)."""

from itertools import compress, product

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly import basins
from algoworlds.families.basket_assembly.basins import RUNS, count_basket_hits
from algoworlds.families.basket_assembly.packing import near_optimal_packings

SAVING = {(0, 2, 4): 7, (1, 3, 5): 7, (0, 3, 5): 6, (1, 2, 4): 6, (0, 2, 5): 13}


def count_hits(saving, baskets, stream):
    """How many searches reach each of `baskets`, given as lists of triples."""
    held = np.array([[triple in basket for triple in saving] for basket in baskets], np.int64)
    return count_basket_hits(np.array(list(saving)), np.array(list(saving.values())), held, stream).tolist()


def good_baskets(n, saving, least):
    """All baskets that save at least `least`, as lists of triples."""
    held = near_optimal_packings(n, np.array(list(saving)), np.array(list(saving.values())), least)
    return [list(compress(saving, basket)) for basket in held]


def test_every_search_of_a_small_shop_reaches_all_local_optima():
    best, other, alone = [(0, 2, 4), (1, 3, 5)], [(0, 3, 5), (1, 2, 4)], [(0, 2, 5)]
    assert count_hits(SAVING, [best, other, alone], Stream("small")) == [RUNS] * 3


def test_a_basket_with_room_for_a_triple_is_never_reached():
    baskets = good_baskets(2, SAVING, 7)
    times = dict(zip(map(tuple, baskets), count_hits(SAVING, baskets, Stream("room")), strict=True))
    assert times[((0, 2, 4),)] == times[((1, 3, 5),)] == 0
    assert times[((0, 2, 5),)] == RUNS


def test_equal_streams_give_equal_counts():
    baskets = good_baskets(2, SAVING, 13)
    assert count_hits(SAVING, baskets, Stream("same")) == count_hits(SAVING, baskets, Stream("same"))


class CongruentialNumbers:
    """The linear congruential generator of the searches."""

    def __init__(self, x):
        self.x = x

    def upper(self):
        self.x = (self.x * 1_103_515_245 + 12_345) % 2**31
        return self.x >> 8

    def shuffle(self, order):
        for last in range(len(order) - 1, 0, -1):
            pick = self.upper() % (last + 1)
            order[last], order[pick] = order[pick], order[last]


def fill(basket, ranked):
    """A basket with every triple of `ranked`, in order, that fits."""
    for triple in ranked:
        if all(set(triple).isdisjoint(other) for other in basket):
            basket = [*basket, triple]
    return frozenset(basket)


def search(saving, numbers, order, length, walking):
    """Every basket that one search looks at, without the caches of the kernel."""

    def worth(basket):
        return sum(saving[triple] for triple in basket)

    triples, y, stale, at = list(saving), None, 0, len(saving)
    for _ in range(length):
        if y is None or (stale == 150 if walking else at == len(order)):
            numbers.shuffle(order)
            y, z = None, fill([], order)
        elif walking:
            keep, drawn = 30 + numbers.upper() % 50, [(numbers.upper(), numbers.upper()) for _ in triples]
            blurred = {triple: saving[triple] * (50 + blur % 100) for triple, (blur, _) in zip(triples, drawn, strict=True)}
            stays = [triple for triple, (_, stay) in zip(triples, drawn, strict=True) if triple in y and stay % 100 < keep]
            z = fill(stays, sorted(triples, key=lambda triple: -blurred[triple]))
        else:
            put, at = order[at], at + 1
            stays = [triple for triple in y if set(triple).isdisjoint(put)]
            z = fill([put, *stays], sorted(triples, key=lambda triple: -saving[triple]))
        yield z
        gain = y is None or worth(z) > worth(y)
        stale = 0 if gain else stale + 1
        if gain and not walking:
            numbers.shuffle(order)
            at = 0
        if gain or (walking and worth(z) == worth(y)):
            y = z


def count_hits_without_cache(saving, baskets, stream, runs, length):
    for _ in saving:  # the names of the triples, which only the caches need
        stream.below(1 << 62)
    numbers, order, times = CongruentialNumbers(stream.below(1 << 31)), list(saving), [0] * len(baskets)
    for run in range(runs):
        seen = set(search(saving, numbers, order, length, run % 2 == 1))
        times = [time + (frozenset(basket) in seen) for time, basket in zip(times, baskets, strict=True)]
    return times


@pytest.mark.parametrize("number", range(12))
def test_searches_with_caches_equal_searches_without(number, monkeypatch):
    monkeypatch.setattr(basins, "RUNS", 6)
    monkeypatch.setattr(basins, "LENGTH", 250)
    stream = Stream("plain", number)
    n = stream.integer(5, 6)
    offered = stream.sample(list(product(range(n), range(n, 2 * n), range(2 * n, 3 * n))), n * n)
    saving = {triple: stream.integer(1, 9 if number % 2 else 900) for triple in offered}  # with many ties, and with few
    best = max(sum(saving[triple] for triple in basket) for basket in good_baskets(n, saving, 0))
    baskets = good_baskets(n, saving, best * 8 // 10)
    times = count_hits(saving, baskets, Stream("met", number))
    assert times == count_hits_without_cache(saving, baskets, Stream("met", number), 6, 250)
    assert len(set(times)) > 1

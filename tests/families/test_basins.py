"""How often searches meet a basket, where that can be told without them (F3)."""

from algoworlds.core.stream import Stream
from algoworlds.families.basins import RUNS, met

SAVING = {(0, 2, 4): 7, (1, 3, 5): 7, (0, 3, 5): 6, (1, 2, 4): 6, (0, 2, 5): 13}


def test_every_search_of_a_small_shop_meets_what_can_be_met():
    best, other, alone = [(0, 2, 4), (1, 3, 5)], [(0, 3, 5), (1, 2, 4)], [(0, 2, 5)]
    assert met(SAVING, [best, other, alone], Stream("small")) == [RUNS] * 3


def test_a_basket_with_room_for_a_triple_is_never_met():
    assert met(SAVING, [[(0, 2, 4)], [(0, 2, 5)]], Stream("room")) == [0, RUNS]


def test_the_same_stream_meets_the_same():
    assert met(SAVING, [[(0, 2, 5)]], Stream("same")) == met(SAVING, [[(0, 2, 5)]], Stream("same"))

"""How often patient searches meet each of some baskets: the width of the basins in which these lie.

Two searches take turns, both from random baskets: descents that put in one triple, evict what overlaps it and refill by
saving; and walks that drop a part of the basket and refill by savings that chance has blurred.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from algoworlds.core.kernel import kernel
from algoworlds.core.stream import Stream
from algoworlds.families.baskets import NAMES, draws_ahead, shop_of
from algoworlds.families.packing import Numbers, Triple
from algoworlds.families.searches import Sought, descend, none_known, walk

RUNS, LENGTH = 30, 2_000
"""How many searches are made, and how many baskets each one looks at."""


def met(saving: Mapping[Triple, int], baskets: Sequence[Sequence[Triple]], stream: Stream) -> list[int]:
    """By how many of the searches each basket is met; these are all that save at least as much as the least of them."""
    mask = np.array([sum(1 << item for item in triple) for triple in saving], np.int32)
    saved = np.array(list(saving.values()), np.int64)
    names, ranked = np.array([stream.below(NAMES) for _ in saving], np.int64), np.argsort(-saved, kind="stable")
    wanted = _wanted(list(saving), saved, names, baskets)
    return _met(mask, saved, ranked, names, wanted, stream.below(1 << 31), RUNS, LENGTH).tolist()  # type: ignore[no-any-return]


def _wanted(triples: Sequence[Triple], saved: Numbers, names: Numbers, baskets: Sequence[Sequence[Triple]]) -> Sought:
    place = {triple: e for e, triple in enumerate(triples)}
    held = np.zeros((len(triples), len(baskets)), np.int64)
    for at, basket in enumerate(baskets):
        for triple in basket:
            held[place[triple], at] = 1
    sums = saved @ held
    return Sought(names @ held & (NAMES - 1), sums, int(sums.min()), (1 - held).astype(np.int32))


@kernel
def _met(mask, saved, ranked, names, wanted, x, runs, length):  # type: ignore[no-untyped-def]
    """Baskets are lists of triples: y the one to improve on, z the one looked at."""
    m, count = len(mask), len(wanted.name)
    shop, ahead, known = shop_of(mask, saved, ranked, names), draws_ahead(2 * m + 1), none_known(m, runs * length)
    order, times = np.arange(m), np.zeros(count, np.int64)
    for run in range(runs):
        seen = np.zeros(count + 1, np.bool_)
        if run % 2 == 0:
            x = descend(shop, wanted, known, order, x, length, seen)
        else:
            x = walk(shop, wanted, ahead, order, x, length, seen)
        for at in range(count):
            times[at] += seen[at]
    return times

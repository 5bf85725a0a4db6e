"""How often patient searches meet each of some baskets: the width of the basins in which these lie.

Two searches take turns, both from random baskets: descents that put in one triple, evict what overlaps it and refill by
saving; and walks that drop a part of the basket and refill by savings that chance has blurred.
"""

import numpy as np

from algoworlds.core.kernel import kernel
from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.baskets import NAMES, draws_ahead, shop_of
from algoworlds.families.basket_assembly.packing import Numbers, Triples, masks
from algoworlds.families.basket_assembly.searches import Sought, descend, none_known, walk

RUNS, LENGTH = 30, 2_000
"""How many searches are made, and how many baskets each one looks at."""


def met(triples: Triples, saved: Numbers, baskets: Numbers, stream: Stream) -> Numbers:
    """By how many of the searches each basket is met; these are all that save at least as much as the least of them."""
    names = stream.table(1, len(triples), 0, NAMES - 1)[0]
    ranked, sums = np.argsort(-saved, kind="stable"), baskets @ saved
    wanted = Sought(baskets @ names & (NAMES - 1), sums, int(sums.min()), (1 - baskets.T).astype(np.int32, order="C"))
    mask = masks(triples).astype(np.int32)
    return _met(mask, saved, ranked, names, wanted, stream.below(1 << 31), RUNS, LENGTH)  # type: ignore[no-any-return]


@kernel
def _met(mask, saved, ranked, names, wanted, x, runs, length):  # type: ignore[no-untyped-def]
    """Baskets are lists of triples: y the one to improve on, z the one looked at."""
    m, count = len(mask), len(wanted.name)
    shop, ahead, known = shop_of(mask, saved, ranked, names), draws_ahead(2 * m + 1), none_known(m, runs * length)
    order, times = np.arange(m), np.zeros(count, np.int64)
    for run in range(runs):
        seen = np.zeros(count + 1, np.bool_)
        if run % 2 == 0:
            x = descend(shop, wanted, known, ahead, order, x, length, seen)
        else:
            x = walk(shop, wanted, ahead, order, x, length, seen)
        for at in range(count):
            times[at] += seen[at]
    return times

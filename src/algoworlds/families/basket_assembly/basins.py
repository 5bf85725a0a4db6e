"""How often heuristic searches reach given baskets: a measure of how wide their basins of attraction are.

Descents and walks alternate, both from random baskets. A descent inserts one triple, evicts what overlaps it and refills by
saving; a walk drops a random part of the basket and refills by savings with noise. In the kernels a basket is a list of
triples: y is the one to improve on, z the one looked at.

The random numbers come from a linear congruential generator that the stream seeds. It is a second generator, but its
numbers decide the suite's bytes, so it stays. A jump table gives many of its numbers at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel
from algoworlds.families.basket_assembly.packing import IntArray, Triples, triple_masks
from algoworlds.families.declare import Stream

RUNS, LENGTH = 30, 2_000
"""Number of searches, and of baskets that each one looks at."""
MAX_STALE_STEPS = 150
"""Steps without a gain after which a walk restarts."""
MAX_TRIPLES = 128
"""Bound on the number of triples: a key is saving * MAX_TRIPLES + (MAX_TRIPLES - 1 - triple)."""
LANES = 16
"""Arrays are padded to multiples of this so that loops over them use vector instructions; more than a basket holds."""
HASH_MASK = (1 << 62) - 1
CACHE_SLOTS = 1 << 14


class Targets(NamedTuple):
    """The baskets to reach: hashes, savings, least saving, and `lacks[e, w]` = 1 if basket w does not hold triple e."""

    hash: IntArray
    saved: IntArray
    least: int
    lacks: NDArray[np.int32]


def count_basket_hits(triples: Triples, saved: IntArray, baskets: IntArray, stream: Stream) -> IntArray:
    """How many searches reach each of `baskets`, which must be all baskets that save at least as much as the least of them."""
    names = stream.integer_table(1, len(triples), 0, HASH_MASK)[0]
    ranked, sums = np.argsort(-saved, kind="stable"), baskets @ saved
    targets = Targets(baskets @ names & HASH_MASK, sums, int(sums.min()), (1 - baskets.T).astype(np.int32, order="C"))
    mask, padded = (np.pad(column, (0, -len(column) % LANES)).astype(np.int32) for column in (triple_masks(triples), saved))
    return _count_hits(mask, padded, names, targets, ranked, stream.below(1 << 31), RUNS, LENGTH)  # type: ignore[no-any-return]


@kernel
def _count_hits(mask, saved, names, targets, ranked, x, runs, length):  # type: ignore[no-untyped-def]
    """Run descents and walks in turn; count the runs that see a target. The k-th number after x is jump[0,k] x + jump[1,k]."""
    m, count = len(ranked), len(targets.hash)
    jump = np.zeros((2, 2 * m + 2), np.uint32)
    jump[0, 0] = 1
    for k in range(2 * m + 1):
        jump[0, k + 1] = np.int64(jump[0, k]) * 1_103_515_245 & 2_147_483_647
        jump[1, k + 1] = np.int64(jump[1, k]) * 1_103_515_245 + 12_345 & 2_147_483_647
    order, futile, hits = np.arange(m), np.full(CACHE_SLOTS, -1), np.zeros(count, np.int64)
    for run in range(runs):
        seen = np.zeros(count + 1, np.bool_)
        if run % 2 == 0:
            x = run_descents(mask, saved, names, targets, ranked, jump, order, x, length, seen, futile)
        else:
            x = run_walks(mask, saved, names, targets, jump, order, x, length, seen)
        hits += seen[:count]
    return hits


@kernel
def run_descents(mask, saved, names, targets, ranked, jump, order, x, length, seen, futile):  # type: ignore[no-untyped-def]
    """Insert triples into y in random order, reshuffled after every gain; restart once no triple improves y.

    `futile` is a direct-mapped cache of insertions that led neither to a gain nor to a target.
    """
    least, m = targets.least, len(order)
    y, z, y_size, y_saving, y_hash, at, key = np.zeros(m, np.int64), np.zeros(m + 1, np.int64), 0, -1, 0, m, 0
    for _ in range(length):
        if at == m:
            x = shuffle(order, jump, x)
            size, y_saving = fill_in_order(mask, order, z, 0), -1
        else:
            e, at = order[at], at + 1
            key = y_hash ^ names[e] >> 1  # the sum would be the same if e were in y and another triple of y inserted
            if futile[key % CACHE_SLOTS] == key:
                continue
            z[0], size = e, 1
            for k in range(y_size):
                z[size] = y[k]
                size += mask[y[k]] & mask[e] == 0
            size = fill_in_order(mask, ranked, z, size)
        saving = total_saving(saved, z, size)
        if saving >= least:
            seen[target_index(targets.hash, basket_hash(names, z, size))] = True
        if saving > y_saving:
            x = shuffle(order, jump, x)
            y_size, y_saving, y_hash, at = size, saving, basket_hash(names, z, size), 0
            y[:size] = z[:size]
        elif saving < least:
            futile[key % CACHE_SLOTS] = key
    return x


@kernel
def run_walks(mask, saved, names, targets, jump, order, x, length, seen):  # type: ignore[no-untyped-def]
    """Drop a part of y and refill by savings with noise; a step takes one number, and two more per triple.

    Once y saves as much as a target, only targets can replace it. So a step changes nothing if what stays of y is part of no
    target but y itself and those already seen that save less. `absent[w]` holds the places of y that target w lacks, as bits,
    and the bit `useless` if w is one of these.
    """
    hashes, sums, least, lacks = targets
    m, count, useless = len(order), len(hashes), np.int32(1 << LANES)
    y, z, keys, tie = np.zeros(m, np.int64), np.zeros(m + 1, np.int64), np.empty_like(mask), np.full_like(mask, -1)
    noise, absent = np.zeros((2, len(keys)), np.uint32), np.full(-(-count // LANES) * LANES, -1, np.int32)
    for e in range(m):
        noise[0, e], noise[1, e], tie[e] = jump[0, 2 * e + 2], jump[1, 2 * e + 2], MAX_TRIPLES - 1 - e
    y_saving, y_size, stale = -1, 0, 0
    for _ in range(length):
        if y_saving < 0 or stale == MAX_STALE_STEPS:
            x = shuffle(order, jump, x)
            size, y_saving = fill_in_order(mask, order, z, 0), -1
        else:
            before, x = x, number_after(jump, 2 * m + 1, x)
            keep, stays = 30 + draw(jump, 1, before) % np.uint32(50), 0
            for k in range(y_size):
                stays |= (draw(jump, 2 * y[k] + 3, before) % np.uint32(100) < keep) << k
            if y_saving >= least and not any_clear(absent, stays | useless):
                stale += 1
                continue
            size = 0
            for k in range(y_size):
                z[size] = y[k]
                size += stays >> k & 1
            for e in range(len(keys)):
                noisy = saved[e] * (50 + np.int32(draw(noise, e, before) % np.uint32(100)))
                keys[e] = np.int32(noisy * MAX_TRIPLES + tie[e])
            size = fill_by_key(mask, keys, z, size)
        saving, index = total_saving(saved, z, size), count
        if saving >= least:
            index = target_index(hashes, basket_hash(names, z, size))
            seen[index] = True
            if index < count and saving < y_saving:
                absent[index] |= useless
        stale = 0 if saving > y_saving else stale + 1
        if saving >= y_saving:
            y_size, y_saving = size, saving
            y[:size] = z[:size]
            for w in range(count):
                absent[w] = useless if w == index or (seen[w] and sums[w] < saving) else np.int32(0)
            for k in range(size):
                for w in range(count):
                    absent[w] |= lacks[y[k], w] << k
    return x


@kernel
def number_after(jump, k, x):  # type: ignore[no-untyped-def]
    """The k-th number after x, below 2^31."""
    return np.int64(jump[0, k]) * x + jump[1, k] & 2_147_483_647


@kernel
def draw(jump, k, x):  # type: ignore[no-untyped-def]
    """The upper bits of the k-th number after x, which look random."""
    return np.uint32(number_after(jump, k, x)) >> np.uint32(8)


@kernel
def shuffle(order, jump, x):  # type: ignore[no-untyped-def]
    """Shuffle `order` in place; return the last number drawn."""
    m = len(order)
    for k in range(1, m):
        last, pick = m - k, draw(jump, k, x) % np.uint32(m - k + 1)
        order[last], order[pick] = order[pick], order[last]
    return number_after(jump, m - 1, x)


@kernel
def fill_in_order(mask, order, z, size):  # type: ignore[no-untyped-def]
    """Add to z every triple of `order` that still fits; return the new size."""
    covered = 0
    for at in range(size):
        covered |= mask[z[at]]
    for e in order:
        if mask[e] & covered == 0:
            z[size] = e
            size += 1
            covered |= mask[e]
    return size


@kernel
def fill_by_key(mask, keys, z, size):  # type: ignore[no-untyped-def]
    """Add to z the fitting triple with the largest key until none fits; return the new size."""
    covered, none = 0, np.int32(-1)
    for at in range(size):
        covered |= mask[z[at]]
    while True:
        best = none
        for e in range(len(mask)):  # 32 bits and no branch, so that it uses vector instructions
            best = max(best, keys[e] if np.int32(mask[e] & covered) == 0 else none)
        if best == none:
            return size
        z[size] = MAX_TRIPLES - 1 - best % MAX_TRIPLES
        covered |= mask[z[size]]
        size += 1


@kernel
def total_saving(saved, z, size):  # type: ignore[no-untyped-def]
    """What the first `size` triples of z save together."""
    total = 0
    for at in range(size):
        total += saved[z[at]]
    return total


@kernel
def basket_hash(names, z, size):  # type: ignore[no-untyped-def]
    """The sum of the triples' random names, which does not depend on their order."""
    total = 0
    for at in range(size):
        total = (total + names[z[at]]) & HASH_MASK
    return total


@kernel
def target_index(hashes, key):  # type: ignore[no-untyped-def]
    """The index of the target whose hash is `key`; the number of targets if none has it."""
    index = len(hashes)
    for w in range(len(hashes)):
        index = w if hashes[w] == key else index
    return index


@kernel
def any_clear(sets, bits):  # type: ignore[no-untyped-def]
    """Whether any of `sets` has none of `bits`; 32 bits and no branch, so that it uses vector instructions."""
    clear = no = np.int32(0)
    for w in range(len(sets)):
        clear = max(clear, np.int32(1) if np.int32(sets[w] & bits) == 0 else no)
    return clear > 0

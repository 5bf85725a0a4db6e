"""Verification algorithm of Basket Assembly: forward recurrence over the tripartite coverage state.

    D[c+1](S_A, S_B) <- min { D[c](S_A, S_B) + single[c], D[c](S_A - a, S_B - b) + p_e : e = (a, b, c) }

The items of C are processed one by one, in a triple or singly; the state is the mask of the items of A and B that triples
cover, and the rest is bought singly at the end. It differs from the construction in direction, in the group that comes
first, in the masks, and in uniqueness: optima are counted, saturating at MAX_COUNTED.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.basket_assembly.instance import BasketAssembly

Lists = dict[str, list[str]]


class Shop(NamedTuple):
    """Triples grouped by their item of C, with A and B bits and price; every item's cheapest single and its multiplicity."""

    start: NDArray[np.int64]
    bits: NDArray[np.int64]
    cost: NDArray[np.int64]
    single: NDArray[np.int64]
    many: NDArray[np.int64]


def verify(instance: BasketAssembly) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, independent of the construction algorithm."""
    n = len(instance.item) // 3
    require_memory((2 * n + 2 * 9) << (2 * n))  # choices, two layers of values and counts
    triples: Lists = {item: [] for item in instance.item[2 * n :]}
    singles: Lists = {item: [] for item in instance.item}
    held: Lists = {ticket: [] for ticket in instance.ticket}
    for ticket, item in sorted(instance.covers, key=lambda row: instance.item.index(row[1])):
        held[ticket].append(item)
    for ticket, items in held.items():
        (singles if len(items) == 1 else triples)[items[-1]].append(ticket)
    if max(map(len, triples.values()), default=0) >= 2**15:
        raise TooLarge("Basket Assembly is verified for fewer than 32,768 triples an item")
    value, optima, used, alone = _forward(_build_shop(instance, held, triples, singles), np.empty((n, 1 << (2 * n)), np.int16))
    if optima == 0:
        return Solution.infeasible()
    by_position = [ticket for tickets in triples.values() for ticket in tickets]
    cheapest = [min(singles[instance.item[v]], key=lambda ticket: instance.price[ticket]) for v in np.flatnonzero(alone)]
    return Solution.from_kernel(value, tuple(sorted([by_position[at] for at in used if at >= 0] + cheapest)), optima)


def _build_shop(instance: BasketAssembly, held: Lists, triples: Lists, singles: Lists) -> Shop:
    bit = {item: 1 << at for at, item in enumerate(instance.item)}
    sold = [ticket for tickets in triples.values() for ticket in tickets]
    offers = [[instance.price[ticket] for ticket in tickets] for tickets in singles.values()]
    return Shop(
        start=np.cumsum([0, *map(len, triples.values())], dtype=np.int64),
        bits=np.array([sum(bit[item] for item in held[ticket][:2]) for ticket in sold], np.int64),
        cost=np.array([instance.price[ticket] for ticket in sold], np.int64),
        single=np.array([min(offer, default=INFINITY) for offer in offers], np.int64),
        many=np.array([min(offer.count(min(offer)), MAX_COUNTED) if offer else 0 for offer in offers], np.int64),
    )


@kernel
def _forward(shop, choice):  # type: ignore[no-untyped-def]
    """D[c+1](T + a + b) <- min { D[c](T + a + b) + single[c], D[c](T) + p_e : e = (a, b, c) }; then singles for the rest."""
    n, size = choice.shape
    D, D_new = np.full(size, INFINITY), np.full(size, INFINITY)
    ways, ways_new = np.zeros(size, np.int8), np.zeros(size, np.int8)
    D[0], ways[0] = 0, 1
    for c in range(n):
        alone = shop.single[2 * n + c]
        for T in range(size):  # c on its own
            if ways[T] > 0 and shop.many[2 * n + c] > 0:
                D_new[T], ways_new[T] = D[T] + alone, min(ways[T] * shop.many[2 * n + c], MAX_COUNTED)
            else:
                D_new[T], ways_new[T] = INFINITY, 0
            choice[c, T] = -1
        for T in range(size):  # c in a triple
            if ways[T] == 0:
                continue
            for at in range(shop.start[c], shop.start[c + 1]):
                if T & shop.bits[at]:
                    continue
                to = T | shop.bits[at]
                total = D[T] + shop.cost[at]
                if total < D_new[to]:
                    D_new[to], ways_new[to], choice[c, to] = total, ways[T], at - shop.start[c]
                elif total == D_new[to]:
                    ways_new[to] = min(int(ways_new[to]) + int(ways[T]), MAX_COUNTED)
        D, D_new, ways, ways_new = D_new, D, ways_new, ways
    value, optima, last = INFINITY, 0, 0
    for T in range(size):
        if ways[T] == 0:
            continue
        total, count = D[T], int(ways[T])
        for v in range(2 * n):
            if T >> v & 1 == 0:
                if shop.many[v] == 0:
                    count = 0
                    break
                total += shop.single[v]
                count = min(count * shop.many[v], MAX_COUNTED)
        if count > 0 and total < value:
            value, optima, last = total, count, T
        elif count > 0 and total == value:
            optima = min(optima + count, MAX_COUNTED)
    used, alone_at = np.full(n, -1), np.zeros(3 * n, np.bool_)
    if optima > 0:
        for v in range(2 * n):
            alone_at[v] = last >> v & 1 == 0
        for c in range(n - 1, -1, -1):
            pick = choice[c, last]
            alone_at[2 * n + c] = pick < 0
            if pick >= 0:
                used[c] = shop.start[c] + pick
                last ^= shop.bits[used[c]]
    return value, optima, used, alone_at

"""Shelves of packages that require some domains: how they are drawn, and what they favour in domains and in pairs of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.draw import below, shuffle
from algoworlds.core.kernel import kernel
from algoworlds.core.stream import Stream

LEAST_COST, NEEDLESS = 20, (200, 999)
"""The least cost of a package, and the costs of those without requirements, which are the dearest of their groups."""
MOST_NEEDING, MOST_DOMAINS = 3, 2
"""Most packages with requirements in a group, and most domains that one of them requires."""

Array = NDArray[np.int64]


class Shelves(NamedTuple):
    """The packages of all groups, one group after the other."""

    size: Array
    """How many packages a group has."""
    cost: Array
    need: Array
    """The domains that a package requires, as bits."""


def stocked(groups: int, packages: int, domains: int, stream: Stream) -> Shelves:
    """Shelves with so many packages in all, two or more for every group, in random order.

    In a group costs and requirements are all different: one package needs nothing and is the dearest.
    """
    words = (packages - groups) * (domains + 3) + 5 * groups  # mostly enough
    return Shelves(*stream.spent_by(words, lambda given: _stocked(given, groups, packages, domains)))


def favoured(shelves: Shelves, domains: int) -> tuple[Array, Array]:
    """What switching on two domains, and one, adds to the least costs of all groups beyond what fewer do.

    On average over all statuses of the domains that a group's packages name, rounded down in every group.
    """
    return _favoured(shelves, domains)  # type: ignore[no-any-return]


@kernel
def _stocked(words, groups, packages, n):  # type: ignore[no-untyped-def]
    """Group by group c, all different and at most c[0], and R, all different, where R[0] is empty; then shuffled."""
    used = np.zeros(1, np.int64)
    size, cost, need = np.full(groups, 2), np.zeros(packages, np.int64), np.zeros(packages, np.int64)
    dealt = np.arange(groups * (MOST_NEEDING - 1))
    shuffle(words, used, dealt)
    for each in dealt[: packages - 2 * groups]:  # what a group gets beyond one package of either kind
        size[each // (MOST_NEEDING - 1)] += 1
    first = 0
    for last in np.cumsum(size):
        c, R = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
        c[0] = NEEDLESS[0] + below(words, used, NEEDLESS[1] - NEEDLESS[0] + 1)
        p = 1
        while p < len(c):
            c[p] = LEAST_COST + below(words, used, c[0] - LEAST_COST)
            p += not (c[:p] == c[p]).any()
        p = 1
        while p < len(R):
            count, domains = 1 + below(words, used, MOST_DOMAINS), np.arange(n)
            shuffle(words, used, domains)
            R[p] = (1 << domains[:count]).sum()
            p += not (R[:p] == R[p]).any()
        order = np.arange(len(c))
        shuffle(words, used, order)
        cost[first:last], need[first:last] = c[order], R[order]
        first = last
    return (size, cost, need), used[0]


@kernel
def _favoured(shelves, n):  # type: ignore[no-untyped-def]
    """For i, j of a group's domains: the mean over S of f(S), times four, negative where one of i, j is on; times two for i."""
    size, cost, need = shelves
    pairs, singles, first = np.zeros((n, n), np.int64), np.zeros(n, np.int64), 0
    for last in np.cumsum(size):
        named = 0
        for p in range(first, last):
            named |= need[p]
        scope = np.array([j for j in range(n) if named >> j & 1])
        width = len(scope)
        pair, single = np.zeros((width, width), np.int64), np.zeros(width, np.int64)
        for cell in range(1 << width):
            S = 0
            for at in range(width):
                S |= (cell >> at & 1) << scope[at]
            least = NEEDLESS[1]
            for p in range(first, last):
                if need[p] & ~S == 0:
                    least = min(least, cost[p])
            for i in range(width):
                on = least if cell >> i & 1 else -least
                single[i] += on
                for j in range(i):
                    pair[i, j] += on if cell >> j & 1 else -on
        for i in range(width):
            singles[scope[i]] += 2 * single[i] >> width
            for j in range(i):
                pairs[scope[j], scope[i]] += 4 * pair[i, j] >> width
        first = last
    return pairs, singles

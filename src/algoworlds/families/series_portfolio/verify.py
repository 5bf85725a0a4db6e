"""Verification algorithm of Series Portfolio: from the last title back, closing each factor at its leftmost member.

    R[i](tau) = max over the choice beyond tau of gain[i](word) + R[i+1](word without title i)

The word holds the choices of title i and of the titles to its right that a factor from i could reach, title i as its
lowest bit; tau is the word without the farthest of them. gain[i](word) is the value of title i's lot and of all factors
whose leftmost member is i. It differs from the construction in direction, in where a factor counts, in order (the gains
of all words first, factor by factor) and in uniqueness: optimal completions are counted, saturating at two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.work import Solution
from algoworlds.families.series_portfolio.instance import SeriesPortfolio


class Catalogue(NamedTuple):
    """Lot values by title and choice, and the factors by leftmost member; a member is `ahead` of it, with a `weight`."""

    worth: NDArray[np.int64]
    opening: NDArray[np.int64]
    start: NDArray[np.int64]
    ahead: NDArray[np.int64]
    weight: NDArray[np.int64]
    base: NDArray[np.int64]
    table: NDArray[np.int64]


def verify(instance: SeriesPortfolio) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    n, position = len(instance.title), {title: at for at, title in enumerate(instance.title)}
    lots = [["", ""] for _ in range(n)]
    for (title, lot), number in instance.choice.items():
        lots[position[title]][number] = lot
    worth = [[instance.lot_value[title, lot] for lot in pair] for title, pair in zip(instance.title, lots, strict=True)]
    members = {series: [position[title] for title in scope] for series, (scope, _) in instance.factor.items()}
    reach = max((max(found) - min(found) for found in members.values()), default=0)
    within_memory((n + 2 * 9 + 2 * 8) << reach)  # choices, two layers of values and counts, gains
    value, optima, chosen = _backward(_catalogue(instance, worth, members), np.zeros((n, 2**reach), np.int8))
    decision = tuple(sorted(pair[number] for pair, number in zip(lots, chosen, strict=True)))
    return Solution.of(value - sum(map(min, worth)), decision, optima)


def _catalogue(instance: SeriesPortfolio, worth: list[list[int]], members: dict[str, list[int]]) -> Catalogue:
    opening, start = [0], [0]
    ahead: list[int] = []
    weight: list[int] = []
    base: list[int] = []
    table: list[int] = []
    by_left: dict[int, list[str]] = {}
    for series, found in members.items():
        by_left.setdefault(min(found), []).append(series)
    for left in range(len(worth)):
        for series in by_left.get(left, []):
            arity = len(members[series])
            ahead += [at - left for at in members[series]]
            weight += [2 ** (arity - 1 - k) for k in range(arity)]
            start.append(len(ahead))
            base.append(len(table))
            table += instance.factor[series][1]
        opening.append(len(base))
    numbers = [np.array(each, np.int64) for each in (opening, start, ahead, weight, base, table)]
    return Catalogue(np.array(worth, np.int64).reshape(len(worth), 2), *numbers)


@kernel
def _backward(c, far):  # type: ignore[no-untyped-def]
    """R[i](tau) = max over the choice beyond tau of gain[i](word) + R[i+1](word without title i); R[n] = 0."""
    n, width = far.shape
    R, R_right = np.zeros(width, np.int64), np.zeros(width, np.int64)
    ways, ways_right = np.zeros(width, np.int8), np.zeros(width, np.int8)
    ways[0] = 1
    gain = np.zeros(2 * width, np.int64)
    known = 1  # words to the right of title i
    for i in range(n - 1, -1, -1):
        R, R_right, ways, ways_right = R_right, R, ways_right, ways
        for word in range(2 * known):
            gain[word] = c.worth[i, word % 2]
        for s in range(c.opening[i], c.opening[i + 1]):
            for word in range(2 * known):
                at = c.base[s]
                for k in range(c.start[s], c.start[s + 1]):
                    at += ((word >> c.ahead[k]) % 2) * c.weight[k]
                gain[word] += c.table[at]
        for tau in range(min(2 * known, width)):
            best, total, pick = -INFINITY, 0, 0
            for beyond in range(1 if 2 * known <= width else 2):
                word = tau + beyond * width
                value = gain[word] + R_right[word // 2]
                if value > best:
                    best, total, pick = value, int(ways_right[word // 2]), beyond
                elif value == best:
                    total += int(ways_right[word // 2])
            R[tau], ways[tau], far[i, tau] = best, min(total, 2), pick
        known = min(2 * known, width)
    best, total, tau = -INFINITY, 0, 0
    for each in range(known):
        if R[each] > best:
            best, total, tau = R[each], int(ways[each]), each
        elif R[each] == best:
            total += int(ways[each])
    chosen = np.zeros(n, np.int64)
    for i in range(n):
        word = tau + int(far[i, tau]) * width
        chosen[i] = word % 2
        tau = word // 2
    return best, min(total, 2), chosen

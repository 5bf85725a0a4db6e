"""Verification algorithm of Series Portfolio: backward dynamic program, adding each factor at its leftmost member.

    R[i](tau) = max over the choice beyond tau of gain[i](word) + R[i+1](word without title i)

The word holds the choices of title i and of the titles to its right that a factor from i could reach, title i as its
lowest bit; tau is the word without the farthest of them. gain[i](word) is the value of title i's lot and of all factors
whose leftmost member is i. It differs from the construction in direction, in where a factor is added, in order (gains of
all words first, factor by factor) and in uniqueness: optimal completions are counted, saturating at MAX_COUNTED.
"""

from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.series_portfolio.instance import SeriesPortfolio


class Catalogue(NamedTuple):
    """Lot values by title and choice, and all series; a member is `ahead` of the leftmost one and has a place value `weight`.

    The series whose leftmost member is title i are `series[opening[i]]` up to `series[opening[i + 1] - 1]`; the members of s
    are numbered from start[s] on, and the cells of its table from base[s] on.
    """

    worth: NDArray[np.int64]
    opening: NDArray[np.int64]
    series: NDArray[np.int64]
    start: NDArray[np.int64]
    ahead: NDArray[np.int64]
    weight: NDArray[np.int64]
    base: NDArray[np.int64]
    table: NDArray[np.int64]


def verify(instance: SeriesPortfolio) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, independent of the construction algorithm."""
    n, position = len(instance.title), {title: at for at, title in enumerate(instance.title)}
    lots = [["", ""] for _ in range(n)]
    for (title, lot), number in instance.choice.items():
        lots[position[title]][number] = lot
    worth = [[instance.lot_value[title, lot] for lot in pair] for title, pair in zip(instance.title, lots, strict=True)]
    catalogue = _build_catalogue(instance, worth, position)
    reach = int(catalogue.ahead.max(initial=0))
    require_memory((n + 2 * 9 + 2 * 8) << reach)  # choices, two layers of values and counts, gains
    value, optima, chosen = _backward(catalogue, np.zeros((n, 2**reach), np.int8))
    decision = tuple(sorted(pair[number] for pair, number in zip(lots, chosen, strict=True)))
    return Solution.from_kernel(value - sum(map(min, worth)), decision, optima)


def _build_catalogue(instance: SeriesPortfolio, worth: list[list[int]], position: dict[str, int]) -> Catalogue:
    scopes, tables = zip(*instance.factor.values(), strict=True) if instance.factor else ((), ())
    start, base = (np.array([0, *accumulate(map(len, lists))], np.int64) for lists in (scopes, tables))
    member = np.array([position[title] for title in chain.from_iterable(scopes)], np.int64)
    left = np.array([min([position[title] for title in scope]) for scope in scopes], np.int64)
    series = left.argsort(kind="stable")
    arity = np.diff(start)
    place = np.arange(len(member)) - start[:-1].repeat(arity)
    return Catalogue(
        worth=np.array(worth, np.int64).reshape(len(worth), 2),
        opening=np.searchsorted(left[series], np.arange(len(worth) + 1)),
        series=series,
        start=start,
        ahead=member - left.repeat(arity),
        weight=1 << (arity.repeat(arity) - 1 - place),
        base=base,
        table=np.fromiter(chain.from_iterable(tables), np.int64),
    )


@kernel
def _backward(c, far):  # type: ignore[no-untyped-def]
    """R[i](tau) = max over the choice beyond tau of gain[i](word) + R[i+1](word without title i); R[n] = 0."""
    n, width = far.shape
    R, R_right = np.zeros(width, np.int64), np.zeros(width, np.int64)
    ways, ways_right = np.zeros(width, np.int8), np.zeros(width, np.int8)
    ways[0] = 1
    gain = np.zeros(2 * width, np.int64)
    words = 1  # number of words to the right of title i
    for i in range(n - 1, -1, -1):
        R, R_right, ways, ways_right = R_right, R, ways_right, ways
        for word in range(2 * words):
            gain[word] = c.worth[i, word % 2]
        for s in c.series[c.opening[i] : c.opening[i + 1]]:
            for word in range(2 * words):
                at = c.base[s]
                for k in range(c.start[s], c.start[s + 1]):
                    at += ((word >> c.ahead[k]) % 2) * c.weight[k]
                gain[word] += c.table[at]
        for tau in range(min(2 * words, width)):
            best, total, pick = -INFINITY, 0, 0
            for beyond in range(1 if 2 * words <= width else 2):
                word = tau + beyond * width
                value = gain[word] + R_right[word // 2]
                if value > best:
                    best, total, pick = value, int(ways_right[word // 2]), beyond
                elif value == best:
                    total += int(ways_right[word // 2])
            R[tau], ways[tau], far[i, tau] = best, min(total, MAX_COUNTED), pick
        words = min(2 * words, width)
    best, total, tau = -INFINITY, 0, 0
    for first in range(words):
        if R[first] > best:
            best, total, tau = R[first], int(ways[first]), first
        elif R[first] == best:
            total += int(ways[first])
    chosen = np.zeros(n, np.int64)
    for i in range(n):
        word = tau + int(far[i, tau]) * width
        chosen[i] = word % 2
        tau = word // 2
    return best, min(total, MAX_COUNTED), chosen

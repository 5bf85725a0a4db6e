"""Verification algorithm of Migration Portfolio: Gray-code order, one domain switched on or off at a time.

    V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that know j

It differs from the construction in order (neighbouring masks instead of parents), in the interactions (a running cell
per factor instead of differences), in the group minima (searched afresh among the group's packages, cheapest first) and
in uniqueness: optimal decisions are counted, packages included, saturating at two.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.relation import grouped
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Numbers = NDArray[np.int64]


class Offers(NamedTuple):
    """Padded tables: group -> packages by price, domain -> groups it concerns, domain -> factors and its place value.

    Behind its packages a group has one that costs nothing and requires nothing: to pick it is to lack a package. The walk
    begins at no domain, with the `first` package of every group that requires nothing and the entries at `start`.
    """

    price: Numbers
    need: Numbers
    size: Numbers
    first: Numbers
    charge: Numbers
    concerned: Numbers
    touched: Numbers
    weight: Numbers
    entries: Numbers
    start: Numbers


def verify(instance: MigrationPortfolio) -> Solution[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    if len(instance.domain) > 30:
        raise TooLarge(f"{len(instance.domain)} domains have too many subsets to verify; the limit is 30")
    rising = sorted(instance.cost, key=lambda pair: (instance.cost[pair], pair[1]))
    shelves = list(grouped(instance.group, ((pair[0], pair) for pair in rising)).values())
    value, S, ways = _gray(_offers(instance, shelves))
    domains = [domain for at, domain in enumerate(instance.domain) if int(S) >> at & 1]
    cheapest = [_cheapest(instance, shelf, set(domains)) for shelf in shelves]
    decision = tuple(sorted(equal[0] for equal in cheapest if equal)), tuple(sorted(domains))
    return Solution.of(value + 1 - instance.offset, decision, min(2, int(ways) * prod(map(len, cheapest))))


def _cheapest(instance: MigrationPortfolio, shelf: list[tuple[str, str]], active: set[str]) -> list[str]:
    """The packages of a shelf that cost least among those which the active domains support."""
    able = [pair for pair in shelf if active.issuperset(instance.requirement[pair])]
    return [pair[1] for pair in able if instance.cost[pair] == instance.cost[able[0]]]


def _offers(instance: MigrationPortfolio, shelves: list[list[tuple[str, str]]]) -> Offers:
    domains, factors = instance.domain, [*instance.interaction.values()]
    bit = {domain: 1 << at for at, domain in enumerate(domains)}
    need = _padded([[sum(bit[domain] for domain in instance.requirement[pair]) for pair in shelf] for shelf in shelves], 0)
    price = _padded([[instance.cost[pair] for pair in shelf] for shelf in shelves], 0)
    size, first = np.array([*map(len, shelves)], np.int64), (need == 0).argmax(axis=1)
    charge = np.array([instance.charge[domain] for domain in domains], np.int64)
    concerned = _padded([np.flatnonzero((need & bit[domain]).any(axis=1)).tolist() for domain in domains], -1)
    touched = _padded([[at for at, (scope, _) in enumerate(factors) if domain in scope] for domain in domains], -1)
    weight = _padded([[1 << scope[::-1].index(domain) for scope, _ in factors if domain in scope] for domain in domains], 0)
    entries = np.array([entry for _, table in factors for entry in table], np.int64)
    start = np.cumsum([0, *(len(table) for _, table in factors)], dtype=np.int64)[:-1]
    return Offers(price, need, size, first, charge, concerned, touched, weight, entries, start)


def _padded(rows: list[list[int]], fill: int) -> Numbers:
    """The rows as a matrix, with at least one filled column at the end of each."""
    width = max(map(len, rows), default=0) + 1
    within_memory(2 * 8 * len(rows) * width)
    return np.array([row + [fill] * (width - len(row)) for row in rows], np.int64).reshape(len(rows), width)


@kernel
def _gray(o):  # type: ignore[no-untyped-def]
    """V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that know j."""
    S, entry, pick = 0, o.start.copy(), o.first.copy()
    value, lacking = o.entries[entry].sum(), (pick == o.size).sum()
    for group in range(len(pick)):
        value += o.price[group, pick[group]]
    best, best_S, ways = INFINITY, 0, 0  # the best value, a mask that attains it, how many do
    for step in range(1 << len(o.charge)):
        if step > 0:
            j = 0
            while not step >> j & 1:
                j += 1
            S ^= 1 << j
            sign = 1 if S >> j & 1 else -1
            value += sign * o.charge[j]
            for at, factor in enumerate(o.touched[j]):
                if factor < 0:
                    break
                value -= o.entries[entry[factor]]
                entry[factor] += sign * o.weight[j, at]
                value += o.entries[entry[factor]]
            for group in o.concerned[j]:
                if group < 0:
                    break
                value -= o.price[group, pick[group]]
                lacking -= pick[group] == o.size[group]
                pick[group] = 0
                while o.need[group, pick[group]] & ~S:
                    pick[group] += 1
                value += o.price[group, pick[group]]
                lacking += pick[group] == o.size[group]
        if lacking == 0 and value < best:
            best, best_S, ways = value, S, 1
        elif lacking == 0 and value == best:
            ways = 2
    return best, best_S, ways

"""Verification algorithm of Migration Portfolio: all domain masks in Gray-code order, one switch at a time.

    V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that name j

It differs from the construction in order (neighbouring masks instead of parents), in the interactions (a running cell
per factor instead of differences), in the group minima (searched afresh among the group's packages, cheapest first) and
in uniqueness: optimal decisions are counted, packages included, saturating at MAX_COUNTED.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions, list_lengths, pad_rows
from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Numbers = NDArray[np.int64]


class Offers(NamedTuple):
    """Padded tables: group -> packages by price, domain -> groups it concerns, domain -> factors and its place value.

    Each group ends with a dummy package without cost and requirements: picking it means that the group lacks a package. The
    walk starts without domains, at the `first` package of each group that requires nothing and the entries at `start`.
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
    """Optimal value, decision and uniqueness, independent of the construction algorithm."""
    if len(instance.domain) > 30:
        raise TooLarge(f"{len(instance.domain)} domains have too many subsets to verify; the limit is 30")
    rising = np.lexsort((column_values(instance, "cost"), id_positions(instance, "cost", "group")))
    offers = _build_offers(instance, rising)
    value, S, ways = _gray(offers)
    if ways == 0:
        return Solution.infeasible()
    able = (offers.need & ~S == 0) & (np.arange(offers.need.shape[1]) < offers.size[:, None])
    pick = able.argmax(axis=1)
    rows = rising[np.cumsum(offers.size) - offers.size + pick]
    packages = [instance.package[at] for at in id_positions(instance, "cost", "package")[rows].tolist()]
    domains = [domain for at, domain in enumerate(instance.domain) if int(S) >> at & 1]
    decision = tuple(sorted(packages)), tuple(sorted(domains))
    return Solution.from_kernel(value + 1 - instance.offset, decision, ways)


def _build_offers(instance: MigrationPortfolio, rising: Numbers) -> Offers:
    bits, counts = 1 << np.arange(len(instance.domain)), list_lengths(instance, "requirement", "required_domains")
    masks = np.zeros(len(counts), np.int64)
    np.add.at(masks, np.repeat(np.arange(len(counts)), counts), bits[id_positions(instance, "requirement", "required_domains")])
    size = np.bincount(id_positions(instance, "cost", "group"), minlength=len(instance.group))
    # prices and needs; per domain at most all groups, and twice all factors
    require_memory(
        8 * (2 * len(size) * (int(size.max(initial=0)) + 1) + len(bits) * (len(size) + 2 * len(instance.factor) + 3))
    )
    need, price = (pad_rows(size, column[rising], 0) for column in (masks, column_values(instance, "cost")))
    names, group = np.nonzero(np.reshape([(need & bit).any(axis=1) for bit in bits], (len(bits), len(size))))
    scope, wide = id_positions(instance, "interaction", "scope"), list_lengths(instance, "interaction", "scope")
    factor, order = np.repeat(np.arange(len(wide)), wide), np.argsort(scope, kind="stable")
    weight = 1 << np.cumsum(wide)[factor] - 1 - np.arange(len(scope))
    concerns, touches = (np.bincount(domain, minlength=len(bits)) for domain in (names, scope))
    lists = pad_rows(concerns, group, -1), pad_rows(touches, factor[order], -1), pad_rows(touches, weight[order], 0)
    tables = column_values(instance, "interaction", "table"), np.cumsum(1 << wide) - (1 << wide)
    return Offers(price, need, size, (need == 0).argmax(axis=1), column_values(instance, "charge"), *lists, *tables)


@kernel
def _gray(o):  # type: ignore[no-untyped-def]
    """V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that name j."""
    S, entry, pick = 0, o.start.copy(), o.first.copy()
    value, lacking = o.entries[entry].sum(), (pick == o.size).sum()
    for group in range(len(pick)):
        value += o.price[group, pick[group]]
    best, best_S, ways = INFINITY, 0, 0  # the best value, a mask that attains it, how many decisions do
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
            best, best_S, ways = value, S, _count_choices(o, pick, S)
        elif lacking == 0 and value == best:
            ways = min(ways + _count_choices(o, pick, S), MAX_COUNTED)
    return best, best_S, ways


@kernel
def _count_choices(o, pick, S):  # type: ignore[no-untyped-def]
    """In how many ways the domains S leave each group a cheapest package."""
    ways = 1
    for group, first in enumerate(pick):
        equal = 0
        for at in range(first, o.size[group]):
            if o.price[group, at] > o.price[group, first]:
                break
            equal += o.need[group, at] & ~S == 0
        ways = min(ways * equal, MAX_COUNTED)
    return ways

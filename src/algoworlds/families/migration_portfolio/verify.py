"""Verification algorithm of Migration Portfolio: Gray-code order, one domain switched on or off at a time.

    V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that know j

It differs from the construction in order (neighbouring masks instead of parents), in the interactions (a running cell
per factor instead of differences), in the group minima (searched afresh among the group's packages, cheapest first) and
in uniqueness: optimal decisions are counted, packages included, saturating at two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.model.kernel import INFINITY, exact, inline, kernel, table_size
from algoworlds.model.work import Solution


class Offers(NamedTuple):
    """Padded tables: group -> packages by price, domain -> groups it concerns, domain -> factors and its place value."""

    price: NDArray[np.int64]
    need: NDArray[np.int64]
    size: NDArray[np.int64]
    charge: NDArray[np.int64]
    concerned: NDArray[np.int64]
    touched: NDArray[np.int64]
    weight: NDArray[np.int64]
    cells: NDArray[np.int64]
    start: NDArray[np.int64]


def verify(instance: MigrationPortfolio) -> Solution[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    exact(instance)
    if len(instance.domain) > 30:
        raise TooLarge(f"{len(instance.domain)} domains have too many subsets to verify; the limit is 30")
    shelves: dict[str, list[str]] = {group: [] for group in instance.group}
    for group, package in instance.member:
        shelves[group].append(package)
    for group, shelf in shelves.items():
        shelf.sort(key=lambda package: (instance.cost[group, package], package))
    value, ways, active, picks = _gray(_offers(instance, shelves))
    if ways == 0:
        return Solution(None, None, 0)
    packages = sorted(shelf[pick] for shelf, pick in zip(shelves.values(), picks, strict=True))
    domains = sorted(domain for domain, on in zip(instance.domain, active, strict=True) if on)
    return Solution(int(value) + 1 - instance.offset, (tuple(packages), tuple(domains)), int(ways))


def _offers(instance: MigrationPortfolio, shelves: dict[str, list[str]]) -> Offers:
    bit = {domain: 1 << at for at, domain in enumerate(instance.domain)}
    concerned: dict[str, list[int]] = {domain: [] for domain in instance.domain}
    touched: dict[str, list[int]] = {domain: [] for domain in instance.domain}
    weight: dict[str, list[int]] = {domain: [] for domain in instance.domain}
    for at, (group, shelf) in enumerate(shelves.items()):
        for domain in {domain for package in shelf for domain in instance.requirement[group, package]}:
            concerned[domain].append(at)
    start, cells = [0], []
    for at, (scope, table) in enumerate(instance.interaction.values()):
        for place, domain in enumerate(reversed(scope)):
            touched[domain].append(at)
            weight[domain].append(2**place)
        cells += table
        start.append(len(cells))
    needs = [[sum(bit[domain] for domain in instance.requirement[g, p]) for p in shelf] for g, shelf in shelves.items()]
    return Offers(
        price=_padded([[instance.cost[group, package] for package in shelf] for group, shelf in shelves.items()], 0),
        need=_padded(needs, 0),
        size=np.array([len(shelf) for shelf in shelves.values()], np.int64),
        charge=np.array([instance.charge[domain] for domain in instance.domain], np.int64),
        concerned=_padded(list(concerned.values()), -1),
        touched=_padded(list(touched.values()), -1),
        weight=_padded(list(weight.values()), 0),
        cells=np.array(cells, np.int64),
        start=np.array(start, np.int64),
    )


def _padded(rows: list[list[int]], fill: int) -> NDArray[np.int64]:
    """The rows as a matrix, with at least one filled column at the end of each."""
    width = max(map(len, rows), default=0) + 1
    table_size(len(rows) * width)
    return np.array([row + [fill] * (width - len(row)) for row in rows], np.int64).reshape(len(rows), width)


@inline
def _cheapest(o, group, S):  # type: ignore[no-untyped-def]
    """The first package of a group that the domains S support; the number of packages if there is none."""
    at = 0
    while at < o.size[group] and o.need[group, at] & ~S:
        at += 1
    return at


@inline
def _portfolios(o, S):  # type: ignore[no-untyped-def]
    """How many ways there are to choose a cheapest supported package in every group, saturating at two."""
    ways = 1
    for group in range(len(o.size)):
        first = _cheapest(o, group, S)
        equal = 0
        for at in range(first, o.size[group]):
            if o.price[group, at] == o.price[group, first] and not o.need[group, at] & ~S:
                equal += 1
        ways = min(2, ways * equal)
    return ways


@kernel
def _gray(o):  # type: ignore[no-untyped-def]
    """V(S xor {j}) = V(S) +- F_j + change of the factors over j + change of the minima of groups that know j."""
    n, groups = len(o.charge), len(o.size)
    cell = o.start[:-1].copy()
    S, value, open_groups = 0, np.int64(0), 0
    for a in range(len(cell)):
        value += o.cells[cell[a]]
    pick = np.zeros(groups, np.int64)
    for group in range(groups):
        pick[group] = _cheapest(o, group, 0)
        if pick[group] < o.size[group]:
            value += o.price[group, pick[group]]
        else:
            open_groups += 1
    best, best_S, ways = INFINITY, 0, 0  # the best value, a mask that attains it, optimal decisions seen
    for step in range(1, (1 << n) + 1):
        if open_groups == 0:
            if value < best:
                best, best_S, ways = value, S, _portfolios(o, S)
            elif value == best:
                ways = 2
        if step == 1 << n:
            break
        j = 0
        while not step >> j & 1:
            j += 1
        S ^= 1 << j
        on = S >> j & 1
        value += o.charge[j] if on else -o.charge[j]
        at = 0
        while o.touched[j, at] >= 0:
            a = o.touched[j, at]
            value -= o.cells[cell[a]]
            cell[a] += o.weight[j, at] if on else -o.weight[j, at]
            value += o.cells[cell[a]]
            at += 1
        at = 0
        while o.concerned[j, at] >= 0:
            group = o.concerned[j, at]
            if pick[group] < o.size[group]:
                value -= o.price[group, pick[group]]
            else:
                open_groups -= 1
            pick[group] = _cheapest(o, group, S)
            if pick[group] < o.size[group]:
                value += o.price[group, pick[group]]
            else:
                open_groups += 1
            at += 1
    active = np.zeros(n, np.int64)
    for j in range(n):
        active[j] = best_S >> j & 1
    for group in range(groups):
        pick[group] = _cheapest(o, group, best_S)
    return best, ways, active, pick

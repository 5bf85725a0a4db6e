"""Construction algorithm of Migration Portfolio: enumeration of the domain masks, each from the one without its lowest bit.

    V(S) = sum of F_j over S + sum of f_i(S) + Phi(S),    f_i(S) = min of c_p over p in P_i with R(p) inside S

Masks are counted 0, 1, 2, ...; the parent of S is S without its lowest domain j. Only packages that require j can
become admissible, and only factors over j change. One row of group minima per number of active domains is enough: in
counting order, the row with one domain fewer still belongs to the parent. The empty mask is reached from nothing: it
admits the packages without requirements and takes one term per factor.

Counting contract. Masks in counting order (bit j is the j-th domain of the roster). One state per mask; per factor over j
one update (its new term); per package that requires j, groups in roster order and rising costs inside a group, one
transition and one check; one update whenever a group minimum or the best value is set or lowered; one reconstruction per
group and per domain.
"""

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.model.kernel import INFINITY, exact, kernel, table_size
from algoworlds.model.work import Solution, Work

Portfolio = tuple[tuple[str, ...], tuple[str, ...]]
Vector = NDArray[np.int64]
Places = NDArray[np.uint32]
"""Positions in other arrays; unsigned, because a signed index costs a test for negative ones in every access."""

MOST_DOMAINS = 30


class Arrays(NamedTuple):
    """Packages p with group, cost and requirement mask, and what switching on a domain touches.

    Bucket j of `naming` lists the packages that require domain j, bucket n those that require none. Bucket j of the
    terms lists the factors over j: term t adds `gain[cell[t] + x]`, where x spells the statuses of the factor's other
    domains `other[others[t]:others[t+1]]`. Bucket n holds every factor's value for the empty mask.
    """

    group: Places
    c: Vector
    R: Vector
    F: Vector
    buckets: Places
    naming: Places
    terms: Places
    others: Places
    other: Places
    cell: Places
    gain: Vector


def solve(instance: MigrationPortfolio) -> Solution[Portfolio]:
    """The optimal packages and domains, their value, whether they are unique, and the work it took."""
    exact(instance)
    value, S, chosen, optima, counts = construct(*prepare(instance))
    work = Work(*map(int, counts))
    if optima == 0:
        return Solution(None, None, 0, work)
    names = [package for _, package in _ordered(instance)]
    domains = (j for at, j in enumerate(instance.domain) if int(S) >> at & 1)
    decision = tuple(sorted(names[p] for p in chosen)), tuple(sorted(domains))
    return Solution(int(value) - instance.offset + 1, decision, int(optima), work)


def prepare(instance: MigrationPortfolio) -> tuple[Arrays, Vector]:
    """The kernel's arguments: the instance as arrays, and room for the rows of group minima."""
    n, G = len(instance.domain), len(instance.group)
    if n > MOST_DOMAINS:
        raise TooLarge(f"Migration Portfolio is solved for at most {MOST_DOMAINS} domains, not {n}: there are 2^{n} masks")
    table_size((n + 2) * G)
    place = {j: at for at, j in enumerate(instance.domain)}
    at_group = {i: at for at, i in enumerate(instance.group)}
    pairs = _ordered(instance)
    required = [[place[j] for j in instance.requirement[pair]] for pair in pairs]
    buckets, naming = _bucketed([(j, p) for p, needs in enumerate(required) for j in needs or [n]], n + 1)
    terms, rows = _bucketed(_terms(instance, place), n + 1)
    others, other = _chained([members for members, _ in rows])
    cell, gain = _chained([gains for _, gains in rows])
    a = Arrays(
        group=_places([at_group[i] for i, _ in pairs]),
        c=np.array([instance.cost[pair] for pair in pairs], np.int64),
        R=np.array([sum(1 << j for j in needs) for needs in required], np.int64),
        F=np.array([*(instance.charge[j] for j in instance.domain), 0], np.int64),
        buckets=_places(buckets),
        naming=_places(naming),
        terms=_places(terms),
        others=_places(others),
        other=_places(other),
        cell=_places(cell),
        gain=np.array(gain, np.int64),
    )
    return a, np.empty((n + 2, G), np.int64)


def _ordered(instance: MigrationPortfolio) -> list[tuple[str, str]]:
    """The (group, package) pairs, groups in roster order and rising costs inside a group."""
    at_group = {i: at for at, i in enumerate(instance.group)}
    return sorted(instance.cost, key=lambda pair: (at_group[pair[0]], instance.cost[pair]))


def _terms(instance: MigrationPortfolio, place: dict[str, int]) -> list[tuple[int, tuple[list[int], list[int]]]]:
    """Per factor and domain j of its scope: the other domains, and what switching on j adds for each of their statuses."""
    found: list[tuple[int, tuple[list[int], list[int]]]] = []
    for scope, table in instance.interaction.values():
        members = [place[j] for j in scope]
        for at, j in enumerate(members):
            weight = 1 << (len(members) - 1 - at)
            below = [cell for cell in range(len(table)) if not cell & weight]
            found.append((j, (members[:at] + members[at + 1 :], [table[cell + weight] - table[cell] for cell in below])))
        found.append((len(place), ([], [table[0]])))
    return found


def _bucketed(entries: list[tuple[int, Any]], size: int) -> tuple[list[int], list[Any]]:
    """Where each bucket starts, and the entries sorted into buckets, order kept."""
    buckets: list[list[Any]] = [[] for _ in range(size)]
    for bucket, entry in entries:
        buckets[bucket].append(entry)
    return _chained(buckets)


def _chained(lists: list[list[Any]]) -> tuple[list[int], list[Any]]:
    """Where each list starts and the last one ends, and the lists in a row."""
    return list(accumulate(map(len, lists), initial=0)), [entry for each in lists for entry in each]


def _places(positions: list[int]) -> Places:
    return np.array(positions, np.uint32)


@kernel
def construct(a, f):  # type: ignore[no-untyped-def]
    """V(S) = sum of F_j over S + sum of f_i(S) + Phi(S), each part from the parent S - {lowest j}; rows by |S| + 1."""
    n, G = len(a.F) - 1, f.shape[1]
    fixed = np.zeros(n + 2, np.int64)  # activations and interactions
    spent = np.zeros(n + 2, np.int64)  # the finite group minima, added up
    lacking = np.full(n + 2, G)  # groups without an admissible package
    f[0, :] = INFINITY
    best, best_S, optima = INFINITY, 0, 0
    states = transitions = updates = np.int64(0)
    k = 1
    for S in range(1 << n):
        j = n
        if S > 0:
            j = 0
            while not S >> j & 1:
                j += 1
            k += 1 - j
        states += 1
        value = fixed[k - 1] + a.F[j]
        for t in range(a.terms[j], a.terms[j + 1]):
            x = 0
            for o in range(a.others[t], a.others[t + 1]):
                x = 2 * x + (S >> a.other[o] & 1)
            value += a.gain[a.cell[t] + x]
        updates += np.int64(a.terms[j + 1]) - np.int64(a.terms[j])
        fixed[k] = value
        row, parent = f[k], f[k - 1]
        for i in range(G):
            row[i] = parent[i]
        total, lack = spent[k - 1], lacking[k - 1]
        transitions += np.int64(a.buckets[j + 1]) - np.int64(a.buckets[j])
        for e in range(a.buckets[j], a.buckets[j + 1]):
            p = a.naming[e]
            i = a.group[p]
            if a.R[p] & S == a.R[p] and a.c[p] < row[i]:
                updates += 1
                if row[i] < INFINITY:
                    total -= row[i]
                else:
                    lack -= 1
                total += a.c[p]
                row[i] = a.c[p]
        spent[k], lacking[k] = total, lack
        if lack == 0:
            if value + total < best:
                updates += 1
                best, best_S, optima = value + total, S, 1
            elif value + total == best:
                optima = 2
    chosen = np.full(G, -1)
    if optima == 0:
        return best, best_S, chosen, optima, (states, transitions, transitions, updates, 0)
    for p in range(len(a.c)):  # costs rise inside a group: the first admissible package is its minimum
        i = a.group[p]
        if a.R[p] & best_S == a.R[p]:
            if chosen[i] < 0:
                chosen[i] = p
            elif a.c[p] == a.c[chosen[i]]:
                optima = 2
    return best, best_S, chosen, optima, (states, transitions, transitions, updates, G + n)

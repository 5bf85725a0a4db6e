"""Construction algorithm of Migration Portfolio: enumeration of the domain masks, each from the one without its lowest bit.

    V(S) = sum of F_j over S + sum of f_i(S) + Phi(S),    f_i(S) = min of c_p over p in P_i with R(p) inside S

Masks are counted 0, 1, 2, ...; the parent of S is S without its lowest domain j. Only packages that require j can
become admissible, and only factors over j change. One row of group minima per number of active domains is enough, and one
sum of charges and of interactions: in counting order, those with one domain fewer still belong to the parent.

Counting contract. Masks in counting order (bit j is the j-th domain of the roster). One state per mask; per factor over j
one update (its new term); per package that requires j, groups in roster order and rising costs inside a group, one
transition and one check; for the empty mask the same per factor, and per package that requires nothing; one update whenever
a group minimum or the best value is set or lowered; one reconstruction per group and per domain.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.core.ties import lower, recall
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Vector = NDArray[np.int64]
Places = NDArray[np.uint32]
"""Positions in other arrays; unsigned, because a signed index costs a test for negative ones in every access."""


class Arrays(NamedTuple):
    """Charges, and what switching on a domain j touches.

    Packages `packages[j]` to `packages[j+1]` are those that require j, with group, cost and requirement mask; a package
    stands once with each of its domains, and those that require nothing stand last. Each factor starts with its entry in
    `phi` for no domain. Terms `terms[j]` to `terms[j+1]` are the factors over j: term t adds `gain[cell[t] + x]`, where x
    spells the statuses of the factor's other domains `other[others[t]:others[t+1]]`.
    """

    F: Vector
    packages: Places
    group: Places
    c: Vector
    R: Vector
    phi: Vector
    terms: Places
    others: Places
    other: Places
    cell: Places
    gain: Vector


def solve(instance: MigrationPortfolio) -> Solution[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The optimal packages and domains, their value, whether they are unique, and the work it took."""
    value, S, optima, counts = construct(*prepare(instance))
    domains = {j for at, j in enumerate(instance.domain) if int(S) >> at & 1}
    able = [pair for pair in instance.cost if domains.issuperset(instance.requirement[pair])]
    able.sort(key=instance.cost.__getitem__)
    first = {pair[0]: pair for pair in reversed(able)}
    minima = [pair for pair in able if instance.cost[pair] == instance.cost[first[pair[0]]]]
    decision = tuple(sorted(package for _, package in first.values())), tuple(sorted(domains))
    return Solution.of(value - instance.offset + 1, decision, 2 if optima and len(minima) > len(first) else optima, counts)


def prepare(instance: MigrationPortfolio) -> tuple[Arrays, Vector]:
    """The kernel's arguments: the instance as arrays, and room for the rows of group minima."""
    n, G = len(instance.domain), len(instance.group)
    if n > 30:
        raise TooLarge(f"Migration Portfolio is solved for at most 30 domains, not {n}: there are 2^{n} masks")
    # group minima, and half of a table's cells per domain, as gains and as the Python integers that they are made of
    within_memory(8 * (n + 1) * G + 20 * sum(len(scope) * len(table) for scope, table in instance.interaction.values()))
    (domain, group, R, listed), ((first, off, on), terms) = instance.frame(_needs), instance.frame(_terms)
    c = np.fromiter(instance.cost.values(), np.int64)[listed]
    rising = np.lexsort((R, c, group, domain))
    entry = np.fromiter(chain.from_iterable(table for _, table in instance.interaction.values()), np.int64)
    F = np.array([instance.charge[j] for j in instance.domain], np.int64)
    packages = np.searchsorted(domain[rising], range(n + 2)).astype(np.uint32), group[rising].astype(np.uint32)
    a = Arrays(F, *packages, c[rising], R[rising], entry[first], *terms, gain=entry[on] - entry[off])
    return a, np.empty((n + 1, G), np.int64)


def _needs(instance: MigrationPortfolio) -> Vector:
    """Every package once with each of its domains: the domain, the group, the mask, and where the package is listed."""
    at_group, place = ({each: at for at, each in enumerate(roster)} for roster in (instance.group, instance.domain))
    packages: list[tuple[int, int, int, int]] = []
    for listed, ((group, _), domains) in enumerate(instance.requirement.items()):
        needs = [place[j] for j in domains]
        packages += [(j, at_group[group], sum([1 << each for each in needs]), listed) for j in needs or [len(place)]]
    return np.ascontiguousarray(np.array(packages, np.int64).reshape(-1, 4).T)


def _terms(instance: MigrationPortfolio) -> tuple[tuple[Vector, Vector, Vector], tuple[Places, Places, Places, Places]]:
    """Where, of all tables in a row, each begins, and the entries of all terms with j off and on; the terms as in `Arrays`."""
    place = {j: at for at, j in enumerate(instance.domain)}
    scopes = [[place[j] for j in scope] for scope, _ in instance.interaction.values()]
    first = [0, *accumulate(1 << len(scope) for scope in scopes)]
    terms = [[_term(j, *factor) for factor in zip(scopes, first, strict=False) if j in factor[0]] for j in range(len(place))]
    others, off, on = ([term[part] for term in chain(*terms)] for part in (0, 1, 2))
    entries = np.array(first[:-1], np.int64), np.fromiter(chain(*off), np.int64), np.fromiter(chain(*on), np.int64)
    return entries, (_starts(terms), _starts(others), np.fromiter(chain(*others), np.uint32), _starts(off))


def _term(j: int, scope: list[int], first: int) -> tuple[list[int], list[int], list[int]]:
    """The other domains of a factor over j, and where its entries lie for each of their statuses with j off and on."""
    weight = 1 << scope[::-1].index(j)
    off = [first + cell for cell in range(1 << len(scope)) if not cell & weight]
    return [other for other in scope if other != j], off, [cell + weight for cell in off]


def _starts(lists: Iterable[Sequence[Any]]) -> Places:
    """Where each list starts and the last one ends when they stand in a row."""
    return np.cumsum([0, *map(len, lists)], dtype=np.uint32)


@inline
def interaction(a, S, j):  # type: ignore[no-untyped-def]
    """Phi(S) - Phi(S - {j}), from the factors over j."""
    more = 0
    for t in range(a.terms[j], a.terms[j + 1]):
        x = 0
        for o in range(a.others[t], a.others[t + 1]):
            x = 2 * x + (S >> a.other[o] & 1)
        more += a.gain[a.cell[t] + x]
    return more


@inline
def admit(a, S, j, f, lacking, sum_f):  # type: ignore[no-untyped-def]
    """f_i <- min { itself, c_p } for the packages that require j, if they require no more than S.

    Carries on how many groups lack a package and the sum of f_i over the others; then, how often some f_i was lowered.
    """
    times = 0
    for p in range(a.packages[j], a.packages[j + 1]):
        i = a.group[p]
        if a.R[p] & S == a.R[p] and a.c[p] < f[i]:
            times += 1
            if f[i] == INFINITY:
                lacking -= 1
                f[i] = 0  # what it has counted for in the sum
            sum_f, f[i] = sum_f - f[i] + a.c[p], a.c[p]
    return lacking, sum_f, times


@kernel
def construct(a, f):  # type: ignore[no-untyped-def]
    """V(S) = sum of F_j over S + sum of f_i(S) + Phi(S), each from the parent S - {lowest j}; rows by k = |S|."""
    n, G = len(a.F), f.shape[1]
    F, sum_f, Phi, lacking = np.zeros((4, n + 1), np.int64)
    V, chosen = np.full(1, INFINITY), np.zeros(1, np.int64)
    f[0, :], Phi[0] = INFINITY, a.phi.sum()
    lacking[0], sum_f[0], lowered = admit(a, 0, n, f[0], G, 0)
    transitions, updates, k = int(a.packages[n + 1] - a.packages[n]), len(a.phi) + lowered, 0
    for S in range(1 << n):
        if S > 0:
            j = 0
            while not S >> j & 1:
                j += 1
            k += 1 - j
            F[k] = F[k - 1] + a.F[j]
            Phi[k] = Phi[k - 1] + interaction(a, S, j)
            f[k] = f[k - 1]
            lacking[k], sum_f[k], lowered = admit(a, S, j, f[k], lacking[k - 1], sum_f[k - 1])
            transitions += int(a.packages[j + 1] - a.packages[j])
            updates += int(a.terms[j + 1] - a.terms[j]) + lowered
        if lacking[k] == 0 and lower(V, chosen, 0, F[k] + sum_f[k] + Phi[k], S):
            updates += 1
    S, optima = recall(chosen, 0) if V[0] < INFINITY else (0, 0)
    return V[0], S, optima, (1 << n, transitions, transitions, updates, G + n if optima else 0)

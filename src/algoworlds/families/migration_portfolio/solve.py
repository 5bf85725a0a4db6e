"""Construction algorithm of Migration Portfolio: enumeration of all domain masks, each from its parent.

    V(S) = sum of F_j over S + sum of f_i(S) + Phi(S),    f_i(S) = min of c_p over p in P_i with R(p) inside S

Masks are counted 0, 1, 2, ...; the parent of S is S without its lowest domain j. Only packages that require j can
become admissible, and only factors over j change. Group minima and sums are stored once per number of active domains: in
counting order, the row with one domain fewer still belongs to the parent.

Counting contract. Masks in counting order (bit j is the j-th domain of the roster). One state per mask; per factor over j
one update (its new term); per package that requires j, groups in roster order and rising costs inside a group, one
transition and one check; for the empty mask the same per factor, and per package that requires nothing; one update whenever
a group minimum or the best value is set or lowered; one reconstruction per group and per domain.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions, list_lengths
from algoworlds.core.kernel import INFINITY, kernel, read_choice, require_memory, store_min
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio

Vector = NDArray[np.int64]
Indices = NDArray[np.uint32]
"""Unsigned, because Numba tests signed indices for negative values at every access."""

_NEEDS = ("domain", "requirement")
"""The tables that requirement masks are computed from."""


class Arrays(NamedTuple):
    """Charges, and what switching on a domain j changes.

    Packages `packages[j]` to `packages[j+1]` require j, with group, cost and requirement mask; a package is listed once per
    required domain, and those without requirements come last. `phi` is each factor's entry for no active domain. Terms
    `terms[j]` to `terms[j+1]` are the factors over j: term t adds `gain[cell[t] + x]`, where the bits of x are the statuses
    of the factor's other domains `other[others[t]:others[t+1]]`.
    """

    F: Vector
    packages: Indices
    group: Indices
    c: Vector
    R: Vector
    phi: Vector
    terms: Indices
    others: Indices
    other: Indices
    cell: Indices
    gain: Vector


def solve(instance: MigrationPortfolio) -> Solution[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The optimal packages and domains, their value, whether they are unique, and the work it took."""
    value, S, optima, counts = construct(*prepare(instance))
    group, c = id_positions(instance, "cost", "group"), column_values(instance, "cost")
    f, able = (
        np.full(len(instance.group), INFINITY),
        np.flatnonzero(instance.derived(_requirement_masks, reads=_NEEDS)[0] & ~S == 0),
    )
    np.minimum.at(f, group[able], c[able])
    minima = able[c[able] == f[group[able]]]
    _, first = np.unique(group[minima], return_index=True)
    chosen = id_positions(instance, "cost", "package")[minima[first]].tolist()
    domains = sorted(j for at, j in enumerate(instance.domain) if int(S) >> at & 1)
    decision = tuple(sorted(map(instance.package.__getitem__, chosen))), tuple(domains)
    return Solution.from_kernel(
        value - instance.offset + 1, decision, 2 if optima and len(minima) > len(first) else optima, counts
    )


def prepare(instance: MigrationPortfolio) -> tuple[Arrays, Vector]:
    """The kernel's arguments: the instance as arrays, and room for the rows of group minima."""
    n, G = len(instance.domain), len(instance.group)
    if n > 30:
        raise TooLarge(f"Migration Portfolio is solved for at most 30 domains, not {n}: there are 2^{n} masks")
    # group minima; all entries of the tables, and as gains half of a table's cells per domain
    require_memory(8 * (n + 1) * G + 12 * sum([len(scope) * len(table) for scope, table in instance.interaction.values()]))
    tables = (
        *instance.derived(_packages_by_domain, reads=("group", "cost", *_NEEDS)),
        *instance.derived(_factor_terms, reads=("domain", "interaction")),
    )
    return Arrays(column_values(instance, "charge"), *tables), np.empty((n + 1, G), np.int64)


def _requirement_masks(instance: MigrationPortfolio) -> tuple[Vector, Vector, Vector]:
    """The requirement masks of all packages; then (domain, package) for each required domain, packages without any last."""
    column = "requirement", "required_domains"
    domain, count = id_positions(instance, *column), list_lengths(instance, *column)
    R, package, free = np.zeros(len(count), np.int64), np.repeat(np.arange(len(count)), count), np.flatnonzero(count == 0)
    np.add.at(R, package, 1 << domain)
    return R, np.concatenate([domain, np.full(len(free), len(instance.domain))]), np.concatenate([package, free])


def _packages_by_domain(instance: MigrationPortfolio) -> tuple[Indices, Indices, Vector, Vector]:
    """The fields `packages` to `R` of `Arrays`."""
    R, domain, package = instance.derived(_requirement_masks, reads=_NEEDS)
    R, group, c = R[package], id_positions(instance, "cost", "group")[package], column_values(instance, "cost")[package]
    rising = np.lexsort((R, c, group, domain))
    first = np.searchsorted(domain[rising], np.arange(len(instance.domain) + 2))
    return first.astype(np.uint32), group[rising].astype(np.uint32), c[rising], R[rising]


def _factor_terms(instance: MigrationPortfolio) -> tuple[Vector, Indices, Indices, Indices, Indices, Vector]:
    """The fields from `phi` on of `Arrays`. A term is a position in a scope; `gain` is its entries on minus off."""
    scope, size = id_positions(instance, "interaction", "scope"), list_lengths(instance, "interaction", "scope")
    entry, first, begins = column_values(instance, "interaction", "table"), _starts(1 << size), _starts(size)
    term, a = np.argsort(scope, kind="stable"), np.repeat(np.arange(len(size)), size)
    weight, a = (1 << begins[a + 1] - 1 - np.arange(len(scope)))[term], a[term]
    (t, x), (u, o) = _row_and_column(1 << size[a] >> 1), _row_and_column(size[a])
    off, other = first[a][t] + x + x // weight[t] * weight[t], begins[a][u] + o
    others = _starts(size[a] - 1), scope[other[other != term[u]]], _starts(1 << size[a] >> 1)
    terms = np.searchsorted(scope[term], np.arange(len(instance.domain) + 1)), *others
    return entry[first[:-1]], *(array.astype(np.uint32) for array in terms), entry[off + weight[t]] - entry[off]


def _starts(sizes: Vector) -> Vector:
    """The start of each row if rows of these sizes are concatenated, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)])


def _row_and_column(sizes: Vector) -> tuple[Vector, Vector]:
    """Row and column of every cell of rows of these sizes, concatenated."""
    row = np.repeat(np.arange(len(sizes)), sizes)
    return row, np.arange(len(row)) - _starts(sizes)[row]


@kernel
def interaction(a, S, j):  # type: ignore[no-untyped-def]
    """Phi(S) - Phi(S - {j}), from the factors over j."""
    change = 0
    for t in range(a.terms[j], a.terms[j + 1]):
        x = 0
        for o in range(a.others[t], a.others[t + 1]):
            x = 2 * x + (S >> a.other[o] & 1)
        change += a.gain[a.cell[t] + x]
    return change


@kernel
def admit(a, S, j, f, lacking, sum_f):  # type: ignore[no-untyped-def]
    """f_i <- min { itself, c_p } for the packages p that require j and no domain outside S.

    Returns how many groups lack a package, the sum of f_i over the others, and how often some f_i was lowered.
    """
    times = 0
    for p in range(a.packages[j], a.packages[j + 1]):
        i = a.group[p]
        if a.R[p] & S == a.R[p] and a.c[p] < f[i]:
            times += 1
            if f[i] == INFINITY:
                lacking -= 1
                f[i] = 0  # it did not count in the sum
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
        if lacking[k] == 0 and store_min(V, chosen, 0, F[k] + sum_f[k] + Phi[k], S):
            updates += 1
    S, optima = read_choice(chosen, 0) if V[0] < INFINITY else (0, 0)
    return V[0], S, optima, (1 << n, transitions, transitions, updates, G + n if optima else 0)

"""Construction algorithm of Basket Assembly: first-uncovered-item dynamic program over the reached masks.

    F(S) = min { p_e + F(S + e) : u(S) in e, e and S disjoint },  F(U) = 0

Items are ordered as the roster: A, then B, then C. A ticket holds at most one item of A, so while u(S) = k lies in A the
covered part of A is exactly its first k items: such masks form row k, addressed by their B and C bits alone. Masks that
cover all of A form row n. So n + 1 rows of 2^(2n) cells hold what would take 2^(3n): one sweep marks the reached
masks forward, another computes F backward on exactly these masks.

Counting contract. States in any order (no counter depends on it); per state, the tickets that hold u(S) in catalog
order. One state per reached mask, U included; per ticket that holds u(S) one transition (the extension examined) and one
check of disjointness; per disjoint ticket one check that S + e can be completed; one update whenever F(S) is set or
lowered; one reconstruction per chosen ticket.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import id_positions
from algoworlds.core.kernel import INFINITY, kernel, max_choices, read_choice, require_memory, tie_bit
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.basket_assembly.instance import BasketAssembly

MAX_TICKETS = max_choices(np.int16)
"""Tickets that a stored choice can distinguish."""


class Catalog(NamedTuple):
    """Tickets by item: entries first[v] .. first[v+1]-1 are the tickets e that hold item v, with mask and price."""

    n: int
    first: NDArray[np.int64]
    e: NDArray[np.int64]
    mask: NDArray[np.int64]
    p: NDArray[np.int64]


def solve(instance: BasketAssembly) -> Solution[tuple[str, ...]]:
    """The optimal tickets, their price, whether they are unique, and the work it took."""
    value, chosen, optima, counts = construct(*prepare(instance))
    decision = tuple(sorted(instance.ticket[e] for e in chosen))
    return Solution.from_kernel(value, decision, optima, counts)


def prepare(instance: BasketAssembly) -> tuple[Catalog, NDArray[np.int16]]:
    """The kernel's arguments: the catalog as arrays, and room for the choice of every mask."""
    n = len(instance.item) // 3
    if len(instance.ticket) >= MAX_TICKETS:
        raise TooLarge(f"Basket Assembly is solved for fewer than {MAX_TICKETS:,} tickets")
    require_memory((2 * (n + 1) + 2 * 8) << (2 * n))  # choices, two rows of values
    first, e, mask = instance.derived(_tickets_by_item, reads=("item", "ticket", "covers"))
    catalog = Catalog(n, first, e, mask, np.fromiter(instance.price.values(), np.int64)[e])
    return catalog, np.empty((n + 1, 1 << (2 * n)), np.int16)


def _tickets_by_item(instance: BasketAssembly) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The fields `first`, `e` and `mask` of `Catalog`."""
    v, e = (id_positions(instance, "covers", column) for column in ("item", "ticket"))
    order, mask = np.lexsort((e, v)), np.zeros(len(instance.ticket), np.int64)
    np.add.at(mask, e, 1 << v)
    return np.searchsorted(v[order], np.arange(len(instance.item) + 1)), e[order], mask[e[order]]


@kernel
def construct(a, choice):  # type: ignore[no-untyped-def]
    """F(S) = min { p_e + F(S + e) : u(S) in e, e and S disjoint }, F(U) = 0."""
    n, cells = a.n, choice.shape[1]
    A = (1 << n) - 1
    states = transitions = checks = updates = 0
    choice[:] = -1
    choice[0, 0] = 0
    for k in range(n + 1):  # forward: reached masks get choice 0
        after = min(k + 1, n)
        for s in range(cells if k < n else cells - 1):
            if choice[k, s] < 0:
                continue
            S, u = (A >> (n - k)) | (s << n), k
            while S >> u & 1:
                u += 1
            states += 1
            for at in range(a.first[u], a.first[u + 1]):
                transitions += 1
                if a.mask[at] & S == 0:
                    checks += 1
                    choice[after, (S | a.mask[at]) >> n] = 0
    states += choice[n, cells - 1] == 0
    F, F_after = np.empty(cells, np.int64), np.empty(cells, np.int64)
    F[cells - 1] = 0
    for k in range(n, -1, -1):  # backward: F and the ticket that attains it
        beyond = F if k == n else F_after
        for s in range(cells - 1 if k < n else cells - 2, -1, -1):
            if choice[k, s] < 0:
                continue
            S, u = (A >> (n - k)) | (s << n), k
            while S >> u & 1:
                u += 1
            best, pick, tie = INFINITY, 0, 0
            for at in range(a.first[u], a.first[u + 1]):
                if a.mask[at] & S == 0:
                    rest = beyond[(S | a.mask[at]) >> n]
                    if rest < INFINITY:
                        value = a.p[at] + rest
                        if value < best:
                            updates += 1
                            best, pick, tie = value, at - a.first[u], 0
                        elif value == best:
                            tie = tie_bit(choice)
            F[s] = best
            choice[k, s] = pick | tie
        F, F_after = F_after, F
    best = F_after[0]
    chosen = np.empty(3 * n, np.int64)
    taken, optima = 0, 0
    if best < INFINITY:
        optima = 1
        S = 0
        for u in range(3 * n):
            if S >> u & 1 == 0:
                picked, ways = read_choice(choice, (min(u, n), S >> n))
                optima = max(optima, ways)
                at = a.first[u] + picked
                chosen[taken] = a.e[at]
                taken += 1
                S |= a.mask[at]
    return best, chosen[:taken], optima, (states, transitions, transitions + checks, updates, taken)

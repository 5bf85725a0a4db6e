"""Construction algorithm of Series Portfolio: forward dynamic program over the latest omega - 1 choices.

    B[i](sigma') = max over sigma z -> sigma' of B[i-1](sigma) + v[i,z] + sum over s with max P_s = i of A_s(x|P_s)

Titles are processed in catalogue order; a factor is added once, where its last member is chosen. The word sigma z holds
the choices in binary, the newest as its lowest bit; sigma' keeps the latest omega - 1 of them. The span omega is that
of the widest scope.

Counting contract. Layers in catalogue order; suffixes by rising index, lot 0 before lot 1, factors in roster order.
One state per suffix of the layers 0 to n-1 and one transition per appended lot, in which comparing and storing the
candidate are included, so counts do not depend on the values. Each factor term of a transition is three checks (it closes
here, its members lie inside the word, their choices name this cell) and one update (the cell added to the candidate).
The value of the empty prefix and the optimum are one update each; one reconstruction per title.
"""

from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions, list_lengths
from algoworlds.core.kernel import INFINITY, kernel, layer_max, max_choices, read_choice, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

TIE = max_choices(np.int8)
"""Marks a stored predecessor with a tie; written out because `store_max` would be slower here."""


class Arrays(NamedTuple):
    """The instance in the paper's letters; the factors that close at title i are closing[i] up to closing[i + 1].

    Factor s has arity[s] members, each given by its `age` (how many titles ago it was chosen), and a table that starts
    at A[start[s]].
    """

    v: NDArray[np.int64]
    closing: NDArray[np.int64]
    arity: NDArray[np.int64]
    age: NDArray[np.int64]
    start: NDArray[np.int64]
    A: NDArray[np.int64]


class Scopes(NamedTuple):
    """What depends on ids only: the factors in the order in which they close, the positions of their cells, and the span."""

    cells: NDArray[np.int64]
    omega: int
    closing: NDArray[np.int64]
    arity: NDArray[np.int64]
    age: NDArray[np.int64]
    start: NDArray[np.int64]


def solve(instance: SeriesPortfolio) -> Solution[tuple[str, ...]]:
    """The optimal portfolio, its value, whether it is unique, and the work it took."""
    a, pred = prepare(instance)
    value, x, optima, counts = construct(a, pred)
    chosen = x[id_positions(instance, "choice", "title")] == column_values(instance, "choice")
    lots = tuple(sorted(lot for _, lot in compress(instance.choice, chosen.tolist())))
    C_title = sum(a.v.min(axis=1).tolist())
    return Solution.from_kernel(value - C_title, lots, optima, counts)


def prepare(instance: SeriesPortfolio) -> tuple[Arrays, NDArray[np.int8]]:
    """The kernel's arguments: the instance as arrays, and room for predecessors."""
    n, scopes = len(instance.title), instance.derived(_order_scopes, reads=("title", "factor.scope"))
    require_memory(((n + 2 * 8) << (scopes.omega - 1)) + scopes.age.nbytes)  # predecessors, two layers of values, ages
    v = np.zeros((n, 2), np.int64)
    v[id_positions(instance, "choice", "title"), column_values(instance, "choice")] = column_values(instance, "lot_value")
    A = column_values(instance, "factor", "table")[scopes.cells]
    return Arrays(v, scopes.closing, scopes.arity, scopes.age, scopes.start, A), np.empty((n, 1 << (scopes.omega - 1)), np.int8)


def _order_scopes(instance: SeriesPortfolio) -> Scopes:
    """Sort the factors by their last member, stably."""
    n, arity = len(instance.title), list_lengths(instance, "factor", "scope")
    width = int(arity.max(initial=0))
    require_memory(3 * 8 * len(arity) * width)  # members and ages
    members, held = np.zeros((len(arity), width), np.int64), np.arange(width) < arity.reshape(-1, 1)
    members[held] = id_positions(instance, "factor", "scope")
    last = members.max(axis=1, initial=0)
    age = np.where(held, last.reshape(-1, 1) - members, 0)
    order = np.argsort(last, kind="stable")
    size = 1 << arity
    start = np.append(0, size[order].cumsum())
    return Scopes(
        cells=np.arange(start[-1]) + (size.cumsum() - size)[order].repeat(size[order]) - start[:-1].repeat(size[order]),
        omega=int(age.max(initial=0)) + 1,
        closing=np.searchsorted(last[order], np.arange(n + 1)).astype(np.int64),
        arity=arity[order],
        age=age[order],
        start=start,
    )


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """B[i](sigma') = max over sigma z -> sigma' of B[i-1](sigma) + v[i,z] + sum over s with max P_s = i of A_s(x|P_s)."""
    n, size = pred.shape
    B, B_next = np.zeros(size, np.int64), np.zeros(size, np.int64)
    states = transitions = checks = 0
    updates = 1
    reached = 1
    for i in range(n):
        first, end = a.closing[i], a.closing[i + 1]
        arity, age, start = a.arity[first:end], a.age[first:end], a.start[first:end]
        B_next[: min(2 * reached, size)] = -INFINITY
        for sigma in range(reached):
            states += 1
            for z in range(2):
                transitions += 1
                word = 2 * sigma + z
                value = B[sigma] + a.v[i, z]
                for s in range(len(arity)):
                    checks += 3
                    updates += 1
                    cell = 0
                    for k in range(arity[s]):
                        cell = 2 * cell + (word >> age[s, k] & 1)
                    value += a.A[start[s] + cell]
                sigma_next = word & (size - 1)
                if value > B_next[sigma_next]:
                    B_next[sigma_next] = value
                    pred[i, sigma_next] = word // size
                elif value == B_next[sigma_next]:
                    pred[i, sigma_next] |= TIE
        reached = min(2 * reached, size)
        B, B_next = B_next, B
    best, sigma, optima = layer_max(B[:reached])
    updates += 1
    x = np.zeros(n, np.int64)
    for i in range(n - 1, -1, -1):
        before, ways = read_choice(pred, (i, sigma))
        optima = max(optima, ways)
        word = sigma + before * size
        x[i] = word & 1
        sigma = word >> 1
    return best, x, optima, (states, transitions, checks, updates, n)

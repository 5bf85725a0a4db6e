"""Verification algorithm of Transit Routing: exhaustive relaxation of the dense stage-line-residue graph, backward.

    G[i](lambda, q) = min over e in E_i of C(lambda, l(e)) + tau(e) + G[i+1](l(e), q - rho(e) mod M)

G[i](lambda, q) is the least cost of stages i .. d for a traveller who arrives on line lambda and still needs residue q.
It differs from the construction in direction, in the state (residue needed instead of collected), and in that it relaxes
every arc for all residues at once, in no particular order and without an early stop. Uniqueness: optimal completions are
counted, saturating at MAX_COUNTED. No choices are stored; the route is read off the values.

A value that no route attains is INFINITY plus the costs of part of a route. These costs add up to less than 2^61 in absolute
value, so the sum neither drops below FINITE nor wraps, and relaxing needs no test for it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values, id_positions
from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.transit_routing.instance import TransitRouting

FINITE = np.int64(2**61)
"""Values that a route attains lie below this, all others at or above."""


class Network(NamedTuple):
    """The legs stage after stage (those of stage i are first[i] .. first[i+1]-1), and all transfer costs, from line to line.

    The last row of the transfer costs, all zero, is for the start, where no line has been taken yet.
    """

    travel: NDArray[np.int64]
    residue: NDArray[np.int64]
    line: NDArray[np.int64]
    first: NDArray[np.int64]
    transfer: NDArray[np.int64]


def verify(instance: TransitRouting) -> Solution[tuple[str, ...]]:
    """Optimal value, decision and uniqueness, computed independently of the construction algorithm."""
    d, p, M = len(instance.station), len(instance.line), instance.modulus
    require_memory(8 * (d + 3) * (p + 1) * M)  # values, two layers of counts
    network = Network(
        travel=column_values(instance, "time"),
        residue=column_values(instance, "residue"),
        line=id_positions(instance, "membership", "line"),
        first=np.searchsorted(id_positions(instance, "membership", "station"), np.arange(d + 1)),
        transfer=np.array([*(instance.transfer[line] for line in instance.line), [0] * p], np.int64).reshape(p + 1, p),
    )
    value, optima, chosen = _relax(network, M, instance.target)
    legs = [leg for _, leg in instance.membership]
    return Solution.from_kernel(value, tuple(legs[e] for e in chosen), optima)


@kernel
def _relax(net, M, target):  # type: ignore[no-untyped-def]
    """G[i](lambda, q) = min over e in E_i of C(lambda, l(e)) + tau(e) + G[i+1](l(e), q - rho(e) mod M)."""
    d, none = len(net.first) - 1, len(net.transfer) - 1
    G = np.full((d + 1, none + 1, M), INFINITY)
    ways, later = np.zeros((none + 1, M), np.int64), np.zeros((none + 1, M), np.int64)
    G[d, :, 0] = 0
    ways[:, 0] = 1
    for i in range(d - 1, -1, -1):
        ways, later = later, ways
        ways[:] = 0
        for arrival in range(none) if i > 0 else range(none, none + 1):
            here, here_ways = G[i, arrival], ways[arrival]
            for e in range(net.first[i], net.first[i + 1]):
                cost = net.travel[e] + net.transfer[arrival, net.line[e]]
                after, after_ways, rho = G[i + 1, net.line[e]], later[net.line[e]], net.residue[e]
                _relax_arc(here[rho:], here_ways[rho:], after[: M - rho], after_ways[: M - rho], cost)
                _relax_arc(here[:rho], here_ways[:rho], after[M - rho :], after_ways[M - rho :], cost)
    chosen = np.zeros(d if ways[none, target] > 0 else 0, np.int64)
    arrival, q = none, target
    for i in range(len(chosen)):
        for e in range(net.first[i], net.first[i + 1]):
            cost = net.travel[e] + net.transfer[arrival, net.line[e]]
            rest = G[i + 1, net.line[e], (q - net.residue[e]) % M]
            if rest < FINITE and cost + rest == G[i, arrival, q]:
                chosen[i], arrival, q = e, net.line[e], (q - net.residue[e]) % M
                break
    return G[0, none, target], ways[none, target], chosen


@kernel
def _relax_arc(here, here_ways, after, after_ways, cost):  # type: ignore[no-untyped-def]
    """Relax one arc for a run of residues; branch-free, so that the compiler vectorises it."""
    for q in range(len(here)):
        value, old = after[q] + cost, here[q]
        both = min(here_ways[q] + after_ways[q], MAX_COUNTED)
        here_ways[q] = after_ways[q] if value < old else (both if value == old else here_ways[q])
        here[q] = min(value, old)

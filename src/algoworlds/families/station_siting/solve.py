"""Construction algorithm of Station Siting: forward dynamic program over a band frontier and a count of zeros.

    D[i+1](z + [x = 0], Fx) <- max { itself, D[i](z, F) - kappa[i+1](x) + rewards of demands that zone i+1 closes }

Zones are processed in roster order; F holds the last omega choices, where omega is the widest demand of the instance.
At most H ones means at least K = n - H zeros, so z counts zeros up to K and then saturates.
If every zone strictly prefers option 1 whatever the others choose, every optimum has exactly K zeros (`prepare` proves
it from the data in one pass over the demands), and a zero beyond K is discarded. Prefixes that can no longer reach K
zeros are discarded as well.

Counting contract. Layers in zone order; in a layer, states by rising z, then rising F (the newest choice is the lowest
bit); per state, option 0 before option 1. One state per reached (z, F), terminal layer included; one check of the count
of zeros per option; per option that passes, one transition and two checks per demand that the zone closes, one at each
end; one update whenever a stored value is set or raised; one reconstruction per zone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, layer_max, read_choice, require_memory, store_max
from algoworlds.core.work import Solution
from algoworlds.families.station_siting.instance import StationSiting

NONE = -INFINITY
"""The value of a state that has not been reached."""


_ENDS = ("zone", "option.zone", "option.site", *(f"need.{end}" for end in ("from_zone", "from_site", "to_zone", "to_site")))
"""The columns that say which sites exist and which two of them a demand joins."""


class Arrays(NamedTuple):
    """The instance in the paper's letters; demands first[i] .. first[i+1]-1 join zone i with the zone `back` + 1 before it."""

    kappa: NDArray[np.int64]
    first: NDArray[np.int64]
    back: NDArray[np.int64]
    alpha: NDArray[np.int64]
    beta: NDArray[np.int64]
    r: NDArray[np.int64]
    K: int
    omega: int
    saturated: int


def solve(instance: StationSiting) -> Solution[tuple[str, ...]]:
    """The optimal set of sites, its value, its uniqueness, and the counted work."""
    value, chosen, optima, counts = construct(*prepare(instance))
    site = {(zone, option): site for (zone, site), option in instance.option.items()}
    decision = tuple(sorted(site[zone, int(x)] for zone, x in zip(instance.zone, chosen, strict=True)))
    return Solution.from_kernel(value + instance.grant, decision, optima, counts)


def prepare(instance: StationSiting) -> tuple[Arrays, NDArray[np.int8]]:
    """The arguments of `construct`: the instance as arrays, and an array for predecessors."""
    n, (zone, (i, at_i, j, at_j)) = len(instance.zone), instance.derived(_ends, reads=_ENDS)
    option, cost = (np.fromiter(table.values(), np.int64) for table in (instance.option, instance.cost))
    kappa = np.zeros((n, 2), np.int64)
    kappa[zone, option] = cost
    terms = np.array([j, j - i - 1, option[at_i], option[at_j], [need[-1] for need in instance.need.values()]], np.int64)
    j, back, alpha, beta, r = np.take(terms, np.lexsort(terms[::-1]), axis=1)
    first = np.searchsorted(j, range(n + 1))
    K, omega = max(0, n - instance.limit), int(back.max(initial=-1)) + 1
    require_memory((n + 2 * 8) * (K + 1) << omega)  # predecessors, two layers of values
    lead = kappa[:, 0] - kappa[:, 1]  # the least lead of option 1, whatever the other zones choose
    for zone, option in ((j - back - 1, alpha), (j, beta)):
        np.add.at(lead, zone, np.minimum(0, np.where(option, r, -r)))
    a = Arrays(kappa, first, back, alpha, beta, r, K, omega, int((lead > 0).all()))
    return a, np.empty((n, K + 1, 1 << omega), np.int8)


def _ends(instance: StationSiting) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The zone of every site, and per demand its two zones in corridor order, each followed by the row of its site."""
    position = {zone: at for at, zone in enumerate(instance.zone)}
    row = {pair: at for at, pair in enumerate(instance.option)}
    pairs = (((one, site), (two, other)) for one, site, two, other, _ in instance.need.values())
    ends = [sum(sorted((position[end[0]], row[end]) for end in both), ()) for both in pairs]
    return np.array([position[zone] for zone, _ in instance.option], np.int64), np.array(ends, np.int64).reshape(-1, 4).T


@kernel
def closing_demands(a, i):  # type: ignore[no-untyped-def]
    """The demands between zone i and an earlier one: distance, alpha, beta and r."""
    low, high = a.first[i], a.first[i + 1]
    return a.back[low:high], a.alpha[low:high], a.beta[low:high], a.r[low:high]


@kernel
def rewards(demands, F, x):  # type: ignore[no-untyped-def]
    """The sum of r [earlier choice = alpha and x = beta] over demands; branch-free, because a branch would be mispredicted."""
    back, alpha, beta, r = demands
    total = 0
    for d in range(len(r)):
        total += r[d] * ((F >> back[d] & 1 == alpha[d]) & (x == beta[d]))
    return total


@kernel
def append_choice(F, x, omega):  # type: ignore[no-untyped-def]
    """The frontier Fx, and the oldest choice, which leaves it."""
    longer = F << 1 | x
    return longer & ((1 << omega) - 1), longer >> omega


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """D[i+1](z + [x = 0], Fx) <- max { itself, D[i](z, F) - kappa[i+1](x) + rewards that zone i+1 closes }."""
    n, _, frontiers = pred.shape
    K = a.K
    D, D_next = np.full((K + 1, frontiers), NONE), np.full((K + 1, frontiers), NONE)
    D[0, 0] = 0
    states = transitions = checks = updates = 0
    for i in range(n):
        width, demands, pred_i = 1 << min(i, a.omega), closing_demands(a, i), pred[i]
        D_next[:, : 2 * width] = NONE
        for z in range(min(i, K) + 1):
            for F in range(width):
                if D[z, F] == NONE:
                    continue
                states += 1
                for x in range(2):
                    checks += 1
                    zeros = z + (x == 0)
                    if (a.saturated and zeros > K) or zeros + n - i - 1 < K:  # one zero too many, or too few zones left
                        continue
                    transitions += 1
                    checks += 2 * len(demands[-1])
                    value = D[z, F] - a.kappa[i, x] + rewards(demands, F, x)
                    Fx, oldest = append_choice(F, x, a.omega)
                    if store_max(D_next, pred_i, (min(zeros, K), Fx), value, 4 * (zeros > K) + 2 * oldest + x):
                        updates += 1
        D, D_next = D_next, D
    final = D[K, : 1 << min(n, a.omega)]
    states += int(np.count_nonzero(final > NONE))
    best, F, optima = layer_max(final)
    chosen, z = np.zeros(n, np.int64), K
    for i in range(n - 1, -1, -1):
        back, ways = read_choice(pred[i], (z, F))
        optima = max(optima, ways)
        spare, oldest, chosen[i] = back >> 2, back >> 1 & 1, back & 1
        z -= (chosen[i] == 0) - spare
        F = (F + oldest * frontiers) // 2
    return best, chosen, optima, (states, transitions, checks, updates, n)

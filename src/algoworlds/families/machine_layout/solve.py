"""Construction algorithm of Machine Layout: dynamic program over the sets of machines that fill the first slots.

    dp[S] = cut(S) + min over a in S of dp[S - a] + A[a,|S|],   cut(S) = sum of F[a,b] with a in S, b not in S

A pair of machines lies in the cut of every prefix between its two slots, so the cuts add up to flow times distance;
the cut of all machines is 0. A cut is extended by the set's highest machine h: cut(S) = cut(S - h) + the whole flow
of h - twice its flow inside S.

Counting contract. Slots from the end that the roster lists first; sets by rising binary number, the first machine of
the roster as lowest bit; per set, machines in roster order. One state per set, the empty one included; per other set
and machine one check whether it is a member; per set and member two transitions, a term of the cut (the highest
member stands for its whole flow) and a candidate of the minimum; one update whenever a set's value is set or lowered;
one reconstruction per machine. Together 2^n + 2n 2^n + updates.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, read_choice, require_memory, tie_bit
from algoworlds.core.work import Solution
from algoworlds.families.machine_layout.instance import MachineLayout

BYTES_PER_SET = 18
"""Value and cut of 8 bytes each, size and last machine of 1 byte each."""


class Arrays(NamedTuple):
    """The instance in the paper's letters: F[a, b] with zeros on the diagonal, and A[k, a] for the k-th slot of the line."""

    F: NDArray[np.int64]
    A: NDArray[np.int64]


def solve(instance: MachineLayout) -> Solution[dict[str, str]]:
    """The optimal layout, its value, its uniqueness, and the counted work."""
    value, chosen, optima, counts = construct(*prepare(instance))
    slot = {instance.machine[a]: s for a, s in zip(chosen, _line(instance), strict=True)}
    return Solution.from_kernel(value, {a: slot[a] for a in instance.machine}, optima, counts)


def prepare(instance: MachineLayout) -> tuple[Arrays, NDArray[np.int8]]:
    """The arguments of `construct`: the instance as arrays, and an array for the last machine of every set."""
    n = len(instance.machine)
    require_memory(BYTES_PER_SET << n)
    F = np.zeros((n, n), np.int64)
    index = {machine: at for at, machine in enumerate(instance.machine)}
    for (a, b), flow in instance.flow.items():
        F[index[a], index[b]] = F[index[b], index[a]] = flow
    A = np.array([[instance.adjustment[a, s] for a in instance.machine] for s in _line(instance)], np.int64)
    return Arrays(F, A.reshape(n, n)), np.empty(1 << n, np.int8)


def _line(instance: MachineLayout) -> list[str]:
    """The slots from one end to the other, starting at the end that the roster lists first."""
    length = len(instance.slot) - 1
    ends = {s for pair, distance in instance.distance.items() if distance == length for s in pair}
    first = next((s for s in instance.slot if s in ends or not length), "")
    away = {s: instance.distance.get((first, s), instance.distance.get((s, first), 0)) for s in instance.slot}
    return sorted(instance.slot, key=away.__getitem__)


@kernel
def construct(a, pred):  # type: ignore[no-untyped-def]
    """dp[S] = cut(S) + min over x in S of dp[S - x] + A[|S|, x]; the cut of all machines is 0."""
    F, A = a.F, a.A
    n, sets = len(F), len(pred)
    dp, cut, size = np.empty(sets, np.int64), np.empty(sets, np.int64), np.empty(sets, np.int8)
    dp[0] = cut[0] = size[0] = 0
    whole = np.zeros(n, np.int64)
    for x in range(n):
        for y in range(n):
            whole[x] += F[x, y]
    states, transitions, checks, updates = 1, 0, 0, 0
    h = 0  # the highest machine of S
    for S in range(1, sets):
        if S >> h > 1:
            h += 1
        members = int(size[S >> 1]) + (S & 1)
        size[S] = members
        states += 1
        checks += n
        transitions += 2 * members
        best, last, inside = INFINITY, 0, 0
        for x in range(n):
            if S >> x & 1:
                inside += F[h, x]
                value = dp[S ^ (1 << x)] + A[members - 1, x]
                if value < best:
                    updates += 1
                    best, last = value, x
                elif value == best:
                    last |= tie_bit(pred)
        cut[S] = cut[S ^ (1 << h)] + whole[h] - 2 * inside
        dp[S] = best + cut[S]
        pred[S] = last
    chosen = np.zeros(n, np.int64)
    optima, S = 1, sets - 1
    for k in range(n - 1, -1, -1):
        chosen[k], ways = read_choice(pred, S)
        optima = max(optima, ways)
        S ^= 1 << chosen[k]
    return dp[sets - 1], chosen, optima, (states, transitions, checks, updates, n)

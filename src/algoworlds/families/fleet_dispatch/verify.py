"""Verification algorithm of Fleet Dispatch: backward dynamic program over remaining capacities.

    G[i](c) = min over eligible v with c_v >= lambda[i] of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v)

It differs from the construction in direction, state (room left instead of load carried) and uniqueness: completions are
counted, saturating at MAX_COUNTED. States are numbered in mixed radix by the ranks of the rooms that vehicles can have left.
The vehicle with most rooms comes first and has no digit: its room follows from the others.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, MAX_COUNTED, kernel, require_memory
from algoworlds.core.work import Solution
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


class Fleet(NamedTuple):
    """Jobs, and vehicles with the one of most rooms first; `cost` is INFINITY for ineligible pairs.

    Vehicle v has `room[v, k]` left at rank k < `ranks[v]`, falling from its capacity; the first vehicle has rank 0 only.
    """

    need: NDArray[np.int64]
    cost: NDArray[np.int64]
    fee: NDArray[np.int64]
    ranks: NDArray[np.int64]
    room: NDArray[np.int64]


def verify(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """Optimal value, decision and uniqueness, independent of the construction algorithm."""
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    rooms = _rooms(instance)
    vehicles = sorted(instance.vehicle, key=lambda v: -len(rooms[v]))
    ranks, most = [1, *(len(rooms[v]) for v in vehicles[1:])], len(rooms[vehicles[0]])
    require_memory((len(instance.job) + 2 * 9) * prod(ranks) + 2 * 8 * len(ranks) * most)  # choices, two layers; rooms, moves
    price = {pair: instance.route_cost[pair] if eligible else INFINITY for pair, eligible in instance.eligible.items()}
    fleet = Fleet(
        need=np.array([instance.load[j] for j in instance.job], np.int64),
        cost=np.array([[price[v, j] for v in vehicles] for j in instance.job], np.int64),
        fee=np.array([instance.activation[v] for v in vehicles], np.int64),
        ranks=np.array(ranks, np.int64),
        room=np.array([rooms[v] + [0] * (most - len(rooms[v])) for v in vehicles], np.int64),
    )
    value, optima, chosen = _backward(fleet, np.empty((len(instance.job), prod(ranks)), np.int8))
    decision = {job: vehicles[v] for job, v in zip(instance.job, chosen, strict=True)}
    return Solution.from_kernel(value + instance.offset, decision, optima)


def _rooms(instance: FleetDispatch) -> dict[str, list[int]]:
    """The rooms that each vehicle can have left, falling; raises TooLarge as soon as their combinations are too many."""
    left = {v: {instance.capacity[v]} for v in instance.vehicle}
    for j, need in instance.load.items():
        for v in instance.vehicle:
            if instance.eligible[v, j]:
                left[v] |= {room - need for room in left[v] if room >= need}
        ranks = [len(rooms) for rooms in left.values()]
        require_memory(prod(ranks) // max(ranks) + max(ranks) * 2**12)  # a million rooms reach the limit
    return {v: sorted(rooms, reverse=True) for v, rooms in left.items()}


@kernel
def _moves(fleet, i, down):  # type: ignore[no-untyped-def]
    """Fill `down[v, k]`: how far job i moves a state's number if v is at rank k, -1 if it does not fit."""
    stride = 1
    for v in range(1, len(down)):
        below = 0
        for k in range(fleet.ranks[v]):
            while below < fleet.ranks[v] and fleet.room[v, below] > fleet.room[v, k] - fleet.need[i]:
                below += 1
            exists = below < fleet.ranks[v] and fleet.room[v, below] == fleet.room[v, k] - fleet.need[i]
            down[v, k] = (below - k) * stride if exists else -1
        stride *= fleet.ranks[v]


@kernel
def _next_rooms(fleet, rank, c):  # type: ignore[no-untyped-def]
    """Advance ranks and rooms to the next state; the first vehicle has what the others leave."""
    for v in range(1, len(rank)):
        k = rank[v] + 1 if rank[v] + 1 < fleet.ranks[v] else 0
        c[0] += fleet.room[v, rank[v]] - fleet.room[v, k]
        c[v], rank[v] = fleet.room[v, k], k
        if k > 0:
            break


@kernel
def _follow_choices(fleet, choice, down):  # type: ignore[no-untyped-def]
    """Follow the stored choices from the state in which all vehicles are empty."""
    chosen, rank, at = np.zeros(len(choice), np.int64), np.zeros(len(fleet.ranks), np.int64), 0
    for i in range(len(choice)):
        chosen[i], rest = choice[i, at], at
        for v in range(len(rank)):
            rank[v], rest = rest % fleet.ranks[v], rest // fleet.ranks[v]
        _moves(fleet, i, down)
        at += down[chosen[i], rank[chosen[i]]]
    return chosen


@kernel
def _backward(fleet, choice):  # type: ignore[no-untyped-def]
    """G[i](c) = min over v of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v); G[n] = 0."""
    (n, size), m, whole = choice.shape, len(fleet.fee), fleet.room[:, 0]
    G, G_later = np.zeros(size, np.int64), np.zeros(size, np.int64)
    ways, ways_later = np.ones(size, np.int8), np.ones(size, np.int8)
    rank, c, down = np.zeros(m, np.int64), whole.copy(), np.zeros(fleet.room.shape, np.int64)
    c[0] -= fleet.need.sum()
    for i in range(n - 1, -1, -1):
        G, G_later, ways, ways_later = G_later, G, ways_later, ways
        c[0] += fleet.need[i]
        _moves(fleet, i, down)
        for at in range(size):
            best, count, pick = INFINITY, 0, 0
            if 0 <= c[0] <= whole[0]:
                for v in range(m):
                    after = at + down[v, rank[v]]
                    if after < at or c[v] < fleet.need[i] or fleet.cost[i, v] == INFINITY or ways_later[after] == 0:
                        continue
                    total = fleet.cost[i, v] + (fleet.fee[v] if c[v] == whole[v] else 0) + G_later[after]
                    if total < best:
                        best, count, pick = total, int(ways_later[after]), v
                    elif total == best:
                        count = min(count + int(ways_later[after]), MAX_COUNTED)
            G[at], ways[at], choice[i, at] = best, count, pick
            _next_rooms(fleet, rank, c)
    return G[0], ways[0], _follow_choices(fleet, choice, down)

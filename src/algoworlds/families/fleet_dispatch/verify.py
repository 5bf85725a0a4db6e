"""Verification algorithm of Fleet Dispatch: top-down in remaining capacities, tabulated from the last job backward.

    G[i](c) = min over eligible v with c_v >= lambda[i] of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v)

It differs from the construction in direction, state (room left instead of load carried) and uniqueness: optimal
completions are counted, saturating at two. The state is a number too, whose digits rank the rooms that a vehicle can
have left; the vehicle with most of them comes first and has no digit: its room is what must be left in all.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.core.work import Solution
from algoworlds.errors import TooLarge
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

MOST = 2**7
"""Vehicles that a stored choice can name."""


class Fleet(NamedTuple):
    """Jobs, and vehicles with the one of most rooms first; `cost` is INFINITY if not eligible.

    Vehicle v has the room `room[v, k]` at rank k < `ranks[v]`; job i then adds `down[v, k, i]` to the state's number,
    -1 if no such state exists. Before job i there is room for `left[i]` in all.
    """

    need: NDArray[np.int64]
    cost: NDArray[np.int64]
    fee: NDArray[np.int64]
    whole: NDArray[np.int64]
    ranks: NDArray[np.int64]
    room: NDArray[np.int64]
    down: NDArray[np.int64]
    left: NDArray[np.int64]


def verify(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    if len(instance.vehicle) > MOST:
        raise TooLarge(f"Fleet Dispatch is verified for at most {MOST} vehicles")
    rooms = _rooms(instance)
    vehicles = sorted(instance.vehicle, key=lambda v: -len(rooms[v]))
    ranks, jobs = [len(rooms[v]) for v in vehicles], len(instance.job)
    size = prod(ranks[1:])
    within_memory((jobs + 2 * 9) * size + 8 * len(ranks) * ranks[0] * (jobs + 1))  # choices, two layers, ranks
    fleet = _fleet(instance, vehicles, rooms)
    value, optima, chosen = _backward(fleet, np.empty((jobs, size), np.int8))
    decision = {job: vehicles[v] for job, v in zip(instance.job, chosen, strict=True)}
    return Solution.of(value + instance.offset, decision, optima)


def _rooms(instance: FleetDispatch) -> dict[str, list[int]]:
    """The remaining capacities that every vehicle can have, falling from the whole; refused once they are too many."""
    left = {v: {instance.capacity[v]} for v in instance.vehicle}
    for j, need in instance.load.items():
        for v in instance.vehicle:
            if instance.eligible[v, j]:
                left[v] |= {room - need for room in left[v] if room >= need}
        ranks = [len(rooms) for rooms in left.values()]
        within_memory(prod(ranks) // max(ranks) + max(ranks) * 2**12)  # a million rooms in one vehicle are beyond any table
    return {v: sorted(rooms, reverse=True) for v, rooms in left.items()}


def _fleet(instance: FleetDispatch, vehicles: list[str], rooms: dict[str, list[int]]) -> Fleet:
    jobs, width = instance.job, len(rooms[vehicles[0]])
    ranks = [1, *(len(rooms[v]) for v in vehicles[1:])]
    room, down = np.zeros((len(vehicles), width), np.int64), np.full((len(vehicles), width, len(jobs)), -1, np.int64)
    down[0] = 0
    for v, name in enumerate(vehicles[1:], start=1):
        place, stride = {left: k for k, left in enumerate(rooms[name])}, prod(ranks[:v])
        room[v, : ranks[v]] = rooms[name]
        for j, job in enumerate(jobs):
            lower = [place.get(left - instance.load[job], -1) for left in rooms[name]]
            down[v, : ranks[v], j] = [(below - k) * stride if below > k else -1 for k, below in enumerate(lower)]
    need = np.array([instance.load[j] for j in jobs], np.int64)
    price = {pair: instance.route_cost[pair] if eligible else INFINITY for pair, eligible in instance.eligible.items()}
    return Fleet(
        need=need,
        cost=np.array([[price[v, j] for v in vehicles] for j in jobs], np.int64),
        fee=np.array([instance.activation[v] for v in vehicles], np.int64),
        whole=np.array([instance.capacity[v] for v in vehicles], np.int64),
        ranks=np.array(ranks, np.int64),
        room=room,
        down=down,
        left=sum(instance.capacity.values()) - (need.cumsum() - need),
    )


@inline
def _next_rooms(fleet, rank, c):  # type: ignore[no-untyped-def]
    """Make ranks and rooms those of the next state; the first vehicle has what the others leave."""
    for v in range(1, len(rank)):
        k = rank[v] + 1 if rank[v] + 1 < fleet.ranks[v] else 0
        c[0] += fleet.room[v, rank[v]] - fleet.room[v, k]
        c[v] = fleet.room[v, k]
        rank[v] = k
        if k > 0:
            break


@inline
def _read(fleet, choice):  # type: ignore[no-untyped-def]
    """The vehicles chosen from the state in which all capacities are whole."""
    chosen, rank, at = np.zeros(len(choice), np.int64), np.zeros(len(fleet.ranks), np.int64), 0
    for i in range(len(choice)):
        chosen[i] = choice[i, at]
        rest = at
        for v in range(len(rank)):
            rank[v] = rest % fleet.ranks[v]
            rest //= fleet.ranks[v]
        at += fleet.down[chosen[i], rank[chosen[i]], i]
    return chosen


@kernel
def _backward(fleet, choice):  # type: ignore[no-untyped-def]
    """G[i](c) = min over v of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v); G[n] = 0."""
    n, size = choice.shape
    m = len(fleet.fee)
    G, G_later = np.zeros(size, np.int64), np.zeros(size, np.int64)
    ways, ways_later = np.ones(size, np.int8), np.ones(size, np.int8)
    rank, c = np.zeros(m, np.int64), fleet.whole.copy()
    for i in range(n - 1, -1, -1):
        G, G_later, ways, ways_later = G_later, G, ways_later, ways
        c[0] = fleet.left[i] - fleet.whole[1:].sum()
        for at in range(size):
            best, count, pick = INFINITY, 0, 0
            if 0 <= c[0] <= fleet.whole[0]:
                for v in range(m):
                    after = at + fleet.down[v, rank[v], i]
                    if after < at or c[v] < fleet.need[i] or fleet.cost[i, v] == INFINITY or ways_later[after] == 0:
                        continue
                    total = fleet.cost[i, v] + (fleet.fee[v] if c[v] == fleet.whole[v] else 0) + G_later[after]
                    if total < best:
                        best, count, pick = total, ways_later[after], v
                    elif total == best:
                        count = 2
            G[at], ways[at], choice[i, at] = best, count, pick
            _next_rooms(fleet, rank, c)
    return G[0], ways[0], _read(fleet, choice)

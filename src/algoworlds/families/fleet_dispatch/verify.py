"""Verification algorithm of Fleet Dispatch: top-down in remaining capacities, tabulated from the last job backward.

    G[i](c) = min over eligible v with c_v >= lambda[i] of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v)

It differs from the construction in direction, state (room left instead of load carried) and uniqueness: optimal
completions are counted, saturating at two. Room is kept in ranks as well; the vehicle with most ranks is implied by
the room that must be left in all.
"""

from itertools import accumulate
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.model.kernel import INFINITY, exact, kernel, table_size
from algoworlds.model.work import Solution


class Fleet(NamedTuple):
    """Vehicles with the implied one first, and the jobs; `room` lists each vehicle's possible remaining capacities."""

    need: NDArray[np.int64]
    cost: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    fee: NDArray[np.int64]
    room: NDArray[np.int64]
    ranks: NDArray[np.int64]
    below: NDArray[np.int64]
    left: NDArray[np.int64]


def verify(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    exact(instance)
    if not instance.vehicle or not instance.job:
        return Solution(None, None, 0) if instance.job else Solution(instance.offset, {}, 1)
    rooms = {v: _rooms(instance, v) for v in instance.vehicle}
    vehicles = sorted(instance.vehicle, key=lambda v: -len(rooms[v]))
    fleet = _fleet(instance, vehicles, rooms)
    size = prod(map(int, fleet.ranks[1:]))
    table_size(size * len(instance.job))
    choice = np.zeros((len(instance.job), size), np.int8)
    value, optima, chosen = _backward(fleet, choice)
    if optima == 0:
        return Solution(None, None, 0)
    decision = {job: vehicles[v] for job, v in zip(instance.job, chosen, strict=True)}
    return Solution(int(value) + instance.offset, decision, int(optima))


def _rooms(instance: FleetDispatch, v: str) -> list[int]:
    """The remaining capacities that vehicle v can have, falling from the whole."""
    rooms = {instance.capacity[v]}
    for j, need in instance.load.items():
        if instance.eligible[v, j]:
            rooms |= {room - need for room in rooms if room >= need}
            table_size(len(rooms) * 2**10)  # a million different rooms in one vehicle are beyond any table
    return sorted(rooms, reverse=True)


def _fleet(instance: FleetDispatch, vehicles: list[str], rooms: dict[str, list[int]]) -> Fleet:
    jobs, width = instance.job, max(map(len, rooms.values()))
    room = np.array([rooms[v] + [0] * (width - len(rooms[v])) for v in vehicles], np.int64)
    below = np.full((len(vehicles), width, len(jobs)), -1, np.int64)
    for v, name in enumerate(vehicles):
        place = {left: k for k, left in enumerate(rooms[name])}
        for k, left in enumerate(rooms[name]):
            below[v, k] = [place.get(left - instance.load[j], -1) for j in jobs]
    whole = sum(instance.capacity.values())
    return Fleet(
        need=np.array([instance.load[j] for j in jobs], np.int64),
        cost=np.array([[instance.route_cost.get((v, j), 0) for v in vehicles] for j in jobs], np.int64),
        allowed=np.array([[instance.eligible[v, j] for v in vehicles] for j in jobs], np.bool_),
        fee=np.array([instance.activation[v] for v in vehicles], np.int64),
        room=room,
        ranks=np.array([len(rooms[v]) for v in vehicles], np.int64),
        below=below,
        left=np.array([whole - used for used in accumulate((instance.load[j] for j in jobs), initial=0)], np.int64),
    )


@kernel
def _backward(fleet, choice):  # type: ignore[no-untyped-def]
    """G[i](c) = min over v of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v); G[n] = 0."""
    n, size = choice.shape
    m = len(fleet.fee)
    stride = np.ones(m, np.int64)
    for v in range(2, m):
        stride[v] = stride[v - 1] * fleet.ranks[v - 1]
    G, G_later = np.zeros(size, np.int64), np.zeros(size, np.int64)
    ways, ways_later = np.ones(size, np.int8), np.ones(size, np.int8)
    rank = np.zeros(m, np.int64)
    for i in range(n - 1, -1, -1):
        G, G_later, ways, ways_later = G_later, G, ways_later, ways
        rank[:] = 0
        for c in range(size):
            spare = fleet.left[i]
            for v in range(1, m):
                spare -= fleet.room[v, rank[v]]
            best, count, pick = INFINITY, 0, -1
            if 0 <= spare <= fleet.room[0, 0]:
                for v in range(m):
                    if not fleet.allowed[i, v]:
                        continue
                    if v == 0:
                        after, idle = c, spare == fleet.room[0, 0]
                        if spare < fleet.need[i]:
                            continue
                    else:
                        down = fleet.below[v, rank[v], i]
                        if down < 0:
                            continue
                        after, idle = c + (down - rank[v]) * stride[v], rank[v] == 0
                    if ways_later[after] == 0:
                        continue
                    total = fleet.cost[i, v] + G_later[after]
                    if idle:
                        total += fleet.fee[v]
                    if total < best:
                        best, count, pick = total, ways_later[after], v
                    elif total == best:
                        count = 2
            G[c], ways[c], choice[i, c] = best, count, pick
            v = 1
            while v < m:
                rank[v] += 1
                if rank[v] < fleet.ranks[v]:
                    break
                rank[v] = 0
                v += 1
    chosen = np.zeros(n, np.int64)
    c = 0
    if ways[0] > 0:
        for i in range(n):
            v = choice[i, c]
            chosen[i] = v
            if v > 0:
                k = (c // stride[v]) % fleet.ranks[v]
                c += (fleet.below[v, k, i] - k) * stride[v]
    return G[0], ways[0], chosen

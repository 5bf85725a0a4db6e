"""Verification algorithm of Fleet Dispatch: top-down in remaining capacities, tabulated from the last job backward.

    G[i](c) = min over eligible v with c_v >= lambda[i] of r[v,i] + f_v [c_v = C_v] + G[i+1](c - lambda[i] e_v)

It differs from the construction in direction, state (room left instead of load carried) and uniqueness: optimal
completions are counted, saturating at two. Room is kept in ranks as well; the vehicle with most ranks is implied by
the room that must be left in all.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, within_memory
from algoworlds.core.work import Solution
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


class Fleet(NamedTuple):
    """Vehicles, the implied one first, and jobs; `room` lists what capacity can remain, `cost` is INFINITY if not eligible."""

    need: NDArray[np.int64]
    cost: NDArray[np.int64]
    fee: NDArray[np.int64]
    room: NDArray[np.int64]
    ranks: NDArray[np.int64]
    below: NDArray[np.int64]
    left: NDArray[np.int64]


def verify(instance: FleetDispatch) -> Solution[dict[str, str]]:
    """Optimal value, decision and uniqueness, found independently of the construction algorithm."""
    if not instance.vehicle or not instance.job:
        return Solution.infeasible() if instance.job else Solution(instance.offset, {}, 1)
    rooms = _rooms(instance)
    vehicles = sorted(instance.vehicle, key=lambda v: -len(rooms[v]))
    ranks, jobs = [len(rooms[v]) for v in vehicles], len(instance.job)
    size = prod(ranks[1:])
    within_memory((jobs + 2 * 9) * size + 8 * len(ranks) * ranks[0] * (jobs + 1))  # choices, two layers, ranks
    fleet = _fleet(instance, vehicles, rooms)
    value, optima, chosen = _backward(fleet, np.empty((jobs, size), np.int8))
    if optima == 0:
        return Solution.infeasible()
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
    jobs, width = instance.job, max(map(len, rooms.values()))
    room = np.array([rooms[v] + [0] * (width - len(rooms[v])) for v in vehicles], np.int64)
    below = np.full((len(vehicles), width, len(jobs)), -1, np.int64)
    for v, name in enumerate(vehicles):
        place = {left: k for k, left in enumerate(rooms[name])}
        for k, left in enumerate(rooms[name]):
            below[v, k] = [place.get(left - instance.load[j], -1) for j in jobs]
    need = np.array([instance.load[j] for j in jobs], np.int64)
    price = {pair: instance.route_cost[pair] if eligible else INFINITY for pair, eligible in instance.eligible.items()}
    return Fleet(
        need=need,
        cost=np.array([[price[v, j] for v in vehicles] for j in jobs], np.int64),
        fee=np.array([instance.activation[v] for v in vehicles], np.int64),
        room=room,
        ranks=np.array([len(rooms[v]) for v in vehicles], np.int64),
        below=below,
        left=sum(instance.capacity.values()) - (need.cumsum() - need),
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
                    down, idle = fleet.below[v, rank[v], i], rank[v] == 0
                    if v == 0:
                        down, idle = 0 if spare >= fleet.need[i] else -1, spare == fleet.room[0, 0]
                    if down < 0 or fleet.cost[i, v] == INFINITY:
                        continue
                    after = c + (down - rank[v]) * stride[v]
                    if ways_later[after] == 0:
                        continue
                    total = fleet.cost[i, v] + (fleet.fee[v] if idle else 0) + G_later[after]
                    if total < best:
                        best, count, pick = total, ways_later[after], v
                    elif total == best:
                        count = 2
            G[c], ways[c], choice[i, c] = best, count, pick
            for v in range(1, m):  # the next combination of ranks
                rank[v] += 1
                if rank[v] < fleet.ranks[v]:
                    break
                rank[v] = 0
    chosen = np.zeros(n, np.int64)
    c = 0
    for i in range(n if ways[0] > 0 else 0):
        v = choice[i, c]
        chosen[i] = v
        if v > 0:
            k = (c // stride[v]) % fleet.ranks[v]
            c += (fleet.below[v, k, i] - k) * stride[v]
    return G[0], ways[0], chosen

"""Generator of Fleet Dispatch: contracts dear enough that the contest is which vehicles to open.

Activation costs about as much as several routes, so jobs that share a vehicle must move together: one job's move
breaks a unit and pays, only a joint move gains. Every job is eligible for the same number of vehicles and prices
ignore the plan that proves feasibility, so nothing about a vehicle or pair tells its part in the optimum.
"""

from dataclasses import dataclass

from algoworlds.core.stream import Stream
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


@dataclass(frozen=True)
class Config:
    """Capacities (dealt to the vehicles at random), loads (shuffled inside blocks of jobs), eligible vehicles per job."""

    capacities: tuple[int, ...]
    loads: tuple[tuple[int, ...], ...]
    eligible: int


LEVELS = {
    0: Config((3, 4, 5, 6), ((1, 2, 1, 1), (2, 1, 1, 1)), 2),
    1: Config((3, 4, 6, 7, 8), ((1, 2, 1, 1, 3), (1, 1, 2, 1, 1), (3, 1, 1, 1)), 3),
    2: Config((6, 8, 11, 12, 13), ((1, 2, 1, 1, 5), (1, 1, 2, 1, 1), (4, 1, 1, 2, 1), (1, 4, 1, 1, 1)), 3),
    3: Config((5, 6, 8, 10, 11, 12), ((1, 2, 1, 1, 5, 1), (1, 2, 1, 1, 4, 1), (1, 2, 1, 1, 4, 1), (1, 2, 1, 1, 3, 1)), 4),
    4: Config((5, 6, 7, 8, 10, 11, 12), ((1, 2, 1, 1, 5, 1), (1, 2, 1, 1, 4, 1), (1, 2, 1, 1, 4, 1), (1, 2, 1, 1, 3, 1)), 4),
}


def generate(config: Config, stream: Stream) -> FleetDispatch:
    """Draw an instance; feasible by construction, with the proof left invisible."""
    capacity = {f"v{v}": most for v, most in enumerate(stream.shuffled(config.capacities))}
    loads = [load for block in config.loads for load in stream.shuffled(block)]
    load = {f"j{j}": size for j, size in enumerate(loads)}
    vehicles, jobs = list(capacity), list(load)
    home = _packing(capacity, load, stream)
    able = {j: {home[j], *stream.sample([v for v in vehicles if v != home[j]], config.eligible - 1)} for j in jobs}
    return FleetDispatch(
        vehicle=vehicles,
        job=jobs,
        capacity=capacity,
        activation={v: stream.integer(20_000, 40_000) for v in vehicles},
        load=load,
        eligible={(v, j): v in able[j] for v in vehicles for j in jobs},
        route_cost={(v, j): _route_cost(v in able[j], stream) for v in vehicles for j in jobs},
        offset=stream.integer(1_000, 9_999),
    )


def _packing(capacity: dict[str, int], load: dict[str, int], stream: Stream) -> dict[str, str]:
    """A random assignment with room for every job: heaviest first, each to any vehicle that fits, again if stuck."""
    if sum(load.values()) > sum(capacity.values()):
        raise ValueError("the loads exceed the fleet")
    while True:
        room, home = dict(capacity), {}
        for j in sorted(load, key=lambda j: -load[j]):
            fitting = [v for v in room if room[v] >= load[j]]
            if not fitting:
                break
            home[j] = stream.choice(fitting)
            room[home[j]] -= load[j]
        else:
            return home


def _route_cost(eligible: bool, stream: Stream) -> int:
    """Uniform; an ineligible pair shows the least of three draws, so that ignoring eligibility tempts."""
    return min(stream.integers(1 if eligible else 3, 1_000, 9_999))

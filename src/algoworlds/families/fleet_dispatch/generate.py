"""Generator of Fleet Dispatch: a fleet that is full without any one of its vehicles, and dear contracts with cheap routes.

Any one vehicle could stay at home, but then the others are full to the last few units: which one to leave and how all jobs
fit into the rest is one question, and a plan that is good for most jobs leaves no room for the last. What a route costs
depends mostly on the vehicle. Cheap vehicles should carry many light jobs and dear ones few heavy ones, but only what fits
together is left to choose from; pairs differ just enough to decide between the many ways to fill the fleet that are nearly
as good, so that neither the jobs one by one nor prices of capacity tell the best of them. A vehicle with cheap routes has
a dear contract, by what its jobs save on average, and contracts vary on top of that by far more: neither tells which
vehicle to leave. Capacities and loads differ, so that typical ones allow another plan. Every job is eligible for the same
number of vehicles and prices ignore the plan that proves feasibility.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.difficulty import mixed
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

CONTRACT = (5_000, 165_000)
"""A contract, apart from what cheap routes add to it."""
LEVEL = 10_000
"""By how much all routes of one vehicle may be dearer than those of another."""
ROUTE = (1_000, 1_400)
"""A route, apart from its vehicle's level: uniform, or the least of three draws if the pair is not eligible."""


@dataclass(frozen=True)
class Config:
    """Capacities (dealt at random), blocks of jobs (how many, least and largest load), total load, vehicles per job."""

    capacities: tuple[int, ...]
    blocks: tuple[tuple[int, int, int], ...]
    total: int
    eligible: int

    @property
    def carried(self) -> float:
        """How many jobs a vehicle carries on average if one stays at home."""
        return sum(jobs for jobs, _, _ in self.blocks) / (len(self.capacities) - 1)


LEVELS = {
    0: Config((3, 4, 5, 5), ((4, 1, 3), (4, 1, 2)), 12, 3),
    1: Config((5, 6, 7, 7, 8), ((8, 2, 3), (6, 1, 2)), 25, 4),
    2: Config((11, 12, 13, 14, 15), ((10, 3, 4), (10, 1, 2)), 50, 4),
    3: Config((10, 10, 11, 12, 12, 13), ((14, 2, 4), (10, 1, 2)), 55, 4),
    4: Config((8, 8, 9, 9, 10, 10, 11), ((14, 2, 4), (10, 1, 2)), 54, 4),
}


def between(lower: Config, upper: Config, part: Fraction) -> Config:
    """Sizes between those of two levels; the fleet is full without its largest vehicle, as at every level."""
    vehicles = mixed(len(lower.capacities), len(upper.capacities), part)
    shape = [mixed(_nth(lower, at, vehicles), _nth(upper, at, vehicles), part) for at in range(vehicles)]
    room = sum(shape) - max(shape)
    capacities = tuple((2 * mixed(lower.total, upper.total, part) * each + room) // (2 * room) for each in shape)
    blocks = mixed(lower.blocks, upper.blocks, part)
    return Config(capacities, blocks, sum(capacities) - max(capacities), mixed(lower.eligible, upper.eligible, part))


def _nth(config: Config, at: int, vehicles: int) -> int:
    """The capacity that stands where one of so many vehicles would."""
    return sorted(config.capacities)[at * (len(config.capacities) - 1) // (vehicles - 1)]


def ranges(config: Config) -> Ranges:
    """Contracts reach as far as the cheapest routes add to them."""
    return Ranges(
        {
            ("capacity", "capacity"): Range(min(config.capacities), max(config.capacities)),
            ("activation", "activation_cost"): Range(CONTRACT[0], CONTRACT[1] + int(config.carried * LEVEL)),
            ("load", "load"): Range(min(low for _, low, _ in config.blocks), max(high for _, _, high in config.blocks)),
            ("route_cost", "route_cost"): Range(ROUTE[0], ROUTE[1] + LEVEL),
        }
    )


def generate(config: Config, stream: Stream) -> FleetDispatch:
    """Draw an instance; feasible by construction, with the proof left invisible."""
    capacity, load = stream.shuffled(config.capacities), _loads(config, stream)
    vehicles, jobs = [f"v{v}" for v in range(len(capacity))], [f"j{j}" for j in range(len(load))]
    others = [[v for v in range(len(capacity)) if v != home] for home in range(len(capacity))]
    able = [{home, *stream.sample(others[home], config.eligible - 1)} for home in _packing(capacity, load, stream)]
    eligible = {(vehicle, job): v in each for v, vehicle in enumerate(vehicles) for job, each in zip(jobs, able, strict=True)}
    level = np.array(stream.integers(len(vehicles), 0, LEVEL))
    contract = stream.integers(len(vehicles), *CONTRACT) + (config.carried * (LEVEL - level)).astype(np.int64)
    draws = np.where(list(eligible.values()), 1, 3)  # the least of them shows, so that ignoring eligibility tempts
    routes = level.repeat(len(jobs)) + np.minimum.reduceat(stream.integers(int(draws.sum()), *ROUTE), draws.cumsum() - draws)
    return FleetDispatch.from_trusted(
        vehicle=tuple(vehicles),
        job=tuple(jobs),
        capacity=dict(zip(vehicles, capacity, strict=True)),
        activation=dict(zip(vehicles, contract.tolist(), strict=True)),
        load=dict(zip(jobs, load, strict=True)),
        eligible=eligible,
        route_cost=dict(zip(eligible, routes.tolist(), strict=True)),
        offset=stream.integer(1_000, 9_999),
    )


def _loads(config: Config, stream: Stream) -> list[int]:
    """Loads block by block, again until they add up to the total."""
    least, bounds = zip(*[(low, high - low + 1) for jobs, low, high in config.blocks for _ in range(jobs)], strict=True)
    beyond = stream.until(bounds, lambda rows: rows.sum(axis=1) == config.total - sum(least))
    return [low + more for low, more in zip(least, beyond, strict=True)]


def _packing(capacity: list[int], load: list[int], stream: Stream) -> list[int]:
    """A random assignment that leaves one vehicle at home: heaviest first, each to any vehicle that fits, again if stuck."""
    while True:
        room, home, idle = list(capacity), [-1] * len(load), stream.below(len(capacity))
        room[idle] = 0
        for j in sorted(range(len(load)), key=lambda j: -load[j]):
            fitting = [v for v, left in enumerate(room) if left >= load[j]]
            if not fitting:
                break
            home[j] = stream.choice(fitting)
            room[home[j]] -= load[j]
        else:
            return home

"""Generator of Fleet Dispatch: a fleet that is full without any one of its vehicles, and dear contracts with cheap routes.

Any one vehicle can stay idle, but then the others are full to the last few units. So the choice of the idle vehicle and the
packing of all jobs are one problem, and a plan that is good for most jobs leaves no room for the last ones. Route costs
depend mostly on the vehicle: cheap vehicles should carry many light jobs and dear ones few heavy jobs, as far as they fit.
Pairs differ just enough to decide between the many nearly equal packings, so neither single jobs nor capacity prices
reveal the best one. A vehicle with cheap routes has a dear contract, by what its jobs save on average; contracts vary on
top of that by far more, so neither reveals which vehicle stays idle. Capacities and loads differ, so typical values allow
other plans. All jobs have equally many eligible vehicles, and prices ignore the packing that proves feasibility.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from algoworlds.families.declare import Stream, interpolate
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

CONTRACT = (5_000, 165_000)
"""Range of activation costs before the surcharge for cheap routes."""
LEVEL = 10_000
"""Most that all routes of one vehicle are dearer than those of another."""
ROUTE = (1_000, 1_400)
"""Range of route costs on top of the vehicle's level: uniform, or the least of three draws for an ineligible pair."""


@dataclass(frozen=True)
class Config:
    """Capacities (in random order), blocks of jobs (count, least load, largest load), total load, eligible vehicles per job."""

    capacities: tuple[int, ...]
    blocks: tuple[tuple[int, int, int], ...]
    total: int
    eligible: int

    @property
    def jobs_per_vehicle(self) -> float:
        """Mean number of jobs per vehicle if one vehicle stays idle."""
        return sum(jobs for jobs, _, _ in self.blocks) / (len(self.capacities) - 1)


LEVELS = {
    0: Config((3, 4, 5, 5), ((4, 1, 3), (4, 1, 2)), 12, 3),
    1: Config((5, 6, 7, 7, 8), ((8, 2, 3), (6, 1, 2)), 25, 4),
    2: Config((11, 12, 13, 14, 15), ((10, 3, 4), (10, 1, 2)), 50, 4),
    3: Config((10, 10, 11, 12, 12, 13), ((14, 2, 4), (10, 1, 2)), 55, 4),
    4: Config((8, 8, 9, 9, 10, 10, 11), ((14, 2, 4), (10, 1, 2)), 54, 4),
}


def between(lower: Config, upper: Config, part: Fraction) -> Config:
    """Interpolate the sizes of two levels; the fleet stays full without its largest vehicle."""
    low, high = sorted(lower.capacities), sorted(upper.capacities)
    vehicles: int = interpolate(len(low), len(high), part)
    total = interpolate(lower.total, upper.total, part)

    def quantile(capacities: list[int], at: int) -> int:
        return capacities[at * (len(capacities) - 1) // (vehicles - 1)]

    shape = [interpolate(quantile(low, at), quantile(high, at), part) for at in range(vehicles)]
    room = sum(shape) - max(shape)
    capacities = tuple((2 * total * capacity + room) // (2 * room) for capacity in shape)
    blocks = interpolate(lower.blocks, upper.blocks, part)
    return Config(capacities, blocks, sum(capacities) - max(capacities), interpolate(lower.eligible, upper.eligible, part))


def ranges(config: Config) -> dict[tuple[str, str], tuple[int, int]]:
    """The public ranges of hidden numbers; activation costs include the largest surcharge for cheap routes."""
    return {
        ("capacity", "capacity"): (min(config.capacities), max(config.capacities)),
        ("activation", "activation_cost"): (CONTRACT[0], CONTRACT[1] + int(config.jobs_per_vehicle * LEVEL)),
        ("load", "load"): (min(low for _, low, _ in config.blocks), max(high for _, _, high in config.blocks)),
        ("route_cost", "route_cost"): (ROUTE[0], ROUTE[1] + LEVEL),
    }


def generate(config: Config, stream: Stream) -> FleetDispatch:
    """Draw an instance that is feasible by construction; no number depends on the packing that proves it."""
    capacity, load = stream.shuffled(config.capacities), _loads(config, stream)
    vehicles, jobs = [f"v{v}" for v in range(len(capacity))], [f"j{j}" for j in range(len(load))]
    others = [[v for v in range(len(capacity)) if v != home] for home in range(len(capacity))]
    able = [{home, *stream.sample(others[home], config.eligible - 1)} for home in _packing(capacity, load, stream)]
    eligible = {(vehicles[v], job): v in fit for v in range(len(vehicles)) for job, fit in zip(jobs, able, strict=True)}
    level = np.array(stream.integers(len(vehicles), 0, LEVEL))
    contract = stream.integers(len(vehicles), *CONTRACT) + (config.jobs_per_vehicle * (LEVEL - level)).astype(np.int64)
    draws = np.where(list(eligible.values()), 1, 3)  # ineligible pairs look cheap, so ignoring eligibility is tempting
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
    """Draw loads block by block until they add up to `config.total`."""
    while True:
        loads = [stream.integer(low, high) for jobs, low, high in config.blocks for _ in range(jobs)]
        if sum(loads) == config.total:
            return loads


def _packing(capacity: list[int], load: list[int], stream: Stream) -> list[int]:
    """A random packing that leaves one vehicle idle: heaviest job first, each to a random vehicle with room; retry if stuck."""
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

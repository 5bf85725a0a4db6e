"""Generator of Fleet Dispatch: many sets of vehicles can stay idle, and all of them cost nearly the same.

Capacities are one or two units, and the fleet has some units too many: any set of vehicles that holds exactly these units can
stay idle, so the number of idle vehicles varies, and the others are then full to the last place. Route costs depend mostly
on the vehicle, by load and by job. A vehicle's contract gives back what its routes save when it is full, so that no set of
open vehicles is cheaper by its routes alone; a random surcharge, small beside contracts, and the packing of all jobs decide
together. So neither routes nor rough contracts reveal which vehicles stay idle, and typical values leave every such set
about equally likely. Cheap vehicles should carry many light jobs and dear ones few heavy jobs, as far as they fit. Pairs
differ just enough to decide between the many nearly equal packings. All jobs have equally many eligible vehicles, and prices
ignore the packing that proves feasibility.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import numpy as np

from algoworlds.families.declare import Stream, interpolate
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

PER_LOAD, PER_JOB = 10_000, 1_000
"""Most that the routes of one vehicle are dearer than those of another, for each unit of load and for each job."""
PAIR = (1_000, 1_040)
"""Range of route costs on top of the vehicle's own: uniform, or the least of three draws for an ineligible pair."""
UPKEEP = (100, 1_000)
"""Range of the contract for each unit of load that a vehicle can carry, before savings of its routes; one draw for all."""
SURCHARGE = 12_000
"""Most that is added to a contract at random; twice, by two draws, for a vehicle of double capacity."""


SPREAD = 1
"""How far the capacities of small vehicles lie apart."""


@dataclass(frozen=True)
class Fleet:
    """Numbers of vehicles with a capacity of about `unit` and of about twice that, and how many units are too many.

    Small vehicles have room for up to `SPREAD` more or less, and idle ones may have that much more in all.
    """

    small: int
    large: int
    idle: int
    unit: int

    @property
    def capacities(self) -> tuple[int, ...]:
        """The capacities of all vehicles."""
        small = (self.unit + SPREAD * (1 - v % 3) for v in range(self.small))
        return (*small, *(2 * self.unit for _ in range(self.large)))

    @property
    def idle_capacity(self) -> int:
        """The most capacity that can stay idle."""
        return self.idle * self.unit + SPREAD

    @property
    def total_load(self) -> int:
        """The load that fills the fleet when `idle_capacity` of it stays idle."""
        return sum(self.capacities) - self.idle_capacity

    @property
    def load_vectors(self) -> int:
        """An upper bound on the states of a layer of the exact algorithm."""
        return prod(capacity + 1 for capacity in self.capacities[:-1])


@dataclass(frozen=True)
class Config:
    """Fleets, of which one is drawn (likelier if listed twice), number of jobs, largest load, eligible vehicles per job."""

    fleets: tuple[Fleet, ...]
    jobs: int
    largest_load: int
    eligible: int


LEVELS = {
    0: Config((Fleet(4, 0, 2, 5), Fleet(3, 1, 2, 4)), 8, 3, 3),
    1: Config((Fleet(5, 0, 2, 6), Fleet(5, 0, 2, 6), Fleet(4, 1, 2, 5)), 14, 3, 3),
    2: Config((Fleet(5, 0, 2, 11), Fleet(4, 1, 3, 10)), 20, 3, 4),
    3: Config((Fleet(6, 0, 2, 9), Fleet(5, 1, 2, 8), Fleet(5, 1, 3, 8)), 24, 3, 4),
    4: Config((Fleet(7, 0, 2, 8), Fleet(6, 1, 2, 7), Fleet(6, 1, 3, 7)), 24, 3, 4),
}


def between(lower: Config, upper: Config, part: Fraction) -> Config:
    """The fleets of the nearer level, with the unit whose load vectors are nearest to those between the levels."""
    nearer = lower if 2 * part < 1 else upper
    few, many = (min(fleet.load_vectors for fleet in config.fleets) for config in (lower, upper))
    goal = few ** float(1 - part) * many ** float(part)

    jobs, largest_load, eligible = (
        interpolate(getattr(lower, name), getattr(upper, name), part) for name in ("jobs", "largest_load", "eligible")
    )

    def resize(fleet: Fleet) -> Fleet:
        sizes = (replace(fleet, unit=unit) for unit in range(2, 20))
        fillable = (sized for sized in sizes if jobs < sized.total_load < jobs * largest_load)
        return min(fillable, key=lambda sized: abs(np.log(sized.load_vectors / goal)))

    return Config(tuple(map(resize, nearer.fleets)), jobs, largest_load, eligible)


def ranges(config: Config) -> dict[tuple[str, str], tuple[int, int]]:
    """The public ranges of hidden numbers, over all fleets of the level."""
    capacities = [capacity for fleet in config.fleets for capacity in fleet.capacities]
    most = max(capacities)
    saving = max(-(-PER_JOB * config.jobs * most // fleet.total_load) for fleet in config.fleets)
    return {
        ("capacity", "capacity"): (min(capacities), most),
        ("activation", "activation_cost"): (
            UPKEEP[0] * min(capacities),
            (UPKEEP[1] + PER_LOAD) * most + saving + 2 * SURCHARGE,
        ),
        ("load", "load"): (1, config.largest_load),
        ("route_cost", "route_cost"): (PAIR[0], PAIR[1] + PER_LOAD * config.largest_load + PER_JOB),
    }


def generate(config: Config, stream: Stream) -> FleetDispatch:
    """Draw an instance that is feasible by construction; no number depends on the packing that proves it."""
    fleet = stream.choice(config.fleets)
    capacity, load = stream.shuffled(fleet.capacities), _loads(config, fleet, stream)
    vehicles, jobs = [f"v{v}" for v in range(len(capacity))], [f"j{j}" for j in range(len(load))]
    others = [[v for v in range(len(capacity)) if v != home] for home in range(len(capacity))]
    homes = _packing(capacity, load, fleet, stream)
    able = [{home, *stream.sample(others[home], config.eligible - 1)} for home in homes]
    eligible = {(vehicles[v], job): v in fit for v in range(len(vehicles)) for job, fit in zip(jobs, able, strict=True)}
    per_load, per_job = (np.array(stream.integers(len(vehicles), 0, most)) for most in (PER_LOAD, PER_JOB))
    saved = (PER_LOAD - per_load) * capacity + (PER_JOB - per_job) * capacity * len(jobs) // fleet.total_load
    surcharge = [sum(stream.integers(1 + (c >= 2 * fleet.unit), 0, SURCHARGE)) for c in capacity]
    contract = stream.integer(*UPKEEP) * np.array(capacity) + saved + surcharge
    draws = np.where(list(eligible.values()), 1, 3)  # ineligible pairs look cheap, so ignoring eligibility is tempting
    pairs = np.minimum.reduceat(stream.integers(int(draws.sum()), *PAIR), draws.cumsum() - draws)
    routes = (per_load[:, None] * load + per_job[:, None]).ravel() + pairs
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


def _loads(config: Config, fleet: Fleet, stream: Stream) -> list[int]:
    """Loads from 1 to the largest; random jobs then change by one until the loads fill the fleet."""
    loads = list(stream.integers(config.jobs, 1, config.largest_load))
    while lacking := fleet.total_load - sum(loads):
        job, change = stream.below(config.jobs), 1 if lacking > 0 else -1
        if 1 <= loads[job] + change <= config.largest_load:
            loads[job] += change
    return loads


def _packing(capacity: list[int], load: list[int], fleet: Fleet, stream: Stream) -> list[int]:
    """A random packing beside idle vehicles: heaviest job first, each to a random vehicle with room; retry if stuck."""
    while True:
        room, home, idle = list(capacity), [-1] * len(load), fleet.idle_capacity
        for v in stream.shuffled(range(len(capacity))):
            if capacity[v] <= idle:
                room[v], idle = 0, idle - capacity[v]
        for j in sorted(range(len(load)), key=lambda j: -load[j]):
            fitting = [v for v, left in enumerate(room) if left >= load[j]]
            if not fitting:
                break
            home[j] = stream.choice(fitting)
            room[home[j]] -= load[j]
        else:
            return home

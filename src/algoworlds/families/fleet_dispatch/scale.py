"""The continuous scale of Fleet Dispatch: vehicles, jobs and total load for every half bit of work."""

from fractions import Fraction

from algoworlds.families.declare import load_scale
from algoworlds.families.fleet_dispatch.generate import Config


def config(vehicles: int, jobs: int, total: int) -> Config:
    """The configuration of these sizes: the fleet is full without its largest vehicle, whose capacity is one more than any.

    The others share the load nearly equally. A little more than half of the jobs are heavy, by as much as the load asks for.
    """
    others = vehicles - 1
    small = [(total + at) // others for at in range(others)]
    if others >= 3 and min(small) >= 3:
        small[0], small[-1] = small[0] - 1, small[-1] + 1
    heavy, load = (4 * jobs + 3) // 7, Fraction(total, jobs)
    weights = (1, 3) if load < Fraction(33, 20) else (2, 3) if load < Fraction(41, 20) else (2, 4)
    return Config((*small, max(small) + 1), ((heavy, *weights), (jobs - heavy, 1, 2)), total, min(others, 4))


SCALE = load_scale(__package__, config)

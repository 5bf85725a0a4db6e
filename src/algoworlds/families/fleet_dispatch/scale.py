"""The continuous scale of Fleet Dispatch: vehicles, idle ones, their capacity and jobs for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.fleet_dispatch.generate import Config, Fleet


def config(vehicles: int, idle: int, unit: int, jobs: int) -> Config:
    """The configuration of these sizes: vehicles with a capacity of about `unit`, of which `idle` can stay idle."""
    return Config((Fleet(vehicles, 0, idle, unit),), jobs, 3, min(vehicles - 1, 3 if vehicles < 6 else 4))


SCALE = load_scale(__package__, config)

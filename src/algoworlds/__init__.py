"""AlgoWorlds: certified combinatorial worlds for agents that gather information through tools."""

from algoworlds.errors import AlgoWorldsError, InputError, InstanceError
from algoworlds.families import FAMILIES, family, read_instance
from algoworlds.model.instance import Instance
from algoworlds.model.interface import Interface
from algoworlds.model.work import Solution, Work
from algoworlds.worlds.admit import Admitted, Coordinate, admit
from algoworlds.worlds.episode import Episode, Observation
from algoworlds.worlds.world import World, build, world

__all__ = [
    "FAMILIES",
    "Admitted",
    "AlgoWorldsError",
    "Coordinate",
    "Episode",
    "InputError",
    "Instance",
    "InstanceError",
    "Interface",
    "Observation",
    "Solution",
    "Work",
    "World",
    "admit",
    "build",
    "family",
    "read_instance",
    "world",
]

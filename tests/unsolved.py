"""Worlds over the first instance drawn at a coordinate, admitted or not, so that no solver has to run for them."""

from functools import cache

from algoworlds.core.interface import Interface
from algoworlds.worlds.admit import Coordinate, instance_at
from algoworlds.worlds.world import World


@cache
def drawn(coordinate):
    """The first instance drawn at a coordinate, once in a process: those of the higher levels take seconds."""
    return instance_at(coordinate, 0)


def unsolved(name, level=1, index=1, interface=Interface.DIRECT):
    coordinate = Coordinate(name, level, index)
    return World(coordinate, drawn(coordinate), interface)

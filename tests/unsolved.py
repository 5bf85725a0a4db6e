"""Worlds over the first instance drawn at a coordinate, admitted or not, so that no solver has to run for them."""

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, instance_at
from algoworlds.worlds.world import World


def unsolved(name, level=1, index=1, interface=Interface.DIRECT):
    coordinate = Coordinate(name, level, index)
    stream = coordinate.stream.child("world", interface.value)
    return World(FAMILIES[name], instance_at(coordinate, 0), index, interface, stream, coordinate.name)

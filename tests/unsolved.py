"""Worlds over the first instance drawn at a coordinate, admitted or not, so that no solver has to run."""

from functools import cache

from algoworlds.core.interface import Interface
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.world import World


@cache
def first_draw(coordinate):
    """Return the first instance drawn at `coordinate`, memoised because higher levels take seconds."""
    return draw_instance(coordinate, 0)


def unsolved_world(name, level=1, index=1, interface=Interface.DIRECT):
    """Return the world over the first instance drawn at a coordinate of family `name`."""
    coordinate = Coordinate(name, level, index)
    return World(coordinate, first_draw(coordinate), interface)

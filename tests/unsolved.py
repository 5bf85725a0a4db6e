"""Worlds over the first instance drawn at a coordinate, admitted or not, so that no solver has to run."""

from functools import cache

from algoworlds.core.interface import Interface
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.world import World


@cache
def first_draw(coordinate):
    """Return the first instance drawn at `coordinate`, memoised because higher levels take seconds."""
    return draw_instance(coordinate, 0)


def unsolved_world(name, level=1, index=1, interface=Interface.DIRECT, condition=""):
    """Return the world over the first instance drawn at a coordinate of family `name`, under a condition."""
    instance = first_draw(Coordinate(name, level, index))
    return World(Coordinate(name, level, index, condition=condition), instance, interface)

"""The order of configurations in a report; a module of its own so that the command line imports little."""

from enum import Enum


class Ranking(Enum):
    """How configurations of one kind are sorted: by exact optimality (best first), as their runs are given, or by name."""

    EXACT = "exact"
    GIVEN = "given"
    NAME = "name"

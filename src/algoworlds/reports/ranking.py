"""In which order configurations stand wherever a report lists them; light to import, since the command line names it."""

from enum import Enum


class Ranking(Enum):
    """The order of the configurations of a kind."""

    EXACT = "exact"
    """By exact optimality, the best first."""
    GIVEN = "given"
    """As their runs were named."""
    NAME = "name"

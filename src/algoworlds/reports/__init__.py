"""From finalized records to tables, statistics, figures and the report page. It only reads: it never plays or solves."""

from enum import Enum


class Ranking(Enum):
    """How configurations of one kind are sorted: by exact optimality (best first), as their runs are given, or by name.

    It is defined here because the command line needs it, which must import little.
    """

    EXACT = "exact"
    GIVEN = "given"
    NAME = "name"

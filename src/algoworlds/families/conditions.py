"""The optional block `Conditions`: which numbers are shown with errors when a world is played under a condition."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from algoworlds.core.ranges import ColumnRef


@dataclass(frozen=True)
class Conditions:
    """The measured numbers of a family and their errors. Without it, the family is played under clear conditions only."""

    measured: tuple[ColumnRef, ...] = ()
    """Columns of hidden numbers that are shown with errors. A decision's feasibility must not depend on them, its value must be
    linear in them and use each at most once, and none may be a factor of another one."""
    counted: tuple[ColumnRef, ...] = ()
    """Columns, measured ones included, that double the differences between the values of decisions if they are doubled."""
    spreads: Mapping[int, int] = field(default_factory=dict)
    """By level, the largest error; between two levels, that of the lower one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "spreads", MappingProxyType(dict(self.spreads)))

    def spread_at(self, level: float) -> int:
        """The largest error at a level."""
        return self.spreads[max([one for one in self.spreads if one <= level], default=min(self.spreads))]

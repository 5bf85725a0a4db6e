"""The optional block `Knowledge`: what an agent could have known, for the oracle, certificates and judging."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.core.options import OptionKind
from algoworlds.core.ranges import ColumnRef, Range, Ranges
from algoworlds.families.unknowns import Unknowns

Bounds = Mapping[ColumnRef, Range | tuple[int, int]]
"""For every hidden column of numbers `(relation, column)`, the least and the largest number that it may hold."""


@dataclass(frozen=True)
class Knowledge:
    """What an agent may rely on before it reads anything, and how unread cells bear on decisions. Every field is optional."""

    ranges: Callable[[Any], Ranges | Bounds] | None = None
    """What the question states of hidden numbers, by configuration; without it, nothing can be shown to be known."""
    unknowns: Unknowns | None = None
    """How unread cells bear on decisions; without it, an optimum can be shown to be unknown, but never to be known."""
    options: tuple[OptionKind, ...] = ()
    """What decisions are made of and which relations tell about it, for the regret that is due to facts never seen."""

    def ranges_for(self, config: Any) -> Ranges | None:
        """The declared ranges of the configuration `config`; None if the family declares none."""
        declared = None if self.ranges is None else self.ranges(config)
        if declared is None or isinstance(declared, Ranges):
            return declared
        return Ranges({column: pair if isinstance(pair, Range) else Range(*pair) for column, pair in declared.items()})

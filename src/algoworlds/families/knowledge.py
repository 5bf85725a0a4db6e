"""What a family declares so that one can say what an agent could have known: for the oracle, certificates and judging."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from algoworlds.core.options import Options
from algoworlds.core.ranges import Ranges
from algoworlds.families.unknowns import Unknowns


@dataclass(frozen=True)
class Knowledge:
    """What may be relied on before anything is read, and how unread cells bear on decisions. Every field is optional."""

    ranges: Callable[[Any], Ranges] | None = None
    """What the question states of hidden numbers, by configuration; without it nothing can be shown to be known."""
    unknowns: Unknowns | None = None
    """How unread cells bear on decisions; without it an optimum can be shown not to be known, but never to be known."""
    options: tuple[Options, ...] = ()
    """What decisions are made of and which relations tell about it, for the regret that is due to facts never seen."""

"""Attacks on Sequential Matching: blind instances, guessed rates, and its search space."""

from collections.abc import Callable

from algoworlds.families.hardness import Hardness, erase_tables
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.search import MatchingSearchSpace, descend, sample


def _symmetric_handoffs(instance: SequentialMatching) -> SequentialMatching:
    """Replace the minutes of both directions by their mean, rounded down."""
    minutes = instance.handoff
    return instance.unchecked(handoff={(j, t): (minutes[j, t] + minutes[t, j]) // 2 for j, t in minutes})


def _shift_rate(change: int) -> Callable[[SequentialMatching], SequentialMatching]:
    """Add `change` to the rate.

    With -2 and +2 refused, an optimum stays optimal for at most three of the thirty-one rates that the question states.
    """
    return lambda instance: instance.unchecked(rate=max(0, instance.rate + change))


HARDNESS: Hardness[SequentialMatching, tuple[str, ...]] = Hardness(
    blind={
        "compatibility": erase_tables(compatible=True),
        "pair costs": erase_tables(pair_cost=0),
        "handoffs": erase_tables(handoff=0),
        "handoff direction": _symmetric_handoffs,
        "rate": erase_tables(rate=1),
    },
    fits={"rate: two less": _shift_rate(-2), "rate: two more": _shift_rate(+2)},
    search_space=MatchingSearchSpace,
    sample=sample,
    descend=descend,
)

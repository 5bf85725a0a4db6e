"""How Sequential Matching is attacked: one channel erased, one column guessed, decisions by hand, at random and by descent."""

from collections.abc import Callable

from algoworlds.families.blind import erased
from algoworlds.families.hardness import Hardness
from algoworlds.families.sequential_matching.hand import MatchingHand
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.search import descend, sample


def _both_ways(instance: SequentialMatching) -> SequentialMatching:
    """Handoffs without direction: both ways take the mean of the two, rounded down."""
    minutes = instance.handoff
    return instance.unchecked(handoff={(j, t): (minutes[j, t] + minutes[t, j]) // 2 for j, t in minutes})


def _rate_off_by(more: int) -> Callable[[SequentialMatching], SequentialMatching]:
    """The rate as somebody has it who knows it nearly.

    With two to either side refused, an optimum stays one for at most three rates of the thirty-one that the question states.
    """
    return lambda instance: instance.unchecked(rate=max(0, instance.rate + more))


HARDNESS: Hardness[SequentialMatching, tuple[str, ...]] = Hardness(
    blind={
        "compatibility": erased(compatible=True),
        "pair costs": erased(pair_cost=0),
        "handoffs": erased(handoff=0),
        "handoff direction": _both_ways,
        "rate": erased(rate=1),
    },
    fits={"rate: two less": _rate_off_by(-2), "rate: two more": _rate_off_by(+2)},
    hand=MatchingHand,
    sample=sample,
    descend=descend,
)

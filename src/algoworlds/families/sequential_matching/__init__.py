"""The Sequential Matching family."""

from collections.abc import Callable

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, refusing
from algoworlds.families.blind import erased
from algoworlds.families.family import Family
from algoworlds.families.sequential_matching.check import SENSE, check
from algoworlds.families.sequential_matching.generate import LEVELS, generate, ranges
from algoworlds.families.sequential_matching.hand import MatchingHand
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.search import descend, reference, sample
from algoworlds.families.sequential_matching.solve import solve
from algoworlds.families.sequential_matching.template import TEMPLATE
from algoworlds.families.sequential_matching.unknowns import UNKNOWNS
from algoworlds.families.sequential_matching.verify import verify


def _both_ways(instance: SequentialMatching) -> SequentialMatching:
    """Handoffs without direction: both ways take the mean of the two, rounded down."""
    minutes = instance.handoff
    return instance.exchanged(handoff={(j, t): (minutes[j, t] + minutes[t, j]) // 2 for j, t in minutes})


def _rate_off_by(more: int) -> Callable[[SequentialMatching], SequentialMatching]:
    """The rate as somebody has it who knows it nearly.

    With two to either side refused, an optimum stays one for at most three rates of the thirty-one that the question states.
    """
    return lambda instance: instance.exchanged(rate=max(0, instance.rate + more))


SEQUENTIAL_MATCHING: Family[SequentialMatching, tuple[str, ...]] = Family(
    title="Sequential Matching",
    summary="match a sequence of left participants with right ones, at the least total of pair and handoff costs",
    instance=SequentialMatching,
    decision=Listed("pairs", "pair"),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    fits={"rate: two less": _rate_off_by(-2), "rate: two more": _rate_off_by(+2)},
    hand=MatchingHand,
    unknowns=UNKNOWNS,
    options=(Options(("pair_cost", "member", "compatible"), refusing("compatible"), each="participant"),),
    blind={
        "compatibility": erased(compatible=True),
        "pair costs": erased(pair_cost=0),
        "handoffs": erased(handoff=0),
        "handoff direction": _both_ways,
        "rate": erased(rate=1),
    },
    template=TEMPLATE,
)

"""The Sequential Matching family."""

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, refusing
from algoworlds.core.work import Sense
from algoworlds.families.family import Family, algorithms
from algoworlds.families.sequential_matching.generate import LEVELS
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.template import TEMPLATE


def _both_ways(instance: SequentialMatching) -> SequentialMatching:
    """Handoffs without direction: both ways take the mean of the two, rounded down."""
    minutes = instance.handoff
    return instance.replaced(handoff={(j, t): (minutes[j, t] + minutes[t, j]) // 2 for j, t in minutes})


SEQUENTIAL_MATCHING: Family[SequentialMatching, tuple[str, ...]] = Family(
    title="Sequential Matching",
    summary="match a sequence of left participants with right ones, at least pair plus handoff cost",
    instance=SequentialMatching,
    decision=Listed("pairs", "pair"),
    sense=Sense.MIN,
    levels=LEVELS,
    options=(Options(("pair_cost", "member", "compatible"), refusing("compatible"), each="participant"),),
    blind={
        "compatibility": lambda instance: instance.replaced(compatible=dict.fromkeys(instance.compatible, True)),
        "pair costs": lambda instance: instance.replaced(pair_cost=dict.fromkeys(instance.pair, 0)),
        "handoffs": lambda instance: instance.replaced(handoff=dict.fromkeys(instance.handoff, 0)),
        "handoff direction": _both_ways,
        "rate": lambda instance: instance.replaced(rate=1),
    },
    template=TEMPLATE,
    **algorithms(__name__),
)

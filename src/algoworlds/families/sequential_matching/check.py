"""The checker of Sequential Matching, from the definition alone."""

from collections.abc import Sequence
from itertools import pairwise

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.sequential_matching.instance import SequentialMatching

SENSE = Sense.MIN


def check(instance: SequentialMatching, decision: Sequence[str]) -> Verdict:
    """Feasible if the pairs are compatible and meet every participant once; then pair costs + handoffs in left order."""
    ends = instance.ends
    if not set(decision) <= set(ends):
        return Verdict.infeasible("an unknown pair")
    met = sorted(person for pair in decision for person in ends[pair])
    if met != sorted(instance.participant):
        return Verdict.infeasible("not every participant in exactly one pair")
    if not all(instance.compatible[ends[pair]] for pair in decision):
        return Verdict.infeasible("an incompatible pair")
    partner = dict(ends[pair] for pair in decision)
    sequence = [partner[person] for person in instance.left]
    return Verdict.of(
        pairs=sum(instance.pair_cost[pair] for pair in decision),
        handoffs=instance.rate * sum(instance.handoff[step] for step in pairwise(sequence)),
    )

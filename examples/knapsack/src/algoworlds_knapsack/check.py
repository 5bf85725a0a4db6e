"""Checker of Crate Knapsack, written from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds_knapsack.instance import CrateKnapsack


def check(instance: CrateKnapsack, decision: Sequence[str]) -> Verdict:
    """Feasible if the items and the crates they come from weigh at most the capacity; then the sum of the values.

    `decision` may be anything of the right shape that an agent sends: unknown ids and repetitions are infeasible, not errors.
    """
    taken = set(decision)
    if len(taken) < len(decision):
        return Verdict.infeasible("an item is named twice")
    if not taken <= set(instance.item):
        return Verdict.infeasible("an unknown item")
    rows = [(crate, weight) for (crate, item), weight in instance.weight.items() if item in taken]
    opened = {crate for crate, _ in rows}
    if sum(weight for _, weight in rows) + sum(instance.tare[crate] for crate in opened) > instance.capacity:
        return Verdict.infeasible("the van is overloaded")
    return Verdict.from_parts(values=sum(instance.value[item] for item in taken))

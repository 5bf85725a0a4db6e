"""Checker of Sequential Matching, written from the definition alone."""

from collections.abc import Sequence
from itertools import pairwise

from algoworlds.core.decision import Verdict
from algoworlds.core.relation import group_pairs
from algoworlds.families.sequential_matching.instance import SequentialMatching


def check(instance: SequentialMatching, decision: Sequence[str]) -> Verdict:
    """Feasible if the pairs are compatible and meet every participant once; then pair costs + handoffs in left order."""
    members = instance.derived(_members, reads=("pair", "member"))
    if not members.keys() >= set(decision):
        return Verdict.infeasible("an unknown pair")
    matched = [(person, pair) for pair in decision for person in members[pair]]
    if len(set(decision)) < len(decision) or sorted(person for person, _ in matched) != sorted(instance.participant):
        return Verdict.infeasible("not every participant in exactly one pair")
    pair_of = dict(matched)
    right_of = {pair_of[person]: person for person in instance.participant[instance.per_side :]}
    couples = [(left, right_of[pair_of[left]]) for left in instance.participant[: instance.per_side]]
    if not all(instance.compatible[couple] for couple in couples):
        return Verdict.infeasible("an incompatible pair")
    return Verdict.from_parts(
        pairs=sum(instance.pair_cost[pair] for pair in decision),
        handoffs=instance.rate * sum(instance.handoff[step] for step in pairwise(right for _, right in couples)),
    )


def _members(instance: SequentialMatching) -> dict[str, list[str]]:
    """The participants of each pair."""
    return group_pairs(instance.pair, ((pair, person) for person, pair in instance.member))

"""The attack panel on a suite's own instances: how many of them a few strong attackers solve within the hand budget.

It is the affordable part of `algoworlds attack`: no guessed columns, which admission refuses, no priors, no further budgets.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from algoworlds.families.family import Family
from algoworlds.suites.attack.attackers import ATTACKERS
from algoworlds.suites.attack.goals import BY_HAND, MOST_EXACT
from algoworlds.suites.attack.siege import HAND_BUDGET, attacked
from algoworlds.suites.claims.shortcuts import REFUTED, likely_hits

SENTRIES = ("annealing", "visible units", "beam 10 ahead")
"""Attackers of the panel, by name, that every instance is shown to: of those that win most the ones that cost least."""

DOUBTED = 0.05
"""Chance below which a published suite is taken to miss the goals."""


def solved_by_hand(family: Family[Any, Any], instance: Any, optimum: int) -> dict[str, bool]:
    """Which attackers solve an instance within the hand budget; none are tried where a family has no hand."""
    if family.hardness.hand is None:
        return {}
    hand, tried = family.hardness.hand(instance), [each for each in ATTACKERS if each.name in SENTRIES]
    return {each.name: attacked(family, instance, optimum, each, HAND_BUDGET, hand).found_at is not None for each in tried}


def too_easy(family: Family[Any, Any], found: Mapping[int, Sequence[Mapping[str, bool]]], published: bool) -> str | None:
    """How the instances of a family, by level, fall too often; None if they do not.

    The goal is a share for every level, or what the family concedes there. Over all levels together a published suite, which
    can be drawn anew, fails when the goals are in doubt by the best attacker of each level; a fresh one when they are refuted
    by any one attacker. A few instances say little about a share: at the goals themselves 3 of 12 fall in every second suite.
    """
    goals = {level: _most(family, level) for level in found}
    allowed = [goals[level] for level, instances in found.items() for _ in instances]
    names = next(iter(found.values()))[0]
    hits = {name: {level: sum(each[name] for each in instances) for level, instances in found.items()} for name in names}
    if published:
        best, most = sum(max(each[level] for each in hits.values()) for level in found), likely_hits(allowed, DOUBTED)
        return f"{best} of {len(allowed)} solved by hand, more than {most}" if best > most else None
    most = likely_hits(allowed, REFUTED / len(names))
    total = {name: sum(each.values()) for name, each in hits.items()}
    failing = [f"{name} solves {count}" for name, count in total.items() if count > most]
    return f"of {len(allowed)} instances {', '.join(failing)}, more than {most}" if failing else None


def _most(family: Family[Any, Any], level: int) -> float:
    conceded = family.hardness.conceded(BY_HAND, level)
    return (MOST_EXACT[level] if conceded is None else conceded.limit) / 100

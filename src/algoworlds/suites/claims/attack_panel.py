"""The attack panel on a suite's own instances: how many a few strong attackers solve within the hand budget.

It is the affordable part of `algoworlds attack`, without priors, larger budgets, and guessed columns (which admission refuses).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from algoworlds.families.family import Family
from algoworlds.hardness.attackers import ATTACKERS
from algoworlds.suites.attack.goals import EXACT_BY_HAND, MAX_EXACT_PERCENT
from algoworlds.suites.attack.panel import HAND_BUDGET, run_attacker
from algoworlds.suites.claims.shortcuts import REFUTATION_CHANCE, max_likely_hits

PANEL_ATTACKERS = ("annealing", "visible units", "beam 10 ahead")
"""Names of the attackers to run: the cheapest among those that win most."""

DOUBT_CHANCE = 0.05
"""Significance level at which a published suite misses the goals."""


def attack_by_hand(family: Family[Any, Any], instance: Any, optimum: int) -> dict[str, bool]:
    """Which attackers solve an instance within the hand budget; empty if the family has no search space."""
    if family.hardness.search_space is None:
        return {}
    space, attackers = family.hardness.search_space(instance), [one for one in ATTACKERS if one.name in PANEL_ATTACKERS]
    results = {one.name: run_attacker(family, instance, optimum, one, HAND_BUDGET, space) for one in attackers}
    return {name: result.found_at is not None for name, result in results.items()}


def attack_problem(family: Family[Any, Any], solved: Mapping[int, Sequence[Mapping[str, bool]]], published: bool) -> str | None:
    """How attackers solve too many instances of a family; None if they do not. `solved` has one entry per level and instance.

    The goal is a share per level, or what the family concedes there. Over all levels together, a published suite, which can be
    drawn again, fails when the best attacker of each level puts the goals in doubt; a fresh one when a single attacker refutes
    them. A few instances say little about a share: at the goals themselves 3 of 12 are solved in every second suite.
    """
    goals = {}
    for level in solved:
        concession = family.hardness.concession_for(EXACT_BY_HAND, level)
        goals[level] = (MAX_EXACT_PERCENT[level] if concession is None else concession.limit) / 100
    rates = [goals[level] for level, instances in solved.items() for _ in instances]
    names = next(iter(solved.values()))[0]
    hits = {
        name: {level: sum(instance[name] for instance in instances) for level, instances in solved.items()} for name in names
    }
    if published:
        best = sum(max(by_level[level] for by_level in hits.values()) for level in solved)
        limit = max_likely_hits(rates, DOUBT_CHANCE)
        return f"{best} of {len(rates)} solved by hand, more than {limit}" if best > limit else None
    limit = max_likely_hits(rates, REFUTATION_CHANCE / len(names))
    totals = {name: sum(by_level.values()) for name, by_level in hits.items()}
    failing = [f"{name} solves {total}" for name, total in totals.items() if total > limit]
    return f"of {len(rates)} instances {', '.join(failing)}, more than {limit}" if failing else None

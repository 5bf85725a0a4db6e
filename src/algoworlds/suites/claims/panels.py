"""The shortcut and attack panels of a suite: how often its instances are solved without an exact algorithm.

The attack panel here is the affordable part of `algoworlds attack`: without priors, larger budgets, and guessed columns (which
admission refuses).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.families.family import AnyFamily
from algoworlds.hardness.attackers import ATTACKERS
from algoworlds.hardness.giveaway import GiveawayCheck
from algoworlds.suites.attack.panel import HAND_BUDGET, run_attacker
from algoworlds.suites.attack.summary import EXACT_BY_HAND, MAX_EXACT_PERCENT, REFUTATION_CHANCE, max_likely_hits

RANDOM_DECISIONS = 20
"""Random feasible decisions tried per instance."""
MAX_LOCAL_SEARCH_SHARE = 0.1
"""Share of a family's instances that one descent from the reference may solve."""


@dataclass(frozen=True)
class ShortcutResult:
    """How exact each shortcut is on one instance, and the gap of the reference."""

    work: int
    reference_gap: float
    """Gap of the reference decision, relative to the absolute optimum."""
    exact: dict[str, float]
    """By method: 1 or 0, or the share of exact decisions."""


def try_shortcuts(family: AnyFamily, instance: Any, solution: Solution[Any], others: tuple[Any, ...] = ()) -> ShortcutResult:
    """Try every declared shortcut on a solved instance; `others` are optimal as well as the solution's decision."""
    optima = (solution.decision, *others)
    hardness, optimum = family.hardness, solution.value or 0
    reference = family.reference(instance)
    gap = abs((family.check(instance, reference).value or 0) - optimum)
    exact = {"reference": float(reference in optima)}
    if hardness.descend is not None:
        exact["local search"] = float(hardness.descend(instance, reference) in optima)
    if decisions := hardness.samples(instance, Stream("shortcuts", instance.digest), RANDOM_DECISIONS):
        exact["random"] = sum(decision in optima for decision in decisions) / RANDOM_DECISIONS
    giveaway = GiveawayCheck(family, *optima)
    for name, blind in hardness.blind_instances(instance):
        exact[f"blind: {name}"] = float(giveaway.finds_optimum(blind))
    return ShortcutResult(solution.work.total, gap / max(abs(optimum), 1), exact)


def shortcut_problem(panel: list[ShortcutResult], published: bool) -> str | None:
    """Which shortcuts are exact too often: blind ones and the reference at all, random ones in 1 %, descents in 10 %.

    A published suite must keep the 10 % itself, a fresh one what a rate of 10 % makes likely. A single random hit never fails,
    however small the suite is.
    """
    totals = {method: sum(result.exact[method] for result in panel) for method in panel[0].exact}
    descents = int(len(panel) * MAX_LOCAL_SEARCH_SHARE) if published else max_likely_hits([MAX_LOCAL_SEARCH_SHARE] * len(panel))
    limits = {"local search": descents, "random": max(1 / RANDOM_DECISIONS, len(panel) / 100)}
    failing = [method for method, hits in totals.items() if hits > limits.get(method, 0)]
    return f"too often exact: {', '.join(failing)}" if failing else None


PANEL_ATTACKERS = ("annealing", "visible units", "beam 10 ahead")
"""Names of the attackers to run: the cheapest among those that win most."""

DOUBT_CHANCE = 0.05
"""Significance level at which a published suite misses the goals."""


def attack_by_hand(family: AnyFamily, instance: Any, optimum: int) -> dict[str, bool]:
    """Which attackers solve an instance within the hand budget; empty if the family has no search space."""
    if family.hardness.search_space is None:
        return {}
    space, attackers = family.hardness.search_space(instance), [one for one in ATTACKERS if one.name in PANEL_ATTACKERS]
    results = {one.name: run_attacker(family, instance, optimum, one, HAND_BUDGET, space) for one in attackers}
    return {name: result.found_at is not None for name, result in results.items()}


def attack_problem(family: AnyFamily, solved: Mapping[int, Sequence[Mapping[str, bool]]], published: bool) -> str | None:
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

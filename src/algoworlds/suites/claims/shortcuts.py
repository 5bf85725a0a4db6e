"""The shortcut panel: how often an agent with all information but no exact algorithm would still be exact."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.families.family import Family
from algoworlds.hardness.giveaway import GiveawayCheck
from algoworlds.suites.counterfactual import is_optimum_refuted

RANDOM_DECISIONS = 20
"""Random feasible decisions tried per instance."""
MAX_LOCAL_SEARCH_SHARE = 0.1
"""Share of a family's instances that one descent from the reference may solve."""
REFUTATION_CHANCE = 0.001
"""Significance level at which a share is exceeded."""


@dataclass(frozen=True)
class ShortcutResult:
    """How exact each shortcut is on one instance, and the gap of the reference."""

    work: int
    reference_gap: float
    """Gap of the reference decision, relative to the absolute optimum."""
    exact: dict[str, float]
    """By method: 1 or 0, or the share of exact decisions."""


def try_shortcuts(
    family: Family[Any, Any], instance: Any, solution: Solution[Any], rivals: Iterable[Any] = ()
) -> ShortcutResult:
    """Try every declared shortcut on a solved instance; where one of `rivals` beats the optimum, a blind solve is skipped."""
    hardness, optimum, rivals = family.hardness, solution.value or 0, list(rivals)
    reference = family.reference(instance)
    gap = abs((family.check(instance, reference).value or 0) - optimum)
    exact = {"reference": float(reference == solution.decision)}
    if hardness.descend is not None:
        exact["local search"] = float(hardness.descend(instance, reference) == solution.decision)
    if decisions := hardness.samples(instance, Stream("shortcuts", instance.digest), RANDOM_DECISIONS):
        exact["random"] = sum(decision == solution.decision for decision in decisions) / RANDOM_DECISIONS
    giveaway = GiveawayCheck(family, solution.decision)
    for name, erase in hardness.blind.items():
        erased = erase(instance)
        beaten = any(is_optimum_refuted(family, erased, solution.decision, rival) for rival in rivals)
        exact[f"blind: {name}"] = float(not beaten and giveaway.finds_optimum(erased))
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


def max_likely_hits(rates: Sequence[float], refuted: float = REFUTATION_CHANCE) -> int:
    """The most hits that do not refute the `rates`, one per instance: at least as many have a chance above `refuted`.

    A share of a few instances says little about a rate: at exactly 10 % two of three are solved in one suite of 36.
    """
    chances = [1.0]  # chances[k] of k hits, one instance after the other
    for rate in rates:
        chances = [miss * (1 - rate) + hit * rate for miss, hit in zip([*chances, 0.0], [0.0, *chances], strict=True)]
    return max(hits for hits in range(len(chances)) if round(sum(chances[hits:]), 12) > refuted)

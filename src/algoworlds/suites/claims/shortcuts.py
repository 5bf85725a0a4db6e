"""The shortcut panel: how often an agent with all information and no exact algorithm would still be exact."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.families.family import Family
from algoworlds.hardness.giveaway import Giveaway
from algoworlds.suites.claims.counterfactual import refutes

RANDOM_DECISIONS = 20
"""Random feasible decisions tried per instance."""
LOCAL_SEARCH = 0.1
"""The share of a family's instances that one descent from the reference may solve."""
REFUTED = 0.001
"""Chance below which that share is taken to be exceeded."""


@dataclass(frozen=True)
class Shortcuts:
    """What one instance gives to shortcuts: true or a share of exact decisions per method, and the reference gap."""

    work: int
    reference_gap: float
    """Gap of the reference decision, relative to the absolute optimum."""
    exact: dict[str, float]


def shortcuts(family: Family[Any, Any], instance: Any, solution: Solution[Any], rivals: Iterable[Any] = ()) -> Shortcuts:
    """Try every declared shortcut on one solved instance; `rivals` may beat the optimum where a channel is erased."""
    optimum, reference = solution.value or 0, family.reference(instance)
    gap = abs((family.check(instance, reference).value or 0) - optimum)
    exact = dict(_tries(family, instance, solution, reference, list(rivals)))
    return Shortcuts(solution.work.total, gap / max(abs(optimum), 1), exact)


def _tries(
    family: Family[Any, Any], instance: Any, solution: Solution[Any], reference: Any, rivals: list[Any]
) -> Iterator[tuple[str, float]]:
    yield "reference", float(reference == solution.decision)
    hardness = family.hardness
    if hardness.descend is not None:
        yield "local search", float(hardness.descend(instance, reference) == solution.decision)
    if decisions := hardness.samples(instance, Stream("shortcuts", instance.digest), RANDOM_DECISIONS):
        yield "random", sum(decision == solution.decision for decision in decisions) / RANDOM_DECISIONS
    giveaway = Giveaway(family, solution.decision)
    for name, erase in hardness.blind.items():
        erased = erase(instance)
        beaten = any(refutes(family, erased, solution.decision, each) for each in rivals)  # which spares a solve
        yield f"blind: {name}", float(not beaten and giveaway.given_by(erased))


def too_often(panel: list[Shortcuts], published: bool) -> str | None:
    """The shortcuts of one family that are exact too often: blind and myopic ones at all, random ones in 1 %, descents in 10 %.

    A published suite is held to that share itself, a fresh one to what a rate of 10 % makes likely. A single random hit is
    no failure, however small the suite.
    """
    total = {method: sum(each.exact[method] for each in panel) for method in panel[0].exact}
    descents = int(len(panel) * LOCAL_SEARCH) if published else likely_hits([LOCAL_SEARCH] * len(panel))
    limits = {"local search": descents, "random": max(1 / RANDOM_DECISIONS, len(panel) / 100)}
    failing = [method for method, hits in total.items() if hits > limits.get(method, 0)]
    return f"too often exact: {', '.join(failing)}" if failing else None


def likely_hits(rates: Sequence[float], refuted: float = REFUTED) -> int:
    """The most instances that may be solved before the rates, one for each, are refuted: at one chance in a thousand.

    A share of a few instances says little about a rate: at exactly 10 % two of three are solved in one suite of 36.
    """
    chances = [1.0]  # of so many hits
    for rate in rates:
        chances = [miss * (1 - rate) + hit * rate for miss, hit in zip([*chances, 0.0], [0.0, *chances], strict=True)]
    return max(hits for hits in range(len(chances)) if round(sum(chances[hits:]), 12) > refuted)

"""The shortcut panel: how often an agent with all information and no exact algorithm would still be exact."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.families.family import Family

RANDOM_DECISIONS = 20
"""Random feasible decisions tried per instance."""


@dataclass(frozen=True)
class Shortcuts:
    """What one instance gives to shortcuts: true or a share of exact decisions per method, and the reference gap."""

    work: int
    reference_gap: float
    """Gap of the reference decision, relative to the absolute optimum."""
    exact: dict[str, float]


def shortcuts(family: Family[Any, Any], instance: Any, solution: Solution[Any]) -> Shortcuts:
    """Try every shortcut on one solved instance."""
    optimum, reference = solution.value or 0, family.reference(instance)
    gap = abs((family.check(instance, reference).value or 0) - optimum)
    exact = dict(_tries(family, instance, solution, reference))
    return Shortcuts(solution.work.total, gap / max(abs(optimum), 1), exact)


def _tries(family: Family[Any, Any], instance: Any, solution: Solution[Any], reference: Any) -> Iterator[tuple[str, float]]:
    yield "reference", float(reference == solution.decision)
    yield "local search", float(family.descend(instance, reference) == solution.decision)
    stream = Stream("shortcuts", instance.digest)
    decisions = [family.sample(instance, stream) for _ in range(RANDOM_DECISIONS)]
    yield "random", sum(decision == solution.decision for decision in decisions) / RANDOM_DECISIONS
    for name, erase in family.blind.items():
        yield f"blind: {name}", float(family.solve(erase(instance)).decision == solution.decision)

"""The shortcut panel: how often an agent with all information and no exact algorithm would still be exact."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.families.family import Family
from algoworlds.worlds.admit import Admitted, Coordinate, admit

RANDOM_DECISIONS = 20
"""Random feasible decisions tried per instance."""


@dataclass(frozen=True)
class Shortcuts:
    """What one instance gives to shortcuts: true or a share of exact decisions per method, and the reference gap."""

    coordinate: Coordinate
    attempt: int
    work: int
    reference_gap: float
    """Gap of the reference decision, relative to the absolute optimum."""
    exact: dict[str, float]


def shortcuts(admitted: Admitted) -> Shortcuts:
    """Try every shortcut on one admitted instance."""
    exact = dict(_tries(admitted.family, admitted.instance, admitted.solution))
    gap = admitted.reference_gap / max(abs(admitted.optimum), 1)
    return Shortcuts(admitted.coordinate, admitted.attempt, admitted.solution.work.total, gap, exact)


def _tries(family: Family[Any, Any], instance: Any, solution: Solution[Any]) -> Iterator[tuple[str, float]]:
    reference = family.reference(instance)
    yield "reference", float(reference == solution.decision)
    yield "local search", float(family.descend(instance, reference) == solution.decision)
    stream = Stream("shortcuts", instance.digest)
    decisions = [family.sample(instance, stream) for _ in range(RANDOM_DECISIONS)]
    yield "random", sum(decision == solution.decision for decision in decisions) / RANDOM_DECISIONS
    for name, erase in family.blind.items():
        yield f"blind: {name}", float(family.solve(erase(instance)).decision == solution.decision)


def panel(name: str, level: int, indices: range, seed: str) -> list[Shortcuts]:
    """The panel over many indices of one family and level."""
    return [shortcuts(admit(Coordinate(name, level, index, seed))) for index in indices]

"""Third opinions, one module a family, named as it: small random instances, brute force, and a CP-SAT model.

Each module defines
    small(stream) -> Instance        degenerate sizes, ties and infeasible instances included
    decisions(instance) -> iterator  every decision that could be feasible, in plain form
    needs(instance, decision)        what a decision rests on: all facts of a relation that name some ids, as (relation, *ids)
    model(instance) -> Model         the formal problem for CP-SAT, written from the definition
    UNORDERED                        the rosters whose order means nothing
and, where it is so,
    ALWAYS_FEASIBLE                  no small instance is infeasible
    SCANS_HIDDEN                     the counting contract scans a roster that no question lists
Nothing here imports a family's solve, verify or generate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ortools.sat.python import cp_model

from algoworlds.core.work import Solution
from algoworlds.suites.contracts.enumeration import best_of


@dataclass
class Model:
    """A CP-SAT model, its objective expression, and how a solution reads as a decision."""

    cp: cp_model.CpModel
    objective: Any
    read: Callable[[Callable[[Any], int]], Any]


def oracle(name: str) -> Any:
    return import_module(f"tests.oracles.{name}")


def brute(family: Any, instance: Any) -> Solution[Any]:
    """The best of every decision that could be feasible."""
    return best_of(family, instance, oracle(family.name).decisions(instance))


def cp_sat(family: Any, instance: Any, work: float = 60.0, **parameters: Any) -> tuple[str, int | None, Any]:
    """CP-SAT's status, the value of its decision recomputed by the checker, and the decision.

    `work` is in the solver's own unit, some seconds of a quiet machine, and the same on every machine at any load.
    """
    posed = oracle(family.name).model(instance)
    (posed.cp.minimize if family.sense.value == "min" else posed.cp.maximize)(posed.objective)
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = work
    solver.parameters.num_workers = 1
    for name, setting in parameters.items():
        setattr(solver.parameters, name, setting)
    status = solver.status_name(solver.solve(posed.cp))
    if status not in ("OPTIMAL", "FEASIBLE"):
        return status, None, None
    decision = posed.read(solver.value)
    verdict = family.check(instance, decision)
    assert verdict.feasible, verdict.reason
    return status, verdict.value, decision

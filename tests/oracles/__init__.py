"""Third opinions, one module per family: small random instances, brute force, and a CP-SAT model.

Every module defines
    small(stream) -> Instance        degenerate sizes, ties and infeasible instances included
    decisions(instance) -> iterator  every decision that could be feasible, in plain form
    needs(instance, decision)        the facts that a decision depends on, as (relation, *ids): all facts that name these ids
    model(instance) -> Model         the formal problem for CP-SAT, written from the definition
    UNORDERED                        the rosters whose order has no meaning
and optionally
    ALWAYS_FEASIBLE                  no small instance is infeasible
    SCANS_HIDDEN                     the counting contract scans a hidden roster
Nothing here imports a family's solve, verify or generate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ortools.sat.python import cp_model

from algoworlds.core.work import Solution
from algoworlds.suites.contracts.algorithms import best_solution


@dataclass
class Model:
    """A CP-SAT model, its objective expression, and the function that reads a decision off a solution."""

    cp: cp_model.CpModel
    objective: Any
    read: Callable[[Callable[[Any], int]], Any]


def oracle(name: str) -> Any:
    return import_module(f"tests.oracles.{name}")


def brute(family: Any, instance: Any) -> Solution[Any]:
    """The best of every decision that could be feasible."""
    return best_solution(family, instance, oracle(family.name).decisions(instance))


def cp_sat(family: Any, instance: Any, work: float = 60.0, **parameters: Any) -> tuple[str, int | None, Any]:
    """CP-SAT's status, the value of its decision recomputed by the checker, and the decision.

    `work` is in CP-SAT's deterministic time unit, so that the limit does not depend on the machine or its load.
    """
    model = oracle(family.name).model(instance)
    (model.cp.minimize if family.sense.value == "min" else model.cp.maximize)(model.objective)
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = work
    solver.parameters.num_workers = 1
    for name, setting in parameters.items():
        setattr(solver.parameters, name, setting)
    status = solver.status_name(solver.solve(model.cp))
    if status not in ("OPTIMAL", "FEASIBLE"):
        return status, None, None
    decision = model.read(solver.value)
    verdict = family.check(instance, decision)
    assert verdict.feasible, verdict.reason
    return status, verdict.value, decision

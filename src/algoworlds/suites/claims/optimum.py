"""The optimum is one that two algorithms confirm and the checker reproduces, and the reference falls short of it."""

from collections.abc import Iterator

from algoworlds.core.work import band
from algoworlds.suites.claims.claim import Case, Claim, Unit


def agreement(case: Case) -> Iterator[Unit]:
    """Construction and verification agree on the optimal decision and value, and both confirm it as unique."""
    first, solution = case.first, case.solution
    low, high = band(first.coordinate.level)
    problem = None
    if not solution.agrees(case.family.verify(first.instance)) or not solution.unique:
        problem = "the two algorithms do not confirm one unique optimum"
    elif (solution.value, solution.decision, solution.work) != (first.optimum, first.decision, first.work):
        problem = "the recorded optimum or work is another"
    elif not low <= solution.work.total <= high:
        problem = f"the work of {solution.work.total:,} lies outside its band"
    yield first.coordinate.name, problem


def decision_checking(case: Case) -> Iterator[Unit]:
    """The checker accepts the verified optimal decision and reproduces its objective value."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        verdict = case.family.check(each.instance, each.decision)
        right = verdict.feasible and verdict.value == each.optimum == case.solution.value
        yield world.id, None if right else "the checker does not reproduce the optimum"


def reference(case: Case) -> Iterator[Unit]:
    """The reference is feasible and has a positive gap."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        verdict = case.family.check(each.instance, each.reference)
        problem = None
        if not verdict.feasible or verdict.value != each.reference_value:
            problem = "the reference is not feasible at its recorded value"
        elif not case.family.sense.better(case.solution.value, than=verdict.value):
            problem = "the reference is optimal"
        yield world.id, problem


AGREEMENT = Claim("Optimum agreement and uniqueness", "Hidden instance", agreement)


DECISION_CHECKING = Claim("Decision checking", "Algorithmic world", decision_checking)


REFERENCE = Claim("Reference decision", "Algorithmic world", reference)

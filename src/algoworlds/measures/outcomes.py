"""Final-decision measures: feasibility F, exact optimality E, reference utility U, normalized regret R."""

from algoworlds.core.decision import Verdict
from algoworlds.measures.key import Key


def feasible(verdict: Verdict) -> int:
    """F: 1 if the checker accepts the submitted decision, else 0."""
    return int(verdict.feasible)


def gap(key: Key, verdict: Verdict) -> int | None:
    """Delta: distance of a feasible decision's value from the optimum; None for any other."""
    return None if verdict.value is None else abs(verdict.value - key.optimum)


def exact(key: Key, verdict: Verdict) -> int:
    """E: 1 if the decision is feasible and its value equals the optimum, else 0."""
    return int(verdict.value == key.optimum)


def utility(key: Key, verdict: Verdict) -> float:
    """U in 0..100: 100 at the optimum, 0 at the reference decision, at worse ones and at infeasible ones."""
    regret = normalized_regret(key, verdict)
    return 0.0 if regret is None else max(0.0, 100.0 * (1.0 - regret))


def normalized_regret(key: Key, verdict: Verdict) -> float | None:
    """R: the gap in units of the reference gap; None without a feasible decision."""
    distance = gap(key, verdict)
    return None if distance is None else distance / key.reference_gap

"""Final-decision measures: feasibility F, exact optimality E, reference utility U, normalized regret R."""

from dataclasses import dataclass

from algoworlds.core.decision import Verdict
from algoworlds.worlds.admit import Admitted


@dataclass(frozen=True)
class Scale:
    """What decisions of a world are measured against: the verified optimum and the reference decision's gap."""

    optimum: int
    reference_gap: int

    @classmethod
    def of(cls, admitted: Admitted) -> "Scale":
        """The scale of an admitted instance."""
        return cls(admitted.optimum, admitted.reference_gap)


def feasible(verdict: Verdict) -> int:
    """F: 1 if the checker accepts the submitted decision, else 0."""
    return int(verdict.feasible)


def gap(scale: Scale, verdict: Verdict) -> int | None:
    """Delta: distance of a feasible decision's value from the optimum; None for any other."""
    return None if verdict.value is None else abs(verdict.value - scale.optimum)


def exact(scale: Scale, verdict: Verdict) -> int:
    """E: 1 if the decision is feasible and its value equals the optimum, else 0."""
    return int(verdict.value == scale.optimum)


def utility(scale: Scale, verdict: Verdict) -> float:
    """U in 0..100: 100 at the optimum, 0 at the reference decision, at worse ones and at infeasible ones."""
    regret = normalized_regret(scale, verdict)
    return 0.0 if regret is None else max(0.0, 100.0 * (1.0 - regret))


def normalized_regret(scale: Scale, verdict: Verdict) -> float | None:
    """R: the gap in units of the reference gap; None without a feasible decision."""
    distance = gap(scale, verdict)
    return None if distance is None else distance / scale.reference_gap

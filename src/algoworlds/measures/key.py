"""The answer key of a world: what its episodes are scored against."""

from dataclasses import dataclass

from algoworlds.core.decision import Decision
from algoworlds.core.relation import Fact
from algoworlds.knowledge.certificate import Certificate
from algoworlds.measures.discovery import sufficient_sets
from algoworlds.worlds.admission import AdmittedInstance
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class AnswerKey:
    """The verified optimum, the value of the reference decision, and S(w), the sufficient sets of facts.

    A suite stores it sealed, so that scoring never solves anything; it can also be computed from an admitted instance.
    """

    optimum: int
    decision: Decision
    reference_value: int
    sufficient_sets: tuple[frozenset[Fact], ...]
    certificate: Certificate | None = None
    """The cheapest calls known whose responses determine the optimum; None where no suite states them."""

    @classmethod
    def from_admitted(cls, admitted: AdmittedInstance, world: World) -> "AnswerKey":
        """The answer key of `world`, which shows the instance of `admitted`."""
        return cls(admitted.optimum, admitted.solution.decision, admitted.reference_value, sufficient_sets(world))

    @property
    def reference_gap(self) -> int:
        """The reference decision's distance from the optimum: the scale of reference utility."""
        return abs(self.reference_value - self.optimum)

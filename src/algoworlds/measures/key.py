"""The key of a world: what its episodes are scored against."""

from dataclasses import dataclass

from algoworlds.core.decision import Decision
from algoworlds.core.relation import Fact
from algoworlds.knowledge.certificate import Certificate
from algoworlds.measures.discovery import sufficient_sets
from algoworlds.worlds.admit import Admitted
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class Key:
    """The verified optimum, the value of the reference decision, and S(w), the sufficient sets of facts.

    A suite keeps it sealed, so that scoring never solves anything; a certified instance gives it as well.
    """

    optimum: int
    decision: Decision
    reference_value: int
    sets: tuple[frozenset[Fact], ...]
    certificate: Certificate | None = None
    """The cheapest calls known whose responses determine the optimum; None where no suite states them."""

    @classmethod
    def of(cls, admitted: Admitted, world: World) -> "Key":
        """The key of a world around a certified instance."""
        return cls(admitted.optimum, admitted.solution.decision, admitted.reference_value, sufficient_sets(world))

    @property
    def reference_gap(self) -> int:
        """The reference decision's distance from the optimum: the scale of reference utility."""
        return abs(self.reference_value - self.optimum)

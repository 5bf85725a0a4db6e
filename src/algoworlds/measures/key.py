"""The answer key of a world: what its episodes are scored against, and how much of it the executed calls revealed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from algoworlds.core.decision import Decision
from algoworlds.core.relation import Fact
from algoworlds.knowledge.certificate import Certificate
from algoworlds.worlds.admission import AdmittedInstance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


def sufficient_sets(world: World) -> tuple[frozenset[Fact], ...]:
    """S(w): the distinct sets of facts that the acquisition plans of `world` reveal."""
    return tuple(dict.fromkeys(Episode(world, plan).facts for plan in world.plans.values()))


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
    others: tuple[Decision, ...] = ()
    """In a tied world, the optimal decisions beside `decision`, which is the first by canonical text."""

    def __repr__(self) -> str:
        return f"<AnswerKey, optimum {self.optimum:,}, reference {self.reference_value:,}>"

    @classmethod
    def from_admitted(cls, admitted: AdmittedInstance, world: World) -> "AnswerKey":
        """The answer key of `world`, which shows the instance of `admitted`."""
        decision, others = admitted.solution.decision, admitted.others
        return cls(admitted.optimum, decision, admitted.reference_value, sufficient_sets(world), others=others)

    @property
    def optima(self) -> tuple[Decision, ...]:
        """All optimal decisions, by canonical text."""
        return (self.decision, *self.others)

    @property
    def reference_gap(self) -> int:
        """The reference decision's distance from the optimum: the scale of reference utility."""
        return abs(self.reference_value - self.optimum)


@dataclass(frozen=True)
class Discovery:
    """How information accumulated along a trajectory, measured against the sufficient sets."""

    episode: Episode
    sufficient_sets: Sequence[frozenset[Fact]]

    @cached_property
    def curve(self) -> list[tuple[int, float]]:
        """Coverage after the calls that changed it, from (0, 0) to the last call, rising in calls."""
        counts, points = [0] * len(self.sufficient_sets), [(0, 0.0)]
        for number, news in enumerate(self.episode.new_facts, 1):
            counts = [count + len(facts & news.facts) for count, facts in zip(counts, self.sufficient_sets, strict=True)]
            covered = max(count / len(facts) for count, facts in zip(counts, self.sufficient_sets, strict=True))
            if covered > points[-1][1] or number == self.episode.attempts:
                points.append((number, covered))
        return points

    @property
    def coverage(self) -> float:
        """D in 0..1: the largest share of any sufficient set that the trajectory's facts contain."""
        return self.curve[-1][1]

    @property
    def sufficiency(self) -> int:
        """C: 1 if the trajectory's facts contain a complete sufficient set, else 0."""
        return int(self.coverage == 1.0)

    @property
    def sufficient_at(self) -> int | None:
        """The number of the call after which a sufficient set was complete; None if there is no such call."""
        return next((calls for calls, covered in self.curve if covered == 1.0), None)

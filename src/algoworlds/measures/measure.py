"""What a measure is: one value that whatever records, reads, prints or explains it takes everything from."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from algoworlds.core.decision import Verdict
from algoworlds.measures.discovery import Discovery
from algoworlds.measures.domain import Domain
from algoworlds.measures.key import Key
from algoworlds.worlds.episode import Episode


@dataclass(frozen=True)
class Evidence:
    """What an evaluation is measured by: its episode, the key of its world, and how many calls no episode saw."""

    episode: Episode
    key: Key
    ignored: int = 0
    """Calls beyond the first of a turn: answered with a rejection and never passed on."""

    @cached_property
    def verdict(self) -> Verdict:
        """The checker's word on the submitted decision."""
        return self.episode.verdict

    @cached_property
    def discovery(self) -> Discovery:
        """How information accumulated along the trajectory."""
        return Discovery(self.episode, self.key.sets)

    def spelled(self, decision: Any) -> dict[str, Any] | None:
        """A decision as its arguments object; None for none."""
        return None if decision is None else self.episode.world.family.decision.arguments(decision)


E = TypeVar("E", bound=Evidence)


@dataclass(frozen=True)
class Measure(Generic[E]):
    """One measure or diagnostic of one evaluation, by the evidence that it takes."""

    name: str
    """The field of a record."""
    title: str
    unit: str
    meaning: str
    caution: str
    """What it does not mean."""
    domain: Domain
    of: Callable[[E], Any]
    optional: bool = False
    """Undefined in some evaluations, for which a record holds null."""

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value that a record gives for it; None if nothing is."""
        return None if self.optional and value is None else self.domain.fault(value)

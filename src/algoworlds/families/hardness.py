"""What a family declares to be attacked: by admission, by the shortcut claims, and by the attack panel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, TypeVar

from algoworlds.core.instance import Instance
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError
from algoworlds.families.hand import Hand

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Y = TypeVar("Y")


@dataclass(frozen=True)
class Concession:
    """A goal of docs/hardness.md that a family misses at a level: the figure it is held to instead, and why."""

    goal: str
    level: int
    limit: float
    why: str


@dataclass(frozen=True)
class Hardness(Generic[I, Y]):
    """Ways to decide without the exact algorithm or without all information. Every field is optional."""

    blind: Mapping[str, Callable[[I], I]] = field(default_factory=dict)
    """Named ways to erase one channel's information: no exact solver may find the optimum in what they return."""
    fits: Mapping[str, Callable[[I], I]] = field(default_factory=dict)
    """Named ways to guess one column from others."""
    hand: Callable[[I], Hand[Y]] | None = None
    """What can be done with an instance by hand, for the attack panel; it needs `sample` and `descend` beside it."""
    concessions: tuple[Concession, ...] = ()
    """Goals that the family is known to miss; its page, the attack panel and validation read them here."""
    sample: Callable[[I, Stream], Y] | None = None
    """A feasible decision at random."""
    descend: Callable[[I, Y], Y] | None = None
    """One local-search descent from a feasible decision."""

    def __post_init__(self) -> None:
        for name in ("blind", "fits"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if self.hand is not None and (self.sample is None or self.descend is None):
            raise DeclarationError("Hardness(hand=...) needs sample and descend as well: attackers start from them")

    def samples(self, instance: I, stream: Stream, count: int) -> list[Y]:
        """`count` feasible decisions at random; none if the family declares no `sample`."""
        return [] if self.sample is None else [self.sample(instance, stream) for _ in range(count)]

    def conceded(self, goal: str, level: int) -> Concession | None:
        """The concession for `goal` at `level`; None if the family is held to the goal itself."""
        return next((one for one in self.concessions if (one.goal, one.level) == (goal, level)), None)

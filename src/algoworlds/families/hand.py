"""An instance in the hands of someone without the exact algorithm: what an attacker of a family can do with it.

All information and no global optimization: compare a decision with its neighbours, extend a partial one choice by choice,
and try the family's visible units as wholes. Attackers are written once over this small interface, so that a new family
meets them all. A *loss* counts against the objective whatever the sense: less is better.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from algoworlds.core.stream import Stream
from algoworlds.families.residues import Choices

Y = TypeVar("Y")


class Extension(NamedTuple):
    """A choice that may come next, and the loss that it adds."""

    choice: str
    loss: int


class Hand(ABC, Generic[Y]):
    """What can be done with one instance by hand."""

    anywhere = False
    """Whether a choice means the same at any place of a partial decision; otherwise it belongs to its place."""
    switched = False
    """Whether all choices are off or on, so that only the place can tell them before anything is read."""
    constant = 0
    """What every decision loses alike, on top of its choices."""

    @abstractmethod
    def neighbours(self, y: Y) -> Iterator[Y]:
        """The decisions that one small move makes of a feasible one; some may be infeasible."""

    def neighbour(self, y: Y, stream: Stream) -> Y:
        """One of the neighbours at random."""
        return stream.choice(list(self.neighbours(y)))

    def start(self, stream: Stream) -> Y | None:
        """A feasible decision at random, if that is quicker here than the family's own sample; else None."""
        return None

    @abstractmethod
    def extensions(self, partial: Choices) -> list[Extension]:
        """How a partial decision may go on; nothing if it is complete or has come to a dead end."""

    @abstractmethod
    def decision(self, partial: Choices) -> Y | None:
        """The decision that a partial one has become; None while something is missing."""

    @abstractmethod
    def choices(self, y: Y) -> Choices:
        """The choices that make a decision, which is the inverse of `decision`."""

    def rest(self, partial: Choices) -> int:
        """The least loss that completing a partial decision could add if the coupling constraint did not hold."""
        return 0

    def units(self) -> Iterator[Y]:
        """Decisions made of units that the family's tables show: open sets, crews, blocks."""
        return iter(())

    def shows(self, y: Y) -> bool:
        """Whether a decision is one of these."""
        return any(unit == y for unit in self.units())

    def parts(self) -> "Iterator[Hand[Y]]":
        """Hands like this one with one of the visible units settled, such as which vehicles are open."""
        return iter(())


class QuickHand(Hand[Y]):
    """A hand that prices whole decisions sooner than the family's checker, through which any other hand is attacked."""

    @abstractmethod
    def loss(self, y: Y) -> int | None:
        """The loss of a decision that this hand or the family made, as the checker would say; None if infeasible."""

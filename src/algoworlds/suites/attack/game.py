"""One attack on one instance: every evaluation is counted, and the best decision so far is remembered with its price."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.errors import InputError
from algoworlds.families.family import Family
from algoworlds.families.hand import Hand, QuickHand
from algoworlds.families.residues import Choices


def unattackable(family: Family[Any, Any]) -> str:
    """What `family` leaves undeclared that an attack needs; empty if it can be attacked."""
    return family.lacking("hardness", "hand", "sample", "descend", purpose="attack it")


class Over(Exception):
    """The attack has ended: it found the optimum, or its budget is spent."""


@dataclass
class Game:
    """An instance under attack, with a budget of evaluations: of whole decisions, or of one step of a partial one."""

    family: Family[Any, Any]
    instance: Any
    optimum: int
    budget: int
    stream: Stream
    made: Hand[Any] | None = None
    """The instance in hand, if somebody has made it already: that may take as long as an attack."""
    evaluations: int = 0
    improvements: list[tuple[int, int]] = field(default_factory=list)
    """(evaluations, value) whenever a better decision than all before was found."""

    def __post_init__(self) -> None:
        hand = self.family.hardness.hand
        if hand is None:
            raise InputError(unattackable(self.family))
        self.hand: Hand[Any] = hand(self.instance) if self.made is None else self.made
        self._sign = 1 if self.family.sense is Sense.MIN else -1
        self._evaluate = self.hand.loss if isinstance(self.hand, QuickHand) else self._checked

    @property
    def found_at(self) -> int | None:
        """The evaluations after which the optimum was found; None if it was not."""
        return self.improvements[-1][0] if self.improvements and self.improvements[-1][1] == self.optimum else None

    def value_at(self, evaluations: int) -> int | None:
        """The value of the best decision found within so many evaluations."""
        return next((value for at, value in reversed(self.improvements) if at <= evaluations), None)

    def start(self) -> Any:
        """A feasible decision at random."""
        start, sample = self.hand.start(self.stream), self.family.hardness.sample
        assert sample is not None  # no hand is declared without it
        return sample(self.instance, self.stream) if start is None else start

    def loss(self, y: Any) -> int | None:
        """Evaluate a decision; None if it is infeasible. Over when it is optimal or the budget is spent."""
        self.spend(1)
        loss = self._evaluate(y)
        if loss is not None and (not self.improvements or loss < self._sign * self.improvements[-1][1]):
            self.improvements.append((self.evaluations, self._sign * loss))
            if self._sign * loss == self.optimum:
                raise Over
        return loss

    def _checked(self, y: Any) -> int | None:
        value = self.family.check(self.instance, y).value
        return None if value is None else self._sign * value

    def extended(self, partial: Choices, hand: Hand[Any] | None = None) -> Iterator[tuple[Choices, int]]:
        """The extensions of a partial decision in a hand with the losses they add, each counted as an evaluation."""
        extensions = (hand or self.hand).extensions(partial)
        self.spend(len(extensions))
        return (((*partial, choice), loss) for choice, loss in extensions)

    def spend(self, count: int) -> None:
        """Count evaluations; Over when there are no more."""
        if self.evaluations + count > self.budget:
            self.evaluations = self.budget
            raise Over
        self.evaluations += count

    def play(self, attack: Callable[["Game"], None]) -> "Game":
        """Let an attack run to its end."""
        with suppress(Over):
            attack(self)
        return self

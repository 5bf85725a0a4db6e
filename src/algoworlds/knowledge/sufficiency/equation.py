"""An evaluation tells one value exactly: unread numbers that together make it up are no longer free of each other.

Ranges of single numbers shrink to what the others leave of the told value. What is left of the equation is priced: as in any
dual, what a rival gains by breaking it is taken back, and every price bounds the rival's lead from above. A number x of the
evaluated decision has the weight (paid by the decision on trial) + price, which is what it is worth to the lead of a rival
that does not use it; a rival that does pays the difference, which lies between the ends of x. So a bound is one solve, with
these numbers somewhere between their ends, and a price of 0 is the bound without the equation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.core.completions import Spot, settled
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Range
from algoworlds.families.family import Family


class Ends(NamedTuple):
    """Where a number stands at best and at worst for whoever pays for it."""

    lenient: int
    dear: int


class Priced(NamedTuple):
    """Numbers that stand for a price of the equation, and what is added to the lead of any rival there."""

    numbers: dict[Spot, int]
    more: Fraction


UNPRICED = Priced({}, Fraction(0))
"""As if nothing had been told."""


@dataclass(frozen=True, eq=False)
class Equation:
    """What a decision is told to lose, and the unread numbers that this depends on, and nothing else that is unread."""

    family: Family[Any, Any]
    instance: Any
    decision: Decision
    sign: int
    """+1 where less is better: what turns a value into a loss."""
    told: int
    """The loss that was told."""
    paid: Mapping[Spot, int]
    """What one more of each number adds to the value."""
    boxes: Mapping[Spot, Range]

    def ends(self, spot: Spot) -> Ends:
        """The ends of a number, the one that makes the decision better first."""
        box = self.boxes[spot]
        return Ends(box.low, box.high) if self.sign * self.paid[spot] > 0 else Ends(box.high, box.low)

    def loss(self, numbers: Mapping[Spot, int]) -> int:
        """What the decision loses with some numbers settled."""
        value = self.family.check(settled(self.instance, numbers), self.decision).value
        assert value is not None
        return self.sign * value

    def corners(self) -> tuple[dict[Spot, int], dict[Spot, int]]:
        """All numbers at their best, and all at their worst."""
        ends = {spot: self.ends(spot) for spot in self.paid}
        return {spot: each.lenient for spot, each in ends.items()}, {spot: each.dear for spot, each in ends.items()}

    @property
    def holds_somewhere(self) -> bool:
        """Whether the told loss lies between the least and the most that the numbers allow."""
        best, worst = self.corners()
        return self.loss(best) <= self.told <= self.loss(worst)

    def tightened(self) -> dict[Spot, Range]:
        """The ranges that the told loss leaves, each number by itself: the others can make up for no more than they have."""
        best, worst = self.corners()
        least, most = self.loss(best), self.loss(worst)
        found = dict(self.boxes)
        for spot in self.paid:
            (lenient, dear), width = self.ends(spot), self.boxes[spot].width
            up = _steps(self.told - least, self.loss(best | {spot: dear}) - least, width)
            down = _steps(most - self.told, most - self.loss(worst | {spot: lenient}), width)
            way = 1 if dear > lenient else -1
            ends = (lenient + way * up, dear - way * down)
            found[spot] = Range(min(ends), max(ends)) if up + down >= width else self.boxes[spot]
        return found

    def priced(self, own: Mapping[Spot, int], price: Fraction) -> Priced:
        """The scenario of a price; `own` are the numbers that the decision on trial pays for."""
        numbers, more = dict[Spot, int](), Fraction(0)
        for spot in self.paid:
            lenient, dear = self.ends(spot)
            weight = price + (spot in own)
            share = min(max(weight, Fraction(0)), Fraction(1)) * abs(dear - lenient)
            numbers[spot] = lenient + (1 if dear > lenient else -1) * int(share)
            each = self.sign * self.paid[spot]
            more += each * (weight * (dear if weight > 0 else lenient) - (price + (spot in own)) * numbers[spot])
        return Priced(numbers, more + price * (self.loss(numbers) - self.told))

    def way(self, own: Mapping[Spot, int], theirs: Mapping[Spot, int], price: Fraction) -> int:
        """Whether a higher (+1) or lower price (-1) bounds a rival's lead better; 0 if its worst instance agrees."""
        best, worst = self.corners()
        for spot in self.paid:
            gain = price + (spot in own) - (spot in theirs)
            if gain:
                best[spot] = worst[spot] = self.ends(spot)[gain > 0]
        return -1 if self.loss(best) > self.told else int(self.loss(worst) < self.told)


def _steps(room: int, span: int, width: int) -> int:
    """How many steps of a number fit into what there is room for, if all of them take so much."""
    return width if span <= room else room * width // span

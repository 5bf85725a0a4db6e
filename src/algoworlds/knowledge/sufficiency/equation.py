"""An evaluation gives one exact value: a linear equation over the unread numbers that the evaluated decision pays for.

First, the range of each number shrinks to what the others leave of the value. Then the equation is relaxed with a price
(Lagrangian dual): every price gives an upper bound on a rival's lead. A number x of the evaluated decision has the weight
(1 if the decision on trial pays for it) + price, which is what it is worth to the lead of a rival that does not use it; a rival
that does pays the difference, which lies between the ends of x. So a bound is one solve with these numbers somewhere between
their ends, and price 0 gives the bound without the equation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.core.completions import NumberRef, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Range
from algoworlds.families.family import Family


class Ends(NamedTuple):
    """The best and the worst end of a number's range for a decision that pays for it."""

    lenient: int
    dear: int


class PricedScenario(NamedTuple):
    """The numbers of a scenario for one price of the equation, and what is added to the lead of every rival."""

    numbers: dict[NumberRef, int]
    lead_bonus: Fraction


UNPRICED = PricedScenario({}, Fraction(0))
"""The scenario without the equation."""


@dataclass(frozen=True, eq=False)
class Equation:
    """The loss of an evaluated decision, which depends on the unread numbers in `effects` and on nothing else unread."""

    family: Family[Any, Any]
    instance: Any
    decision: Decision
    sign: int
    """+1 if the family minimises, -1 if it maximises: loss = sign * value."""
    told_loss: int
    """The loss that the evaluation returned."""
    effects: Mapping[NumberRef, int]
    """The change of the value per unit of each number."""
    number_ranges: Mapping[NumberRef, Range]

    def ends(self, ref: NumberRef) -> Ends:
        """The ends of a number's range, the one that is better for the evaluated decision first."""
        span = self.number_ranges[ref]
        return Ends(span.low, span.high) if self.sign * self.effects[ref] > 0 else Ends(span.high, span.low)

    def loss(self, numbers: Mapping[NumberRef, int]) -> int:
        """The loss of the evaluated decision with `numbers` fixed."""
        value = self.family.check(with_numbers(self.instance, numbers), self.decision).value
        assert value is not None
        return self.sign * value

    def corners(self) -> tuple[dict[NumberRef, int], dict[NumberRef, int]]:
        """All numbers at their best, and all at their worst."""
        ends = {ref: self.ends(ref) for ref in self.effects}
        return {ref: end.lenient for ref, end in ends.items()}, {ref: end.dear for ref, end in ends.items()}

    @property
    def is_satisfiable(self) -> bool:
        """Whether the loss lies between the smallest and the largest that the ranges allow."""
        best, worst = self.corners()
        return self.loss(best) <= self.told_loss <= self.loss(worst)

    def tighten_ranges(self) -> dict[NumberRef, Range]:
        """The range of each number by itself that is consistent with the loss and the ranges of the others."""
        best, worst = self.corners()
        smallest, largest = self.loss(best), self.loss(worst)
        ranges = dict(self.number_ranges)
        for ref in self.effects:
            (lenient, dear), width = self.ends(ref), self.number_ranges[ref].width
            up = _max_steps(self.told_loss - smallest, self.loss(best | {ref: dear}) - smallest, width)
            down = _max_steps(largest - self.told_loss, largest - self.loss(worst | {ref: lenient}), width)
            direction = 1 if dear > lenient else -1
            ends = (lenient + direction * up, dear - direction * down)
            ranges[ref] = Range(min(ends), max(ends)) if up + down >= width else self.number_ranges[ref]
        return ranges

    def at_price(self, own: Mapping[NumberRef, int], price: Fraction) -> PricedScenario:
        """The scenario of `price`; `own` holds the numbers that the decision on trial pays for."""
        numbers, bonus = dict[NumberRef, int](), Fraction(0)
        for ref in self.effects:
            lenient, dear = self.ends(ref)
            weight = price + (ref in own)
            share = min(max(weight, Fraction(0)), Fraction(1)) * abs(dear - lenient)
            numbers[ref] = lenient + (1 if dear > lenient else -1) * int(share)
            bonus += self.sign * self.effects[ref] * weight * ((dear if weight > 0 else lenient) - numbers[ref])
        return PricedScenario(numbers, bonus + price * (self.loss(numbers) - self.told_loss))

    def price_direction(self, own: Mapping[NumberRef, int], theirs: Mapping[NumberRef, int], price: Fraction) -> int:
        """Whether a higher (+1) or lower (-1) price tightens the bound; 0 if the worst instance satisfies the equation."""
        best, worst = self.corners()
        for ref in self.effects:
            gain = price + (ref in own) - (ref in theirs)
            if gain:
                best[ref] = worst[ref] = self.ends(ref)[gain > 0]
        return -1 if self.loss(best) > self.told_loss else int(self.loss(worst) < self.told_loss)


def _max_steps(room: int, span: int, width: int) -> int:
    """How many of `width` unit steps fit into `room`, if all of them together take `span`."""
    return width if span <= room else room * width // span
